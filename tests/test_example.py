"""The bundled example is a correct MCP server, so that it may be taken as one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def converse(root: Path, file: str, *lines: str) -> list[dict[str, Any]]:
    """What the server answers to these lines, one after the other, until its input ends."""
    server = root / "fixtures" / "example" / file
    said = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([sys.executable, server], input=said, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


def request(number: int, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def call(root: Path, file: str, name: str, **arguments: Any) -> tuple[str, bool]:
    """Text and isError of one tool call."""
    (answer,) = converse(root, file, request(1, "tools/call", name=name, arguments=arguments))
    return answer["result"]["content"][0]["text"], answer["result"]["isError"]


@pytest.mark.parametrize(("file", "version"), [("helpdesk_v1.py", "1.0.0"), ("helpdesk_v2.py", "2.0.0")])
def test_it_agrees_on_a_protocol_version_and_says_who_it_is(root: Path, file: str, version: str) -> None:
    notification = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    hello, ping = converse(root, file, request(1, "initialize", **HELLO), notification, request(2, "ping"))
    assert hello["result"] == {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "helpdesk", "version": version},
        "instructions": "Search before you open a new ticket.",
    }
    assert ping == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_it_offers_its_newest_protocol_version_to_a_client_that_asks_for_another(root: Path) -> None:
    (hello,) = converse(root, "helpdesk_v1.py", request(1, "initialize", **HELLO | {"protocolVersion": "2099-01-01"}))
    assert hello["result"]["protocolVersion"] == "2025-11-25"


def test_it_answers_what_is_no_request_with_an_error(root: Path) -> None:
    answers = converse(root, "helpdesk_v1.py", "garbage", "[]", request(3, "resources/list"))
    codes = [(answer["id"], answer["error"]["code"]) for answer in answers]
    assert codes == [(None, -32700), (None, -32600), (3, -32601)]


def test_a_call_that_version_1_answers_is_refused_by_version_2(root: Path) -> None:
    text, is_error = call(root, "helpdesk_v1.py", "close_ticket", id=1, note="Put out.")
    assert (json.loads(text)["status"], is_error) == ("closed", False)
    version_2 = "helpdesk_v2.py"
    assert call(root, version_2, "close_ticket", id=1) == ("close_ticket has no argument id", True)
    assert call(root, version_2, "close_ticket") == ("close_ticket needs the argument ticket_id", True)
    assert call(root, version_2, "search_tickets", status="pending") == ("status must be one of open, closed", True)


def test_every_tool_of_version_2_runs(root: Path) -> None:
    found, _ = call(root, "helpdesk_v2.py", "search_tickets", text="vpn")
    assert [ticket["id"] for ticket in json.loads(found)] == [2]
    assert json.loads(call(root, "helpdesk_v2.py", "get_ticket", id=2)[0])["read"] is True
    assert json.loads(call(root, "helpdesk_v2.py", "reopen_ticket", ticket_id=3)[0])["status"] == "open"
    assert call(root, "helpdesk_v2.py", "reopen_ticket", ticket_id=9) == (
        "there is no ticket 9; search_tickets lists them",
        True,
    )
