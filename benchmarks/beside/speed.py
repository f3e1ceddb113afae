"""What whole processes take, ours and other tools' in turns: comparing two catalogs, holding a server to its own."""

from __future__ import annotations

import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from beside.tools import Tool, Way, run, write_sides
from generate import catalogs
from printed import interleaved, ratios, spread, table

__all__ = ["compared"]

Spent: TypeAlias = tuple[float, float]  # seconds on the clock, and of the processor (with children that ended)
HEADER = ("command", "tool", "ms", "times ours (least-most)", "of processor time")
REFERENCES = {"python -c pass": "python -c pass", "SERVER old.json": "{server} old.json"}


@dataclass(frozen=True)
class Race:
    """Ways that are run in turns over one pair of catalogs; all that are not the first are compared with it."""

    title: str
    tools: int
    changed: int
    ways: Mapping[str, tuple[Tool, Path, Way]]


def compared(tools: Mapping[Tool, Path], runs: int) -> str:
    """The tables: small and large catalogs, compared with another, and a server with its own."""
    diffs = {tool.diff.shown: (tool, python, tool.diff) for tool, python in tools.items()}
    checks = {way.shown: (tool, python, way) for tool, python in tools.items() for way in tool.checks}
    races = (
        Race("Two catalogs of 8 tools, all changed", 8, 8, diffs),
        Race("Two catalogs of 200 tools, 100 changed", 200, 100, diffs),
        Race("A server of 8 tools that is as it was saved", 8, 0, checks),
        Race("A server of 200 tools that is as it was saved", 200, 0, checks),
    )
    return "\n\n".join(f"{race.title}, {runs} runs:\n\n{_table(race, runs)}" for race in races)


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
