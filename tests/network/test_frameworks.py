"""Every framework that objects come from, in the versions that are read: the same contract through each source.

Each has an environment of its own, made once for all its tests, with this package installed beside it.
"""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

pytestmark = pytest.mark.network

SERVERS = [
    *((framework, "fastmcp_shop.py:mcp") for framework in ("fastmcp-2", "fastmcp-3", "fastmcp-4")),
    *((framework, file) for framework in ("mcp-1", "mcp-2") for file in ("mcp_shop.py:mcp", "mcp_low_shop.py:server")),
]

Environment: TypeAlias = Callable[[str], Path]


@pytest.fixture
def here(tmp_path: Path, root: Path) -> Path:
    """A folder with the servers and tools of every framework."""
    for path in (root / "fixtures" / "frameworks").glob("*.py"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def run(command: Path | str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CI", "PYTEST", "FASTMCP"))}
    return subprocess.run(
        [str(command), *arguments], cwd=folder, env=kept, capture_output=True, text=True, timeout=300, check=False
    )


def locked(programs: Path, folder: Path, name: str, *source: str) -> dict[str, Any]:
    """The lock of one source under the NAME `shop`, less where it came from."""
    options = ("--name", "shop", "--lockfile", f"{name}.lock", "--config", f"{name}.toml")
    done = run(programs / "fusion", "lock", *options, *source, folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    (server,) = tomllib.loads((folder / f"{name}.lock").read_text(encoding="utf-8"))["servers"].values()
    assert server.pop("source")["kind"] == {"stdio": "stdio", "object": "python", "file": "file"}[name]
    return dict(server)


def shown(programs: Path, folder: Path, source: str) -> dict[str, Any]:
    """What `fusion show` prints of a source, its tools by name."""
    done = run(programs / "fusion", "show", source, "--format", "json", folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    catalog = dict(json.loads(done.stdout))
    return {**catalog, "tools": {tool["name"]: tool for tool in catalog["tools"]}}


@pytest.mark.parametrize(("framework", "source"), SERVERS)
def test_the_same_server_through_each_of_its_sources(
    environment: Environment, here: Path, framework: str, source: str
) -> None:
    programs, file = environment(framework), source.partition(":")[0]
    stdio = locked(programs, here, "stdio", "--", str(programs / "python"), file)
    assert locked(programs, here, "object", source) == stdio
    saved = run(programs / "fusion", "show", source, "--format", "json", "-o", "saved.json", folder=here)
    assert saved.returncode == 0, saved.stderr
    assert locked(programs, here, "file", "saved.json") == stdio
    assert stdio["instructions"] == "Ask first."
    assert len(stdio["tools"]) == {"fastmcp_shop.py": 3, "mcp_shop.py": 1, "mcp_low_shop.py": 2}[file]


TEST = """
import asyncio
import {module} as shop
from fusion_contracts.testing import assert_contract

def test_alone():
    assert_contract(shop.{attr})

def test_in_a_loop():
    async def inner():
        {around}assert_contract(shop.{attr})
    asyncio.run(inner())
"""
BESIDE_A_CLIENT = "from fastmcp import Client\n        async with Client(shop.mcp): "


@pytest.mark.parametrize(("framework", "source"), SERVERS)
def test_a_lock_made_over_stdio_holds_in_a_test(
    environment: Environment, here: Path, framework: str, source: str
) -> None:
    programs, (file, attr) = environment(framework), source.split(":")
    done = run(programs / "fusion", "lock", "--", str(programs / "python"), file, folder=here)
    assert done.returncode == 0, done.stderr
    around = BESIDE_A_CLIENT if framework.startswith("fastmcp") else ""
    code = TEST.format(module=file.removesuffix(".py"), attr=attr, around=around)
    (here / "test_shop.py").write_text(code, encoding="utf-8")
    passed = run(programs / "python", "-m", "pytest", "-q", "-W", "error", "test_shop.py", folder=here)
    assert passed.stdout.splitlines()[-1].startswith("2 passed"), passed.stdout
    server = here / file
    server.write_text(server.read_text(encoding="utf-8").replace("note: str", "memo: str"), encoding="utf-8")
    server.write_text(server.read_text(encoding="utf-8").replace('"sku": {"type"', '"part": {"type"'), encoding="utf-8")
    server.write_text(server.read_text(encoding="utf-8").replace("note or", "memo or"), encoding="utf-8")
    failed = run(programs / "python", "-m", "pytest", "-q", "test_shop.py", folder=here)
    assert failed.stdout.splitlines()[-1].startswith("2 failed"), failed.stdout
    assert "is not what fusion.lock says" in failed.stdout


def test_the_only_server_of_a_file_and_a_factory(environment: Environment, here: Path) -> None:
    programs = environment("fastmcp-4")
    several = run(programs / "fusion", "show", "fastmcp_shop.py", folder=here)
    assert several.returncode == 2
    assert (
        "fastmcp_shop.py holds 2 server objects; name one: fastmcp_shop.py:mcp, fastmcp_shop.py:parts" in several.stderr
    )
    assert list(shown(programs, here, "fastmcp_shop.py:parts")["tools"]) == ["fit"]
    assert list(shown(programs, here, "fastmcp_shop.py:make_server()")["tools"]) == ["order", "parts_fit", "ping"]
    function = run(programs / "fusion", "show", "fastmcp_shop.py:order", folder=here)
    assert "is a function, and is not called" in function.stderr


ORDER = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "description": "Which item."},
        "count": {"type": "integer", "description": "How many.", "default": 1},
    },
    "required": ["sku"],
}


@pytest.mark.parametrize(
    ("framework", "source", "tools"),
    [
        ("pydantic-ai", "pydantic_ai_shop.py:toolset", ["order"]),
        ("pydantic-ai", "pydantic_ai_shop.py:tool", ["ping"]),
        ("pydantic-ai", "pydantic_ai_shop.py:agent", ["order", "ping"]),
        ("pydantic-ai", "pydantic_ai_shop.py:both", ["order", "ping"]),
        ("openai-agents", "agents_shop.py:order", ["order"]),
        ("openai-agents", "agents_shop.py:agent", ["order"]),
        ("openai-agents", "agents_shop.py:tools", ["order"]),
        ("langchain", "langchain_shop.py:order", ["order"]),
        ("langchain", "langchain_shop.py:tools", ["Ping", "order"]),
        ("langchain", "langchain_shop.py:named", ["buy"]),
    ],
)
def test_tools_of_a_framework(
    environment: Environment, here: Path, framework: str, source: str, tools: list[str]
) -> None:
    found = shown(environment(framework), here, source)
    assert list(found["tools"]) == tools
    for name, schema in (("order", ORDER), ("buy", ORDER)):
        if name not in tools:
            continue
        tool = found["tools"][name]
        assert tool["description"] == "Order an item."
        held = {key: value for key, value in tool["inputSchema"].items() if key != "additionalProperties"}
        strict = framework == "openai-agents"  # its default: every property is required
        assert held == (schema | {"required": ["sku", "count"]} if strict else schema)
        assert ("strict" in tool) == strict


def test_without_the_framework_there_are_two_ways_out(environment: Environment, here: Path) -> None:
    done = run(environment("langchain") / "fusion", "lock", "fastmcp_shop.py:mcp", folder=here)
    assert done.returncode == 2
    sentence = done.stderr.splitlines()[-2]
    assert "fastmcp_shop.py needs the module fastmcp, which is not installed here" in sentence
    assert "-m pip install fastmcp), or start it as a server: fusion lock -- python fastmcp_shop.py" in sentence
