"""What `fusion check` compares with: the base that is named, that the CI names, or that there is none."""

from __future__ import annotations

import re
import shlex
import subprocess
from typing import Any

import pytest


def test_the_base_is_where_the_branch_left_it(committed: Any, close_page: Any, close_page_v2: Any) -> None:
    committed.git("switch", "-q", "-c", "change")
    committed.commit("mine")
    committed.git("switch", "-q", "main")
    committed.serve("pages", close_page_v2)
    committed.run("lock")
    committed.commit("theirs")
    committed.git("switch", "-q", "change")
    assert committed.run("check", "--offline", "--base", "main").code == 0


def test_the_ci_names_the_base(committed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    committed.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
    monkeypatch.setenv("GITHUB_BASE_REF", "trunk")
    result = committed.run("check", "--offline")
    assert result.code == 0
    assert "compatible  with fusion.lock at origin/trunk (" in result.out


def test_the_hint_names_the_base_that_the_ci_named(
    committed: Any, close_page_v2: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
    committed.serve("pages", close_page_v2)
    committed.run("lock", "--write")
    committed.commit("a change, which HEAD holds")
    monkeypatch.setenv("GITHUB_BASE_REF", "trunk")
    out = committed.run("check", "--offline").out
    found = re.search(r'Accept on purpose: fusion (waive [0-9a-f]{7} --reason "\.\.\." --base origin/trunk)\n', out)
    monkeypatch.delenv("GITHUB_BASE_REF")
    assert found is not None
    assert committed.run(*shlex.split(found[1])).out.splitlines()[-1] == (
        "exit 0: wrote a waiver in fusion.toml: 1 finding"
    )


def test_in_a_hook_the_hint_names_the_base_that_the_hook_chose(
    committed: Any, close_page_v2: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed.serve("pages", close_page_v2)
    committed.run("lock", "--write")
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert re.search(r'fusion waive [0-9a-f]{7} --reason "\.\.\." --base HEAD', committed.run("check", "--offline").out)
    monkeypatch.delenv("PRE_COMMIT")
    assert "--base HEAD" not in committed.run("check", "--offline").out


@pytest.mark.parametrize("base", [(), ("--base", "HEAD")])
def test_before_the_first_commit_there_is_nothing_to_compare(
    repository: Any, close_page: Any, base: tuple[str, ...]
) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    result = repository.run("check", "--offline", *base)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-2:] == [
        "compatible  first lock: nothing to compare (HEAD does not exist)",
        "exit 0: nothing at or above breaking",
    ]


def test_nobody_names_the_base(committed: Any) -> None:
    result = committed.run("check", "--offline")
    assert result.code == 2
    assert result.out.splitlines()[-3:] == [
        "compatible  not checked: there is no base to compare with: this repository has no remote origin",
        "      next: name a branch, tag or commit with --base REV",
        "exit 2: could not check: there is no base to compare with: this repository has no remote origin",
    ]
    committed.git("remote", "add", "origin", ".")
    assert committed.run("check", "--offline").out.splitlines()[-3:] == [
        "compatible  not checked: there is no base to compare with: origin/HEAD is not set in this clone",
        "      next: name one with --base REV, or run: git remote set-head origin --auto",
        "exit 2: could not check: there is no base to compare with: origin/HEAD is not set in this clone",
    ]


def test_a_shallow_clone_is_told_the_line_to_set(
    committed: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    committed.git("switch", "-q", "-c", "change")
    committed.commit("mine")
    committed.git("switch", "-q", "main")
    committed.commit("theirs")
    clone = tmp_path / "clone"
    subprocess.run(
        ["git", "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{committed.folder}", str(clone)],
        check=True,
    )
    monkeypatch.chdir(clone)
    committed.folder = clone

    result = committed.run("check", "--offline", "--base", "origin/change")

    assert result.code == 2
    assert result.out.splitlines()[-3:-1] == [
        "compatible  not checked: HEAD and origin/change have no commit in common in this clone",
        "      next: fetch the history: `fetch-depth: 0` for actions/checkout, `git fetch --unshallow` elsewhere",
    ]


def test_the_first_lock(repository: Any, close_page: Any) -> None:
    commit = repository.commit("nothing yet")
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    result = repository.run("check", "--base", "main")
    assert result.code == 0
    assert result.out.splitlines()[3:] == [
        f"compatible  first lock: nothing to compare (fusion.lock at main ({commit[:7]}) does not exist)",
        "exit 0: nothing at or above breaking",
    ]


def test_another_name_for_the_lock_makes_no_check_pass(committed: Any, close_page_v2: Any) -> None:
    committed.git("mv", "fusion.lock", "other.lock")
    committed.write("fusion.toml", 'lockfile = "other.lock"\n' + committed.read("fusion.toml"))
    committed.serve("pages", close_page_v2)
    committed.run("lock")
    committed.commit("renamed and narrowed")
    result = committed.run("check", "--offline", "--base", "HEAD~1")
    assert result.code == 1
    assert "compatible  with fusion.lock at HEAD~1 " in result.out


@pytest.mark.parametrize("every", [[], ["--all"]])
def test_another_folder_for_the_project_makes_no_check_pass(
    committed: Any, close_page_v2: Any, every: list[str]
) -> None:
    committed.serve("pages", close_page_v2)
    committed.run("lock")
    (committed.folder / "moved").mkdir()
    committed.git("mv", "fusion.lock", "fusion.toml", "moved")
    committed.commit("moved and narrowed")
    result = committed.run("check", "--offline", "--base", "HEAD~1", "-C", "moved", *every)
    assert result.code == 1
    assert "compatible  with ../fusion.lock at HEAD~1 " in result.out


def test_a_lock_outside_the_repository_was_not_checked(committed: Any) -> None:
    (committed.folder.parent / "out.lock").write_text(committed.read("fusion.lock"), encoding="utf-8")
    result = committed.run("check", "--offline", "--base", "HEAD", "--lockfile", "../out.lock")
    assert result.code == 2
    assert "compatible  not checked: git cannot look for ../out.lock at " in result.out
