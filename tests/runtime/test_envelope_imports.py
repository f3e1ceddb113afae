"""What the runtime's envelope, guard, shedding and client must not load."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "typer", "rich", "deepdiff", "jsonschema", "jsonschema_rs", "referencing", "mcp", "fastmcp", "pydantic",
    "pydantic_ai",
    "langchain_core", "agents", "asyncio", "xml.parsers.expat", "importlib.metadata", "http.client",
}  # fmt: skip

FAULT = "from fusion_contracts import tool_error, error, fault_boundary\ntool_error('X', 'm', retry_after=30).to_xml()"

READ = (
    "from fusion_contracts import parse_tool_error\n"
    "parse_tool_error('<tool_error code=\"X\"><message>m</message></tool_error>')"
)


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("import fusion_contracts.runtime", set()),
        (FAULT, set()),
        (f"{FAULT}\n@fault_boundary\ndef tool(): return error('X', 'm').severity('warning')\ntool()", set()),
        ("from fusion_contracts.runtime import ConcurrencyLimit, RateLimit", set()),
        ("from fusion_contracts import parse_tool_error, FusionClientError\nparse_tool_error('text')", set()),
        (READ, {"xml.parsers.expat"}),
    ],
)
def test_nothing_heavy_is_loaded(code: str, allowed: set[str]) -> None:
    report = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) & HEAVY == allowed
