"""What a run of `fusion` costs: whole processes, medians of interleaved runs, split into start-up and work.

    python benchmarks/run.py [--runs 11] [--only diff]

Start-up is the same command on the smallest input that takes the same path (one tool, one change); work is the rest.
Run it on a quiet machine with the environment's own Python, in which the package is installed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from beside.environments import ENVIRONMENT
from generate import catalogs
from printed import interleaved

FUSION = str(Path(sys.executable).with_name("fusion"))
SERVER = Path(__file__).resolve().parent.parent / "fixtures" / "example" / "helpdesk_v1.py"
REFERENCE = "import typer, jsonschema_rs"


@dataclass(frozen=True)
class Row:
    """One command to time: its argv and folder, the row that is its start-up, the time it should take (seconds)."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    startup: str | None = None
    aim: float | None = None


def rows(folder: Path) -> tuple[Row, ...]:
    """Make the inputs below the folder; the commands over them."""
    for name, size in (("200", (200, 100)), ("1", (1, 1))):
        _catalogs(folder / name, *size)
        _repository(folder / f"git-{name}", folder / name)
    _lock(folder / "live", "--", sys.executable, str(SERVER))
    diff = (FUSION, "diff", "old.json", "new.json", "--fail-on", "never")
    base = (FUSION, "diff", "--base", "HEAD~1", "--fail-on", "never")
    return (
        Row("python -c pass", (sys.executable, "-c", "pass"), folder),
        Row(REFERENCE, (sys.executable, "-c", REFERENCE), folder),
        Row("fusion --help", (FUSION, "--help"), folder, aim=0.12),
        Row("fusion diff, 1 tool", diff, folder / "1"),
        Row("fusion diff, 200 tools, 100 changed", diff, folder / "200", "fusion diff, 1 tool", 0.15),
        Row("fusion diff --base, 1 tool", base, folder / "git-1"),
        Row("fusion diff --base, 200 tools", base, folder / "git-200", "fusion diff --base, 1 tool", 0.20),
        Row("the trivial server alone", (sys.executable, str(SERVER)), folder),
        Row("fusion lock --check, stdio", (FUSION, "lock", "--check"), folder / "live", "fusion --help", 0.25),
    )


def _catalogs(folder: Path, tools: int, changed: int) -> None:
    folder.mkdir()
    for name, catalog in zip(("old", "new"), catalogs(tools, changed), strict=True):
        (folder / f"{name}.json").write_text(json.dumps(catalog), encoding="utf-8")


def _repository(folder: Path, saved: Path) -> None:
    """A git repository whose last commit changes the lock from the old catalog to the new one."""
    folder.mkdir()
    _quietly("git", "init", "-q", cwd=folder)
    for name in ("old", "new"):
        shutil.copy(saved / f"{name}.json", folder / "catalog.json")
        _lock(folder, "catalog.json", "--name", "bench")
        _quietly("git", "add", "-A", cwd=folder)
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.com")
        _quietly("git", *identity, "commit", "-q", "-m", name, cwd=folder)


def _lock(folder: Path, *source: str) -> None:
    folder.mkdir(exist_ok=True)
    options, command = (source, ()) if source[0] != "--" else ((), source)
    _quietly(FUSION, "lock", *options, "--write", *command, cwd=folder)


def _quietly(*argv: str, cwd: Path) -> None:
    done = subprocess.run(argv, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(argv)}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def seconds(row: Row) -> float:
    """One run of the whole process; a run that failed ends the benchmark."""
    start = time.perf_counter()
    done = subprocess.run(
        row.argv, cwd=row.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    taken = time.perf_counter() - start
    if done.returncode:
        sys.exit(f"{row.name}: exit {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return taken


def measure(table: Sequence[Row], runs: int) -> dict[str, list[float]]:
    """Times by row."""
    return interleaved({row.name: partial(seconds, row) for row in table}, runs)


def render(table: Sequence[Row], times: dict[str, list[float]]) -> str:
    """The table that people read."""
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    lines = [f"{'seconds':38}{'median':>8}{'min':>8}{'max':>8}{'ratio':>8}{'start-up':>10}{'work':>8}{'aim':>7}"]
    for row in table:
        median, taken = medians[row.name], times[row.name]
        ratio = f"{median / medians[REFERENCE]:.2f}" if REFERENCE in medians else "-"
        startup = medians.get(row.startup or "")
        split = ("-", "-") if startup is None else (f"{startup:.3f}", f"{median - startup:.3f}")
        aim = f"{row.aim:.2f}" if row.aim else "-"
        lines.append(
            f"{row.name:38}{median:8.3f}{min(taken):8.3f}{max(taken):8.3f}{ratio:>8}{split[0]:>10}{split[1]:>8}{aim:>7}"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11, help="runs of each command, at least 7")
    parser.add_argument("--only", default="", help="only the rows whose name holds this text")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        table = rows(Path(name))
        wanted = {row.name for row in table if options.only in row.name}
        wanted |= {row.startup for row in table if row.name in wanted and row.startup} | {REFERENCE}
        chosen = [row for row in table if row.name in wanted]
        times = measure(chosen, max(7, options.runs))
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {max(7, options.runs)} runs, interleaved")
    print(f"ratio: to `{REFERENCE}`; start-up: the same command on one tool")
    print(render(chosen, times))


if __name__ == "__main__":
    main()
