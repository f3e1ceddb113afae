"""What large and unlucky schemas take, in the engine's own steps, and how long a step is: a table of docs/engine.md.

    python benchmarks/steps.py [--write docs/engine.md]

The inputs are those of tests/schema/test_bounds.py, which holds them to limits.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from printed import machine, shown, table, writing

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "schema"))
bounds = import_module("test_bounds")

LONGEST = 40  # characters of a witness that fit a table


def definitions(count: int, last: str = "string") -> Any:
    """So many definitions, each with all others as properties; `last` is the type of a value in the last one."""
    links = {f"p{number}": {"$ref": f"#/$defs/d{number}"} for number in range(1, count + 1)}
    every = {f"d{number}": {"type": "object", "properties": {**links, "v": {}}} for number in range(1, count)}
    every[f"d{count}"] = {"type": "object", "properties": {**links, "v": {"type": last}}}
    return {"type": "object", "properties": {"a": {"$ref": "#/$defs/d1"}}, "$defs": every}


def inputs() -> Iterator[tuple[str, Any, Any]]:
    """What is asked: its name, the old schema and the new one."""
    for count in (14, 40, 80):
        yield (
            f"{count} definitions, each with all others as properties, one narrowed",
            *_both(count, "string", "integer"),
        )
    for count in (14, 40, 80):
        yield (
            f"{count} definitions, each with all others as properties, one widened",
            *_both(count, "integer", "number"),
        )
    old = bounds.clauses(120, 1)
    more = {**old, "allOf": [*old["allOf"], *bounds.clauses(120, 4)["allOf"]]}
    yield "120 random clauses of three literals over 30 properties, against those and 120 more", old, more
    yield "an output of 300 actions, 30 of them changed", bounds.grouped(300, 30), bounds.grouped(300)
    yield "an object of 2,000 properties, 20 of them changed", bounds.wide(2_000), bounds.wide(2_000, 20)
    yield "the same, 300 of them changed", bounds.wide(2_000), bounds.wide(2_000, 300)
    sides = [{**bounds.wide(2_000, changed), "maxProperties": 3_000} for changed in (0, 300)]
    yield "the same, with another keyword at the root", sides[0], sides[1]
    yield (
        "300 branches of `oneOf` that overlap and that no value tells apart, one left out",
        bounds.exclusive(300),
        bounds.exclusive(299),
    )


def _both(count: int, old: str, new: str) -> tuple[Any, Any]:
    return definitions(count, old), definitions(count, new)


def main() -> None:
    """Count, time and print."""
    page = writing(argparse.ArgumentParser(description=__doc__)).parse_args().write
    rows, lengths = [], []
    for name, old, new in inputs():
        start = time.process_time()
        found, work = bounds.explained(old, new)
        lengths.append(1e6 * (time.process_time() - start) / work)
        effects = Counter(edit.effect for edit in found.edits)
        edits = ", ".join(f"{effect} {count}" for effect, count in sorted(effects.items()))
        rows.append((name, _answer(found.comparison), edits, f"{work:,}"))
    step = f"A step took {min(lengths):.1f} to {max(lengths):.1f} microseconds."
    shown(
        "python benchmarks/steps.py",
        f"{table(('input', 'answer', 'edits', 'steps'), rows)}\n\n{step} {machine()}",
        page,
    )


def _answer(comparison: Any) -> str:
    witness = json.dumps(comparison.witness)
    said = comparison.has_witness and len(witness) < LONGEST
    return f"{comparison.verdict}, `{witness}`" if said else str(comparison.verdict)


if __name__ == "__main__":
    main()
