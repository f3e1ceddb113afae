"""`fusion merge-driver` in git's hands: real merges, with the driver, without it, and with a `fusion` that is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.lockfile.codec import decode, encode
from fusion_contracts.lockfile.verify import verify
from fusion_contracts.model import Lock, ServerContract, Tool

A, B, C, D = (
    Tool(name, {"type": "object", "properties": {"id": {"type": "string"}}}, description=f"Does {name}.")
    for name in "abcd"
)
LINE = "*.lock text eol=lf linguist-generated=false merge=fusion diff=fusion\n"


def lock(*tools: Tool, name: str = "helpdesk", **fields: Any) -> str:
    return encode(Lock({name: ServerContract(name, tools={tool.name: tool for tool in tools}, **fields)}))


def git(project: Any, *arguments: str) -> subprocess.CompletedProcess[str]:
    """git as a person runs it, its failures included."""
    identity = {f"GIT_{who}_{what}": "a" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    return subprocess.run(
        ["git", *arguments], cwd=project.folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def clone(repository: Any) -> Any:
    """A repository whose clone has the drivers."""
    repository.write(".gitattributes", LINE)
    assert repository.run("merge-driver", "--install").code == 0
    return repository


def branches(project: Any, base: str | None, ours: str, theirs: str, path: str = "fusion.lock") -> None:
    """`main` with our text, `theirs` with theirs, both from a commit with the base."""
    if base is not None:
        project.write(path, base)
    project.commit("base")
    project.git("switch", "-q", "-c", "theirs")
    project.write(path, theirs)
    project.commit("theirs")
    project.git("switch", "-q", "main")
    project.write(path, ours)
    project.commit("ours")


def test_neighbours_that_come_and_go_merge(clone: Any) -> None:
    branches(clone, lock(A, C), lock(A, B, C), lock(A, D))
    done = git(clone, "merge", "--no-edit", "theirs")
    assert (done.returncode, done.stderr) == (0, "")
    assert clone.read("fusion.lock") == lock(A, B, D)


@pytest.mark.parametrize("how", ["rebase", "cherry-pick"])
def test_other_ways_to_merge_take_the_driver_too(clone: Any, how: str) -> None:
    branches(clone, lock(A, C), lock(A, B, C), lock(A, D))
    done = git(clone, how, "theirs")
    assert done.returncode == 0, done.stderr
    assert clone.read("fusion.lock") == lock(A, B, D)


def test_without_the_driver_git_merges_the_text_as_before(clone: Any) -> None:
    branches(clone, lock(A, C), lock(A, B, C), lock(A, D))
    clone.git("config", "--local", "--remove-section", "merge.fusion")
    assert git(clone, "merge", "--no-edit", "theirs").returncode == 1
    with_line = clone.read("fusion.lock")
    clone.git("reset", "-q", "--hard")
    clone.write(".gitattributes", "")
    clone.git("commit", "-q", "-am", "no attributes")
    assert git(clone, "merge", "--no-edit", "theirs").returncode == 1
    assert clone.read("fusion.lock") == with_line


@pytest.mark.parametrize("broken", ["gone", "no interpreter"])
def test_a_fusion_that_cannot_start_leaves_git_as_it_was(clone: Any, broken: str, tmp_path: Path) -> None:
    program = tmp_path / "fusion"
    if broken == "no interpreter":
        program.write_text("#!/nowhere/python\n", encoding="utf-8")
        program.chmod(0o755)
    for key in ("merge.fusion.driver", "diff.fusion.command"):
        installed = str(Path(sys.executable).with_name("fusion"))
        clone.git("config", key, clone.git("config", key).replace(installed, str(program)))
    branches(clone, lock(A, C), lock(A, B, C), lock(A, D))
    assert "\n-description = " in git(clone, "diff", "theirs", "--", "fusion.lock").stdout
    done = git(clone, "merge", "--no-edit", "theirs")
    assert done.returncode == 1
    assert "<<<<<<< ours\n" in clone.read("fusion.lock")


def test_the_way_out_of_a_conflict_below_the_top_leads_to_its_settings(clone: Any) -> None:
    clone.write("sub/a/fusion.toml", "")
    path = "sub/a/fusion.lock"
    branches(clone, lock(A), lock(replace(A, title="One")), lock(replace(A, title="Two")), path)
    assert git(clone, "merge", "--no-edit", "theirs").stderr.splitlines()[1] == (
        "next: keep one side of each marked entry; or write them anew from their sources: "
        "git checkout --theirs -- sub/a/fusion.lock && fusion lock -C sub/a"
    )


def test_a_conflict_names_the_tool_and_the_way_out(clone: Any) -> None:
    branches(
        clone,
        lock(A, B),
        lock(replace(A, title="One"), B, C),
        lock(replace(A, title="Two"), replace(B, title="B"), instructions="New."),
    )
    done = git(clone, "merge", "--no-edit", "theirs")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "fusion: fusion.lock: both sides changed tool a of helpdesk",
        (
            "next: keep one side of each marked entry; or write them anew from their sources: "
            "git checkout --theirs -- fusion.lock && fusion lock"
        ),
    ]
    assert git(clone, "status", "--porcelain", "fusion.lock").stdout == "UU fusion.lock\n"
    text = clone.read("fusion.lock")
    before, _, rest = text.partition("<<<<<<< ours\n")
    ours, _, rest = rest.partition("=======\n")
    theirs, _, after = rest.partition(">>>>>>> theirs\n")
    merged = {"instructions": "New."}
    assert before + ours + after == lock(replace(A, title="One"), replace(B, title="B"), C, **merged)
    assert before + theirs + after == lock(replace(A, title="Two"), replace(B, title="B"), C, **merged)
    assert clone.run("check", "--offline", "--base", "HEAD").err.splitlines()[0] == (
        "fusion: fusion.lock holds merge conflict markers, the first at line 10; "
        "take either side whole, then run `fusion lock` to write it from its sources"
    )


def test_the_way_out_of_a_conflict_works(clone: Any, close_page: Any) -> None:
    clone.run("lock", "--name", "pages", *clone.serve("pages", close_page))
    clone.commit("base")
    clone.git("switch", "-q", "-c", "theirs")
    for branch, title in (("theirs", "Two"), ("main", "One")):
        clone.git("switch", "-q", branch)
        clone.serve("pages", {**close_page, "title": title})
        clone.run("lock")
        clone.commit(title)
    assert git(clone, "merge", "--no-edit", "theirs").returncode == 1
    clone.git("checkout", "--theirs", "--", "pages.json")
    way = git(clone, "checkout", "--theirs", "--", "fusion.lock")
    assert way.returncode == 0, way.stderr
    assert clone.run("lock").code == 0
    assert clone.run("lock", "--check").code == 0


def test_two_first_locks_join(clone: Any) -> None:
    branches(clone, None, lock(A), lock(B))
    assert git(clone, "merge", "--no-edit", "theirs").returncode == 0
    assert clone.read("fusion.lock") == lock(A, B)


@pytest.mark.parametrize("path", ["a folder/it's $(touch x) 50%P.lock", "-h.lock", "--install.lock"])
def test_a_path_of_any_kind_is_merged_and_told(clone: Any, path: str) -> None:
    branches(clone, lock(A), lock(replace(A, title="One")), lock(replace(A, title="Two")), path)
    done = git(clone, "merge", "--no-edit", "theirs")
    assert done.stderr.splitlines()[0] == f"fusion: {path}: both sides changed tool a of helpdesk"
    assert not (clone.folder / "x").exists()


def test_names_that_a_server_chose_cannot_write_to_the_terminal(clone: Any) -> None:
    tool = Tool("a\x1b[2J\n::error::x", {})
    branches(clone, lock(tool), lock(replace(tool, title="One")), lock(replace(tool, title="Two")))
    done = git(clone, "merge", "--no-edit", "theirs")
    assert done.stderr.splitlines()[0] == (
        "fusion: fusion.lock: both sides changed tool a\\u{1b}[2J\\n::error::x of helpdesk"
    )


def test_many_conflicts_are_counted(clone: Any) -> None:
    tools = [Tool(f"t{number:02}", {}) for number in range(12)]
    versions = [lock(*(replace(tool, title=title) for tool in tools)) for title in ("Old", "One", "Two")]
    branches(clone, *versions)
    lines = git(clone, "merge", "--no-edit", "theirs").stderr.splitlines()
    assert len(lines) == 12
    assert lines[-2] == "fusion: fusion.lock: 2 other conflicts"


@pytest.mark.parametrize(
    ("ours", "reason"),
    [
        (
            lock(A, C).replace("Does c.", "Does it."),
            (
                "our side: helpdesk: tool c was edited by hand or merged badly: its prose digest does not match; "
                "run `fusion lock`"
            ),
        ),
        (
            lock(A, C).replace("lock_version = 1", "lock_version = 2\nneeds = 'fusion-contracts 9'"),
            "our side has lock_version 2; this release reads 1; upgrade to fusion-contracts 9",
        ),
        ("no lock\n", "our side is not TOML: line 1, column 4: expected '=' after a key in a key/value pair"),
    ],
)
def test_what_is_no_intact_lock_is_merged_as_text_and_never_passes(clone: Any, ours: str, reason: str) -> None:
    theirs = lock(replace(A, title="A"), C)
    branches(clone, lock(A, C), ours, theirs)
    done = git(clone, "merge", "--no-edit", "theirs")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0].startswith(f"fusion: fusion.lock is merged as text: {reason}")
    assert (
        done.stderr.splitlines()[1] == "next: resolve it, then run fusion lock, which writes it anew from its sources"
    )
    files = [clone.write(name, text) for name, text in (("A", ours), ("O", lock(A, C)), ("B", theirs))]
    git(clone, "merge-file", "-L", "ours", "-L", "base", "-L", "theirs", *map(str, files))
    assert clone.read("fusion.lock") == clone.read("A")


def test_what_git_cannot_merge_as_text_either_is_told(project: Any) -> None:
    for name, text in (("O", lock(A)), ("A", lock(A)), ("B", "\0")):
        project.write(name, text)
    result = project.run("merge-driver", "O", "A", "B", "fusion.lock")
    assert result.code == 1
    assert result.err.splitlines()[-2:] == [
        "fusion: git cannot merge it as text either; fusion.lock is our side, unmerged",
        "next: resolve it, then run fusion lock, which writes it anew from its sources",
    ]
    assert project.read("A") == lock(A)


def test_a_fault_of_ours_still_leaves_a_merge(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("fusion_contracts.lockfile.merge_text.merge_texts", fault)
    for name, title in (("O", None), ("A", "One"), ("B", "Two")):
        project.write(name, lock(replace(A, title=title)))
    result = project.run("merge-driver", "O", "A", "B", "fusion.lock")
    assert result.code == 1
    assert result.err.startswith(
        "fusion: fusion.lock is merged as text: a fault in fusion-contracts: ZeroDivisionError"
    )
    assert "<<<<<<< ours\n" in project.read("A")


def test_files_with_other_line_ends_keep_them(project: Any) -> None:
    for name, text in (("O", lock(A)), ("A", lock(A, B).replace("\n", "\r\n")), ("B", lock(A, C))):
        project.write(name, text)
    result = project.run("merge-driver", "O", "A", "B", "fusion.lock")
    assert (result.code, result.out, result.err) == (0, "", "")
    merged = project.read("A")
    assert merged == lock(A, B, C).replace("\n", "\r\n")
    assert verify(merged, origin="A") == []
    assert sorted(decode(merged, origin="A").servers["helpdesk"].tools) == ["a", "b", "c"]


# --- setting it up ---------------------------------------------------------------------------------------------------


def test_install_says_what_it_set_and_does_it_once(repository: Any) -> None:
    result = repository.run("merge-driver", "--install")
    assert result.code == 0
    last = (
        "git merges and shows locks with fusion now, by this clone's configuration, "
        "where .gitattributes says: FILE merge=fusion diff=fusion"
    )
    keys = ["merge.fusion.name", "merge.fusion.driver", "diff.fusion.command", "diff.fusion.xfuncname"]
    assert result.out.splitlines() == [*(f"set {key}" for key in keys), last]
    before = repository.read(".git/config")
    again = repository.run("merge-driver", "--install")
    assert again.out.splitlines() == [*(f"{key} is set already" for key in keys), last]
    assert repository.read(".git/config") == before


def test_install_says_what_it_replaced(repository: Any) -> None:
    repository.git("config", "merge.fusion.driver", "mine %A")
    assert "set merge.fusion.driver, which was mine %A" in repository.run("merge-driver", "--install").out.splitlines()


def test_install_for_all_clones_only_when_asked(repository: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = repository.write("mine", "")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(mine))
    repository.run("merge-driver", "--install")
    assert repository.read("mine") == ""
    before = repository.read(".git/config")
    assert repository.run("merge-driver", "--install", "--global").code == 0
    assert "merge-driver %O %A %B ./%P" in repository.read("mine")
    assert repository.read(".git/config") == before


def test_outside_a_repository_nothing_is_set(project: Any) -> None:
    result = project.run("merge-driver", "--install")
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[0] == (
        "fusion: git's configuration cannot be written; run this inside a repository, or with --global"
    )


def test_the_printed_lines_are_what_install_sets(repository: Any) -> None:
    keys = ("merge.fusion.name", "merge.fusion.driver", "diff.fusion.command", "diff.fusion.xfuncname")
    subprocess.run(["sh", "-ec", repository.run("merge-driver").out], cwd=repository.folder, check=True)
    printed = [repository.git("config", key) for key in keys]
    repository.run("merge-driver", "--install")
    program = Path(sys.executable).with_name("fusion")
    assert program.is_file()
    installed = [repository.git("config", key).replace(f"{program} ", "fusion ") for key in keys]
    assert installed == printed


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("a", "b"), "a merge needs four files, and nothing else; git calls it: fusion merge-driver %O %A %B %P"),
        (("--global",), "--global goes with --install; give both, or none"),
        (("--", "x"), "fusion merge-driver takes no command after --; configure it: fusion lock -- COMMAND does"),
    ],
)
def test_other_calls_are_refused(project: Any, arguments: tuple[str, ...], sentence: str) -> None:
    result = project.run("merge-driver", *arguments)
    assert (result.code, result.err.splitlines()[0]) == (2, f"fusion: {sentence}")
