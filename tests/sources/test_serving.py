"""Server objects in this process. The server here is a stand-in that speaks the protocol itself: the frameworks are not
installed where these tests run, and are tested against in `tests/network/test_frameworks.py`.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from waiting import in_its_time

from fusion_contracts.errors import FusionError
from fusion_contracts.sources import objects
from fusion_contracts.sources.base import Options, Reading
from fusion_contracts.sources.objects import serving
from fusion_contracts.sources.objects.kind import Inbox, Outbox, Server, classes_of
from fusion_contracts.sources.python_object import read_object

Answer = Callable[[dict[str, Any]], Any]
WELCOME = {
    "protocolVersion": "2025-06-18", "serverInfo": {"name": "x", "version": "1"}, "capabilities": {"tools": {}},
    "instructions": "Ask first.",
}  # fmt: skip
TOOL = {"name": "wave", "inputSchema": {"type": "object"}}


class Speaking:
    """A server that answers by method; `ends` says that it left its loop in good order."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {"initialize": WELCOME, "tools/list": {"tools": [TOOL]}} | answers
        self.ends: list[str] = []


async def serve(server: Speaking, inbox: Inbox, outbox: Outbox) -> None:
    try:
        async for line in inbox:
            request = json.loads(line)
            answer = server.answers.get(request["method"])
            if callable(answer):
                answer = await answer(request)
            if "id" not in request:
                continue
            said = (
                {"result": answer} if answer is not None else {"error": {"code": -32601, "message": "unknown method"}}
            )
            text = json.dumps({"jsonrpc": "2.0", "id": request["id"], **said}) + "\n"
            await outbox.write(text[:7])  # in pieces, as a stream may
            await outbox.write(text[7:])
            await outbox.flush()
    except asyncio.CancelledError:
        server.ends.append("cancelled")
        raise
    server.ends.append("left")


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = Server("a speaking server", tuple(classes_of(Speaking)[:1]), serve)
    monkeypatch.setattr(objects, "_kinds", lambda: dict.fromkeys(kind.classes, kind))


def read(server: Speaking, options: Options) -> Reading:
    return read_object(server, "it", options)


def failure(server: Speaking, options: Options) -> str:
    with pytest.raises(FusionError) as caught:
        read(server, options)
    return str(caught.value)


def test_all_that_it_says_is_in_the_contract(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_GRACE", 60.0)
    server, before = Speaking(), set(threading.enumerate())
    (contract,) = read(server, options).contracts
    assert contract.protocol_version == "2025-06-18"
    assert contract.info == {"name": "x", "version": "1"}
    assert contract.capabilities == {"tools": {}}
    assert contract.instructions == "Ask first."
    assert list(contract.tools) == ["wave"]
    assert server.ends == ["left"]
    assert set(threading.enumerate()) <= before


def test_it_can_be_listed_again_and_while_a_loop_runs(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_GRACE", 60.0)
    server = Speaking()

    async def test() -> list[str]:
        return [name for _ in range(2) for name in read(server, options).contracts[0].tools]

    assert asyncio.run(test()) == ["wave", "wave"]
    assert server.ends == ["left", "left"]


def test_the_locked_version_is_asked_for(options: Options) -> None:
    asked = []

    async def initialize(request: dict[str, Any]) -> Any:
        asked.append(request["params"]["protocolVersion"])
        return {**WELCOME, "protocolVersion": asked[-1]}

    (contract,) = read(Speaking(initialize=initialize), replace(options, protocol_version="2025-03-26")).contracts
    assert (asked, contract.protocol_version) == (["2025-03-26"], "2025-03-26")


LOOK = "look at the server's own code"


async def crash(_request: dict[str, Any]) -> None:
    raise ExceptionGroup("group", [ValueError("the database at db://me:hunter2hunter2@host is gone")])


async def wait(_request: dict[str, Any]) -> None:
    await asyncio.sleep(60)


async def stop(_request: dict[str, Any]) -> None:
    raise SystemExit(3)


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            {"initialize": crash},
            (
                "it, a speaking server, cannot be listed: ValueError: the database at db://(hidden)@host is gone; "
                "look at the server's own code"
            ),
        ),
        ({"tools/list": stop}, "it, a speaking server, cannot be listed: SystemExit: 3; look at the server's own code"),
        (
            {"tools/list": wait},
            "it, a speaking server, has not answered tools/list after 0.5 s; look at the server's own code",
        ),
        (
            {"server/discover": wait, "initialize": wait},
            "it, a speaking server, gives no answer to initialize in 0.5 s; look at the server's own code",
        ),
        (
            {"initialize": None},
            f"it, a speaking server, answers initialize with error -32601: unknown method; {LOOK}",
        ),
        ({"tools/list": {"tools": 3}}, "it answers tools/list without a list of tools; correct the server"),
    ],
)
def test_a_server_that_cannot_be_listed(options: Options, answers: dict[str, Any], sentence: str) -> None:
    ends: list[str] = []

    def said(server: Speaking, options: Options) -> str:
        told = failure(server, options)
        ends[:] = server.ends
        return re.sub(r" \(test_serving\.py, line \d+: raise [^;]*\);", ";", told)

    if "0.5 s" not in sentence:
        assert said(Speaking(**answers), options) == sentence
        return
    in_its_time(
        lambda seconds: said(Speaking(**answers), replace(options, timeout=seconds)),
        lambda seconds: sentence.replace("0.5 s", f"{seconds:g} s"),
    )
    assert ends == ["cancelled"]


def test_a_server_among_others_in_a_list_gives_its_tools(options: Options) -> None:
    (contract,) = read_object([Speaking(), {"name": "ping", "inputSchema": {}}], "it", options).contracts
    assert (list(contract.tools), contract.info, contract.instructions) == (["ping", "wave"], {}, None)
