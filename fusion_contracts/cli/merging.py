"""One merge for git: three files in, the result in ours, an exit code."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.output import FOUND, OK, tell
from fusion_contracts.errors import FusionError, fault
from fusion_contracts.report.counts import count
from fusion_contracts.sources.lock_at import lock_of

if TYPE_CHECKING:
    from fusion_contracts.lockfile.merge import Conflict

__all__ = ["merge_files"]

_TOLD = 10  # conflicts that are named


def merge_files(base: str, ours: str, theirs: str, path: str) -> int:
    """Merge `ours` and `theirs`, put the result into `ours`, and return 0; 1 where people have to look.

    What cannot be read as an intact lock is merged as text, by git, and always ends with 1: whatever comes of that, no
    merge of it passes in silence. Never raises for a lock, and never leaves `ours` as it was where it ends with 1 and
    can be written, and git can be run: our side without markers would look like a finished merge.
    """
    from fusion_contracts.lockfile.file import read_text, write_atomic
    from fusion_contracts.lockfile.merge_text import merge_texts

    shown = printable(path)
    try:
        done = merge_texts(*(read_text(Path(file)) for file in (base, ours, theirs)))
    except FusionError as error:
        return _as_text(base, ours, theirs, shown, error)
    except Exception as error:  # noqa: BLE001 - a fault of ours must not leave a file that looks merged
        return _as_text(base, ours, theirs, shown, fault(error))
    try:
        write_atomic(Path(ours), done.text)
    except FusionError as error:  # git could not write it either, and would leave it empty
        tell(f"fusion: {printable(str(error))}")
        tell(f"fusion: {shown} is our side, unmerged")
        return FOUND
    return _conflicts(done.conflicts, path) if done.conflicts else OK


def _conflicts(conflicts: Sequence[Conflict], path: str) -> int:
    shown = printable(path)
    for conflict in conflicts[:_TOLD]:
        tell(f"fusion: {shown}: {printable(str(conflict))}")
    if len(conflicts) > _TOLD:
        tell(f"fusion: {shown}: {count(len(conflicts) - _TOLD, 'other conflict')}")
    word = shell_word(path)
    tell("next: keep one side of each marked entry; or write them anew from their sources: "
         f"git checkout --theirs -- {word} && fusion lock{_in_its_folder(path)}")  # fmt: skip
    return FOUND


def _in_its_folder(path: str) -> str:
    """The option that leads from the top of the repository, where git stands, to the settings beside a lock."""
    folder = Path(lock_of(path)).parent
    settings = any((folder / name).is_file() for name in ("fusion.toml", "pyproject.toml"))
    return f" -C {shell_word(folder.as_posix())}" if settings and folder != Path() else ""


def _as_text(base: str, ours: str, theirs: str, shown: str, error: FusionError) -> int:
    """Merge line by line, as git does without a driver."""
    tell(f"fusion: {shown} is merged as text: {printable(str(error))}")
    labels = [word for label in ("ours", "base", "theirs") for word in ("-L", label)]
    command = ["git", "merge-file", "-q", *labels, "--", ours, base, theirs]
    try:
        status = subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode  # noqa: S603 - git's own
    except OSError as problem:
        tell(f"fusion: git cannot be started: {problem.strerror}; {shown} is our side, unmerged")
        return FOUND
    if status > _MOST_CONFLICTS:  # binary, or unreadable
        tell(f"fusion: git cannot merge it as text either; {shown} is our side, unmerged")
    tell("next: resolve it, then run fusion lock, which writes it anew from its sources")
    return FOUND


_MOST_CONFLICTS = 127  # `git merge-file` counts conflicts up to here; above it says that it failed
