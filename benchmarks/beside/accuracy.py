"""How often a tool sees what breaks, and how often it raises an alarm where nothing does."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

from beside.labels import WHOLE, Pair
from beside.tools import Tool, run, write_sides

__all__ = ["Tally", "scored"]

Tally: TypeAlias = Counter[str]
ANSWERED = {0, 1}  # by exit code: nothing found, something found; any other is no answer


def scored(tools: Mapping[Tool, Path], pairs: Iterable[Pair]) -> dict[str, Tally]:
    """By tool (and reading): breaks `caught` and `missed`, `alarms` where none is, `right`, and `silent`: no answer."""
    tallies: dict[str, Tally] = {_row(tool, reading): Counter() for tool in tools for reading in tool.readings}
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        for found in threads.map(lambda pair: list(_asked(tools, pair)), pairs):
            for row, tally in found:
                tallies[row].update(tally)
    return tallies


def _row(tool: Tool, reading: str) -> str:
    return f"{tool.name}, {reading}" if reading else tool.name


def _asked(tools: Mapping[Tool, Path], pair: Pair) -> Iterator[tuple[str, Tally]]:
    """What each tool makes of one pair, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sides(folder, pair.old, pair.new)
        for tool, python in tools.items():
            answer = _answer(tool, folder, python)
            for reading, broken in tool.readings.items():
                named = None if answer is None else broken(json.loads(answer))
                yield _row(tool, reading), Counter(_judged(pair.breaks, named))


def _answer(tool: Tool, folder: Path, python: Path) -> bytes | None:
    """The JSON of its answer; None where there is none."""
    try:
        if any(run(command, folder, python).returncode for command in tool.diff.prepare):
            return None
        done = run(tool.diff.command, folder, python, tool.json)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode in ANSWERED and done.stdout.lstrip()[:1] in {b"{", b"["} else None


def _judged(breaks: Mapping[str, bool], named: set[str] | None) -> Sequence[str]:
    if named is None:
        return ["silent"] * len(breaks)
    words = {(True, True): "caught", (True, False): "missed", (False, True): "alarms", (False, False): "right"}
    return [words[truth, bool(named) if tool == WHOLE else tool in named] for tool, truth in breaks.items()]
