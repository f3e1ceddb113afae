"""`git diff fusion.lock` prints findings, by real git, and falls back to the text where it has to."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from typing import Any

import pytest

from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, SourceRecord, Tool

OLD = Tool("close_page", {"type": "object", "properties": {"when": {"enum": ["now", "later"]}}}, description="Closes.")
NEW = replace(OLD, input_schema={"type": "object", "properties": {"when": {"enum": ["now"]}}})
BREAKING = (
    "BREAKING  pages: 1 breaking\n"
    "  close_page                     when no longer accepts 'later'                              32df0fa\n"
    '      worked  close_page {"when": "later"}\n'
    "      now     refused: when must be 'now'\n"
)


def lock(*tools: Tool, **fields: Any) -> str:
    return encode(Lock({"pages": ServerContract("pages", tools={tool.name: tool for tool in tools}, **fields)}))


def diff(project: Any, *arguments: str, options: tuple[str, ...] = ()) -> str:
    """What `git diff` prints; it must not fail."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "COLUMNS": "100"}
    command = ["git", "--no-pager", *options, "diff", *arguments]
    done = subprocess.run(command, cwd=project.folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def clone(repository: Any) -> Any:
    """A repository with the old lock committed, and the drivers."""
    repository.write(".gitattributes", "*.lock text eol=lf merge=fusion diff=fusion\n")
    repository.write("fusion.lock", lock(OLD))
    repository.commit()
    assert repository.run("merge-driver", "--install").code == 0
    return repository


def blob(project: Any, revision: str = "HEAD", path: str = "fusion.lock") -> str:
    return str(project.git("rev-parse", f"{revision}:{path}"))[:7]


def test_the_findings_of_the_work_tree(clone: Any) -> None:
    clone.write("fusion.lock", lock(NEW))
    assert diff(clone) == f"fusion diff fusion.lock ({blob(clone)} -> the work tree)\n" + BREAKING


def test_the_findings_between_commits(clone: Any) -> None:
    old = blob(clone)
    clone.write("fusion.lock", lock(NEW))
    clone.commit()
    assert diff(clone, "HEAD~1", "HEAD") == f"fusion diff fusion.lock ({old} -> {blob(clone)})\n" + BREAKING
    assert "\x1b" not in diff(clone, "HEAD~1", "HEAD")


def test_colour_is_gits(clone: Any) -> None:
    clone.write("fusion.lock", lock(NEW))
    text = diff(clone, options=("-c", "color.diff=always"))
    assert text.startswith("\x1b[1mfusion diff fusion.lock (")
    assert "\n\x1b[1;31mBREAKING\x1b[0m  pages: 1 breaking\n" in text


def test_the_text_is_a_flag_away_and_its_hunks_name_their_table(clone: Any) -> None:
    clone.write("fusion.lock", lock(NEW))
    text = diff(clone, "--no-ext-diff")
    assert '-  "later",\n' in text
    headers = [line.rpartition("@@ ")[2] for line in text.splitlines() if line.startswith("@@")]
    assert headers[-1] == "[servers.pages.tools.close_page.input]"
    clone.commit()
    assert '-  "later",\n' in clone.git("log", "-p", "-1")
    assert BREAKING.rstrip() in clone.git("show", "--ext-diff")


def test_a_lock_that_comes_or_goes(clone: Any) -> None:
    clone.git("rm", "-q", "fusion.lock")
    lines = diff(clone, "HEAD").splitlines()
    assert lines[:2] == [f"fusion diff fusion.lock ({blob(clone)} -> nothing)", "BREAKING  pages: 1 breaking"]
    assert lines[2].split()[:3] == ["server", "server", "removed"]
    assert diff(clone, "--cached", "-R").splitlines()[1] == "SAFE  pages: 1 safe"


def test_a_renamed_lock_is_compared_with_its_former_self(clone: Any) -> None:
    tools = [replace(OLD, name=f"t{number}") for number in range(9)]
    clone.write("fusion.lock", lock(OLD, *tools))
    clone.commit()
    old = blob(clone)
    clone.git("mv", "fusion.lock", "tools.lock")
    clone.write("tools.lock", lock(NEW, *tools))
    clone.commit()
    text = diff(clone, "-M", "HEAD~1", "HEAD")
    assert text == f"fusion diff fusion.lock -> tools.lock ({old} -> {blob(clone, path='tools.lock')})\n" + BREAKING


def test_a_mode_alone(clone: Any) -> None:
    (clone.folder / "fusion.lock").chmod(0o755)
    assert diff(clone) == f"fusion diff fusion.lock ({blob(clone)} -> the work tree)\nmode 100644 -> 100755\n"


def test_an_unmerged_path(clone: Any) -> None:
    for branch, title in (("theirs", "Two"), ("main", "One")):
        clone.git("switch", "-q", *(["-c"] if branch == "theirs" else []), branch)
        clone.write("fusion.lock", lock(replace(OLD, title=title)))
        clone.commit()
    with pytest.raises(subprocess.CalledProcessError):
        clone.git("merge", "theirs")
    assert diff(clone, "--cached") == ("* Unmerged path fusion.lock: fusion merge-driver left conflicts to resolve\n")


def test_a_comment_is_no_finding_and_is_shown(clone: Any) -> None:
    clone.write("fusion.lock", "# Mine.\n" + lock(OLD))
    assert diff(clone).splitlines()[:5] == [
        f"fusion diff fusion.lock ({blob(clone)} -> the work tree)",
        "no change to what agents rely on; the text:",
        "--- a/fusion.lock",
        "+++ b/fusion.lock",
        "@@ -1,3 +1,4 @@",
    ]


def test_a_broken_side_is_told_and_shown_as_text(clone: Any) -> None:
    clone.write("fusion.lock", lock(NEW) + "x = [\n")
    lines = diff(clone).splitlines()
    assert lines[1].startswith("shown as text: the new side is not TOML: line 23, column 1: ")
    assert lines[2:4] == ["--- a/fusion.lock", "+++ b/fusion.lock"]
    assert '-  "later",' in lines


def test_an_edit_by_hand_and_another_source_are_told(clone: Any) -> None:
    clone.write("fusion.lock", lock(OLD, source=SourceRecord("stdio", ("old",))))
    clone.commit()
    clone.write("fusion.lock", lock(NEW, source=SourceRecord("stdio", ("new",))).replace("Closes.", "Shuts."))
    assert diff(clone).splitlines()[1:4] == [
        "the new side: pages: tool close_page was edited by hand or merged badly: its prose digest does not match",
        "pages was locked from another source: git diff --no-ext-diff shows it",
        "BREAKING  pages: 1 breaking, 1 risky",
    ]


def test_the_settings_beside_the_lock_judge(clone: Any) -> None:
    clone.write("fusion.toml", '[levels]\nenum-value-removed = "risky"\n')
    clone.write("fusion.lock", lock(NEW))
    assert diff(clone).splitlines()[1] == "RISKY  pages: 1 risky"
    clone.write("fusion.toml", "levels = 1\n")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", "--no-pager", "diff"], cwd=clone.folder, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr.startswith("note: fusion.toml: ")
    assert done.stdout.splitlines()[1] == "BREAKING  pages: 1 breaking"


@pytest.mark.parametrize("path", ["-h.lock", "a folder/it's $(touch x).lock"])
def test_a_path_of_any_kind(clone: Any, path: str) -> None:
    clone.write(path, lock(OLD))
    clone.commit()
    clone.write(path, lock(NEW))
    old = blob(clone, path=path)
    assert diff(clone) == f"fusion diff {path} ({old} -> the work tree)\n" + BREAKING
    assert not (clone.folder / "x").exists()


def test_without_git_it_says_who_calls_it(project: Any) -> None:
    result = project.run("diff-driver")
    assert (result.code, result.err.splitlines()[0]) == (
        2, "fusion: fusion diff-driver is called by git; set it up: fusion merge-driver --install",
    )  # fmt: skip


def test_it_is_called_from_a_folder_below(clone: Any) -> None:
    clone.write("sub/keep", "")
    clone.write("fusion.lock", lock(NEW))
    assert BREAKING in diff(clone, options=("-C", "sub"))


def test_a_fault_of_ours_never_stops_git(clone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("fusion_contracts.cli.lockdiff._judged", fault)
    clone.write("old", lock(OLD))
    clone.write("new", lock(NEW))
    zeros = "0" * 40
    result = clone.run("diff-driver", "fusion.lock", "old", "1" * 40, "100644", "new", zeros, "100644")
    assert result.code == 0
    assert result.out.splitlines()[1].startswith("shown as text: a fault in fusion-contracts: ZeroDivisionError in ")
    assert '-  "later",' in result.out.splitlines()
