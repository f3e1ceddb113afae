"""The same help desk in every framework, version and transport: what a model reads when a call fails, whole."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import pytest

from tests.network.conftest import CLOSED, Environment

pytestmark = pytest.mark.network

DESKS = [
    ("fastmcp-2", "desk_fastmcp"),
    ("fastmcp-3", "desk_fastmcp"),
    ("fastmcp-4", "desk_fastmcp"),
    ("mcp-1", "desk_mcp"),
    ("mcp-2", "desk_mcp"),
    ("mcp-1", "desk_low"),
    ("mcp-2", "desk_low"),
]
KEY, WARNINGS = "io.github.fusion-contracts/error", "io.github.fusion-contracts/warnings"


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
    python = environment(framework) / "python"
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


@pytest.mark.parametrize(("framework", "desk"), DESKS)
def test_a_call_that_succeeds_is_answered_as_it_would_be_without(
    environment: Environment, root: Path, framework: str, desk: str
) -> None:
    python = environment(framework) / "python"
    with_it, without = (asked(python, root, way, desk) for way in ("memory", "plain"))
    same = {"works", "works as text"} | ({"author's error"} if desk != "desk_low" else set())
    same |= {"extra key", "json text"} - set(failures(framework, desk))
    for case in same:
        assert json.dumps(with_it[case]) == json.dumps(without[case]), case
    # Without it, what was learned of version 1 fails in words that name no way on.
    assert "ticket_id" not in json.dumps(without["removed key"].get("_meta", {}))
    assert "suggested_arguments" not in json.dumps(without["removed key"])
