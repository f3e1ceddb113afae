"""What whole processes take, ours and other tools' in turns: comparing two catalogs, holding a server to its own."""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from beside.tools import Tool, Way, run, write_sides
from generate import catalogs
from printed import interleaved, ratios, spread, table

__all__ = ["SIZES", "compared"]

Spent: TypeAlias = tuple[float, float]  # seconds on the clock, and of the processor (with children that ended)
HEADER = ("command", "tool", "ms", "times ours (least-most)", "of processor time")
SIZES = ((8, 8), (200, 100))  # tools, and how many of them changed
REFERENCES = {"python -c pass": "python -c pass", "SERVER old.json": "{server} old.json"}


@dataclass(frozen=True)
class Race:
    """Ways that are run in turns over one pair of catalogs; all that are not the first are compared with it."""

    title: str
    tools: int
    changed: int
    ways: Mapping[str, tuple[Tool, Path, Way]]


def compared(tools: Mapping[Tool, Path], runs: int, sizes: Sequence[tuple[int, int]] = SIZES) -> str:
    """The tables: catalogs compared with others (of so many tools, so many changed), servers held to their own."""
    races = [*_diffs(tools, sizes), *_checks(tools, sizes)]
    return "\n\n".join(f"{race.title}, {runs} runs:\n\n{_table(race, runs)}" for race in races)


def _diffs(tools: Mapping[Tool, Path], sizes: Sequence[tuple[int, int]]) -> Iterator[Race]:
    ways = {tool.diff.shown: (tool, python, tool.diff) for tool, python in tools.items()}
    for size, changed in sizes:
        yield Race(f"Two catalogs of {size} tools, {changed} of them changed", size, changed, ways)


def _checks(tools: Mapping[Tool, Path], sizes: Sequence[tuple[int, int]]) -> Iterator[Race]:
    ways = {way.shown: (tool, python, way) for tool, python in tools.items() for way in tool.checks}
    for size, _ in sizes:
        yield Race(f"A server of {size} tools that is as it was saved", size, 0, ways)


def _table(race: Race, runs: int) -> str:
    with tempfile.TemporaryDirectory() as name:
        calls = dict(_calls(race, Path(name)))
        found = interleaved(calls, runs)
    base = found[next(iter(race.ways))]
    return table(HEADER, (_row(command, race, found[command], base) for command in (*race.ways, *REFERENCES)))


def _row(command: str, race: Race, found: list[Spent], base: list[Spent]) -> tuple[str, ...]:
    tool = race.ways[command][0].name if command in race.ways else ""
    clock, processor = (ratios([one[at] for one in found], [one[at] for one in base]) for at in (0, 1))
    shown = f"{1000 * statistics.median(one[0] for one in found):.0f}"
    return f"`{command}`", tool, shown, spread(clock), f"{statistics.median(processor):.2f}"


def _calls(race: Race, folder: Path) -> Iterator[tuple[str, Callable[[], Spent]]]:
    """One call a way, each in a folder that is prepared for it; then what every run pays, with or without a tool."""
    for number, (shown, (_, python, way)) in enumerate(race.ways.items()):
        at = folder / str(number)
        at.mkdir()
        write_sides(at, *catalogs(race.tools, race.changed))
        for command in way.prepare:
            done = run(command, at, python)
            if done.returncode:
                sys.exit(f"{command}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
        yield shown, _timed(way.command, at, python)
    for shown, command in REFERENCES.items():
        yield shown, _timed(command, folder / "0", Path(sys.executable))


def _timed(command: str, folder: Path, python: Path) -> Callable[[], Spent]:
    def spent() -> Spent:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = run(command, folder, python)
        taken, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in {0, 1}:
            sys.exit(f"{command}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
        return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return spent
