"""What loading and comparing catalogs costs after start-up: one of 200 tools in its parts, and as catalogs grow."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from generate import catalogs
from printed import interleaved, table

__all__ = ["SIZES", "grown", "in_parts"]

RUN = Path(__file__).with_name("catalog_run.py")
SIZES = (1_000, 2_000, 5_000, 10_000)
SMALL = 8  # tools of the catalogs that warm a process up: one for each kind of change
Result = dict[str, Any]


def in_parts(folder: Path, runs: int, tools: int = 200, changed: int = 100) -> str:
    """The time of each step, and on what the comparison spends its own."""
    paths = _written(folder, tools, changed)
    found = interleaved({"whole": _runs(paths), "parts": _runs(paths, "parts")}, runs)
    names = {"parse": "`json.loads` of both files", "load": "loading both as contracts", "diff": "comparing them"}
    rows = [(title, *_times(found["whole"], name)) for name, title in names.items()]
    shares = ", ".join(_shares(found["parts"]))
    head = ("step", "ms", "least", "most", "times `json.loads`")
    caption = f"{tools:,} tools, {changed:,} changed, {found['whole'][0]['findings']:,} findings"
    caption += f"; processor time after start-up, {runs} processes:"
    return f"{caption}\n\n{table(head, rows)}\n\nThe comparison: {shares}."


def _times(found: Sequence[Result], name: str) -> Iterator[str]:
    taken = [1000 * result[name] for result in found]
    yield from (f"{ms:.1f}" for ms in (statistics.median(taken), min(taken), max(taken)))
    yield f"{statistics.median(result[name] / result['parse'] for result in found):.1f}"


def _shares(results: Sequence[Result]) -> list[str]:
    """What the parts take of the whole in percent, the largest first."""
    names = results[0]["parts"]
    found = {name: statistics.median(100 * r["parts"][name] / r["diff"] for r in results) for name in names}
    found["the rest"] = 100 - sum(found.values())
    return [f"{name} {share:.0f} %" for name, share in sorted(found.items(), key=lambda item: -item[1])]


def grown(folder: Path, runs: int, sizes: Sequence[int] = SIZES) -> str:
    """Catalogs of many tools, half of them changed: whether time and memory stay in proportion."""
    calls = {str(size): _runs(_written(folder, size, size // 2)) for size in sizes}
    found = interleaved(calls, runs)
    base = found[str(sizes[0])]
    head = ("tools", "load, s", "compare, s", "us a tool", "to the first row", "peak MB", "kB a tool more", "findings")
    rows = [list(_size(size, found[str(size)], (sizes[0], base))) for size in sizes]
    return f"Half of the tools changed; processor time after start-up, {runs} processes each:\n\n{table(head, rows)}"


def _size(size: int, found: Sequence[Result], first: tuple[int, Sequence[Result]]) -> Iterator[str]:
    """`first` is the least size and its runs, with which the others are compared."""
    least, base = first
    load, diff = (statistics.median(run[name] for run in found) for name in ("load", "diff"))
    growth = statistics.median(a["diff"] / size / (b["diff"] / least) for a, b in zip(found, base, strict=True))
    memory, before = (max(run["memory"] for run in runs) for runs in (found, base))
    yield from (f"{size:,}", f"{load:.2f}", f"{diff:.2f}", f"{1e6 * diff / size:.0f}", f"{growth:.2f}")
    yield f"{memory / 1e6:.0f}"
    yield f"{(memory - before) / (size - least) / 1e3:.1f}" if size > least else "-"
    yield f"{found[0]['findings']:,}"


def _written(folder: Path, tools: int, changed: int) -> list[str]:
    """The catalogs, and small ones for the start-up."""
    paths = []
    for size, edits in ((tools, changed), (SMALL, SMALL)):
        for side, catalog in zip(("old", "new"), catalogs(size, edits), strict=True):
            path = folder / f"{side}-{size}.json"
            path.write_text(json.dumps(catalog), encoding="utf-8")
            paths.append(str(path))
    return paths


def _runs(paths: Sequence[str], *flags: str) -> Callable[[], Result]:
    def run() -> Result:
        done = subprocess.run([sys.executable, str(RUN), *paths, *flags], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        shown: Result = json.loads(done.stdout)
        return shown

    return run
