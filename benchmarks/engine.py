"""What the comparison costs: beside other tools, on a catalog of 200 tools, and as catalogs grow.

    python benchmarks/engine.py [--only peers|tools|growth] [--runs 7] [--peers FOLDER]

Other tools are installed by pip and npm into a temporary folder (or FOLDER, where they stay for the next time); they
are no dependency. Every worker is started and warmed before a clock runs. Ratios are medians over interleaved runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine_peers.peers import Case, Peer, cases, installed, labelled, race, ratio, survey
from generate import catalogs

RUN = Path(__file__).resolve().parent / "engine_peers" / "catalog_run.py"
SAMPLE = 200  # cases of a race: those of the other tools take minutes for all
SIZES = (1_000, 2_000, 5_000, 10_000)


def compare_peers(folder: Path, runs: int) -> None:
    """Answers and speed of ours and theirs on the labelled cases."""
    ours, *theirs = installed(folder)
    for origin, asked in cases().items():
        found = {peer.name: survey(peer, asked) for peer, _ in (ours, *theirs)}
        print(f"\n{origin}: {len(asked)} labelled pairs, in the open world")
        print(f"{'answers':26}{'right':>7}{'missed break':>14}{'false alarm':>13}{'no answer':>11}"
              f"{'wrong, ours right':>19}{'right, ours not':>17}")  # fmt: skip
        for peer, version in (ours, *theirs):
            _print_answers(f"{peer.name} {version}", asked, found[peer.name], found[ours[0].name])
        print(f"\n{'speed, where both answer':26}{'pairs':>7}{'ours/s':>9}{'theirs/s':>10}{'times as fast':>15}"
              f"{'per pair':>10}{'race of':>9}{'times as fast':>15}{'(least-most)':>16}")  # fmt: skip
        for peer, _ in theirs:
            _print_speed(ours[0], peer, asked, (found[ours[0].name], found[peer.name]), runs)
    for peer, _ in (ours, *theirs):
        peer.close()


def _print_answers(name: str, asked: Sequence[Case], mine: Sequence[Any], ours: Sequence[Any]) -> None:
    tally = labelled(asked, [answer for answer, _ in mine])
    rows = [(a[0], b[0], case.compatible) for a, b, case in zip(mine, ours, asked, strict=True)]
    worse = sum(a is not None and a is not label and b is label for a, b, label in rows)
    better = sum(a is label and b is not label for a, b, label in rows)
    print(f"{name:26}{tally.right:7}{tally.missed:14}{tally.alarms:13}{tally.silent:11}{worse:19}{better:17}")


def _print_speed(ours: Peer, peer: Peer, asked: Sequence[Case], found: tuple[Sequence[Any], ...], runs: int) -> None:
    """First the first answers to all pairs that both answer, then a race over a sample of them."""
    both = [
        (case, mine[1], theirs[1])
        for case, mine, theirs in zip(asked, *found, strict=True)
        if mine[0] is not None and theirs[0] is not None
    ]
    mine, theirs = sum(row[1] for row in both), sum(row[2] for row in both)
    each = ratio([row[1:] for row in both])
    sample = random.Random(1).sample([row[0] for row in both], min(SAMPLE, len(both)))  # noqa: S311 - reproducible
    times = race(ours, peer, sample, runs)
    ratios = [b / a for a, b in times]
    print(f"{peer.name:26}{len(both):7}{len(both) / mine:9,.0f}{len(both) / theirs:10,.0f}{theirs / mine:15.0f}"
          f"{each:10.0f}{len(sample):9}{statistics.median(ratios):15.0f}"
          f"{f'({min(ratios):.0f}-{max(ratios):.0f})':>16}")  # fmt: skip


def compare_tools(folder: Path, runs: int) -> None:
    """200 tools of which 100 changed: what loading and comparing take after start-up, and on what."""
    paths = _written(folder, 200, 100)
    results = [_run(paths) for _ in range(runs)]
    parts = [_run(paths, "parts") for _ in range(runs)]
    print(f"\n200 tools, 100 changed, {results[0]['findings']} findings: time after start-up, {runs} processes")
    print(f"{'aim: diff under 60 ms':26}{'median ms':>11}{'min':>7}{'max':>7}{'to json.loads':>15}")
    for name in ("parse", "load", "diff"):
        taken = [1000 * result[name] for result in results]
        share = statistics.median(result[name] / result["parse"] for result in results)
        label = "json.loads of both" if name == "parse" else name
        print(f"{label:26}{statistics.median(taken):11.1f}{min(taken):7.1f}{max(taken):7.1f}{share:15.1f}")
    print("of the diff: " + ", ".join(_shares(parts)))


def _shares(results: Sequence[dict[str, Any]]) -> list[str]:
    """What the parts take of the whole in percent, the largest first."""
    names = results[0]["parts"]
    found = {name: statistics.median(100 * r["parts"][name] / r["diff"] for r in results) for name in names}
    found["the rest"] = 100 - sum(found.values())
    return [f"{name} {share:.0f} %" for name, share in sorted(found.items(), key=lambda item: -item[1])]


def compare_growth(folder: Path, runs: int) -> None:
    """Catalogs of many tools, half of them changed: whether the cost stays in proportion."""
    written = {size: _written(folder, size, size // 2) for size in SIZES}
    results: dict[int, list[dict[str, Any]]] = {size: [] for size in SIZES}
    for _ in range(runs):
        for size in SIZES:
            results[size].append(_run(written[size]))
    print(f"\nhalf of the tools changed: time after start-up, {runs} processes each, interleaved")
    print(f"{'tools':>8}{'load s':>9}{'diff s':>9}{'us a tool':>11}{'to 1,000':>10}{'peak MB':>9}{'findings':>10}")
    base = results[SIZES[0]]
    for size, found in results.items():
        load, diff = (statistics.median(run[name] for run in found) for name in ("load", "diff"))
        growth = statistics.median(a["diff"] / size / (b["diff"] / SIZES[0]) for a, b in zip(found, base, strict=True))
        memory = max(run["memory"] for run in found) / 1e6
        print(f"{size:8,}{load:9.2f}{diff:9.2f}{1e6 * diff / size:11.0f}{growth:10.2f}{memory:9.0f}"
              f"{found[0]['findings']:10,}")  # fmt: skip


def _written(folder: Path, tools: int, changed: int) -> list[str]:
    """The catalogs, and small ones in which one tool of each kind of change differs, for the start-up."""
    paths = []
    for size, edits in ((tools, changed), (8, 8)):
        for side, catalog in zip(("old", "new"), catalogs(size, edits), strict=True):
            path = folder / f"{side}-{size}.json"
            path.write_text(json.dumps(catalog), encoding="utf-8")
            paths.append(str(path))
    return paths


def _run(paths: Sequence[str], *flags: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, str(RUN), *paths, *flags], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("peers", "tools", "growth"))
    parser.add_argument("--runs", type=int, default=7, help="runs of each measurement, at least 7")
    parser.add_argument("--peers", type=Path, help="where the other tools are installed, and stay")
    options = parser.parse_args()
    runs = max(7, options.runs)
    machine = f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"Python {platform.python_version()}, {machine}; times of catalogs are those of the processor")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.only in (None, "peers"):
            compare_peers(options.peers or folder, runs)
        if options.only in (None, "tools"):
            compare_tools(folder, runs)
        if options.only in (None, "growth"):
            compare_growth(folder, runs)
    print(f"\nload at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
