"""What a server at a URL answers in place of its lists: one sentence for each status and body, and for none at all."""

from __future__ import annotations

import socket
import threading
from dataclasses import replace
from typing import Any

import pytest
from http_reading import CHECK, Serve
from http_site import INFO, Exchange, closed_port, mcp
from reading import failure

from fusion_contracts.errors import Problem
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource

LOG = "look at the server's own log"
PASS = "pass what it wants: --header 'Authorization: Bearer ${TOKEN}', in single quotes, with TOKEN set"


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
    step = "start it, or check the URL and the network"
    with closed_port() as port:
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
