"""This project beside others that do the same, and by itself as catalogs grow: docs/benchmarks.md is what this prints.

    python benchmarks/peers.py [--only speed] [--runs 8] [--keep FOLDER] [--write docs/benchmarks.md]

Other tools are installed from their registries into throwaway environments in a temporary folder (or FOLDER, where they
stay for the next time); they are no dependency. All that is compared is measured in the same minutes, in turns, every
other turn backwards, so that what else the machine does falls on all: read the ratios, not the seconds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from beside import accuracy, engine_tables, environments, error_texts, growth, labels, speed
from beside.tools import OURS, THEIRS, Tool
from printed import machine, shown, table, writing

LEAST = 7  # runs


@dataclass
class Bench:
    """Where tools are installed (nowhere: ours are alone), where catalogs are written, how often and on what."""

    kept: Path | None
    scratch: Path
    runs: int
    sizes: Sequence[tuple[int, int]] = speed.SIZES
    grown: Sequence[int] = growth.SIZES
    collections: Mapping[str, list[labels.Pair]] = field(default_factory=labels.collections)

    @cached_property
    def tools(self) -> dict[Tool, Path]:
        """Ours first, then those that could be installed, with the interpreter beside which their commands are."""
        found = {OURS: Path(sys.executable)}
        for tool in THEIRS:
            python = environments.python_with(self.kept, tool.requirement) if self.kept else None
            found |= {tool: python} if python else {}
        return found


def tools(bench: Bench) -> str:
    """Who is compared, and how."""
    rows = [_introduced(tool, bench) for tool in (OURS, *THEIRS)]
    return table(("tool", "version", "of", "licence", "two catalogs", "a server", ""), rows)


def _introduced(tool: Tool, bench: Bench) -> tuple[str, ...]:
    check = tool.checks[0].shown if tool.checks else ""
    ways = f"`{tool.diff.shown}`", {"": "-", tool.diff.shown: "the same"}.get(check, f"`{check}`")
    left = "" if tool in bench.tools else "not installed: it is in no other table. "
    return tool.name, tool.version, tool.released or "-", tool.licence, *ways, left + tool.note


def breaks(bench: Bench) -> str:
    """Accuracy, for each collection of labelled pairs."""
    return "\n\n".join(_collection(bench, origin, pairs) for origin, pairs in bench.collections.items())


def _collection(bench: Bench, origin: str, pairs: list[labels.Pair]) -> str:
    truths = [truth for pair in pairs for truth in pair.breaks.values()]
    known = f"{origin} ({len(pairs)} pairs; {sum(truths)} break, {len(truths) - sum(truths)} do not):"
    found = accuracy.scored(bench.tools, pairs)
    words = ("caught", "missed", "alarms", "silent")
    rows = ((name, *(tally[word] for word in words)) for name, tally in found.items())
    return f"{known[0].upper()}{known[1:]}\n\n{table(('tool', 'caught', 'missed', 'false alarms', 'no answer'), rows)}"


SECTIONS: Mapping[str, Callable[[Bench], str]] = {
    "tools": tools,
    "accuracy": breaks,
    "speed": lambda bench: speed.compared(bench.tools, bench.runs, bench.sizes),
    "engine": lambda bench: engine_tables.compared(bench.kept, bench.runs),
    "errors": lambda bench: error_texts.compared(bench.kept, bench.runs),
    "parts": lambda bench: growth.in_parts(bench.scratch, bench.runs),
    "growth": lambda bench: growth.grown(bench.scratch, bench.runs, bench.grown),
}


def measured(name: str, bench: Bench) -> str:
    """One section: its tables, and the machine they hold for."""
    load = os.getloadavg()[0]
    node = environments.node_version()
    text = SECTIONS[name](bench)
    return f"{text}\n\n{machine(load, *([f'Node {node}'] if node else []))}"


def command(name: str) -> str:
    """What prints one section."""
    return f"python benchmarks/peers.py --only {name}"


def main() -> None:
    """Measure and print, section by section, and write each into the page as soon as it is there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SECTIONS, action="append", help="this section, as often as you like")
    parser.add_argument("--runs", type=int, default=8, help="of each measurement, at least 7")
    parser.add_argument("--keep", type=Path, help="where the other tools are installed, and stay")
    options = writing(parser).parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        bench = Bench((options.keep or scratch / "tools").absolute(), scratch, max(LEAST, options.runs))
        for section in options.only or SECTIONS:
            text = measured(section, bench)
            print(f"\n## {section}\n")
            shown(command(section), text, options.write)


if __name__ == "__main__":
    main()
