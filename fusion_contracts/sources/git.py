"""A lock or catalog at a git revision, and the revision that a change is compared with.

Git is run as a program, with an argument list and never through a shell. A revision is resolved to a commit id first,
so that what a person or a CI variable wrote is never taken for an option.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import ClassVar

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.record import record
from fusion_contracts.sources.base import Options, Reading
from fusion_contracts.sources.catalog import parsed, read_catalog
from fusion_contracts.sources.lock import reading_of
from fusion_contracts.sources.sniff import Kind, kind_of

__all__ = [
    "SHALLOW", "GitSource", "default_base", "is_shallow", "is_unborn", "merge_base", "of_a_ci",
    "of_environment", "prefix", "renamed_from", "resolve_revision", "run_git", "show", "tags_at_head", "tracked",
]  # fmt: skip

SHALLOW = "fetch the history: `fetch-depth: 0` for actions/checkout, `git fetch --unshallow` elsewhere"

# Branches that a CI says a change is for. GitHub's is empty outside a pull request, as are most.
_TARGET_BRANCHES = (
    "GITHUB_BASE_REF",  # GitHub, Gitea, Forgejo
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",  # GitLab
    "CHANGE_TARGET",  # Jenkins
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",  # Azure Pipelines
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "DRONE_TARGET_BRANCH",
    "CI_COMMIT_TARGET_BRANCH",  # Woodpecker
    "CIRRUS_BASE_BRANCH",
)
_BASE_COMMITS = ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "CIRRUS_BASE_SHA")


@record
class GitSource:
    """`git:REV[:PATH]`: the lock, or another lock or catalog, as it was at a revision."""

    kind: ClassVar[str] = "git"
    live: ClassVar[bool] = False
    record: ClassVar[None] = None

    revision: str
    path: str | None = None

    @classmethod
    def parse(cls, argument: str) -> GitSource:
        """From `git:REV[:PATH]`. A colon inside braces belongs to the revision: `HEAD@{2026-01-01 10:00}`."""
        text, depth = argument.removeprefix("git:"), 0
        for index, character in enumerate(text):
            depth += {"{": 1, "}": -1}.get(character, 0)
            if character == ":" and depth == 0 and index > 0:
                return cls(_checked(text[:index]), text[index + 1 :] or None)
        return cls(_checked(text))

    @property
    def label(self) -> str:
        """For people."""
        return printable(f"git:{self.revision}:{self.path}" if self.path else f"git:{self.revision}")

    def read(self, options: Options) -> Reading:
        """Read the file at the revision. Raises FusionError for an unknown revision, or where it has no such file."""
        path = self.path or options.lockfile
        data = show(self.revision, path, options.root)
        label = printable(f"{path} at {self.revision}")
        if data is not None and kind_of(data, path) is not Kind.LOCK:
            return read_catalog(parsed(data, label, path), origin=label, path=path, options=options)
        from fusion_contracts.sources.lock_at import files_at

        files = files_at(self.revision, path, options.root, f" at {self.revision}")
        if not files.there:
            raise FusionError(f"there is no {label}", "name another revision or path: git:REV:PATH", stage="git")
        return reading_of(files.open().lock)


def show(revision: str, path: str | os.PathLike[str], cwd: Path) -> bytes | None:
    """The bytes of a file at a revision, None where the revision does not have it. `path` is relative to `cwd`.

    "Not there" is git's own word, read from the revision's tree; whatever else goes wrong is an error, or a clone
    without its objects would look like a repository without a lock. Raises FusionError for an unknown revision, a path
    outside the repository or in a submodule, and where there is no git or no repository.
    """
    commit = resolve_revision(revision, cwd)
    where = f"{printable(str(path))} at {printable(revision)}"
    kind, blob = _entry(commit, path, cwd, where)
    if kind is None:
        return None
    if kind == "commit":
        raise FusionError(f"{where} lies in a submodule", "run this in the submodule's folder", stage="git")
    if kind != "blob":
        raise FusionError(f"{where} is a folder, not a file", "name a file in it", stage="git")
    status, data, error = run_git(cwd, "cat-file", "blob", blob)
    if status != 0:
        raise FusionError(f"git cannot read {where}: {error}", SHALLOW, stage="git")
    return data


def _entry(commit: str, path: str | os.PathLike[str], cwd: Path, where: str) -> tuple[str | None, str]:
    """The kind and id of what a commit has at a path, or of the submodule above it; None where there is neither."""
    relative = PurePosixPath(Path(os.path.relpath(cwd / path, cwd)).as_posix())
    paths = [str(one) for one in (*relative.parents, relative) if one.name not in {"", ".."}]
    status, out, error = run_git(cwd, "--literal-pathspecs", "ls-tree", "-z", commit, "--", *paths)
    if status != 0:
        step = "name a path inside the repository" if "outside repository" in error else SHALLOW
        raise FusionError(f"git cannot look for {where}: {error}", step, stage="git")
    for line in out.decode(errors="surrogateescape").split("\0"):
        entry, _, name = line.partition("\t")
        if name == str(relative) or entry.startswith("160000 "):  # the mode of a submodule
            _, kind, blob = entry.split()
            return kind, blob
    return None, ""


def renamed_from(revision: str, path: str | os.PathLike[str], cwd: Path) -> str | None:
    """The path, relative to `cwd`, that a file had at a revision from which it was renamed since; None for none."""
    top = prefix(cwd)
    wanted = posixpath.normpath(top + Path(os.path.relpath(cwd / path, cwd)).as_posix())
    like = f":(top,glob)**/*{PurePosixPath(wanted).suffix}"
    for limit in ([], ["-l0", "--", like]):  # of many files, git leaves out all that were not moved unchanged
        status, out, _ = run_git(cwd, "diff", "--name-status", "-z", "-M", "--diff-filter=R", revision, *limit)
        fields = out.decode(errors="surrogateescape").split("\0") if status == 0 else []
        pairs = zip(fields[1::3], fields[2::3], strict=False)
        old = next((old for old, new in pairs if new == wanted), None)
        if old is not None:
            return posixpath.relpath(old, top or ".")
    return None


def resolve_revision(revision: str, cwd: Path) -> str:
    """The id of the commit that a revision names. Raises FusionError where it names none here."""
    name = f"{_checked(revision)}^{{commit}}"
    status, out, error = run_git(cwd, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
    commit = out.decode(errors="replace").strip().rpartition("\n")[2]
    if status == 0 and commit:
        return commit
    if error:
        message = f"git cannot resolve {printable(revision)}: {error}"
        raise FusionError(message, "run this inside the repository", stage="git")
    if _is_to_come(revision, cwd):
        message = f"{printable(revision)} names nothing: the branch has no commit yet"
        raise FusionError(message, "commit first", stage="git")
    fetch = f"check the name, or fetch it: git fetch origin {printable(revision.removeprefix('origin/'))}"
    step = SHALLOW if is_shallow(cwd) else fetch
    raise FusionError(f"the revision {printable(revision)} is not in this clone", step, stage="git")


def _is_to_come(revision: str, cwd: Path) -> bool:
    """Whether a revision is one of HEAD's branch, which has no commit yet: there is nothing to fetch."""
    if not is_unborn(cwd):
        return False
    branch = run_git(cwd, "symbolic-ref", "--short", "HEAD")[1].decode(errors="replace").strip()
    return re.split(r"[~^:]|@\{", revision, maxsplit=1)[0] in {"", "@", "HEAD", branch}


def tags_at_head(cwd: Path) -> tuple[str, ...]:
    """The tags of the commit that HEAD is, sorted; none where there is no commit, no repository or no git."""
    try:
        status, out, _ = run_git(cwd, "tag", "--points-at", "HEAD")
    except FusionError:
        return ()
    return tuple(sorted(out.decode(errors="replace").split())) if status == 0 else ()


def prefix(cwd: Path) -> str:
    """The path of `cwd` from the top of its repository, ending in a slash; "" at the top, and where there is none."""
    status, out, _ = run_git(cwd, "rev-parse", "--show-prefix")
    return out.decode(errors="surrogateescape").rstrip("\n") if status == 0 else ""


def tracked(cwd: Path, *names: str, revision: str | None = None) -> list[str]:
    """The files below `cwd` that have one of these names, by their paths from it: tracked now, or at a revision.

    A name may be that of a folder with `/*` behind it, for the files in it.

    Raises FusionError.
    """
    if revision is None:
        patterns = [f":(glob)**/{name}" for name in names]
        status, out, error = run_git(cwd, "ls-files", "-z", "--cached", "--", *patterns)
    else:
        status, out, error = run_git(cwd, "ls-tree", "-r", "-z", "--name-only", resolve_revision(revision, cwd))
    if status != 0:
        raise FusionError(f"git cannot list what it tracks: {error}", "run this inside the repository", stage="git")
    files = dict.fromkeys(filter(None, out.decode(errors="surrogateescape").split("\0")))
    return [file for file in files if any(PurePosixPath(file).match(name) for name in names)]


def merge_base(base: str, cwd: Path) -> str:
    """The commit that HEAD and `base` have in common. Raises FusionError where there is none in this clone."""
    theirs, ours = resolve_revision(base, cwd), resolve_revision("HEAD", cwd)
    status, out, error = run_git(cwd, "merge-base", ours, theirs)
    commit = out.decode(errors="replace").strip()
    if status == 0 and commit:
        return commit
    if error:
        raise FusionError(f"git cannot compare HEAD with {printable(base)}: {error}", SHALLOW, stage="git")
    message = f"HEAD and {printable(base)} have no commit in common in this clone"
    raise FusionError(message, SHALLOW if is_shallow(cwd) else "name another revision with --base", stage="git")


def default_base(environ: Mapping[str, str], cwd: Path) -> str:
    """The revision a change is compared with when nobody says: what the CI names, else `origin/HEAD`.

    In a hook that pre-commit runs there always is one: HEAD for a commit, for a push what the remote has.

    Raises FusionError where neither is known.
    """
    named = of_environment(environ)
    if named is not None:
        return named
    status, _, error = run_git(cwd, "rev-parse", "--verify", "--quiet", "refs/remotes/origin/HEAD")
    if status == 0:
        return "origin/HEAD"
    if environ.get("PRE_COMMIT"):  # a push: what the remote has, where pre-commit knows it
        return environ.get("PRE_COMMIT_FROM_REF") or "HEAD"
    if error:
        raise FusionError(
            f"git cannot look here: {error}", "run this inside the repository, or name --base", stage="git"
        )
    if run_git(cwd, "config", "--get-regexp", r"^remote\.origin\.")[0] != 0:  # then git could not set its HEAD
        message = "there is no base to compare with: this repository has no remote origin"
        raise FusionError(message, "name a branch, tag or commit with --base REV", stage="git")
    message = "there is no base to compare with: origin/HEAD is not set in this clone"
    raise FusionError(message, "name one with --base REV, or run: git remote set-head origin --auto", stage="git")


def of_environment(environ: Mapping[str, str]) -> str | None:
    """The base that holds in this environment alone: a CI's, or that of a commit which pre-commit checks; else None."""
    named = of_a_ci(environ)
    if named is None and environ.get("PRE_COMMIT") and not environ.get("PRE_COMMIT_REMOTE_NAME"):
        return environ.get("PRE_COMMIT_FROM_REF") or "HEAD"  # a commit is being made: what it changes counts
    return named


def of_a_ci(environ: Mapping[str, str]) -> str | None:
    """The base that a CI's variables name; None where they name none."""
    for name in _BASE_COMMITS:
        if environ.get(name):
            return environ[name]
    for name in _TARGET_BRANCHES:
        if environ.get(name):
            return f"origin/{environ[name].removeprefix('refs/heads/')}"
    if environ.get("TRAVIS_PULL_REQUEST", "false") != "false" and environ.get("TRAVIS_BRANCH"):
        return f"origin/{environ['TRAVIS_BRANCH']}"
    if environ.get("APPVEYOR_PULL_REQUEST_NUMBER") and environ.get("APPVEYOR_REPO_BRANCH"):
        return f"origin/{environ['APPVEYOR_REPO_BRANCH']}"
    return None


def is_unborn(cwd: Path) -> bool:
    """Whether this is a repository whose HEAD is a branch without any commit."""
    head = run_git(cwd, "rev-parse", "--verify", "--quiet", "HEAD")[0]
    return head != 0 and run_git(cwd, "symbolic-ref", "--quiet", "HEAD")[0] == 0


def _checked(revision: str) -> str:
    """Refuse what git would take for an option, or cannot be a revision. Raises FusionError."""
    if not revision or revision.startswith(("-", "^")) or not revision.isprintable():
        shown = printable(revision) or "an empty text"
        raise FusionError(f"{shown} is not a revision", "name a branch, a tag or a commit", stage="usage")
    return revision


def is_shallow(cwd: Path) -> bool:
    """Whether this clone lacks some of the history."""
    return run_git(cwd, "rev-parse", "--is-shallow-repository")[1].strip() == b"true"


def run_git(cwd: Path, *arguments: str, given: bytes = b"") -> tuple[int, bytes, str]:
    """Run git on `given` input: exit status, standard output, and the first line of what it complains about.

    Raises FusionError where git cannot be started.
    """
    import subprocess  # a diff of two files needs none

    # No prompt, no lock of the index, English messages; variables such as GIT_DIR stay as the person set them.
    env = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "LANGUAGE": "C"}
    try:
        done = subprocess.run(
            ["git", *arguments],  # noqa: S607 - the git that the person uses
            cwd=cwd,
            env=env,
            input=given,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        message = "git is not installed, or the folder does not exist"
        raise FusionError(message, "install git, or compare two files instead", stage="git") from None
    except OSError as error:
        raise FusionError(f"git cannot be started: {error.strerror}", "check the installation", stage="git") from None
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    first = lines[0].removeprefix("fatal: ").removeprefix("error: ") if lines else ""
    return done.returncode, done.stdout, printable(first)[:200]
