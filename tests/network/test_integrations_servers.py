"""Servers with the integration, in each framework: as documented, mounted, guarded, and changed while they run."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.network.conftest import CLOSED, Environment

pytestmark = pytest.mark.network

FRAMEWORKS = ("fastmcp-2", "fastmcp-3", "fastmcp-4", "mcp-1", "mcp-2")
FAILING_CALL = """
import asyncio
async def main():
    {client} as client:
        print((await client.{call}("close_ticket", {{}})).content[0].text)
asyncio.run(main())
"""
CONNECTED = "create_connected_server_and_client_session"
CLIENTS = {
    "fastmcp": ("from fastmcp import Client\n    async with Client(server)", "call_tool_mcp"),
    "mcp-1": (f"from mcp.shared.memory import {CONNECTED} as c\n    async with c(server)", "call_tool"),
    "mcp-2": ("from mcp import Client\n    async with Client(server)", "call_tool"),
}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_documented_example_heals(environment: Environment, root: Path, tmp_path: Path, framework: str) -> None:
    page = (root / "docs" / "integrations.md").read_text(encoding="utf-8")
    kind = framework.partition("-")[0]
    example = page.partition(f"<!-- example: {kind} -->\n```python\n")[2].partition("```")[0]
    client, call = CLIENTS[kind if kind == "fastmcp" else framework]
    file = tmp_path / "server.py"
    file.write_text(example + FAILING_CALL.format(client=client, call=call), encoding="utf-8")
    python = str(environment(framework) / "python")
    done = subprocess.run([python, str(file)], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == (
        '<validation_error action="close_ticket">\n'
        '  <field name="ticket_id">Missing. Expected an integer.</field>\n'
        "  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>\n"
        "</validation_error>\n"
    ), done.stderr
    assert f"Agents are not told what changed in desk: no release is in {tmp_path}" in done.stderr


AROUND = """
import asyncio, sys
sys.path.insert(0, {folder!r})
from fastmcp import Client, FastMCP
from fastmcp.server.middleware.error_handling import ErrorHandlingMiddleware, RetryMiddleware
from fusion_contracts.integrations import Options
from fusion_contracts.integrations.fastmcp import FusionMiddleware
from desk_tools import close_ticket

heard = []
class Guard:
    def before(self, call):
        return None
    def after(self, call, outcome):
        heard.append((call.tool, bool(call.run), outcome.fault and outcome.fault.code))

inner, outer = FastMCP("inner"), FastMCP("outer")
inner.tool(close_ticket)
inner.add_middleware(FusionMiddleware(Options(releases="nowhere")))
try:
    FusionMiddleware(Options(strict=True))
except ValueError as error:
    assert str(error) == "strict needs the server's name: FusionMiddleware(options, name=...), or attach(server)"
else:
    raise AssertionError("strict without a name")
outer.mount(inner, {mount})
outer.add_middleware(ErrorHandlingMiddleware())
outer.add_middleware(FusionMiddleware(Options(coerce=True, guard=Guard()), name="desk", near={folder!r}))
outer.add_middleware(RetryMiddleware())

async def main():
    async with Client(outer) as client:
        for arguments in ({{}}, {{"ticket_id": 7}}):
            result = await client.call_tool_mcp("in_close_ticket", arguments)
            print(result.content[0].text.splitlines()[0])
    print(heard)
asyncio.run(main())
"""


@pytest.mark.parametrize("framework", ["fastmcp-2", "fastmcp-3", "fastmcp-4"])
def test_mounted_servers_hooks_and_middleware_that_works_against_it(
    environment: Environment, root: Path, framework: str
) -> None:
    folder = str(root / "fixtures" / "integrations")
    mount = 'prefix="in"' if framework == "fastmcp-2" else 'namespace="in"'
    within = framework != "fastmcp-4"  # its revision of the protocol has no session, and the client names no run
    command = [str(environment(framework) / "python"), "-c", AROUND.format(folder=folder, mount=mount)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines() == [
        '<validation_error action="close_ticket">',
        '{"closed":7}',
        f"[('in_close_ticket', {within}, 'VALIDATION_ERROR'), ('in_close_ticket', {within}, None)]",
    ], done.stderr
    retry = "RetryMiddleware of outer runs a tool again without asking whether its first run took effect"
    assert f"{retry}: add it before FusionMiddleware, or leave it out" in done.stderr
    assert "Agents are not told what changed in inner: no release is in nowhere/" in done.stderr  # its own name
    assert "ErrorHandlingMiddleware of" not in done.stderr  # it stands farther from the tools, and sees results alone


GUARDED = """
import asyncio
from fusion_contracts.integrations import Options, attach
from fusion_contracts.loop import RetryGuard
runs = set()

class Guard(RetryGuard):
    def before(self, call):
        runs.add(call.run)
        return super().before(call)

attach(server, Options(guard=Guard()))
try:
    attach(server)
except ValueError as error:
    assert str(error) == "this server is attached already: its hooks would hear of every call twice"
else:
    raise AssertionError("attached twice")

async def main():
    {client} as client:
        for sent in ("x", "x", 7):
            result = await client.{call}("close_ticket", {{"ticket_id": sent}})
            print(result.content[0].text.splitlines()[0])
asyncio.run(main())
print(len(runs))
"""


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_retry_guard_stops_a_call_that_cannot_work(
    environment: Environment, root: Path, tmp_path: Path, framework: str
) -> None:
    page = (root / "docs" / "integrations.md").read_text(encoding="utf-8")
    kind = framework.partition("-")[0]
    example = page.partition(f"<!-- example: {kind} -->\n```python\n")[2].partition("```")[0]
    client, call = CLIENTS[kind if kind == "fastmcp" else framework]
    bare = re.sub(r"^(server\.add_middleware|install)\(.*$", "", example, flags=re.MULTILINE)
    program = bare + GUARDED.format(client=client, call=call)
    (tmp_path / "server.py").write_text(program, encoding="utf-8")
    command = [str(environment(framework) / "python"), "server.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    first, second, third, runs = done.stdout.splitlines()[-4:]
    assert (first, second, runs) == (
        '<validation_error action="close_ticket">', '<tool_error code="RETRY_LIMIT" severity="critical">', "1",
    ), done.stderr  # fmt: skip
    assert "error" not in third


LEARNED = {
    "name": "close_ticket",
    "inputSchema": {
        "type": "object",
        "properties": {"ticket_id": {"type": "integer"}, "note": {"type": "string"}, "id": {"type": "integer"}},
        "required": ["ticket_id"],
    },
}


@pytest.mark.parametrize("framework", ["fastmcp-3", "fastmcp-4", "mcp-1", "mcp-2"])
def test_a_server_that_changes_while_it_runs(
    environment: Environment, root: Path, tmp_path: Path, framework: str
) -> None:
    for file in (root / "fixtures" / "integrations").glob("*.py"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "learned.json").write_text(json.dumps({"tools": [LEARNED]}), encoding="utf-8")
    command = [str(environment(framework) / "python"), "run_time.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    assert (seen["before"], seen["nested"], seen["cancelled"]) == ("closed 1 x", "done: True", ["wait left"])
    # Without a look at the tools the SDK drops the argument in silence.
    assert seen["after"].splitlines()[:2] == [
        '<validation_error action="close_ticket">',
        "  <field name=\"note\">Unknown argument. You sent: 'x'. Expected only ticket_id, remark.</field>",
    ]
    if framework not in CLOSED:  # FastMCP answers a tool's own call of another one with a result, whatever happened
        assert seen["nested, refused"].splitlines()[1] == (
            '  <field name="ticket_id">Missing. You sent: id 1. Expected an integer.</field>'
        )
        assert seen["nested, caught"] == "ToolError caught"


@pytest.mark.parametrize("framework", ["mcp-1", "mcp-2"])
def test_a_low_level_server_that_says_that_its_tools_changed(
    environment: Environment, root: Path, tmp_path: Path, framework: str
) -> None:
    for file in (root / "fixtures" / "integrations").glob("*.py"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    schema = {"type": "object", "properties": {"note": {"type": "string"}}}
    learned = {"tools": [{"name": "close", "inputSchema": schema}]}
    (tmp_path / "learned.json").write_text(json.dumps(learned), encoding="utf-8")
    command = [str(environment(framework) / "python"), "run_time_low.py", "announced"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    first, second, third = json.loads(done.stdout.splitlines()[-1])
    assert (first, second) == ("done", "done")
    assert third.splitlines()[:2] == [
        '<validation_error action="close">',
        "  <field name=\"note\">Unknown argument. You sent: 'x'. Expected only remark.</field>",
    ]


@pytest.mark.parametrize("framework", ["mcp-1", "mcp-2"])
def test_the_calls_of_a_session_are_one_run(
    environment: Environment, root: Path, tmp_path: Path, framework: str
) -> None:
    for file in (root / "fixtures" / "integrations").glob("*.py"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    command = [str(environment(framework) / "python"), "run_names.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for runs in json.loads(done.stdout.splitlines()[-1]).values():
        first, again, second, once_more = runs
        assert (first, second) == (again, once_more)
        assert first != second
