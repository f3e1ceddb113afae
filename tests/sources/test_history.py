"""What git remembers: tags, commits between revisions, files at a revision."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.history import (
    Commit,
    Tag,
    blobs,
    commits_between,
    entries,
    is_ancestor,
    moved_from,
    tags_merged,
)

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository, and git in it; each commit is made on one day."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in {"AUTHOR": "A", "COMMITTER": "C"}.items():
        monkeypatch.setenv(f"GIT_{name}_NAME", value)
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "x@example.com")
        monkeypatch.setenv(f"GIT_{name}_DATE", "2026-03-04T23:30:00-08:00")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    run("init", "-q", "-b", "main")
    run("config", "log.showSignature", "true")
    return run


def commit(git: Git, folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", "x")
    return git("rev-parse", "HEAD")


def test_tags_of_both_kinds_lead_to_their_commits(git: Git, tmp_path: Path) -> None:
    first = commit(git, tmp_path)
    git("tag", "plain")
    git("tag", "-a", "-m", "said", "annotated")
    second = commit(git, tmp_path)
    git("tag", "later")
    assert tags_merged(first, tmp_path) == [Tag("annotated", first), Tag("plain", first)]
    assert tags_merged(second, tmp_path)[1] == Tag("later", second)


def test_of_a_merge_the_first_parent_alone(git: Git, tmp_path: Path) -> None:
    first = commit(git, tmp_path, a="1")
    git("switch", "-q", "-c", "side")
    side = commit(git, tmp_path, b="1")
    git("switch", "-q", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "side")
    merged = git("rev-parse", "HEAD")
    assert commits_between(None, merged, tmp_path) == [Commit(merged, "2026-03-04"), Commit(first, "2026-03-04")]
    assert [one.id for one in commits_between(first, merged, tmp_path, paths=["b"])] == [merged]
    assert commits_between(first, merged, tmp_path, paths=["a"]) == []
    assert is_ancestor(side, merged, tmp_path)
    assert not is_ancestor(merged, side, tmp_path)


def test_files_below_a_folder_and_their_bytes(git: Git, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a*.lock").write_bytes(b"one\r\n\n")
    (tmp_path / "in" / "b\u00e4.lock").write_bytes(b"")
    (tmp_path / "in" / "c\nd").write_bytes(b"two")
    head = commit(git, tmp_path, other="x")
    found = entries(head, tmp_path / "in", "in")
    assert sorted(found) == ["in/a*.lock", "in/b\u00e4.lock", "in/c\nd"]
    read = blobs(found.values(), tmp_path)
    assert [read[found[path]] for path in sorted(found)] == [b"one\r\n\n", b"", b"two"]
    assert entries(head, tmp_path, "in/a?.lock") == {}
    assert blobs([], tmp_path) == {}


def test_a_blob_that_is_not_there(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path)
    with pytest.raises(FusionError, match=r"^git cannot read 0000000: it is not in this clone; fetch the history"):
        blobs(["0" * 40], tmp_path)


def test_a_file_that_was_renamed_twice(git: Git, tmp_path: Path) -> None:
    first = commit(git, tmp_path, a="long enough to be known again\n" * 9)
    git("mv", "a", "b")
    commit(git, tmp_path)
    git("mv", "b", "c")
    last = commit(git, tmp_path)
    assert moved_from("c", first, last, tmp_path) == "a"
    assert moved_from("a", first, last, tmp_path) is None
    assert moved_from("nothing", first, last, tmp_path) is None


def test_no_repository(tmp_path: Path) -> None:
    for ask in (tags_merged, lambda revision, cwd: commits_between(None, revision, cwd), entries):
        with pytest.raises(FusionError, match=r"^git cannot "):
            ask("HEAD", tmp_path)
