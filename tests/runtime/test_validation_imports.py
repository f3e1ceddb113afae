"""What explaining a call must not load before there is a call to explain, nor more than that call needs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "typer", "rich", "deepdiff", "jsonschema", "jsonschema_rs", "referencing", "mcp", "pydantic", "pydantic_core",
    "asyncio", "difflib", "tomli", "importlib.metadata", "importlib.util", "http.client", "fusion_contracts.diff",
}  # fmt: skip
NAMES = (
    "from fusion_contracts import CallGuard, ContractAwareness, ValidationReport, explain_validation, unknown_action"
)
MISSING = f"{NAMES}\nexplain_validation({{'required': ['a']}}, {{}}, action='t').to_xml()"


@pytest.mark.parametrize(("code", "allowed"), [(NAMES, set()), (MISSING, {"jsonschema_rs"})])
def test_nothing_heavy_is_loaded(code: str, allowed: set[str]) -> None:
    report = "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    assert set(json.loads(done.stdout)) & HEAVY == allowed
