"""The same help desk in every framework, version and transport: what a model reads when a call fails, whole.

Each framework has an environment of its own, made once for all its tests, with this package installed beside it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from environments import make

pytestmark = pytest.mark.network

FRAMEWORKS = {
    "fastmcp-2": "fastmcp==2.14.*",
    "fastmcp-3": "fastmcp==3.4.*",
    "fastmcp-4": "fastmcp==4.2.*",
    "mcp-1": "mcp==1.30.*",
    "mcp-2": "mcp==2.3.*",
}
DESKS = [
    ("fastmcp-2", "desk_fastmcp"),
    ("fastmcp-3", "desk_fastmcp"),
    ("fastmcp-4", "desk_fastmcp"),
    ("mcp-1", "desk_mcp"),
    ("mcp-2", "desk_mcp"),
    ("mcp-1", "desk_low"),
    ("mcp-2", "desk_low"),
]
CLOSED = {"fastmcp-3", "fastmcp-4"}  # they refuse unknown arguments, and say so in the schema
KEY, WARNINGS = "io.github.fusion-contracts/error", "io.github.fusion-contracts/warnings"

Environment: TypeAlias = Callable[[str], Path]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Environment:
    """Make the environment of a framework, once, and return its Python."""
    made: dict[str, Path] = {}

    def python(framework: str) -> Path:
        if framework not in made:
            folder = tmp_path_factory.mktemp(framework) / "venv"
            made[framework] = make(folder, FRAMEWORKS[framework], str(root)) / "python"
        return made[framework]

    return python


def asked(python: Path, root: Path, way: str, desk: str) -> dict[str, Any]:
    """What the desk answers to every case."""
    done = subprocess.run(
        [str(python), "ask.py", way, desk],
        cwd=root / "fixtures" / "integrations",
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout.splitlines()[-1]))


@contextmanager
def served(python: Path, root: Path, desk: str) -> Iterator[str]:
    """The desk over HTTP on loopback, from when it takes connections until it is ended: its URL."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = int(listening.getsockname()[1])
    process = subprocess.Popen(
        [str(python), f"{desk}.py", str(port)],
        cwd=root / "fixtures" / "integrations",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        for _ in range(1200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None, f"{desk} ended"
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def refused(*lines: str, framework: str, suggestion: str = "", action: str = "close_ticket") -> str:
    """A validation error: of `close_ticket` with what changed since 1.0.0, of another action without."""
    text = [f'<validation_error action="{action}">', *(f"  {line}" for line in lines)]
    if action == "close_ticket":
        text += [
            '  <contract_awareness since="1.0.0">',
            '    <change severity="BREAKING" field="ticket_id">renamed from id; same value</change>',
            *(['    <change severity="RISKY">unknown arguments are refused now</change>'] * (framework in CLOSED)),
            "  </contract_awareness>",
        ]
    how = "Fix the fields above and call the tool again."
    if suggestion:
        text.append(f"  <suggested_arguments>{suggestion}</suggested_arguments>")
        how = "Call the tool again with suggested_arguments."
    return "\n".join([*text, f"  <recovery>{how} Do not explain the error.</recovery>", "</validation_error>"])


def renamed(number: int, framework: str) -> str:
    line = f'<field name="ticket_id">Missing. You sent: id {number}. Expected an integer.</field>'
    return refused(line, framework=framework, suggestion=f'{{"ticket_id":{number}}}')


def failures(framework: str, desk: str) -> dict[str, str]:
    """The whole text that a model reads, by case."""
    wrong = '<field name="ticket_id">Wrong type. You sent: a list of 1 item. Expected an integer.</field>'
    missing = '<field name="ticket_id">Missing. Expected an integer: "The ticket\'s number."</field>'
    extra = "<field name=\"notes\">Unknown argument. You sent: 'x'. Expected note instead, a string.</field>"
    as_text = (
        '<field name="address">JSON sent as text. You sent: text that holds an object with 1 key. '
        "Expected an object.</field>"
    )
    suggestion = '{"address":{"street":"Main"}}'
    told = {
        "wrong type": refused(wrong, framework=framework),
        "missing": refused(missing, framework=framework),
        "removed key": renamed(7, framework),
        "unknown tool": UNKNOWN,
        "removed tool": REMOVED,
        "raised fault": NOT_FOUND.replace("NAME", "raised"),
        "returned fault": NOT_FOUND.replace("NAME", "returned"),
        "crash": INTERNAL.replace("WHY", "RuntimeError"),
        "crash of a validator": INTERNAL.replace("WHY", "ValueError"),
        "author's error": f"{'Error executing tool find_ticket: ' * (desk == 'desk_mcp')}Say which ticket you mean.",
        "unfit output": INTERNAL.replace("WHY", "its result violates its own output schema"),
    }
    if desk == "desk_low":  # where no class of errors is the framework's own
        told["author's error"] = INTERNAL.replace("WHY", "Exception")
    if desk == "desk_fastmcp":  # of FastMCP 2 no tool takes an unknown argument either, though its schema is open
        told["extra key"] = refused(extra, framework=framework)
    if desk != "desk_mcp":  # the SDK reads JSON that is sent as text by itself
        told["json text"] = refused(as_text, framework=framework, suggestion=suggestion, action="send_part")
    return told


UNKNOWN = """<tool_error code="UNKNOWN_ACTION" severity="error">
  <message>No tool close_tickets.</message>
  <recovery>Call one of the available actions. Do not explain the error.</recovery>
  <available_actions>
    <action>close_ticket</action>
    <action>count_tickets</action>
    <action>sum_tickets</action>
    <action>export_tickets</action>
    <action>find_ticket</action>
  </available_actions>
</tool_error>"""
REMOVED = """<tool_error code="UNKNOWN_ACTION" severity="error">
  <message>No tool whoami. Removed since 1.0.0.</message>
  <recovery>Do not call whoami again. Go on without it. Do not explain the error.</recovery>
</tool_error>"""
NOT_FOUND = """<tool_error code="NOT_FOUND" severity="error">
  <message>No ticket NAME</message>
  <recovery>List the tickets first</recovery>
  <details>
    <detail key="name">NAME</detail>
  </details>
</tool_error>"""
INTERNAL = """<tool_error code="INTERNAL_ERROR" severity="critical">
  <message>The tool failed with an internal error (WHY).</message>
  <recovery>The call may have taken effect: do not blindly retry. Check first, or report the failure.</recovery>
</tool_error>"""
DEPRECATED = """<tool_error code="DEPRECATED" severity="warning">
  <message>The state open goes away</message>
</tool_error>"""


def texts(answer: dict[str, Any]) -> list[str]:
    return [block["text"] for block in answer["content"]]


@pytest.mark.parametrize("way", ["memory", "stdio", "http"])
@pytest.mark.parametrize(("framework", "desk"), DESKS)
def test_what_a_model_reads(environment: Environment, root: Path, framework: str, desk: str, way: str) -> None:
    python = environment(framework)
    with served(python, root, desk) if way == "http" else nullcontext(way) as where:
        answers = asked(python, root, where, desk)
    expected = failures(framework, desk)
    together = answers.pop("together")
    told = {case: answer["content"][0]["text"] for case, answer in answers.items() if answer["isError"]}
    assert told == expected
    for case in expected:
        answer = answers[case]
        assert (len(answer["content"]), "structuredContent" in answer) == (1, False), case
        record = answer.get("_meta", {}).get(KEY)
        if case == "author's error" and desk != "desk_low":
            assert record is None
        else:
            assert record["message"] in expected[case] or record["action"], case
    assert texts(answers["warning"])[1:] == [DEPRECATED]
    assert answers["warning"]["structuredContent"] == {"closed": 2}
    record = {"code": "DEPRECATED", "severity": "warning", "message": "The state open goes away"}
    assert answers["warning"]["_meta"][WARNINGS] == [record]
    assert answers["works"]["structuredContent"] == {"closed": 9}
    assert texts(answers["works as text"]) == ["sent to Main, Bonn"]
    assert "hunter2" not in json.dumps([answers, together])
    for number, answer in enumerate(together):
        if number % 2:
            assert texts(answer) == [renamed(number, framework)]
        else:
            assert answer["structuredContent"] == {"closed": number}


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
    python = str(environment(framework))
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
    command = [str(environment(framework)), "-c", AROUND.format(folder=folder, mount=mount)]
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
    command = [str(environment(framework)), "server.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    first, second, third, runs = done.stdout.splitlines()[-4:]
    assert (first, second, runs) == (
        '<validation_error action="close_ticket">', '<tool_error code="RETRY_LIMIT" severity="critical">', "1",
    ), done.stderr  # fmt: skip
    assert "error" not in third


@pytest.mark.parametrize(("framework", "desk"), DESKS)
def test_a_call_that_succeeds_is_answered_as_it_would_be_without(
    environment: Environment, root: Path, framework: str, desk: str
) -> None:
    python = environment(framework)
    with_it, without = (asked(python, root, way, desk) for way in ("memory", "plain"))
    same = {"works", "works as text"} | ({"author's error"} if desk != "desk_low" else set())
    same |= {"extra key", "json text"} - set(failures(framework, desk))
    for case in same:
        assert json.dumps(with_it[case]) == json.dumps(without[case]), case
    # Without it, what was learned of version 1 fails in words that name no way on.
    assert "ticket_id" not in json.dumps(without["removed key"].get("_meta", {}))
    assert "suggested_arguments" not in json.dumps(without["removed key"])


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
    command = [str(environment(framework)), "run_time.py"]
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
    command = [str(environment(framework)), "run_time_low.py", "announced"]
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
    command = [str(environment(framework)), "run_names.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    for runs in json.loads(done.stdout.splitlines()[-1]).values():
        first, again, second, once_more = runs
        assert (first, second) == (again, once_more)
        assert first != second
