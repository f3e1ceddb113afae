"""`fusion init` writes what is missing, once."""

from __future__ import annotations

import subprocess
from typing import Any

from fusion_contracts import __version__


def test_everything_is_missing(project: Any, close_page: Any) -> None:
    result = project.run("init", "--name", "pages", *project.serve("pages", close_page))
    assert result.code == 0
    assert result.out == (
        "wrote fusion.lock: 1 server, 1 tool\nwrote .github/workflows/fusion.yml\nadded fusion.lock to .gitattributes\n"
    )
    assert project.read(".gitattributes") == "fusion.lock text eol=lf linguist-generated=false\n"
    workflow = project.read(".github/workflows/fusion.yml")
    assert f'- run: pip install "fusion-contracts=={__version__}"\n' in workflow
    assert "fetch-depth: 0" in workflow
    assert "run: fusion check --offline\n" in workflow
    assert "run: fusion check --base HEAD\n" in workflow
    assert project.run("lock", "--check").code == 0


def test_again_it_changes_nothing(project: Any, close_page: Any) -> None:
    command = project.serve("pages", close_page)
    project.run("init", *command)
    before = project.files()

    result = project.run("init", *command)

    assert result.code == 0
    assert result.out == (
        "fusion.lock is there already; left as it is\n"
        ".github/workflows/fusion.yml is there already; left as it is\n"
        ".gitattributes speaks of fusion.lock already; left as it is\n"
    )
    assert project.files() == before


def test_what_is_there_stays(project: Any, close_page: Any) -> None:
    project.write(".gitattributes", "*.png binary")
    project.write(".github/workflows/fusion.yml", "mine")
    project.write("pyproject.toml", "[project]\nname = 'x'\n")
    project.run("init", "--name", "pages", *project.serve("pages", close_page))
    assert project.read(".gitattributes") == "*.png binary\nfusion.lock text eol=lf linguist-generated=false\n"
    assert project.read(".github/workflows/fusion.yml") == "mine"
    assert project.read("pyproject.toml").startswith("[project]\nname = 'x'\n\n[tool.fusion.sources.pages]\n")


def test_without_a_source(project: Any) -> None:
    result = project.run("init")
    assert result.code == 0
    assert result.out.splitlines()[:2] == [
        "wrote fusion.toml",
        "no lock yet: name what to lock: fusion lock -- COMMAND",
    ]
    assert not (project.folder / "fusion.lock").exists()
    assert project.run("init").out.splitlines()[0] == "no lock yet: name what to lock: fusion lock -- COMMAND"


def test_a_server_that_does_not_start_leaves_nothing(project: Any) -> None:
    result = project.run("init", "--", "no-such-command-anywhere")
    assert result.code == 2
    assert result.err.splitlines()[0] == (
        "fusion: no-such-command-anywhere: the command no-such-command-anywhere is not on PATH; "
        "install it, or correct the command"
    )
    assert project.files() == {}


def test_git_takes_the_attributes(repository: Any, close_page: Any) -> None:
    repository.run("init", "--name", "pages", *repository.serve("pages", close_page))
    told = repository.git("check-attr", "text", "eol", "--", "fusion.lock")
    assert told == "fusion.lock: text: set\nfusion.lock: eol: lf"


def test_the_workflow_checks_another_lock(project: Any, close_page: Any) -> None:
    project.run("init", "--lockfile", "tools.lock", "--name", "pages", *project.serve("pages", close_page))
    assert "run: fusion check --offline --lockfile tools.lock\n" in project.read(".github/workflows/fusion.yml")


def test_what_the_workflow_runs_passes_here(repository: Any, close_page: Any) -> None:
    repository.run("init", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit()
    lines = [line.strip() for line in repository.read(".github/workflows/fusion.yml").splitlines()]
    commands = [line.removeprefix("run: fusion ").split() for line in lines if line.startswith("run: fusion ")]
    assert commands == [["check", "--offline"], ["check", "--base", "HEAD"]]
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], cwd=repository.folder, check=True)
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert [repository.run(*command).code for command in commands] == [0, 0]
