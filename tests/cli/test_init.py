"""`fusion init` writes what is missing, once."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from fusion_contracts import __version__
from fusion_contracts.cli.ours import local_part
from fusion_contracts.config import Source

INSTALL = "for merges by tool and findings in git diff, run in each clone: fusion merge-driver --install"
LINE = "fusion.lock text eol=lf linguist-generated=false merge=fusion diff=fusion\n"
FOLDER = LINE.replace("fusion.lock", "fusion.lock.d/*", 1)


def test_everything_is_missing(project: Any, close_page: Any) -> None:
    result = project.run("init", "--name", "pages", *project.serve("pages", close_page))
    assert result.code == 0
    assert result.out == (
        "wrote fusion.lock: 1 server, 1 tool\n"
        "wrote .github/workflows/fusion.yml\n"
        "on pull requests the workflow also reads pages (pages.json), which is part of this repository\n"
        f"added fusion.lock to .gitattributes; {INSTALL}\n"
    )
    assert project.read(".gitattributes") == LINE + FOLDER
    workflow = project.read(".github/workflows/fusion.yml")
    assert f'- run: pip install "fusion-contracts=={__version__}"\n' in workflow
    assert "fetch-depth: 0" in workflow
    assert "run: fusion check --local\n" in workflow
    assert "run: fusion check --base HEAD\n" in workflow
    assert project.run("lock", "--check").code == 0


def test_a_workflow_below_the_top_is_said_to_belong_there(repository: Any, close_page: Any) -> None:
    repository.write("sub/a/pages.json", json.dumps({"tools": [close_page]}))
    result = repository.run("init", "-C", "sub/a", "--name", "pages", "--", *repository.command("pages"))
    assert result.code == 0
    assert result.out.splitlines()[3] == (
        "GitHub runs workflows only of the repository's top: move it there, and give each run -C sub/a"
    )


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
    assert project.read(".gitattributes") == "*.png binary\n" + LINE + FOLDER
    assert project.read(".github/workflows/fusion.yml") == "mine"
    assert project.read("pyproject.toml").startswith("[project]\nname = 'x'\n\n[tool.fusion.sources.pages]\n")


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_the_line_of_an_older_release_is_extended(project: Any, end: str) -> None:
    project.write(".gitattributes", f"*.png binary\nfusion.lock text eol=lf linguist-generated=false{end}")
    said = project.run("init").out.splitlines()[-1]
    assert said == (f"added merge=fusion diff=fusion to the line of fusion.lock in .gitattributes; {INSTALL}")
    newline = end or "\n"
    assert project.read(".gitattributes") == "*.png binary\n" + (LINE + FOLDER).replace("\n", newline)
    assert project.run("init").out.splitlines()[-1] == ".gitattributes speaks of fusion.lock already; left as it is"


def test_the_folder_joins_the_line_of_an_older_release(project: Any) -> None:
    project.write(".gitattributes", LINE)
    said = project.run("init").out.splitlines()[-1]
    assert said == f"added fusion.lock.d to .gitattributes; {INSTALL}"
    assert project.read(".gitattributes") == LINE + FOLDER
    assert project.run("init").out.splitlines()[-1] == ".gitattributes speaks of fusion.lock already; left as it is"


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("fusion.lock -diff\n", "; for fusion's drivers, add merge=fusion diff=fusion"),
        ("fusion.lock text eol=lf linguist-generated=false merge=fusion\n", "; for fusion's drivers, add diff=fusion"),
        ("fusion.lock merge=fusion\nfusion.lock diff=fusion\n", ""),
    ],
)
def test_any_other_line_is_left_alone_and_told(project: Any, line: str, advice: str) -> None:
    project.write(".gitattributes", line)
    said = project.run("init").out.splitlines()[-1]
    assert said == f".gitattributes speaks of fusion.lock already; left as it is{advice}"
    assert project.read(".gitattributes") == line


def test_without_a_source(project: Any) -> None:
    result = project.run("init")
    assert result.code == 0
    assert result.out.splitlines() == [
        "wrote fusion.toml",
        "no lock yet: name what to lock: fusion lock -- COMMAND",
        "no workflow yet: it depends on the source; run fusion init again after fusion lock",
        f"added fusion.lock to .gitattributes; {INSTALL}",
    ]
    assert project.files().keys() == {"fusion.toml", ".gitattributes"}
    assert project.run("init").out.splitlines()[0] == "no lock yet: name what to lock: fusion lock -- COMMAND"


def test_the_workflow_comes_with_the_source(project: Any, close_page: Any) -> None:
    project.run("init")
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    assert project.run("init").out.splitlines() == [
        "fusion.lock is there already; left as it is",
        "wrote .github/workflows/fusion.yml",
        "on pull requests the workflow also reads pages (pages.json), which is part of this repository",
        ".gitattributes speaks of fusion.lock already; left as it is",
    ]


def test_a_new_server_joins_a_lock_that_is_there(project: Any, close_page: Any, list_pages: Any) -> None:
    project.run("init", "--name", "pages", *project.serve("pages", close_page))
    result = project.run("init", "--name", "other", *project.serve("other", list_pages))
    assert result.code == 0
    assert result.out.splitlines()[:2] == ["new: other, 1 tool", "wrote fusion.lock: 2 servers, 2 tools"]


def test_another_command_under_a_name_that_is_taken_is_refused(project: Any, close_page: Any) -> None:
    project.run("init", "--name", "pages", *project.serve("pages", close_page))
    before = project.files()
    result = project.run("init", "--name", "pages", *project.serve("pages", close_page), "more")
    assert result.code == 2
    assert result.err.splitlines()[-2] == (
        "fusion: fusion.toml names another source for pages; "
        "change it there, or give another --name; nothing was written"
    )
    assert project.files() == before


def test_a_variable_that_is_not_set_is_noted(project: Any, close_page: Any) -> None:
    command = project.serve("pages", close_page)
    result = project.run("init", "--name", "pages", "--pass-env", "NOT_SET_HERE", *command)
    assert result.code == 0
    assert result.err.splitlines()[0] == ("note: NOT_SET_HERE is not set here, so the server is started without it")
    assert result.err.count("NOT_SET_HERE") == 1


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
    assert steps(project) == ["check --local --lockfile tools.lock", "check --base HEAD --lockfile tools.lock"]


def test_what_the_workflow_runs_passes_here(repository: Any, close_page: Any) -> None:
    repository.run("init", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit()
    commands = [step.split() for step in steps(repository)]
    assert commands == [["check", "--local"], ["check", "--base", "HEAD"]]
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], cwd=repository.folder, check=True)
    repository.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
    assert [repository.run(*command).code for command in commands] == [0, 0]


# --- whether the workflow starts the server on pull requests ---------------------------------------------------------


def steps(project: Any) -> list[str]:
    """What the workflow runs of ours."""
    lines = [line.strip() for line in project.read(".github/workflows/fusion.yml").splitlines()]
    return [line.removeprefix("run: fusion ") for line in lines if line.startswith("run: fusion ")]


def test_the_pull_request_that_breaks_a_server_of_the_repository_does_not_pass(
    repository: Any, close_page: Any, close_page_v2: Any
) -> None:
    repository.run("init", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit()
    repository.git("switch", "-q", "-c", "change")
    repository.serve("pages", close_page_v2)
    repository.commit()

    on_pull_request = repository.run(*steps(repository)[0].split(), "--base", "main")

    assert on_pull_request.code == 1
    assert on_pull_request.out.splitlines()[2:6] == [
        "fresh       1 server changed",
        "  pages  BREAKING  1 breaking",
        "      changed: tool close_page (interface)",
        "      next: fusion diff -s pages shows what changed, fusion lock -s pages accepts it",
    ]
    assert on_pull_request.out.splitlines()[-1] == "exit 1: fusion.lock is stale"


def test_a_server_from_elsewhere_is_not_started_on_pull_requests(project: Any, close_page: Any) -> None:
    project.serve("pages", close_page)
    project.write("fusion.toml", '[sources.pages]\ncommand = ["npx", "-y", "@acme/pages@1.2", "."]\n')
    assert project.run("init", "--lockfile", "x.lock").code == 2
    project.write("x.lock", "lock_version = 1\n")
    assert project.run("init", "--lockfile", "x.lock").out.splitlines()[1:3] == [
        "wrote .github/workflows/fusion.yml",
        "on pull requests the workflow starts no server: none is part of this repository",
    ]
    assert steps(project) == ["check --local --lockfile x.lock", "check --base HEAD --lockfile x.lock"]
    assert "install" not in project.read(".github/workflows/fusion.yml").partition("fusion-contracts==")[2]


def test_of_several_servers_only_ours_are_started_on_pull_requests(project: Any) -> None:
    project.write("fusion.lock", "lock_version = 1\n")
    project.write("mine.py", "")
    project.write(
        "fusion.toml",
        '[sources.theirs]\ncommand = ["npx", "theirs@1"]\n[sources."my own"]\ncommand = ["python3", "mine.py"]\n',
    )
    assert project.run("init").out.splitlines()[2] == (
        "on pull requests the workflow also reads my own (mine.py), which is part of this repository"
    )
    assert steps(project) == ["check --local", "check --base HEAD"]


@pytest.mark.parametrize(
    ("command", "part"),
    [
        (["python3", "server.py"], "server.py"),
        (["./run.sh"], "./run.sh"),
        (["fastmcp", "run", "server.py:mcp"], "server.py:mcp"),
        (["node", "--import=./hook.js", "elsewhere.js"], "--import=./hook.js"),
        (["python3", "-m", "pages.server"], "pages.server"),
        (["python3", "-m", "inner"], "inner"),
        (["pages-mcp", "--quiet"], "pages-mcp"),
        (["uv", "run", "serve"], "uv run"),
        (["uvx", "--from", ".", "pages"], "."),
        (["npm", "start"], None),
        (["npx", "-y", "@acme/pages", "server.py"], None),
        (["docker", "run", "acme/pages", "."], None),
        (["python3", "-m", "elsewhere"], None),
        (["python3", "/etc/passwd"], None),
        (["pages", "${HOME}"], None),
        (["pages", "-", ""], None),
        (["uv", "--directory", "pages", "run", "main.py"], "pages"),
        (["npx", "tsx", "server.py"], "server.py"),
        (["uv", "--directory=pages", "run", "main.py"], "--directory=pages"),
        (["uvx", "--from", ".[cli]", "pages"], ".[cli]"),
        ([".venv/bin/python", "server.py"], "server.py"),
        ([".venv/bin/pages-mcp"], "pages-mcp"),
        ([".tools/run.sh"], ".tools/run.sh"),
        (["env311/bin/foreign"], None),
        (["node", "node_modules/foreign/index.js"], None),
        (["npm", "exec", "-y", "@acme/pages", "server.py"], None),
        (["uv", "tool", "run", "foreign", "server.py"], None),
        (["uvx", "pages"], None),
        (["uvx", "pages-mcp"], None),
        (["docker", "run", "pages", "server.py"], None),
        (["foreign", "--repository", "."], None),
        (["foreign", "--name", "pages-mcp"], None),
        (["proxy", "--", "pages-mcp"], "pages-mcp"),
        (["npx", "-y", "tsx@4.19.1", "server.py"], "server.py"),
        (["python3", "env/server.py"], "env/server.py"),
        (["conda/bin/foreign"], None),
        (["uv", "--directory", "/elsewhere", "run", "server.py"], None),
        (["uv", "--directory", "${ROOT}", "run", "server.py"], "server.py"),
        (["uv", "run", "--project=/elsewhere", "serve"], None),
        (["uv", "run", "/elsewhere/server.py"], None),
        (["make", "-C", "pages", "run"], "pages"),
        (["go", "run", "acme.example/pages@latest"], None),
        (["go", "run", "acme.example/pages"], "go run"),
        (["nix", "run", "github:acme/pages"], None),
        (["nix", "run", ".#pages"], "nix run"),
        (["nix", "run"], "nix run"),
    ],
)
def test_what_is_part_of_the_repository(project: Any, command: list[str], part: str | None) -> None:
    for name in (
        "server.py", "run.sh", "hook.js", "pages/server.py", "src/inner/__init__.py", "run/server.py", ".tools/run.sh",
        ".venv/bin/python", ".venv/bin/pages-mcp", "env311/pyvenv.cfg", "env311/bin/foreign",
        "node_modules/foreign/index.js", "env/server.py", "conda/conda-meta/history", "conda/bin/foreign", "go.mod",
        "flake.nix",
    ):  # fmt: skip
        project.write(name, "")
    project.write("pyproject.toml", '[project]\nname = "x"\n[project.scripts]\npages-mcp = "pages:main"\n')
    assert local_part(Source(command=tuple(command)), project.folder) == part


def test_a_file_beside_the_project_is_part_of_the_repository(repository: Any) -> None:
    repository.write("server.py", "")
    inside = repository.write("project/fusion.toml", "").parent
    assert local_part(Source(command=("python3", "../server.py")), inside) == "../server.py"
    assert local_part(Source(command=("python3", "../../server.py")), inside) is None


@pytest.mark.parametrize(
    ("files", "command", "installed"),
    [
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, ["python3", "server.py"], ["pip install -e ."]),
        ({"pyproject.toml": "[project]\nname = 'x'\n"}, ["uv", "run", "server.py"], ["pip install uv"]),
        ({"pyproject.toml": "[tool.fusion]\n"}, ["python3", "server.py"], []),
        ({"requirements.txt": "x\n"}, ["python3", "server.py"], ["pip install -r requirements.txt"]),
        ({"package.json": "{}"}, ["node", "server.py"], ["npm install", "npm run build --if-present"]),
        (
            {"package.json": "{}", "package-lock.json": "{}"},
            ["node", "server.py"],
            ["npm ci", "npm run build --if-present"],
        ),
    ],
)
def test_what_the_server_needs_is_installed(
    project: Any, files: dict[str, str], command: list[str], installed: list[str]
) -> None:
    words = ", ".join(f'"{word}"' for word in command)
    for name, text in {"server.py": "", "fusion.lock": "lock_version = 1\n", **files}.items():
        project.write(name, text)
    project.write("fusion.toml", f"[sources.x]\ncommand = [{words}]\n")
    assert project.run("init", "--config", "fusion.toml").code == 0
    written = project.read(".github/workflows/fusion.yml").partition("fusion-contracts==")[2]
    found = [line.removeprefix("      - run: ") for line in written.splitlines() if line.startswith("      - run: ")]
    assert found == installed
    comment = "# Install here what the server of this repository needs to start, such as: pip install -e .\n"
    assert (comment in written) is not bool(installed)
