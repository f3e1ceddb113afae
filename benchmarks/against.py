"""This checkout beside another one: what a comparison costs, and a whole run, as ratios of runs that take turns.

    python benchmarks/against.py OTHER [--runs 11] [--tools 200] [--changed 100]

OTHER is a folder that holds another state of the package (`git worktree add ../other REVISION`). Both run on this
Python, each with its own compiled files. A ratio below 1 says that this checkout is faster; it is the median over the
pairs of runs, so that what else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import compileall
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from generate import catalogs

HERE = Path(__file__).resolve().parent.parent
RUN = HERE / "benchmarks" / "beside" / "catalog_run.py"
PARTS = ("load", "first", "diff")  # processor time inside one process
PROCESSES = ("import", "fusion diff, 1 tool", "fusion diff")  # whole processes
SMALL = 8  # tools of the catalogs that warm a process up: one for each kind of change


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--runs", type=int, default=11, help="runs of each, at least 7")
    parser.add_argument("--tools", type=int, default=200)
    parser.add_argument("--changed", type=int, default=100)
    options = parser.parse_args()
    sides = (HERE, options.other.resolve())
    for side in sides:
        if not compileall.compile_dir(str(side / "fusion_contracts"), quiet=1):
            parser.error(f"{side} holds no package that compiles")
    with tempfile.TemporaryDirectory() as name:
        paths = _written(Path(name), options.tools, options.changed)
        runs = [_turn(sides, paths, turn) for turn in range(max(7, options.runs) + 1)][1:]  # the first warms up
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"Python {platform.python_version()}, {machine}; {options.tools} tools, {options.changed} changed")
    print(f"{'milliseconds, medians':34}{'this':>8}{'other':>8}{'ratio':>8}{'(least-most)':>15}")
    for row in (*PARTS, *PROCESSES):
        times = [(1000 * this[row], 1000 * other[row]) for this, other in runs]
        ratios = [this / other for this, other in times]
        this, other = (statistics.median(column) for column in zip(*times, strict=True))
        spread = f"({min(ratios):.2f}-{max(ratios):.2f})"
        print(f"{_label(row):34}{this:8.1f}{other:8.1f}{statistics.median(ratios):8.2f}{spread:>15}")


def _label(row: str) -> str:
    return f"{row}, processor time" if row in PARTS else f"{row}, whole process"


def _written(folder: Path, tools: int, changed: int) -> dict[str, str]:
    """The paths of three pairs of catalogs: all tools, one of each kind of change, a single tool."""
    paths = {}
    for size, edits in ((tools, changed), (SMALL, SMALL), (1, 1)):
        for side, catalog in zip(("old", "new"), catalogs(size, edits), strict=True):
            paths[f"{side} {size}"] = str(folder / f"{side}-{size}.json")
            Path(paths[f"{side} {size}"]).write_text(json.dumps(catalog), encoding="utf-8")
    return paths | {"old": paths[f"old {tools}"], "new": paths[f"new {tools}"]}


def _turn(sides: tuple[Path, Path], paths: dict[str, str], turn: int) -> tuple[dict[str, float], dict[str, float]]:
    """One run of each; they take turns who is first."""
    order = sides if turn % 2 else sides[::-1]
    found = {side: _once(side, paths) for side in order}
    return found[sides[0]], found[sides[1]]


def _once(side: Path, paths: dict[str, str]) -> dict[str, float]:
    """One run of everything in one checkout, in seconds."""
    small = (paths[f"old {SMALL}"], paths[f"new {SMALL}"])
    inside = json.loads(_ran(side, str(RUN), paths["old"], paths["new"], *small))
    diff = ("-m", "fusion_contracts", "diff", "--fail-on", "never")
    whole = {
        "import": _timed(lambda: _ran(side, "-c", "import fusion_contracts.diff.schemas")),
        "fusion diff, 1 tool": _timed(lambda: _ran(side, *diff, paths["old 1"], paths["new 1"])),
        "fusion diff": _timed(lambda: _ran(side, *diff, paths["old"], paths["new"])),
    }
    return {**{part: inside[part] for part in PARTS}, **whole}


def _timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _ran(side: Path, *argv: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(side)}
    done = subprocess.run(
        [sys.executable, *argv], env=environment, cwd=tempfile.gettempdir(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{side}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
