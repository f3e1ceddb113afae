"""Partial results, empty ones and a batch's progress through real servers and clients of each framework."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from environments import make

pytestmark = pytest.mark.network

FRAMEWORKS = {
    "fastmcp==2.14.*": "fastmcp_loop.py",
    "fastmcp==3.4.*": "fastmcp_loop.py",
    "fastmcp==4.2.*": "fastmcp_loop.py",
    "mcp==1.30.*": "mcp_loop.py",
    "mcp==2.3.*": "mcp_loop.py",
}


def told(framework: str, root: Path, folder: Path) -> dict[str, Any]:
    """What the framework's client prints, in an environment of its own."""
    python = str(make(folder / "venv", framework, str(root)) / "python")
    script = root / "fixtures" / "frameworks" / FRAMEWORKS[framework]
    command = [python, "-W", "ignore", str(script)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_partial_result_arrives_whole(framework: str, root: Path, tmp_path: Path) -> None:
    seen = told(framework, root, tmp_path)
    partial, empty = seen["structured"]
    for schema in seen["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)
        for structured in (partial, empty):
            jsonschema.Draft202012Validator(schema).validate(structured)
    assert partial["items"] == [{"id": 1}, {"id": 4}]
    assert [(each["item"], each["code"]) for each in partial["failed"]] == [("2", "TIMEOUT"), ("3", "NOT_FOUND")]
    assert (partial["status"], partial["total"]) == ("partial", 4)
    assert partial["cursor"].startswith("4:1:1:")
    assert (empty["status"], empty["searched"]) == ("empty", "x")
    assert seen["progress"] == [1, 2, 3, 4]
    kinds = [(kind, code) for kind, code, _ in seen["outcomes"]]
    assert kinds == [
        ("partial", ""), ("empty", ""), ("execution_error", "UNKNOWN_ACTION"), ("execution_error", "VALIDATION_ERROR"),
    ]  # fmt: skip
    assert "query" in seen["outcomes"][3][2]
