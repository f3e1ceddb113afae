"""The line about which a shell asks how it goes on, as typer takes it: the command comes first."""

from __future__ import annotations

import os
import re

__all__ = ["line_so_far", "put_command_first"]

_LINES = ("_TYPER_COMPLETE_ARGS", "COMP_WORDS")  # what the scripts of typer for each shell call the line so far
_WORD = r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:\\.|[^"\\])*")+"""


def line_so_far() -> str:
    """The line, from the environment."""
    return next((os.environ[name] for name in _LINES if name in os.environ), "")


def put_command_first(early: tuple[str, ...], flag: str) -> None:
    """Take these options out of the line where they stand before the command, and a flag: typer knows none there.

    What is still being written stays. Bash counts the words of its line, and makes three of `--config=FILE`.
    """
    options = "|".join(map(re.escape, early))
    before = re.compile(rf"(\S+\s+)((?:(?:{flag}|(?:{options})\s*(?:=\s*)?{_WORD})\s+)+)")
    for name in _LINES:
        found = before.match(os.environ.get(name, ""))
        if found is not None:
            os.environ[name] = found[1] + os.environ[name][found.end() :]
            if "COMP_CWORD" in os.environ:
                os.environ["COMP_CWORD"] = str(int(os.environ["COMP_CWORD"]) - len(found[2].splitlines()))
