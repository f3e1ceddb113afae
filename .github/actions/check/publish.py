"""What GitHub takes from a step: commands in the log, a summary, outputs."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

__all__ = ["cut", "fenced", "notice", "output", "silenced", "summary"]

_SUMMARY = 1024 * 1024  # bytes that GitHub takes for a step


def notice(text: str) -> None:
    """A line that GitHub shows above the log. Its text may hold what strangers chose."""
    plain = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::notice title=fusion check::{plain}", flush=True)


@contextmanager
def silenced() -> Iterator[None]:
    """Print in between what strangers chose: a line that looks like a command of GitHub's is none there."""
    word = secrets.token_hex(16)
    print(f"::stop-commands::{word}", flush=True)
    try:
        yield
    finally:
        print(f"\n::{word}::", flush=True)


def summary(path: str, text: str) -> None:
    """Append to the step's summary, as much as GitHub takes."""
    file = Path(path)
    room = _SUMMARY - (file.stat().st_size if file.exists() else 0) - 1
    with file.open("ab") as out:
        out.write(cut(text, room, len_of=lambda part: len(part.encode())).encode() + b"\n")


def output(path: str, values: Mapping[str, str]) -> None:
    """Write the step's outputs, each behind a word that its value cannot hold."""
    with Path(path).open("a", encoding="utf-8") as out:
        for name, value in values.items():
            word = f"end_{secrets.token_hex(16)}"
            out.write(f"{name}<<{word}\n{value}\n{word}\n")


def fenced(text: str) -> str:
    """Text as a block of Markdown that it cannot leave."""
    runs = [len(run) for run in re.findall("`+", text)]
    fence = "`" * max([3, *(run + 1 for run in runs)])
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


_CLOSING = 300  # of what is closed, and of the sentence that says it was cut
_REST = "\n\n(cut here: the whole report is in the log and in the step's outputs)\n"


def cut(text: str, room: int, *, len_of: Callable[[str], int] = len) -> str:
    """Markdown that fits, cut between two lines; a block of code and details that were open are closed."""
    if len_of(text) <= room:
        return text
    lines, size = [], 0
    for line in text.splitlines(keepends=True):
        size += len_of(line)
        if size > room - _CLOSING:
            break
        lines.append(line)
    kept = "".join(lines).rstrip()
    opened = ""
    for run in re.findall("^ {0,3}(`{3,})", kept, re.MULTILINE):
        opened = "" if opened and len(run) >= len(opened) else opened or run
    kept += f"\n{opened}" if opened else ""
    return kept + "\n\n</details>" * (kept.count("<details") - kept.count("</details>")) + _REST
