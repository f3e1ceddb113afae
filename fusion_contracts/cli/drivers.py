"""git's configuration for the merge and the diff driver: what it is, and setting it up in a clone.

Both commands do what git does without a driver where `fusion` cannot be started: an environment that was deleted must
not stop `git diff`, nor leave our side of a merge behind as if it were merged.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import OK, say
from fusion_contracts.errors import FusionError

__all__ = ["ATTRIBUTES", "set_up", "show_lines"]

ATTRIBUTES = "merge=fusion diff=fusion"
"""What a lock's line in .gitattributes names the drivers by."""

# git puts the placeholders in, quoted, and appends "$@" to the second. A path may begin with a hyphen.
_MERGE = (
    "{program} merge-driver %O %A %B ./%P; code=$?; "
    "if test $code -eq 126 || test $code -eq 127; then git merge-file -L ours -L base -L theirs %A %O %B; "
    "else exit $code; fi"
)
_DIFF = (
    'fusion_diff() {{ {program} diff-driver -- "$@" || '
    '{{ test $# -lt 7 || git --no-pager diff --no-ext-diff --no-index -- "$2" "$5"; }}; true; }}; fusion_diff'
)
_HEADERS = r"^(\[.*\])"  # a hunk's header names the table it is in, also where git shows the text


def settings(program: str) -> dict[str, str]:
    """The keys of git's configuration with their values, for a shell word that starts `fusion`."""
    return {
        "merge.fusion.name": "locks of MCP servers, merged tool by tool",
        "merge.fusion.driver": _MERGE.format(program=program.replace("%", "%%")),
        "diff.fusion.command": _DIFF.format(program=program),
        "diff.fusion.xfuncname": _HEADERS,
    }


def show_lines() -> int:
    """Print the commands that set the drivers up, for a `fusion` that is on PATH."""
    for key, value in settings("fusion").items():
        say(f"git config {key} {shlex.quote(value)}")
    return OK


def set_up(folder: str, *, everywhere: bool) -> int:
    """Set the drivers up in the clone of `folder`, or for all clones; say what changed. Raises FusionError."""
    scope = "--global" if everywhere else "--local"
    for key, value in settings(_program()).items():
        before = _git(folder, "config", scope, "--get-all", key)
        if before == f"{value}\n":
            say(f"{key} is set already")
            continue
        if _git(folder, "config", scope, "--replace-all", key, value) is None:
            message = "git's configuration cannot be written"
            raise FusionError(message, "run this inside a repository, or with --global", stage="git")
        say(f"set {key}" if before is None else f"set {key}, which was {printable(before.strip())}")
    where = "your own configuration" if everywhere else "this clone's configuration"
    say(f"git merges and shows locks with fusion now, by {where}, where .gitattributes says: FILE {ATTRIBUTES}")
    return OK


def _program() -> str:
    """What starts this `fusion`, for a shell: its full path, which editors and other shells find as well."""
    beside = Path(sys.executable).with_name("fusion.exe" if os.name == "nt" else "fusion")
    return shlex.quote(beside.as_posix()) if beside.is_file() else "fusion"


def _git(folder: str, *arguments: str) -> str | None:
    """What git prints; None where it fails. Raises FusionError where there is no git."""
    command = ["git", "-C", folder, *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)  # noqa: S603 - git
    except OSError as error:
        raise FusionError(f"git cannot be started: {error.strerror}", "install it", stage="git") from None
    return done.stdout.decode(errors="replace") if done.returncode == 0 else None
