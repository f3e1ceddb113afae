"""What the loop must not load: a tool server imports it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "typer", "rich", "deepdiff", "jsonschema", "jsonschema_rs", "referencing", "mcp", "fastmcp", "pydantic",
    "pydantic_ai", "langchain_core", "agents", "asyncio", "sqlite3", "redis", "psycopg", "xml.parsers.expat",
}  # fmt: skip


PARTIAL = (
    "from fusion_contracts.loop import Outcome, empty, partial\n"
    "Outcome.of(partial([1], [('a', TimeoutError())]).to_mcp()).partial.to_text(); empty(searched='x').to_mcp()"
)


@pytest.mark.parametrize(
    "code",
    [
        "import fusion_contracts.loop",
        "from fusion_contracts.loop import *",
        PARTIAL,
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    report = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) & HEAVY == set()


def test_a_function_is_not_hidden_by_a_file_of_its_name() -> None:
    code = "import fusion_contracts.loop.outcome, fusion_contracts.loop as loop\nfor name in loop.__all__: "
    done = subprocess.run([sys.executable, "-c", f"{code}assert callable(getattr(loop, name)), name"], check=True)
    assert done.returncode == 0
