"""What a span says of a call, by OpenTelemetry's own SDK."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from fusion_contracts import tool_error
from fusion_contracts.integrations import Options, ToolCall
from fusion_contracts.integrations.consumer import Consumer
from fusion_contracts.integrations.drift import Reactions
from fusion_contracts.integrations.framework import Framework
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.live import contract_of_tools
from fusion_contracts.integrations.locked import Locked, Offered
from fusion_contracts.runtime.releases import Known, Release


def tool(argument: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {argument: {"type": "integer"}}, "required": [argument]}
    return {"name": "close", "inputSchema": schema}


KNOWN = Known("desk", releases=(Release("1", 1, contract_of_tools([tool("id")], "desk")),))


@pytest.mark.parametrize(
    ("arguments", "result", "attributes"),
    [
        ({"number": 7}, "ok", {}),
        (
            {"id": 7},
            "never",
            {
                "error.type": "VALIDATION_ERROR",
                "fusion.error.code": "VALIDATION_ERROR",
                "fusion.severity": "error",
                "fusion.contract.deltas": 2,  # `id` is gone, `number` is required
            },
        ),
        (
            {"number": 7},
            tool_error("OLD", "m", severity="warning"),
            {"fusion.error.code": "OLD", "fusion.severity": "warning", "fusion.contract.deltas": 0},
        ),
    ],
)
def test_the_span_that_is_open_is_told(arguments: Any, result: Any, attributes: dict[str, Any]) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    handler = Handler(Options(), Framework(lambda: [tool("number")]), KNOWN)
    with provider.get_tracer("test").start_as_current_span("tools/call close"):
        handler.around_sync(ToolCall("close", arguments), lambda _arguments: result)
    (span,) = exporter.get_finished_spans()  # and no second one
    assert dict(span.attributes or {}) == attributes


def test_a_client_tells_the_span_of_its_call_too() -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    client = Consumer(Locked(contract_of_tools([tool("id")], "desk"), "fusion.lock"), Reactions("warn"), Options())
    client.take(Offered((tool("number"),)))
    call = ToolCall("close", {"id": 7})
    with provider.get_tracer("test").start_as_current_span("tools/call close"):
        answer, _ = client.before(call)
        assert answer is not None
        client.told(call, answer.ending)
    (span,) = exporter.get_finished_spans()
    assert dict(span.attributes or {}) == {
        "error.type": "VALIDATION_ERROR",
        "fusion.error.code": "VALIDATION_ERROR",
        "fusion.severity": "error",
        "fusion.contract.deltas": 2,
    }


def test_nothing_of_it_is_imported_where_nobody_traces() -> None:
    code = """
import sys
from fusion_contracts import tool_error
from fusion_contracts.integrations.options import Ending
from fusion_contracts.integrations.telemetry import record
record(Ending(tool_error("X", "m")))
print([name for name in sys.modules if name.startswith("opentelemetry")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
