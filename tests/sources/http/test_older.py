"""The older transport of a server at a URL: how it is found out, and what is wrong with one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from http_reading import CHECK, Serve, named
from http_site import INFO, TOOL, Exchange, mcp
from reading import failure

from fusion_contracts.errors import Problem
from fusion_contracts.model import SourceRecord
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource


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
