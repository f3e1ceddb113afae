"""Servers at a URL whose bytes are no HTTP, no JSON or no event stream: each is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from http_reading import Serve, listing
from http_site import Exchange, mcp
from hypothesis import given
from hypothesis import strategies as st
from reading import failure

from fusion_contracts.errors import Problem
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.jsonrpc import FloodError
from fusion_contracts.sources.sse_events import Event, events

UNREADABLE = "sends a message that cannot be read: it"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("tools", "sentence"),
    [
        (b'"\xff"', f"{UNREADABLE} is not UTF-8: line 1 holds the byte 0xff"),
        (b"[NaN]", f"{UNREADABLE} holds NaN, which JSON does not have"),
        (b"[-Infinity]", f"{UNREADABLE} holds -Infinity, which JSON does not have"),
        (b'[{"name":"a","name":"b"}]', f'{UNREADABLE} holds the key "name" twice in one object'),
        (b"[" + b"1" * 1_000_000 + b"]", f"{UNREADABLE} holds an integer of 1000000 digits: {'1' * 40}..."),
        (b"[1e" + b"9" * 1_000_000 + b"]", f"{UNREADABLE} holds a number too large to keep: 1e{'9' * 38}..."),
        (b"[" * 100_000 + b"]" * 100_000, f"{UNREADABLE} is nested deeper than 256 levels"),
        (b'["\\ud800', f"{UNREADABLE} is not JSON: line 1, column 44: unterminated string starting"),
    ],
    ids=["utf-8", "nan", "infinity", "twice", "digits", "exponent", "depth", "cut"],
)
def test_json_that_is_none(serve: Serve, options: Options, tools: bytes, sentence: str, stream: bool) -> None:
    def answer(exchange: Exchange) -> None:
        data = b'{"jsonrpc":"2.0","id":%d,"result":{"tools":%b}}' % (exchange.message["id"], tools)
        exchange.stream([b"data: " + data + b"\n\n"]) if stream else exchange.body(data)

    problem = failure(HttpSource(serve(listing(answer)).url), options)
    assert problem == Problem("site", "list", sentence, "correct the server")


def test_escapes_in_names_reach_no_terminal(serve: Serve, options: Options) -> None:
    tools = [{"name": "\x1b[2Jevil", "inputSchema": 3}, {"name": "twin"}, {"name": "twin"}]
    site = serve(lambda exchange: mcp(exchange, tools))
    reading = HttpSource(site.url).read(options)
    said = [problem.message for problem in reading.problems]
    assert said[0].startswith("tool \\u{1b}[2Jevil is refused")
    assert not any("\x1b" in sentence for sentence in said)


def raw(data: bytes) -> Callable[[Exchange], None]:
    def answer(exchange: Exchange) -> None:
        exchange.handler.close_connection = True
        exchange.raw(data)

    return answer


@pytest.mark.parametrize(
    "data",
    [
        b"HTTP/1.1 200 OK\r\nBad\rName: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nName: a\x00b\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\nzz\r\n",
        b"\x16\x03\x01 hello",
        b"SSH-2.0-OpenSSH_9.9\r\n\r\n",
    ],
    ids=["break", "zero", "length", "chunk", "tls", "ssh"],
)
def test_what_is_no_http(serve: Serve, options: Options, data: bytes) -> None:
    problem = failure(HttpSource(serve(raw(data)).url), options)
    assert problem.message.startswith("does not speak HTTP as it should: ")
    assert problem.message.isprintable()
    assert problem.next == "check the URL, and whether it is https"


def test_a_connection_that_ends_or_breaks(serve: Serve, options: Options) -> None:
    assert failure(HttpSource(serve(raw(b"")).url), options).message == "ends the connection without an answer"
    short = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{}"
    problem = failure(HttpSource(serve(listing(raw(short))).url), options)
    assert problem.message.startswith("does not speak HTTP as it should: peer closed connection")


@pytest.mark.parametrize("session", ["a b", "x" * 2000, "caf\xe9"])
def test_a_session_id_that_no_header_may_hold(serve: Serve, options: Options, session: str) -> None:
    def answer(exchange: Exchange) -> None:
        if exchange.asks == "initialize":
            exchange.result({"protocolVersion": "2025-06-18"}, Mcp_Session_Id=session)
        else:
            mcp(exchange)

    assert failure(HttpSource(serve(answer).url), options).message == (
        "gives a session id that is too long, or holds what no header may"
    )


def test_events_as_the_standard_has_them() -> None:
    stream = b"\xef\xbb\xbfdata: a\r\ndata:b\r\n\r\n: note\n\nevent: x\rdata\r\r\nid: 1\ndata:  c\n\ndata: cut"
    assert list(events([stream])) == [Event("message", b"a\nb"), Event("x", b""), Event("message", b" c")]


@given(
    st.lists(st.sampled_from([b"data: a", b"data", b": c", b"event: x", b"", b"id: 1", b"da"]), max_size=12), st.data()
)
def test_where_the_pieces_end_does_not_matter(lines: list[bytes], data: st.DataObject) -> None:
    ends = data.draw(st.lists(st.sampled_from([b"\n", b"\r\n", b"\r"]), min_size=len(lines), max_size=len(lines)))
    stream = b"".join(line + end for line, end in zip(lines, ends, strict=True))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert list(events(pieces)) == list(events([stream]))


def test_an_event_has_a_limit() -> None:
    with pytest.raises(FloodError):
        list(events([b"data: " + b"x" * 50] * 100, limit=1000))
    with pytest.raises(FloodError):
        list(events([b"data: " + b"x" * 50 + b"\n"] * 100, limit=1000))
