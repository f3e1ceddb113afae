"""What an integration adds to a call that succeeds, in microseconds.

    python benchmarks/integrations.py [--runs 9]

Processor time; each row is the median of interleaved runs. Beside it stands what no other program on the machine
changes: how many instructions Python's interpreter carries out for one call (of one release of Python it is always the
same number; what C does counts as one). Where FastMCP 3 or 4 is installed, a call of its server is measured with the
middleware, and with one that does nothing: what the framework takes for having any is not ours.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from types import FrameType
from typing import Any

from fusion_contracts.integrations import Options, ToolCall
from fusion_contracts.integrations.framework import Framework
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.live import contract_of_tools
from fusion_contracts.runtime.releases import Known, Release

AIM = 50.0  # microseconds a call
_ALONE = {"the tool alone", "a FastMCP server", "a FastMCP server, one that does nothing"}  # what others are held to
RESULT = {"closed": 7, "by": "me", "at": ["one", "two"]}
OUTPUT = {
    "type": "object",
    "properties": {"closed": {"type": "integer"}, "by": {"type": "string"}, "at": {"type": "array"}},
    "required": ["closed"],
}

Call = Callable[[], Awaitable[Any]]


def tool(argument: str) -> dict[str, Any]:
    """One tool, whose number is called so."""
    number = {"type": "integer", "description": "The ticket's number."}
    schema = {"type": "object", "properties": {argument: number, "note": {"type": "string"}}, "required": [argument]}
    return {"name": "close", "description": "Close.", "inputSchema": schema, "outputSchema": OUTPUT}


KNOWN = Known("desk", releases=(Release("1.0", 1, contract_of_tools([tool("id")], "desk")),))


async def answered(_arguments: Any = None) -> Any:
    """What the tool answers."""
    return RESULT


def handled(options: Options) -> Call:
    """A call of a tool whose contract changed, which sends none of what is gone."""
    handler = Handler(options, Framework(lambda: [tool("ticket_id")], structured=lambda result: result), KNOWN)
    call = ToolCall("close", {"ticket_id": 7, "note": "done"})
    return lambda: handler.around(call, answered)


def served() -> dict[str, Call]:
    """The same through a FastMCP server, without and with the middleware; nothing where there is no FastMCP."""
    try:
        from fastmcp import FastMCP
    except ImportError:
        return {}
    if not hasattr(FastMCP, "call_tool"):
        return {}
    from fastmcp.server.middleware import Middleware

    from fusion_contracts.integrations.fastmcp import FusionMiddleware

    class Nothing(Middleware):  # type: ignore[misc]  # FastMCP is no dependency: its classes are Any here
        """Calls on."""

        async def __call__(self, context: Any, call_next: Any) -> Any:
            return await call_next(context)

    def server(*middleware: Any) -> Call:
        made: Any = FastMCP("desk", middleware=middleware)
        made.tool(answered, name="close", output_schema=OUTPUT)
        return lambda: made.call_tool("close", {})

    ours = FusionMiddleware(Options(releases=KNOWN.releases[0].contract), name="desk")
    return {
        "a FastMCP server": server(),
        "a FastMCP server, one that does nothing": server(Nothing()),
        "a FastMCP server, ours": server(ours),
    }


async def seconds(call: Call, repeat: int) -> float:
    """Seconds of the processor that one call takes."""
    start = time.process_time()
    for _ in range(repeat):
        await call()
    return (time.process_time() - start) / repeat


async def instructions(call: Call) -> int:
    """Instructions of the interpreter that one call takes."""
    counted = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal counted
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        counted += event == "opcode"
        return trace

    async def once() -> None:
        await call()

    sys.settrace(trace)
    await once()
    sys.settrace(None)
    return counted


async def main(runs: int) -> None:
    """Time everything and print a table."""
    rows: dict[str, Call] = {
        "the tool alone": answered,
        "handled": handled(Options()),
        "handled, unknown=reject": handled(Options(unknown="reject")),
        "handled, coerce": handled(Options(coerce=True)),
        **served(),
    }
    samples: dict[str, list[float]] = {name: [] for name in rows}
    for call in rows.values():
        await call()
    for _ in range(runs):
        for name, call in rows.items():
            samples[name].append(await seconds(call, 500 if "server" in name else 3_000) * 1e6)
    print(f"{'':40} {'us':>8} {'added':>8} {'instructions':>13} {'added':>6} {'ratio':>6}")
    base, least = 0.0, 0
    for name, found in samples.items():
        median, steps = statistics.median(found), await instructions(rows[name])
        alone = name in _ALONE
        if alone:
            base, least = median, steps
        added = "" if alone else f"{median - base:8.2f} {steps:13} {steps - least:6} {steps / least:6.2f}"
        print(f"{name:40} {median:8.2f} {added or f'{steps:22}'}")
    print(f"aim: {AIM:g} us added to a call")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    asyncio.run(main(parser.parse_args().runs))
