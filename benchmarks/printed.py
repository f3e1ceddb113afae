"""What benchmarks print: Markdown tables, the machine that they hold for, and where that stands in a page.

A page of the documentation shows what a command printed between two comments; the first names the command. So every
number says how it is measured again, and `--write PAGE` of that command puts the new ones there.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

__all__ = ["END", "block", "interleaved", "machine", "put", "ratios", "shown", "spread", "table", "writing"]

END = "<!-- until here -->"
T = TypeVar("T")


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Columns after the first are numbers where their cells are, and stand at the right."""
    filled = [[str(cell) for cell in row] for row in rows]
    numbers = [all(_is_number(row[at]) for row in filled) for at in range(len(header))]
    rule = ["---:" if number else "---" for number in numbers]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *filled))


def _is_number(cell: str) -> bool:
    return cell in {"", "-"} or cell[0].isdigit()


def machine(started: float | None = None, *more: str) -> str:
    """Where this runs, in one line; `started` is the load when it began."""
    load = os.getloadavg()[0]
    loads = f"load {load:.1f}" if started is None else f"load {started:.1f} to {load:.1f}"
    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return ", ".join((f"Python {platform.python_version()}", *more, system, loads)) + "."


def block(command: str) -> str:
    """The comment after which a page shows what the command printed."""
    return f"<!-- printed by: {command} -->"


def put(page: Path, command: str, text: str) -> None:
    """Show the text in the page as what the command printed. Ends the process where the page has no place for it."""
    before, opening, rest = page.read_text(encoding="utf-8").partition(block(command))
    _, closing, after = rest.partition(END)
    if not (opening and closing):
        sys.exit(f"{page}: it has no place for `{command}`: write {block(command)} and {END} where it shall stand")
    page.write_text(f"{before}{opening}\n\n{text}\n\n{closing}{after}", encoding="utf-8")


def shown(command: str, text: str, page: Path | None = None) -> None:
    """Print the text, and show it in the page where one is named."""
    print(text, flush=True)
    if page:
        put(page, command, text)


def writing(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser with the flag that names the page."""
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put what is printed into this page as well")
    return parser


def interleaved(calls: Mapping[str, Callable[[], T]], runs: int) -> dict[str, list[T]]:
    """What each call gives, by its name, run by run: all in turn, every other run backwards, after one to warm up."""
    found: dict[str, list[T]] = {name: [] for name in calls}
    for turn in range(runs + 1):
        for name in list(calls)[:: 1 if turn % 2 else -1]:
            given = calls[name]()
            if turn:
                found[name].append(given)
    return found


def ratios(times: Sequence[float], base: Sequence[float]) -> list[float]:
    """How many times as long as the base each run took."""
    return [a / b for a, b in zip(times, base, strict=True)]


def spread(values: Sequence[float], digits: int = 2) -> str:
    """The median with the least and the most."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f}-{max(values):.{digits}f})"
