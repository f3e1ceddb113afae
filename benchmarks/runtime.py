"""What an error costs inside a running server: microseconds side by side, and the awareness that is made at its start.

    python benchmarks/runtime.py [--tools 1000] [--runs 8] [--write docs/runtime.md]

Each row is the median of interleaved runs, in processor time. A ratio compares it with the row named beside it,
measured in the same minutes.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pydantic
from generate import catalogs
from printed import interleaved, machine, ratios, shown, spread, table, writing

from fusion_contracts import ContractAwareness, explain_validation
from fusion_contracts.model import ServerContract, Tool
from fusion_contracts.runtime.deltas import Delta

ERROR = explain_validation({"required": ["a7"], "properties": {"a7": {"type": "string"}}}, {}, action="t").to_xml()
NO_TOOLS = ServerContract("bench")


@dataclass(frozen=True)
class Row:
    """One thing to time: how often a run repeats it, what it should take (seconds), and what it is compared with."""

    name: str
    call: Callable[[], Any]
    repeat: int
    aim: float | None = None
    beside: str | None = None


def aware(count: int) -> ContractAwareness:
    """Awareness of one action with so many changes, of as many arguments."""
    return ContractAwareness(NO_TOOLS, [Delta("t", "BREAKING", f"a{index}", "removed") for index in range(count)])


def failing(count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A closed schema and arguments with so many mistakes of all kinds."""
    kinds: tuple[tuple[dict[str, Any], Any], ...] = (
        ({"type": "string", "description": "What it is called, in a few words."}, None),
        ({"type": "integer", "minimum": 1}, 0),
        ({"enum": ["open", "closed"]}, "Open!"),
        ({"type": "object"}, [1]),
        ({"type": "string", "pattern": "^[A-Z]+$"}, "x"),
    )
    properties = {f"argument_{index}": kinds[index % len(kinds)][0] for index in range(count)}
    sent = {f"argument_{index}": kinds[index % len(kinds)][1] for index in range(count)}
    return {"type": "object", "properties": properties, "additionalProperties": False}, sent


class Model(pydantic.BaseModel):
    """The rival: pydantic's own text for one error."""

    argument_0: str


def _pydantic_text() -> str:
    try:
        Model.model_validate({"argument_0": 0})
    except pydantic.ValidationError as error:
        return str(error)
    return ""


def rows() -> tuple[Row, ...]:
    """What is timed; the reference of each group stands first."""
    few, many = aware(5), aware(5_000)
    one, twenty = (failing(count) for count in (1, 20))
    reports = [explain_validation(schema, sent, action="t") for schema, sent in (one, twenty)]
    return (
        Row("a function call", lambda: None, 50_000),
        Row("enrich, no change", lambda: few.enrich(ERROR, "other"), 50_000, 0.3e-6, "a function call"),
        Row("enrich, 5 changes", lambda: few.enrich(ERROR, "t"), 5_000, 5e-6),
        Row("enrich, 5,000 changes", lambda: many.enrich(ERROR, "t"), 5_000, 5e-6, "enrich, 5 changes"),
        Row("pydantic: validate and print 1 error", _pydantic_text, 2_000),
        Row("format 1 issue", reports[0].to_xml, 2_000, 20e-6, "pydantic: validate and print 1 error"),
        Row("format 20 issues", reports[1].to_xml, 500, 200e-6, "format 1 issue"),
        Row("validate and explain 1 issue", lambda: _explain(one), 200, None, "pydantic: validate and print 1 error"),
        Row("validate and explain 20 issues", lambda: _explain(twenty), 100, None, "validate and explain 1 issue"),
    )


def _explain(case: tuple[dict[str, Any], dict[str, Any]]) -> str:
    schema, sent = case
    return explain_validation(schema, sent, action="t").to_xml()


def _seconds(row: Row) -> float:
    call = row.call
    start = time.process_time()
    for _ in range(row.repeat):
        call()
    return (time.process_time() - start) / row.repeat


def compiled(tools: int, changed: int) -> float:
    """Seconds to make the awareness of a server of so many tools."""
    sides = []
    for catalog in catalogs(tools, changed):
        made = {
            tool["name"]: Tool(tool["name"], tool["inputSchema"], None, tool["description"])
            for tool in catalog["tools"]
        }
        sides.append(ServerContract("bench", tools=dict(sorted(made.items()))))
    start = time.process_time()
    ContractAwareness.between(*sides)
    return time.process_time() - start


def _shown(row: Row, samples: dict[str, list[float]]) -> tuple[str, ...]:
    found = samples[row.name]
    ratio = f"{spread(ratios(found, samples[row.beside]))} x {row.beside}" if row.beside else ""
    return row.name, f"{statistics.median(found) * 1e6:,.2f}", f"{row.aim * 1e6:g}" if row.aim else "-", ratio


def main() -> None:
    """Time everything and print a table."""
    parser = writing(argparse.ArgumentParser(description=__doc__))
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--tools", type=int, default=1_000)
    options = parser.parse_args()
    timed = rows()
    samples = interleaved({row.name: partial(_seconds, row) for row in timed}, options.runs)
    shares = [(options.tools, changed) for changed in (options.tools // 2, options.tools)]
    made = {f"awareness of {tools:,} tools, {changed:,} changed": (tools, changed) for tools, changed in shares}
    taken = interleaved({name: partial(compiled, *asked) for name, asked in made.items()}, options.runs)
    more = [(name, f"{statistics.median(found) * 1e6:,.0f}", "1,000,000", "") for name, found in taken.items()]
    text = table(("microseconds", "median", "aim", "beside"), [*(_shown(row, samples) for row in timed), *more])
    shown("python benchmarks/runtime.py", f"{text}\n\n{options.runs} runs. {machine()}", options.write)


if __name__ == "__main__":
    main()
