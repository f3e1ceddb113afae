"""The protocol, against a server that is a function: negotiation, pages, and answers that make no sense."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.base import Listing
from fusion_contracts.sources.jsonrpc import MAX_ANSWERS, Connection, RefusedError, SilenceError
from fusion_contracts.sources.mcp_session import ListTimeoutError, Session

TOOL = {"name": "a", "inputSchema": {"type": "object"}}
STATELESS = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "s", "version": "1"},
}


class Error(dict[str, Any]):
    """What a scripted method answers when it refuses."""


class FakeServer:
    """A channel that answers from a table of methods; None as an answer is silence."""

    def __init__(self, methods: dict[str, Any]) -> None:
        self.methods = methods
        self.sent: list[dict[str, Any]] = []
        self.lines: deque[bytes] = deque()
        self.agreed: list[str] = []

    def send(self, line: bytes) -> None:
        message = json.loads(line)
        self.sent.append(message)
        if "id" in message and "method" in message:
            self.answer(message)

    def answer(self, request: dict[str, Any]) -> None:
        answer = self.methods.get(request["method"], Error(code=-32601, message="Method not found"))
        if callable(answer):
            answer = answer(request["params"])
        if answer is not None:
            kind = "error" if isinstance(answer, Error) else "result"
            self.say({"jsonrpc": "2.0", "id": request["id"], kind: answer})

    def agree(self, version: str) -> None:
        self.agreed.append(version)

    def stay(self, deadline: float) -> None:
        """It is there as long as the test."""

    def hear(self) -> bool:
        return True

    def say(self, message: Any) -> None:
        self.lines.append(json.dumps(message).encode())

    def receive(self, deadline: float) -> bytes:  # noqa: ARG002 - the channel's own signature
        if not self.lines:
            raise SilenceError
        return self.lines.popleft()


def list_all(methods: dict[str, Any], asked: str | None = None, **more: Any) -> tuple[Listing, FakeServer]:
    server = FakeServer(methods)
    return Session(Connection(server), 0.0).list_everything(asked, **more), server


def asked_methods(server: FakeServer) -> list[str]:
    return [message["method"] for message in server.sent]


def paged(*pages: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
    left = iter(pages)
    return lambda _: next(left)


# -- negotiation ---------------------------------------------------------------------------------------------------


def test_every_request_of_the_stateless_era_carries_the_version() -> None:
    stamp = {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "9"}}
    found, server = list_all({"server/discover": {**STATELESS, "_meta": stamp}, "tools/list": {"tools": [TOOL]}})
    assert (found.protocol_version, found.info, found.tools) == ("2026-07-28", {"name": "s", "version": "9"}, (TOOL,))
    assert asked_methods(server) == ["server/discover", "tools/list"]
    for message in server.sent:
        meta = message["params"]["_meta"]
        assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
        assert meta["io.modelcontextprotocol/clientCapabilities"] == {}


@pytest.mark.parametrize(
    "refusal",
    [
        Error(code=-32601, message="Method not found"),
        Error(code=-32602, message="Invalid request parameters", data=""),
        Error(code=-32603, message="Server not initialized"),
        Error(code=-32022, message="Unsupported", data={"supported": ["2025-11-25"], "requested": "2026-07-28"}),
        {},
        {"supportedVersions": ["2025-11-25", "2025-06-18"], "capabilities": {}},
        "yes",
        ["odd"],
    ],
)
def test_any_other_answer_to_the_probe_leads_to_the_handshake(refusal: Any) -> None:
    found, server = list_all({"server/discover": refusal, "initialize": HANDSHAKE, "tools/list": {"tools": []}})
    assert found.protocol_version == "2025-11-25"
    assert asked_methods(server) == ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert "_meta" not in server.sent[-1]["params"]


def test_no_answer_to_the_probe_leads_to_the_handshake_beside_it() -> None:
    found, server = list_all({"server/discover": lambda _: None, "initialize": HANDSHAKE, "tools/list": {"tools": []}})
    assert found.protocol_version == "2025-11-25"
    assert asked_methods(server)[:2] == ["server/discover", "initialize"]


def test_a_late_answer_to_the_probe_wins_over_a_refused_handshake() -> None:
    class Slow(FakeServer):
        def answer(self, request: dict[str, Any]) -> None:
            if request["method"] == "initialize":
                data = {"supported": ["2026-07-28"], "requested": "2025-11-25"}
                self.say({"jsonrpc": "2.0", "id": 2, "error": {"code": -32022, "message": "no", "data": data}})
                self.say({"jsonrpc": "2.0", "id": 1, "result": STATELESS})
            elif request["method"] == "tools/list":
                super().answer(request)

    server = Slow({"tools/list": {"tools": [TOOL]}})
    found = Session(Connection(server), 0.0).list_everything()
    assert (found.protocol_version, found.tools) == ("2026-07-28", (TOOL,))


def test_a_locked_version_of_the_handshake_era_is_asked_for_first() -> None:
    methods = {"server/discover": STATELESS, "initialize": {**HANDSHAKE, "protocolVersion": "2025-03-26"}}
    found, server = list_all({**methods, "tools/list": {"tools": []}}, "2025-03-26")
    assert found.protocol_version == "2025-03-26"
    assert asked_methods(server) == ["initialize", "notifications/initialized", "tools/list"]
    assert server.sent[0]["params"]["protocolVersion"] == "2025-03-26"


@pytest.mark.parametrize(
    "refusal",
    [
        Error(code=-32601, message="Method not found"),
        Error(code=-32000, message="Unknown method initialize"),
        Error(code=-32022, message="Unsupported", data={"supported": ["2026-07-28"]}),
        Error(code=-32600, message="no handshake here", data={"supported": ["2026-07-28"]}),
    ],
)
def test_a_server_without_a_handshake_is_discovered(refusal: Error) -> None:
    methods = {"initialize": refusal, "server/discover": STATELESS, "tools/list": {"tools": [TOOL]}}
    found, _ = list_all(methods, "2025-11-25")
    assert (found.protocol_version, found.tools) == ("2026-07-28", (TOOL,))


@pytest.mark.parametrize(
    ("error", "version"),
    [
        (Error(code=-32602, message="Unsupported protocol version", data={"supported": ["2024-11-05"]}), "2024-11-05"),
        (Error(code=-32602, message="no", data={"supported": ["2024-11-05", "2025-03-26", "x"]}), "2025-03-26"),
        (Error(code=-32602, message="Unsupported protocol version: 2025-11-25"), "2024-11-05"),
    ],
)
def test_a_server_that_refuses_a_newer_version_is_asked_for_one_it_has(error: Error, version: str) -> None:
    def initialize(params: dict[str, Any]) -> Any:
        return {**HANDSHAKE, "protocolVersion": version} if params["protocolVersion"] == version else error

    for asked in (None, "2025-11-25"):
        found, _ = list_all({"initialize": initialize, "tools/list": {"tools": [TOOL]}}, asked)
        assert (found.protocol_version, found.tools) == (version, (TOOL,))


def test_without_the_probe_the_handshake_comes_first() -> None:
    _, server = list_all({"initialize": HANDSHAKE, "tools/list": {"tools": []}}, probe=False)
    assert asked_methods(server)[0] == "initialize"
    assert server.sent[0]["params"]["protocolVersion"] == "2025-11-25"


def test_an_unknown_version_is_noted_and_listed_all_the_same() -> None:
    for version, said in (("2025-12-01", '"2025-12-01"'), (None, "missing"), ("x\n", '"x\\n"')):
        found, _ = list_all({"initialize": {**HANDSHAKE, "protocolVersion": version}, "tools/list": {"tools": [TOOL]}})
        assert found.protocol_version == version
        assert found.notes == (
            f"its protocol version is {said}, which this release does not know; listed all the same",
        )
        assert found.tools == (TOOL,)


def test_a_server_of_the_future_is_refused() -> None:
    future = {"supportedVersions": ["2031-01-01"], "capabilities": {}}
    refusal = Error(code=-32022, message="no", data={"supported": ["2031-01-01"]})
    sentence = (
        "speaks protocol 2031-01-01 only; this release speaks 2024-11-05 to 2026-07-28; "
        "update fusion-contracts, or start an older version of the server"
    )
    for methods, asked in (
        ({"server/discover": future}, None),
        ({"server/discover": refusal}, None),
        ({"initialize": refusal}, "2025-11-25"),
    ):
        with pytest.raises(FusionError) as caught:
            list_all(methods, asked)
        assert str(caught.value) == sentence


def test_a_refused_greeting_is_raised_as_it_was_said() -> None:
    with pytest.raises(RefusedError, match=r"^answers initialize with error -32603: go away$"):
        list_all({"initialize": Error(code=-32603, message="go away")})
    with pytest.raises(RefusedError, match=r"^answers initialize with error -32601: Method not found$"):
        list_all({}, "2025-11-25")


# -- lists ---------------------------------------------------------------------------------------------------------


def test_sections_are_listed_where_they_are_declared() -> None:
    declared = {**HANDSHAKE, "capabilities": {"tools": {}, "resources": {}}}
    methods = {"initialize": declared, "tools/list": {"tools": []}, "resources/list": {"resources": [{"uri": "a:b"}]}}
    found, server = list_all({**methods, "prompts/list": {"prompts": [{"name": "never asked"}]}}, "2025-11-25")
    assert (found.resources, found.resource_templates, found.prompts) == (({"uri": "a:b"},), (), ())
    assert asked_methods(server)[2:] == ["tools/list", "resources/list", "resources/templates/list"]
    assert found.unlisted == {}


def test_without_any_capabilities_everything_is_asked_for() -> None:
    silent = {"protocolVersion": "2024-11-05"}
    found, server = list_all({"initialize": silent, "tools/list": {"tools": [TOOL]}}, "2024-11-05")
    assert found.tools == (TOOL,)
    assert asked_methods(server)[2:] == ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]
    assert (found.unlisted, found.capabilities, found.info) == ({}, {}, {})


def test_a_declared_section_that_fails_is_named() -> None:
    declared = {**HANDSHAKE, "capabilities": {"tools": {}, "prompts": {}}}
    methods = {
        "initialize": declared,
        "tools/list": {"tools": []},
        "prompts/list": Error(code=-32603, message="db down"),
    }
    assert list_all(methods)[0].unlisted == {"prompts": "answers prompts/list with error -32603: db down"}


def test_tools_that_are_not_declared_may_be_missing_but_not_fail() -> None:
    prompts_only = {**HANDSHAKE, "capabilities": {"prompts": {}}}
    assert list_all({"initialize": prompts_only, "prompts/list": {"prompts": []}})[0].tools == ()
    cases: list[tuple[dict[str, Any], int]] = [({"tools": {}}, -32601), ({}, -32603)]
    for capabilities, code in cases:
        methods = {
            "initialize": {**HANDSHAKE, "capabilities": capabilities},
            "tools/list": Error(code=code, message="no"),
        }
        with pytest.raises(
            FusionError, match=f"^answers tools/list with error {code}: no; look at the server's own log$"
        ):
            list_all(methods)


def test_every_page_is_followed() -> None:
    pages = ({"tools": [1], "nextCursor": "b"}, {"tools": [2], "nextCursor": ""}, {"tools": [3], "nextCursor": None})
    found, server = list_all({"initialize": HANDSHAKE, "tools/list": paged(*pages)}, "2025-11-25")
    assert found.tools == (1, 2, 3)
    assert [one["params"] for one in server.sent[2:]] == [{}, {"cursor": "b"}, {"cursor": ""}]


def test_an_empty_cursor_that_means_the_end_is_taken_for_it() -> None:
    for answer in (
        lambda _: {"tools": [TOOL], "nextCursor": ""},
        paged({"tools": [TOOL], "nextCursor": ""}, Error(code=1)),
    ):
        assert list_all({"initialize": HANDSHAKE, "tools/list": answer})[0].tools == (TOOL,)


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ({"tools": None}, "answers tools/list without a list of tools; correct the server"),
        ({"tools": {}}, "answers tools/list without a list of tools; correct the server"),
        ({"tools": [], "nextCursor": 7}, "answers tools/list with a nextCursor that is no text; correct the server"),
        (
            {"tools": [1], "nextCursor": "x"},
            "pages for ever: tools/list gives a nextCursor that it gave before; leave nextCursor out of the last page",
        ),
        ([], "answers tools/list with neither a result object nor an error; look at the server's own log"),
        (
            {"resultType": "input_required", "tools": []},
            (
                'answers tools/list with a result of type "input_required", not a complete one; '
                "look at the server's own log"
            ),
        ),
    ],
)
def test_an_answer_that_makes_no_sense(page: Any, sentence: str) -> None:
    with pytest.raises(FusionError) as caught:
        list_all({"initialize": HANDSHAKE, "tools/list": page})
    assert str(caught.value) == sentence


def test_an_error_on_a_later_page_loses_nothing_in_silence() -> None:
    pages = paged({"tools": [1], "nextCursor": "b"}, Error(code=-32602, message="bad cursor"))
    with pytest.raises(
        FusionError, match=r"^answers tools/list with error -32602: bad cursor on a later page; look at"
    ):
        list_all({"initialize": HANDSHAKE, "tools/list": pages})


def test_a_list_that_never_comes_is_named() -> None:
    with pytest.raises(ListTimeoutError, match=r"^tools/list$"):
        list_all({"initialize": HANDSHAKE, "tools/list": lambda _: None})
    with pytest.raises(SilenceError):
        list_all({"initialize": lambda _: None, "server/discover": lambda _: None})


# -- messages ------------------------------------------------------------------------------------------------------


def test_other_lines_and_messages_are_skipped_and_counted() -> None:
    server = FakeServer({})
    connection = Connection(server)
    number = connection.ask("x", {})
    server.lines.clear()
    noise = [b"hello", b"[1, 2]", b"{oops", b"{}", b'"text"', b"\xff\xfe", b'{"level": 1, "level": 2}']
    quiet = [b"", b"\r", b'{"jsonrpc": "2.0", "method": "n"}', b'{"jsonrpc": "2.0", "id": true, "result": {}}']
    quiet += [b'{"jsonrpc": "2.0", "id": "1", "result": {}}', b'{"jsonrpc": "2.0", "id": 1}']
    server.lines.extend([*noise, *quiet, b'\xef\xbb\xbf[{"id": 1, "result": {"ok": true}}]\r'])
    assert connection.result(number, 0.0) == {"ok": True}
    assert (connection.noise, connection.first_noise) == (len(noise), "hello")
    assert server.sent[1:] == []


def test_a_flood_of_requests_is_not_answered_for_ever() -> None:
    server = FakeServer({})
    connection = Connection(server)
    number = connection.ask("x", {})
    server.lines.clear()
    for turn in range(MAX_ANSWERS + 50):
        server.say({"jsonrpc": "2.0", "id": turn, "method": "ping"})
    server.say({"jsonrpc": "2.0", "id": number, "result": {}})
    connection.result(number, 0.0)
    assert len(server.sent) == 1 + MAX_ANSWERS


def test_what_a_server_says_is_shown_safely() -> None:
    refusal = RefusedError("x", {"code": "\x1b[1m", "message": "a\x1b[31mb\u202e" + "c" * 500})
    assert str(refusal).startswith("answers x with error \\u{1b}[1m: a\\u{1b}[31mb\\u{202e}ccc")
    assert len(str(refusal)) < 400
    assert str(RefusedError("x", "flat")) == "answers x with error: flat"
