"""Libraries that answer the same question about two schemas, in throwaway environments, on labelled cases."""

from __future__ import annotations

import json
import os
import selectors
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from beside.environments import module_version, node_modules, python_with, version_in

__all__ = ["Answer", "Case", "Peer", "Tally", "cases", "installed", "labelled", "race", "ratio", "survey"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LONGEST = 5.0  # seconds for one case; after that there is no answer
Answer: TypeAlias = bool | None


@dataclass(frozen=True)
class Case:
    """Two schemas, their dialect, and whether the new one takes all that the old one takes."""

    old: Any
    new: Any
    dialect: str
    compatible: bool

    @property
    def pair(self) -> list[Any]:
        """What a worker is asked."""
        return [self.old, self.new, self.dialect]


def cases() -> dict[str, list[Case]]:
    """The labelled cases by where they come from: our own suite, and ../shared/data where it is."""
    own = [
        Case(entry["old"], entry["new"], entry["dialect"], entry["verdict"] == "compatible")
        for path in sorted((ROOT / "fixtures" / "subsumption").glob("*.json"))
        for entry in json.loads(path.read_text(encoding="utf-8"))
        if entry["world"] == "open" and entry["verdict"] != "undecided"
    ]
    found = {"`fixtures/subsumption`": own}
    shared = ROOT.parent / "shared" / "data" / "schema" / "cases.jsonl"
    if shared.exists():
        entries = map(json.loads, shared.read_text(encoding="utf-8").splitlines())
        found["the shared collection"] = [Case(e["old"], e["new"], e["dialect"], e["compatible"]) for e in entries]
    return found


@dataclass
class Peer:
    """A tool and the worker that asks it, started anew when it hangs or dies."""

    name: str
    argv: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    _process: subprocess.Popen[str] | None = None

    def ask(self, asked: Sequence[Case], limit: float) -> list[tuple[Answer, float]]:
        """An answer and its seconds for each case; no answer at all when they take longer than the limit."""
        process = self._process or self._start()
        assert process.stdin is not None  # noqa: S101 - a pipe, see _start
        try:
            process.stdin.write(json.dumps([case.pair for case in asked]) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.close()
            return [(None, limit)] * len(asked)
        reply = _line(process, limit)
        if not reply:
            self.close()
            return [(None, limit)] * len(asked)
        return [(answer, seconds) for answer, seconds in json.loads(reply)]

    def close(self) -> None:
        """End the worker."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self.argv, env={**os.environ, **self.environment}, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if not _line(self._process, 60):
            sys.exit(f"{self.name}: its worker does not start")
        return self._process


def _line(process: subprocess.Popen[str], limit: float) -> str:
    """The next reply; "" when none comes in time. A worker writes one whole line, and waits."""
    assert process.stdout is not None  # noqa: S101 - a pipe
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        return process.stdout.readline() if waiting.select(limit) else ""


def installed(folder: Path | None) -> Iterator[tuple[Peer, str]]:
    """Ours, and those that could be installed below the folder, if one is named, each with its version."""
    from fusion_contracts import __version__

    path = {"PYTHONPATH": os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)}
    yield Peer("fusion_contracts", [sys.executable, "-m", "beside.ask_fusion"], path), __version__
    if folder is None:
        return
    python = python_with(folder, "jsonsubschema")
    if python:
        yield (
            Peer("jsonsubschema", [str(python), "-m", "beside.ask_jsonsubschema"], path),
            version_in(python, "jsonsubschema"),
        )
    modules = node_modules(folder, "json-schema-diff")
    if modules:
        argv = ["node", str(HERE / "ask_json_schema_diff.js")]
        peer = Peer("json-schema-diff", argv, {"NODE_PATH": str(modules)})
        yield peer, module_version(modules, "json-schema-diff")


def survey(peer: Peer, asked: Iterable[Case]) -> list[tuple[Answer, float]]:
    """The first answer to each case, one by one, so that a case that hangs costs its own answer alone."""
    return [peer.ask([case], LONGEST)[0] for case in asked]


@dataclass(frozen=True)
class Tally:
    """How often a tool was right, missed a break, raised a false alarm, and gave no answer."""

    right: int
    missed: int
    alarms: int
    silent: int


def labelled(asked: Sequence[Case], answers: Sequence[Answer]) -> Tally:
    """Answers against labels."""
    found = Counter((answer, case.compatible) for case, answer in zip(asked, answers, strict=True))
    right = found[True, True] + found[False, False]
    return Tally(right, found[True, False], found[False, True], found[None, True] + found[None, False])


def race(ours: Peer, theirs: Peer, asked: Sequence[Case], runs: int) -> list[tuple[float, float]]:
    """Seconds of both for all cases, run after run, in turns who is first; one run before warms both."""
    times: list[tuple[float, float]] = []
    for turn in range(runs + 1):
        order = (ours, theirs) if turn % 2 else (theirs, ours)
        taken = {peer.name: _all(peer, asked) for peer in order}
        if turn:
            times.append((taken[ours.name], taken[theirs.name]))
    return times


def _all(peer: Peer, asked: Sequence[Case]) -> float:
    replies = peer.ask(asked, LONGEST * len(asked))
    return sum(seconds for _, seconds in replies)


def ratio(times: Sequence[tuple[float, float]]) -> float:
    """How many times as fast ours is: the median over pairs of times."""
    return statistics.median(theirs / ours for ours, theirs in times)
