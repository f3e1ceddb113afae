"""A server at a URL over real sockets: what is sent, and what is listed."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from http_reading import Serve, named
from http_site import INFO, TOOL, Exchange, mcp
from reading import failure
from waiting import until

from fusion_contracts.errors import Problem
from fusion_contracts.model import SourceRecord
from fusion_contracts.sources import http_channel, mcp_session
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.twice import read_twice


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


def test_a_session_is_opened_kept_and_ended(
    serve: Serve, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_channel, "_GOODBYE", 60.0)
    site = serve(Sessions())
    said: list[str] = []
    reading = HttpSource(site.url).read(replace(options, progress=said.append))
    (contract,) = reading.contracts
    assert contract.protocol_version == "2025-06-18"
    assert contract.info == INFO
    assert list(contract.tools) == ["greet"]
    assert contract.source == SourceRecord(kind="http", url=site.url)
    assert said == [f"site: connecting to {site.url}"]
    assert site.asked()[:4] == ["server/discover", "initialize", "notifications/initialized", "tools/list"]
    until(lambda: site.asked().count("DELETE") == 1, "the session was not ended")
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


def test_the_end_of_a_session_is_not_waited_for_long(
    serve: Serve, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_channel, "_GOODBYE", 0.05)

    good = Sessions()

    def stubborn(exchange: Exchange) -> None:
        exchange.stopping.wait(30) if exchange.method == "DELETE" else good(exchange)

    assert named(HttpSource(serve(stubborn).url), options) == ["greet"]
