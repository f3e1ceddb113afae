"""Locks and catalogs at a revision, and the base that a change is compared with."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.git import GitSource, default_base, merge_base, renamed_from, resolve_revision, show

Git = Callable[..., str]
SHALLOW = "fetch the history: `fetch-depth: 0` for actions/checkout, `git fetch --unshallow` elsewhere"


def lock_of(*tools: str) -> str:
    contract = ServerContract("s", tools={name: Tool(name, {"type": "object"}) for name in tools})
    return encode(Lock({"s": contract}))


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """A repository, and git in it."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in {"AUTHOR": "A", "COMMITTER": "C"}.items():
        monkeypatch.setenv(f"GIT_{name}_NAME", value)
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "x@example.com")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")

    def run(*arguments: str, cwd: Path = tmp_path) -> str:
        done = subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    run("init", "-q", "-b", "main")
    return run


def commit(git: Git, folder: Path, files: dict[str, str], message: str = "x") -> str:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git("add", "-A", cwd=folder)
    git("commit", "-q", "-m", message, cwd=folder)
    return git("rev-parse", "HEAD", cwd=folder)


def failure(read: Callable[[], object]) -> Problem:
    with pytest.raises(FusionError) as caught:
        read()
    return caught.value.problem


def test_a_lock_and_a_catalog_at_a_revision(git: Git, options: Options) -> None:
    catalog = json.dumps({"tools": [{"name": "c", "inputSchema": {}}]})
    first = commit(git, options.root, {"fusion.lock": lock_of("a"), "sub/weather.json": catalog})
    commit(git, options.root, {"fusion.lock": lock_of("a", "b")})
    for argument, tools in ((f"git:{first}", ["a"]), ("git:HEAD", ["a", "b"]), ("git:HEAD~1:fusion.lock", ["a"])):
        (contract,) = GitSource.parse(argument).read(options).contracts
        assert list(contract.tools) == tools
    (contract,) = GitSource.parse("git:main:sub/weather.json").read(options).contracts
    assert (contract.name, list(contract.tools)) == ("weather", ["c"])
    below = Options(root=options.root / "sub", lockfile="../fusion.lock")
    assert list(GitSource.parse("git:HEAD").read(below).contracts[0].tools) == ["a", "b"]
    assert list(GitSource.parse("git:HEAD:weather.json").read(below).contracts[0].tools) == ["c"]


@pytest.mark.parametrize(
    ("argument", "revision", "path"),
    [
        ("git:HEAD", "HEAD", None),
        ("git:v1.0:a/b.json", "v1.0", "a/b.json"),
        ("git:HEAD@{2026-01-01 10:00}:x:y", "HEAD@{2026-01-01 10:00}", "x:y"),
        ("git:main:", "main", None),
    ],
)
def test_the_parts_of_a_git_source(argument: str, revision: str, path: str | None) -> None:
    source = GitSource.parse(argument)
    assert (source.revision, source.path) == (revision, path)
    assert (source.kind, source.live, source.record) == ("git", False, None)


@pytest.mark.parametrize("revision", ["-x", "--upload-pack=touch x", "", "a\nb", "a\0b"])
def test_what_is_no_revision_never_reaches_git(options: Options, revision: str) -> None:
    problem = failure(lambda: GitSource.parse(f"git:{revision}"))
    assert problem.message.endswith("is not a revision")
    assert (problem.stage, problem.next) == ("usage", "name a branch, a tag or a commit")
    assert failure(lambda: merge_base(revision, options.root)) == problem


def test_a_revision_without_the_file(git: Git, options: Options) -> None:
    commit(git, options.root, {"README": "x"})
    assert show("HEAD", "fusion.lock", options.root) is None
    assert show("HEAD", "README", options.root) == b"x"
    assert failure(lambda: GitSource.parse("git:HEAD").read(options)) == Problem(
        None, "git", "there is no fusion.lock at HEAD", "name another revision or path: git:REV:PATH"
    )


def test_an_unknown_revision(git: Git, options: Options) -> None:
    commit(git, options.root, {"README": "x"})
    assert failure(lambda: resolve_revision("origin/next", options.root)) == Problem(
        None,
        "git",
        "the revision origin/next is not in this clone",
        "check the name, or fetch it: git fetch origin next",
    )


def test_a_branch_without_a_commit_is_not_to_be_fetched(git: Git, options: Options) -> None:
    git("symbolic-ref", "HEAD")  # a branch, which has no commit
    for revision in ("HEAD", "HEAD~1", "@", "@{1}", "main", "main^"):
        assert failure(partial(resolve_revision, revision, options.root)) == Problem(
            None, "git", f"{revision} names nothing: the branch has no commit yet", "commit first"
        )
    step = "check the name, or fetch it: git fetch origin next"
    assert failure(lambda: resolve_revision("origin/next", options.root)) == Problem(
        None, "git", "the revision origin/next is not in this clone", step
    )


def test_no_repository(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(options.root.parent))
    problem = failure(lambda: show("HEAD", "fusion.lock", options.root))
    assert problem.message.startswith("git cannot resolve HEAD: not a git repository")
    assert problem.next == "run this inside the repository"
    assert failure(lambda: default_base({}, options.root)).message.startswith(
        "git cannot look here: not a git repository"
    )


def test_no_git(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert str(failure(lambda: show("HEAD", "x", options.root))) == (
        "git is not installed, or the folder does not exist; install git, or compare two files instead"
    )


def test_a_conflicted_lock_at_a_revision_is_named(git: Git, options: Options) -> None:
    commit(git, options.root, {"fusion.lock": "<<<<<<< ours\n=======\n>>>>>>> theirs\n"})
    assert "fusion.lock at HEAD" in failure(lambda: GitSource.parse("git:HEAD").read(options)).message


def test_the_merge_base(git: Git, options: Options) -> None:
    fork = commit(git, options.root, {"a": "1"})
    git("checkout", "-q", "-b", "topic")
    commit(git, options.root, {"b": "1"})
    git("checkout", "-q", "main")
    commit(git, options.root, {"c": "1"})
    git("checkout", "-q", "topic")
    assert merge_base("main", options.root) == fork


def test_no_merge_base(git: Git, options: Options) -> None:
    commit(git, options.root, {"a": "1"})
    git("checkout", "-q", "--orphan", "other")
    commit(git, options.root, {"b": "1"})
    assert failure(lambda: merge_base("main", options.root)) == Problem(
        None, "git", "HEAD and main have no commit in common in this clone", "name another revision with --base"
    )


def test_a_shallow_clone_says_what_to_set(git: Git, options: Options, tmp_path: Path) -> None:
    commit(git, options.root, {"a": "1"})
    git("checkout", "-q", "-b", "topic")
    commit(git, options.root, {"b": "1"})
    git("checkout", "-q", "main")
    commit(git, options.root, {"c": "1"})
    clone = tmp_path / "clone"
    git("clone", "-q", "--depth=1", "--branch=topic", f"file://{options.root}", str(clone))
    assert failure(lambda: merge_base("origin/main", clone)) == Problem(
        None, "git", "the revision origin/main is not in this clone", SHALLOW
    )
    git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main", cwd=clone)
    assert failure(lambda: merge_base("origin/main", clone)) == Problem(
        None, "git", "HEAD and origin/main have no commit in common in this clone", SHALLOW
    )


@pytest.mark.parametrize(
    ("environ", "base"),
    [
        ({"GITHUB_BASE_REF": "main"}, "origin/main"),
        ({"CI_MERGE_REQUEST_DIFF_BASE_SHA": "abc", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}, "abc"),
        ({"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}, "origin/main"),
        ({"CHANGE_TARGET": "release/1"}, "origin/release/1"),
        ({"BITBUCKET_PR_DESTINATION_BRANCH": "main"}, "origin/main"),
        ({"SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"}, "origin/main"),
        ({"TRAVIS_PULL_REQUEST": "12", "TRAVIS_BRANCH": "main"}, "origin/main"),
        ({"APPVEYOR_PULL_REQUEST_NUMBER": "12", "APPVEYOR_REPO_BRANCH": "main"}, "origin/main"),
    ],
)
def test_the_base_that_a_ci_names(options: Options, environ: dict[str, str], base: str) -> None:
    assert default_base(environ, options.root) == base


@pytest.mark.parametrize(
    ("environ", "alone", "cloned"),
    [
        ({}, "HEAD", "HEAD"),
        ({"PRE_COMMIT_FROM_REF": "v1"}, "v1", "v1"),
        ({"PRE_COMMIT_REMOTE_NAME": "origin"}, "HEAD", "origin/HEAD"),
        ({"PRE_COMMIT_REMOTE_NAME": "origin", "PRE_COMMIT_FROM_REF": "v1"}, "v1", "origin/HEAD"),
        ({"GITHUB_BASE_REF": "main"}, "origin/main", "origin/main"),
    ],
)
def test_a_hook_always_has_a_base(git: Git, options: Options, environ: dict[str, str], alone: str, cloned: str) -> None:
    commit(git, options.root, {"a": "1"})
    clone = options.root / "clone"
    git("clone", "-q", str(options.root), str(clone))
    assert default_base({"PRE_COMMIT": "1", **environ}, options.root) == alone
    assert default_base({"PRE_COMMIT": "1", **environ}, clone) == cloned


def test_the_base_without_a_ci_is_the_remotes_head(git: Git, options: Options, tmp_path: Path) -> None:
    commit(git, options.root, {"a": "1"})
    no_pull_request = {"GITHUB_BASE_REF": "", "TRAVIS_PULL_REQUEST": "false", "TRAVIS_BRANCH": "main"}
    assert failure(lambda: default_base(no_pull_request, options.root)) == Problem(
        None,
        "git",
        "there is no base to compare with: this repository has no remote origin",
        "name a branch, tag or commit with --base REV",
    )
    git("remote", "add", "origin", ".", cwd=options.root)
    assert failure(lambda: default_base(no_pull_request, options.root)) == Problem(
        None,
        "git",
        "there is no base to compare with: origin/HEAD is not set in this clone",
        "name one with --base REV, or run: git remote set-head origin --auto",
    )
    clone = tmp_path / "clone"
    git("clone", "-q", str(options.root), str(clone))
    assert default_base(no_pull_request, clone) == "origin/HEAD"
    assert merge_base("origin/HEAD", clone) == resolve_revision("HEAD", clone)


# -- what must not look like a repository without a lock -----------------------------------------------------------


def test_a_file_whose_object_is_missing_is_no_missing_file(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, {"fusion.lock": lock_of("a")})
    blob = git("rev-parse", "HEAD:fusion.lock")
    (tmp_path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    problem = failure(lambda: show("HEAD", "fusion.lock", tmp_path))
    assert problem.message.startswith("git cannot read fusion.lock at HEAD: ")
    assert (problem.next, problem.stage) == (SHALLOW, "git")
    assert show("HEAD", "other.lock", tmp_path) is None


def test_a_tree_that_is_missing_is_no_missing_file(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, {"sub/fusion.lock": lock_of("a")})
    tree = git("rev-parse", "HEAD:sub")
    (tmp_path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    problem = failure(lambda: show("HEAD", "sub/fusion.lock", tmp_path))
    assert problem.message.startswith("git cannot look for sub/fusion.lock at HEAD: ")


def test_a_path_outside_the_repository(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, {"fusion.lock": lock_of("a")})
    problem = failure(lambda: show("HEAD", "../fusion.lock", tmp_path))
    assert problem.message.startswith("git cannot look for ../fusion.lock at HEAD: ")
    assert problem.next == "name a path inside the repository"


def test_a_path_in_a_submodule_and_a_folder(git: Git, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    git("init", "-q", "-b", "main", cwd=inner)
    commit(git, inner, {"fusion.lock": lock_of("a")})
    commit(git, tmp_path, {"sub/fusion.lock": lock_of("a")})
    problem = failure(lambda: show("HEAD", "inner/fusion.lock", tmp_path))
    assert problem == Problem(
        None, "git", "inner/fusion.lock at HEAD lies in a submodule", "run this in the submodule's folder"
    )
    assert failure(lambda: show("HEAD", "sub", tmp_path)).message == "sub at HEAD is a folder, not a file"


def test_names_that_git_would_read_otherwise(git: Git, tmp_path: Path) -> None:
    name = "d\u00e4 r/f [a]*.lock"
    commit(git, tmp_path, {name: lock_of("a"), "d\u00e4 r/fa.lock": "no"})
    assert show("HEAD", name, tmp_path) == lock_of("a").encode()
    assert show("HEAD", "f [a]*.lock", tmp_path / "d\u00e4 r") == lock_of("a").encode()
    assert failure(lambda: show("^HEAD", name, tmp_path)).message == "^HEAD is not a revision"


def test_a_renamed_file(git: Git, tmp_path: Path) -> None:
    base = commit(git, tmp_path, {"sub/fusion.lock": lock_of("a", "b")})
    git("mv", "sub/fusion.lock", "sub/\u00fc other.lock")
    commit(git, tmp_path, {"sub/\u00fc other.lock": lock_of("a", "c")})
    assert renamed_from(base, "\u00fc other.lock", tmp_path / "sub") == "fusion.lock"
    assert renamed_from(base, "sub/\u00fc other.lock", tmp_path) == "sub/fusion.lock"
    assert renamed_from(base, "sub/none.lock", tmp_path) is None


def test_a_file_that_was_moved_between_folders_among_many(git: Git, tmp_path: Path) -> None:
    others = {f"{number}.txt": f"{number}\n" * 3 for number in range(1100)}
    base = commit(
        git, tmp_path, {f"old/{name}": text for name, text in {**others, "fusion.lock": lock_of("a", "b")}.items()}
    )
    git("mv", "old", "new")
    others = {name: f"{text}more\n" for name, text in others.items()}
    commit(git, tmp_path, {f"new/{name}": text for name, text in {**others, "fusion.lock": lock_of("a", "c")}.items()})
    assert renamed_from(base, "fusion.lock", tmp_path / "new") == "../old/fusion.lock"
    assert renamed_from(base, "new/fusion.lock", tmp_path) == "old/fusion.lock"
