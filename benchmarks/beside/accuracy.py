"""How often a tool sees what breaks, and how often it raises an alarm where nothing does."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from beside.environments import ENVIRONMENT
from beside.labels import WHOLE, Pair
from beside.tools import LONGEST, SERVER, Tool, write_sides

__all__ = ["Tally", "scored"]

Tally: TypeAlias = Counter[str]
ANSWERED = {0, 1}  # by exit code: nothing found, something found; any other is no answer
OUT = "answer.json"


def scored(tools: Mapping[Tool, Path], pairs: Sequence[Pair]) -> dict[str, Tally]:
    """By tool (and reading): breaks `caught` and `missed`, `alarms` where none is, `right`, and `silent`: no answer."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        each = threads.map(lambda tool: _scored(tool, tools[tool], pairs), tools)
        return {row: tally for tallies in each for row, tally in tallies.items()}


def _scored(tool: Tool, python: Path, pairs: Sequence[Pair]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = {reading: Counter() for reading in tool.readings}
    with _started(python) as running:
        for pair in pairs:
            answer = _answer(tool, pair, running)
            for reading, broken in tool.readings.items():
                tallies[reading].update(_judged(pair.breaks, None if answer is None else broken(answer)))
    return {f"{tool.name}, {reading}" if reading else tool.name: tally for reading, tally in tallies.items()}


def _answer(tool: Tool, pair: Pair, running: _Running) -> Any:
    """What it says of one pair, in a folder of its own; None where it says nothing."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_sides(folder, pair.old, pair.new)
        if any(running.run(command, folder) for command in tool.diff.prepare):
            return None
        if running.run(tool.diff.command, folder, tool.json) not in ANSWERED:
            return None
        try:
            return json.loads((folder / OUT).read_bytes())
        except ValueError:  # what it printed is no answer
            return None


def _judged(breaks: Mapping[str, bool], named: set[str] | None) -> Sequence[str]:
    if named is None:
        return ["silent"] * len(breaks)
    words = {(True, True): "caught", (True, False): "missed", (False, True): "alarms", (False, False): "right"}
    return [words[truth, bool(named) if tool == WHOLE else tool in named] for tool, truth in breaks.items()]


@dataclass(frozen=True)
class _Running:
    """A process in which a tool is loaded (see forking.py)."""

    process: subprocess.Popen[str]

    def run(self, command: str, folder: Path, flags: str = "") -> int | None:
        """The exit code; None where it took too long."""
        argv = shlex.split(command.format(json=flags, server=SERVER))
        assert self.process.stdin is not None  # noqa: S101 - a pipe
        assert self.process.stdout is not None  # noqa: S101 - a pipe
        self.process.stdin.write(json.dumps([argv, str(folder), OUT, LONGEST]) + "\n")
        self.process.stdin.flush()
        code: int | None = json.loads(self.process.stdout.readline())
        return code


@contextmanager
def _started(python: Path) -> Iterator[_Running]:
    argv = [str(python), str(Path(__file__).with_name("forking.py"))]
    with subprocess.Popen(
        argv, env=ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        yield _Running(process)
