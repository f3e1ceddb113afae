"""What `git diff` prints for a lock: the findings of old against new, and the text where those say too little."""

from __future__ import annotations

import posixpath
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import OK, Writer, say, tell
from fusion_contracts.errors import FusionError, fault
from fusion_contracts.model import Lock
from fusion_contracts.record import record
from fusion_contracts.report.layout import paint

if TYPE_CHECKING:
    from fusion_contracts.diff import Report

__all__ = ["show"]

_NAMED, _RENAMED = 7, 9  # arguments that git hands over for a file; more for one that was renamed
_DIGITS = 7  # of a blob's id
_NOTHING = "/dev/null"


@record
class _File:
    """One side: git's temporary or working file, its blob's id and its mode; `.` where there is none."""

    path: str
    blob: str
    mode: str

    @property
    def missing(self) -> bool:
        return self.path == _NOTHING

    @property
    def label(self) -> str:
        """`3f9c2d1`, or where a file comes from that has no id yet."""
        if self.missing:
            return "nothing"
        return self.blob[:_DIGITS] if self.blob.strip("0.") else "the work tree"


@record
class _Change:
    """What git says of one path."""

    path: str
    old: _File
    new: _File
    renamed: str | None = None

    @classmethod
    def of(cls, words: Sequence[str]) -> _Change:
        path, *rest = words[:_NAMED]
        return cls(path, _File(*rest[:3]), _File(*rest[3:]), words[_NAMED] if len(words) >= _RENAMED else None)


def show(words: Sequence[str]) -> int:
    """Print what changed, from the arguments of git's diff command; always 0."""
    if len(words) < _NAMED:
        say(f"* Unmerged path {printable(words[0])}: fusion merge-driver left conflicts to resolve")
        return OK
    change = _Change.of(words)
    look = Writer()
    colour = _colour()
    for line in _head(change):
        say(paint(line, "bold", colour=colour))
    try:
        text, whole = _findings(change, look.width, colour=colour)
    except FusionError as error:
        text, whole = f"shown as text: {printable(str(error))}\n", False
    except Exception as error:  # noqa: BLE001 - git stops where a diff command fails
        text, whole = f"shown as text: {printable(str(fault(error)))}\n", False
    print(text, end="")
    if not whole:
        _plain(change, colour=colour)
    sys.stdout.flush()
    return OK


def _head(change: _Change) -> list[str]:
    """Lines that say what is compared."""
    renamed = f" -> {printable(change.renamed)}" if change.renamed else ""
    lines = [f"fusion diff {printable(change.path)}{renamed} ({change.old.label} -> {change.new.label})"]
    if not change.old.missing and not change.new.missing and change.old.mode != change.new.mode:
        lines.append(f"mode {change.old.mode} -> {change.new.mode}")
    return lines


def _findings(change: _Change, width: int, *, colour: bool) -> tuple[str, bool]:
    """The report, and whether it says all that changed. Raises FusionError where a side is no lock."""
    from fusion_contracts.report.context import Context
    from fusion_contracts.report.escape import log_lines
    from fusion_contracts.report.formats.text import render_findings

    (old, before), (new, after) = _read(change.old, "the old side"), _read(change.new, "the new side")
    if before == after:
        return "", True
    report = _judged(change, old, new)
    if not report.findings:
        return "no change to what agents rely on; the text:\n", False
    # No `fusion waive`: between which commits git compares is not told, and without them it would look elsewhere.
    found = log_lines(render_findings(report, Context(width=width, colour=colour)))
    return "".join(_moved(old, new)) + found, True


def _moved(old: Lock, new: Lock) -> Iterator[str]:
    """A line for each server that was locked from another source: no rule speaks of it, and a reviewer should know."""
    for name in sorted(old.servers.keys() & new.servers.keys()):
        if old.servers[name].source != new.servers[name].source:
            yield f"{printable(name)} was locked from another source: git diff --no-ext-diff shows it\n"


def _read(file: _File, name: str) -> tuple[Lock, str]:
    """The lock and its text; an edit by hand is told and hides nothing."""
    from fusion_contracts.lockfile.codec import open_lock
    from fusion_contracts.lockfile.file import read_text
    from fusion_contracts.lockfile.verify import damage

    if file.missing:
        return Lock(), ""
    text = read_text(Path(file.path))
    opened = open_lock(text, origin=name)
    for problem in damage(opened):
        say(f"{name}: {problem.server}: {problem.message}")
    return opened.lock, text


def _judged(change: _Change, old: Lock, new: Lock) -> Report:
    """The report, by the settings beside the lock; without them where they cannot be read."""
    from fusion_contracts.cli.project import Judging, Project, open_project
    from fusion_contracts.config import Config
    from fusion_contracts.sources.lock_at import lock_of

    path = lock_of(change.renamed or change.path)
    folder = posixpath.dirname(path) or "."
    try:
        project = open_project(folder, posixpath.basename(path))
    except FusionError as error:  # the lock can be compared without its settings
        tell(f"note: {printable(str(error))}")
        project = Project(Path(folder), Config(), None, posixpath.basename(path))
    return Judging.of(project).compare(old, new)


# --- what git knows --------------------------------------------------------------------------------------------------


def _colour() -> bool:
    """Whether git's own diff would be in colour: it knows of its pager, and of what people set."""
    terminal = "true" if sys.stdout.isatty() else "false"
    return _git("config", "--get-colorbool", "color.diff", terminal).strip() == "true"


def _plain(change: _Change, *, colour: bool) -> None:
    """Print how the text differs, under the lock's name and not under those of git's temporary files."""
    painting = "--color=always" if colour else "--color=never"
    text = _git("diff", "--no-index", "--no-ext-diff", painting, "--", change.old.path, change.new.path)
    hunks = text.find("\x1b[36m@@" if colour else "@@")
    if hunks < 0:  # binary, or nothing
        print(text, end="")
        return
    for sign, file in (("---", change.old), ("+++", change.new)):
        name = _NOTHING if file.missing else f"{'a' if sign == '---' else 'b'}/{printable(change.path)}"
        say(paint(f"{sign} {name}", "bold", colour=colour))
    print(text[hunks:], end="")


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 - git's own
    return done.stdout.decode(errors="backslashreplace")
