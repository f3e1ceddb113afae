"""A server at a URL over real sockets: what is sent, what is listed, and one sentence for whatever goes wrong."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from http_site import INFO, TOOL, Exchange, Site, mcp

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import SourceRecord
from fusion_contracts.sources import http_channel, mcp_session
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.twice import read_twice

Serve = Callable[..., Site]
LOG = "look at the server's own log"
CHECK = "check the URL; the path of an MCP endpoint is often /mcp or /sse"
PASS = "pass what it wants: --header 'Authorization: Bearer ${TOKEN}', in single quotes, with TOKEN set"


@pytest.fixture
def options(options: Options) -> Options:
    """The shared ones, with a NAME, which is else made of the URL's host."""
    return replace(options, name="site")


def failure(source: HttpSource, options: Options) -> Problem:
    with pytest.raises(FusionError) as caught:
        source.read(options)
    return caught.value.problem


def named(source: HttpSource, options: Options) -> list[str]:
    (contract,) = source.read(options).contracts
    return list(contract.tools)


# -- what is sent and listed ---------------------------------------------------------------------------------------


class Sessions:
    """A server that gives a session, in event streams, takes nothing without it, and asks before it answers."""

    def __init__(self) -> None:
        self.answered = threading.Event()

    def __call__(self, exchange: Exchange) -> None:
        if exchange.method == "DELETE":
            exchange.status(204)
        elif exchange.asks == "initialize":
            welcome = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": INFO}
            exchange.stream(
                [b"event: message\r\ndata: " + answer(exchange, welcome) + b"\r\n\r\n"], Mcp_Session_Id="abc-123"
            )
        elif exchange.headers.get("mcp-session-id") != "abc-123":
            exchange.refusal(-32000, "Bad Request: no session", 400)
        elif exchange.asks == "tools/list":
            exchange.stream(self.listing(answer(exchange, {"tools": [TOOL]})))
            exchange.stopping.wait(30)  # a stream that nobody ends: the client has what it came for
        else:
            exchange.status(202)
            if exchange.message.get("id") == 7:
                self.answered.set()

    def listing(self, data: bytes) -> Iterator[bytes]:
        """Noise, a question, and once that is answered the list, in two pieces."""
        yield b": hello\n\nid: 0\ndata:\n\nevent: other\ndata: {}\n\n"
        yield b'data: {"jsonrpc": "2.0", "id": 7, "method": "ping"}\n\n'
        self.answered.wait(30)
        yield b"data: " + data[:10]
        yield data[10:] + b"\n\n"


def answer(exchange: Exchange, result: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": exchange.message["id"], "result": result}).encode()


def test_a_session_is_opened_kept_and_ended(serve: Serve, options: Options) -> None:
    site = serve(Sessions())
    said: list[str] = []
    reading = HttpSource(site.url).read(replace(options, progress=said.append))
    (contract,) = reading.contracts
    assert contract.protocol_version == "2025-06-18"
    assert contract.info == INFO
    assert list(contract.tools) == ["greet"]
    assert contract.source == SourceRecord(kind="http", url=site.url)
    assert said == [f"site: connecting to {site.url}"]
    asked = site.asked()
    assert asked[:4] == ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    assert asked.count("DELETE") == 1
    for exchange in site.seen[2:]:
        assert exchange.headers["mcp-session-id"] == "abc-123"
        assert exchange.headers["mcp-protocol-version"] == "2025-06-18"
    assert {"id": 7, "jsonrpc": "2.0", "result": {}} in [exchange.message for exchange in site.seen]


def test_what_a_request_says_of_itself(serve: Serve, options: Options) -> None:
    site = serve(mcp)
    HttpSource(site.url, {"Authorization": "Bearer ${MINE}", "X-Team": "blue"}).read(
        replace(options, environ={"MINE": "secret-value-1"})
    )
    probe, greeting, listing = site.seen[0], site.seen[1], site.seen[3]
    assert probe.headers["mcp-protocol-version"] == "2026-07-28"
    assert probe.headers["mcp-method"] == "server/discover"
    assert "mcp-protocol-version" not in greeting.headers
    for exchange in (probe, greeting, listing):
        assert exchange.headers["accept"] == "application/json, text/event-stream"
        assert exchange.headers["content-type"] == "application/json"
        assert exchange.headers["accept-encoding"] == "gzip"
        assert exchange.headers["authorization"] == "Bearer secret-value-1"
        assert exchange.headers["x-team"] == "blue"
        assert exchange.headers["host"] == f"127.0.0.1:{site.port}"


@pytest.mark.parametrize("version", ["2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_locked_version_is_asked_for_without_a_probe(serve: Serve, options: Options, version: str) -> None:
    site = serve(mcp)
    (contract,) = HttpSource(site.url).read(replace(options, protocol_version=version)).contracts
    assert contract.protocol_version == version
    assert site.asked() == ["initialize", "notifications/initialized", "tools/list"]
    assert site.seen[2].headers["mcp-protocol-version"] == version


def stateless(exchange: Exchange) -> None:
    """Answer as a server of 2026-07-28: no session, and every request says its version in a header too."""
    meta = exchange.message["params"].get("_meta", {}) if exchange.message else {}
    version = meta.get("io.modelcontextprotocol/protocolVersion")
    if exchange.headers.get("mcp-protocol-version") != version or exchange.headers.get("mcp-method") != exchange.asks:
        exchange.refusal(-32020, "headers and body differ", 400)
    elif exchange.asks == "server/discover":
        exchange.result({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}})
    elif exchange.asks == "tools/list":
        exchange.result({"tools": [TOOL], "resultType": "complete"})
    else:
        exchange.refusal(-32601, "Method not found", 404)


def test_a_stateless_server_is_listed_without_a_handshake(serve: Serve, options: Options) -> None:
    site = serve(stateless)
    (contract,) = HttpSource(site.url).read(options).contracts
    assert contract.protocol_version == "2026-07-28"
    assert list(contract.tools) == ["greet"]
    assert site.asked() == ["server/discover", "tools/list"]


def test_connections_are_kept_alive(serve: Serve, options: Options) -> None:
    site = serve(mcp)
    HttpSource(site.url).read(options)
    assert len({exchange.handler.client_address for exchange in site.seen}) == 1


def test_a_connection_that_was_just_closed_is_no_fault(serve: Serve, options: Options) -> None:
    def closing(exchange: Exchange) -> None:
        exchange.handler.close_connection = True  # and nothing said of it
        mcp(exchange)

    site = serve(closing)
    for _ in range(20):
        assert named(HttpSource(site.url), options) == ["greet"]


def test_a_slow_answer_to_the_probe_does_not_hold_the_greeting(
    serve: Serve, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_session, "PROBE_SECONDS", 0.05)

    def deaf(exchange: Exchange) -> None:
        if exchange.asks == "server/discover":
            exchange.stopping.wait(30)
        else:
            mcp(exchange)

    assert named(HttpSource(serve(deaf).url), options) == ["greet"]


def test_a_session_that_is_forgotten_is_opened_once_more(serve: Serve, options: Options) -> None:
    forgotten: list[int] = []
    good = Sessions()

    def forgetful(exchange: Exchange) -> None:
        if exchange.asks == "tools/list" and len(forgotten) < limit:
            forgotten.append(1)
            exchange.status(404)
        else:
            good(exchange)

    limit = 1
    site = serve(forgetful)
    assert named(HttpSource(site.url), options) == ["greet"]
    assert site.asked().count("initialize") == 2
    limit = 99
    assert failure(HttpSource(site.url), options) == Problem(
        "site",
        "list",
        "does not know the session that it gave (HTTP status 404), twice",
        "let the requests of a session reach the same server, or run it without sessions",
    )


def test_a_second_listing_finds_what_differs(serve: Serve, options: Options) -> None:
    count: list[int] = []

    def changing(exchange: Exchange) -> None:
        if exchange.asks == "tools/list":
            count.append(1)
        mcp(exchange, [{**TOOL, "description": f"Call {len(count)}"}])

    _, found = read_twice(HttpSource(serve(changing).url), options)
    assert len(found) == 1


# -- the older transport -------------------------------------------------------------------------------------------


class Older:
    """A server of 2024-11-05: answers come with the stream that a GET opened."""

    def __init__(self, refusal: int = 405, endpoint: str = "/messages?session=1") -> None:
        self.refusal, self.endpoint = refusal, endpoint
        self.streams: list[Exchange] = []

    def __call__(self, exchange: Exchange) -> None:
        if exchange.method == "GET":
            exchange.stream([f"event: endpoint\ndata: {self.endpoint}\n\n".encode()])
            self.streams.append(exchange)
            exchange.stopping.wait(30)
        elif exchange.path == "/mcp":
            exchange.status(self.refusal)
        else:
            self.post(exchange)

    def post(self, exchange: Exchange) -> None:
        exchange.status(202)
        results: dict[str, Any] = {
            "initialize": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": INFO},
            "tools/list": {"tools": [TOOL]},
        }
        if "id" in exchange.message:
            result = {"result": results[exchange.asks]} if exchange.asks in results else {"error": {"code": -32601}}
            answer = json.dumps({"jsonrpc": "2.0", "id": exchange.message["id"], **result})
            self.streams[-1].raw(f"event: message\ndata: {answer}\n\n".encode())


@pytest.mark.parametrize("refusal", [400, 404, 405])
def test_a_server_of_the_older_transport_is_found_out(serve: Serve, options: Options, refusal: int) -> None:
    site = serve(Older(refusal))
    (contract,) = HttpSource(site.url, {"X-Team": "blue"}).read(options).contracts
    assert contract.protocol_version == "2024-11-05"
    assert list(contract.tools) == ["greet"]
    assert contract.source == SourceRecord(kind="sse", url=site.url, headers={"X-Team": ""})
    assert {exchange.headers["x-team"] for exchange in site.seen} == {"blue"}


def test_the_older_transport_can_be_asked_for(serve: Serve, options: Options) -> None:
    site = serve(Older())
    assert named(HttpSource(site.url, transport="sse"), options) == ["greet"]
    assert site.seen[0].method == "GET"
    assert {exchange.path for exchange in site.seen[1:]} == {"/messages?session=1"}


def test_only_the_newer_transport_can_be_asked_for(serve: Serve, options: Options) -> None:
    site = serve(Older())
    problem = failure(HttpSource(site.url, transport="http"), options)
    assert problem.message == "answers initialize with HTTP status 405 (Method Not Allowed)"
    assert problem.next == f"{CHECK}; an older server may need --transport sse"
    assert "GET" not in site.asked()


def test_a_server_without_a_stream_is_no_older_server(serve: Serve, options: Options) -> None:
    site = serve(lambda exchange: exchange.status(404))
    assert failure(HttpSource(site.url), options) == Problem(
        "site", "start", "answers initialize with HTTP status 404 (Not Found)", CHECK
    )
    assert failure(HttpSource(site.url, transport="sse"), options) == Problem(
        "site",
        "start",
        "answers GET with HTTP status 404 (Not Found), so it does not speak the older transport",
        "check the URL, or leave --transport out",
    )


def test_an_endpoint_on_another_host_is_refused(serve: Serve, options: Options) -> None:
    other = serve(mcp)
    site = serve(Older(endpoint=f"{other.origin}/steal"))
    problem = failure(HttpSource(site.url, {"Authorization": "Bearer ${T}"}), replace(options, environ={"T": "tt"}))
    assert problem.message == f"names an endpoint on another host: {other.origin}/steal"
    assert other.seen == []
    problem = failure(HttpSource(serve(Older(endpoint="http://[")).url, transport="sse"), options)
    assert problem.message == "names an endpoint that is no address"


def test_a_stream_that_ends_too_early(serve: Serve, options: Options) -> None:
    def short(exchange: Exchange) -> None:
        exchange.stream([b"event: endpoint\ndata: /m\n\n"]) if exchange.method == "GET" else exchange.status(202)

    problem = failure(HttpSource(serve(short).url, transport="sse"), options)
    assert problem.message == "closes its event stream before the list is complete"


# -- statuses and bodies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "sentence", "step"),
    [
        (400, "answers initialize with HTTP status 400 (Bad Request)", CHECK),
        (404, "answers initialize with HTTP status 404 (Not Found)", CHECK),
        (410, "answers initialize with HTTP status 410 (Gone)", CHECK),
        (429, "answers initialize with HTTP status 429 (Too Many Requests)", "try again later"),
        (500, "answers initialize with HTTP status 500 (Internal Server Error)", LOG),
        (503, "answers initialize with HTTP status 503 (Service Unavailable)", "try again later"),
        (599, "answers initialize with HTTP status 599", LOG),
        (202, "answers initialize with HTTP status 202 (Accepted)", LOG),
        (304, "answers initialize with HTTP status 304 (Not Modified)", LOG),
    ],
)
def test_a_status_that_is_no_answer(serve: Serve, options: Options, status: int, sentence: str, step: str) -> None:
    site = serve(lambda exchange: exchange.status(status))
    assert failure(HttpSource(site.url), options) == Problem("site", "start", sentence, step)


def test_a_json_rpc_error_says_more_than_its_status(serve: Serve, options: Options) -> None:
    site = serve(lambda exchange: exchange.refusal(-32603, "no licence\nfor this", 500))
    assert failure(HttpSource(site.url), options).message == (
        "answers initialize with error -32603: no licence\\nfor this"
    )


@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_authorization(serve: Serve, options: Options, status: int) -> None:
    words = {401: "HTTP status 401 (Unauthorized)", 403: "HTTP status 403 (Forbidden)"}[status]
    for transport in (None, "sse"):
        site = serve(lambda exchange: exchange.status(status))
        assert failure(HttpSource(site.url, transport=transport), options) == Problem(
            "site", "start", f"needs authorization; fusion does not log in ({words})", PASS
        )


def test_who_gives_authorization_is_named_and_nothing_else_of_the_challenge(serve: Serve, options: Options) -> None:
    challenge = (
        'Bearer error="invalid_token", resource_metadata="https://auth.example.com/.well-known/x?key=abc\x1b[1m"'
    )
    site = serve(lambda exchange: exchange.status(401, WWW_Authenticate=challenge))
    problem = failure(HttpSource(site.url), options)
    words = "HTTP status 401 (Unauthorized), and names auth.example.com for it"
    assert problem.message == f"needs authorization; fusion does not log in ({words})"


def test_credentials_that_are_not_taken(serve: Serve, options: Options) -> None:
    site = serve(lambda exchange: exchange.status(401))
    given = replace(options, environ={"API_TOKEN": "very-secret-token"})
    problem = failure(HttpSource(site.url, {"Authorization": "Bearer ${API_TOKEN}"}), given)
    assert problem.message == "needs authorization; fusion does not log in (HTTP status 401 (Unauthorized))"
    assert problem.next == "Authorization was sent: check its value, and what it may be used for"


def test_a_list_that_may_not_be_read_is_not_a_list_that_is_empty(serve: Serve, options: Options) -> None:
    def some(exchange: Exchange) -> None:
        if exchange.asks == "initialize":
            able: dict[str, Any] = {"tools": {}, "prompts": {}}
            exchange.result({"protocolVersion": "2025-11-25", "capabilities": able, "serverInfo": INFO})
        elif exchange.asks == "prompts/list":
            exchange.status(403)
        else:
            mcp(exchange)

    reading = HttpSource(serve(some).url).read(options)
    assert reading.unread == {"site": frozenset({"prompts"})}
    assert "answers prompts/list with HTTP status 403 (Forbidden)" in reading.problems[0].message

    def none(exchange: Exchange) -> None:
        exchange.status(401) if exchange.asks == "tools/list" else mcp(exchange)

    assert failure(HttpSource(serve(none).url), options).message.startswith("needs authorization;")


@pytest.mark.parametrize(
    ("kind", "data", "sentence"),
    [
        ("text/html; charset=utf-8", b"<html>Welcome</html>", "an HTML page, not MCP"),
        ("text/plain", b"hello", "text/plain, neither JSON nor an event stream"),
        ("", b"hello", "something of no named type, neither JSON nor an event stream"),
        ("application/json", b"{}", "JSON that is no answer to it"),
        ("application/json", b'"hi"', "JSON that is no answer to it"),
        ("text/event-stream", b"data: {}\n\n", "an event stream that ends without an answer"),
        ("te\x1bxt/p", b"", "te?xt/p, neither JSON nor an event stream"),
    ],
)
def test_a_body_that_is_no_answer(serve: Serve, options: Options, kind: str, data: bytes, sentence: str) -> None:
    site = serve(lambda exchange: exchange.body(data, kind))
    step = CHECK if "HTML" in sentence else LOG
    said = f"answers initialize with {sentence}"
    assert failure(HttpSource(site.url), options) == Problem("site", "start", said, step)


def test_a_host_that_is_not_there(options: Options) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    step = "start it, or check the URL and the network"
    assert failure(HttpSource(f"http://127.0.0.1:{port}/mcp"), options) == Problem(
        "site", "start", f"cannot be reached: 127.0.0.1, port {port}: it refuses the connection", step
    )
    problem = failure(HttpSource("http://nowhere.invalid/mcp"), options)
    assert problem.message == "cannot be reached: no address is known for nowhere.invalid"


def test_no_connection_in_time(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object, **__: object) -> None:
        threading.Event().wait(30)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    assert failure(HttpSource("http://slow.example.com:8000/mcp"), replace(options, timeout=0.2)) == Problem(
        "site",
        "start",
        "cannot be reached: no connection to slow.example.com:8000 in 0.2 s",
        "check the URL and the network, or give it more time: --timeout",
    )


def test_the_end_of_a_session_is_not_waited_for_long(
    serve: Serve, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_channel, "_GOODBYE", 0.05)

    good = Sessions()

    def stubborn(exchange: Exchange) -> None:
        exchange.stopping.wait(30) if exchange.method == "DELETE" else good(exchange)

    assert named(HttpSource(serve(stubborn).url), options) == ["greet"]
