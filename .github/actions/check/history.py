"""The base of a change, fetched into a clone that may hold a single commit; never more history than is needed."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from plan import Base

__all__ = ["Clone"]

_STEPS = (0, 1, 50, 250, 1000)  # commits to deepen by, until HEAD and the base have one in common
_PATIENCE = 300  # seconds for one command of git's


class Clone:
    """The clone around a folder. `tell` takes a line for people."""

    def __init__(self, folder: Path, tell: Callable[[str], None]) -> None:
        self.folder = folder
        self.tell = tell

    def base(self, bases: tuple[Base, ...]) -> str:
        """The first base that can be had, as a revision, with the commit that it shares with HEAD; else HEAD."""
        for base in bases:
            revision = self._had(base)
            if revision is not None:
                return revision
            self.tell(f"the {base.kind} {base.name!r} is not there, and cannot be fetched from origin")
        if bases:
            self.tell("compared with HEAD: the lock's own history is not checked")
        return "HEAD"

    def _had(self, base: Base) -> str | None:
        if base.kind == "revision":
            if self._is_commit(base.name):
                return self._joined(base.name, [])
            return self._had(Base("branch", base.name)) or self._had(Base("commit", base.name))
        if base.kind == "commit":
            return self._joined(base.name, [base.name]) if self._fetched(base.name, base.name) else None
        if not self._is_branch(base.name):
            return None
        target = f"refs/remotes/origin/{base.name}"
        refspec = f"+refs/heads/{base.name}:{target}"
        if not self._fetched(target, refspec):
            return None
        commit = self._out("rev-parse", "--verify", "--quiet", target)
        return self._joined(f"origin/{base.name}" if _is_plain(base.name) else commit, [refspec])

    def _fetched(self, revision: str, wanted: str) -> bool:
        """Whether the revision is there, if need be after fetching its one commit."""
        if self._is_commit(revision):
            return True
        depth = ["--depth=1"] if self._is_shallow() else []
        return self._fetch(*depth, "origin", wanted) and self._is_commit(revision)

    def _joined(self, revision: str, wanted: list[str]) -> str:
        """The revision, after deepening until it shares a commit with HEAD; all of the history as the last resort."""
        head = self._out("rev-parse", "HEAD")
        for step in _STEPS:
            if step and not (
                self._fetch(f"--deepen={step}", "origin", *wanted, head)
                or self._fetch(f"--deepen={step}", "origin", *wanted)
            ):
                break
            if self._shares(revision) or not self._is_shallow():
                return revision
        self.tell("fetching the whole history: nothing less shows where the change began")
        self._fetch("--unshallow", "origin", *wanted) or self._fetch("--unshallow")
        return revision

    # --- git ---------------------------------------------------------------------------------------------------------

    def _shares(self, revision: str) -> bool:
        return bool(self._out("merge-base", "HEAD", revision))

    def _is_commit(self, revision: str) -> bool:
        return bool(self._out("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"))

    def _is_branch(self, name: str) -> bool:
        return self._git("check-ref-format", f"refs/heads/{name}") is not None

    def _is_shallow(self) -> bool:
        return self._out("rev-parse", "--is-shallow-repository") == "true"

    def _fetch(self, *arguments: str) -> bool:
        options = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        return self._git("fetch", *options, *arguments) is not None

    def _out(self, *arguments: str) -> str:
        """What git prints, on one line; "" where it fails."""
        return (self._git(*arguments) or "").strip()

    def _git(self, *arguments: str) -> str | None:
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
        try:
            done = subprocess.run(
                ["git", *arguments],
                cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                errors="replace", timeout=_PATIENCE, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout if done.returncode == 0 else None


def _is_plain(name: str) -> bool:
    """Whether a branch's name is fit to be shown, and to be an argument."""
    return re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_./+@-]*", name) is not None
