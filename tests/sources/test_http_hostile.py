"""Servers at a URL that mean harm: each is refused in a sentence, in bounded time and memory."""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from http_site import TOOL, Exchange, Site, mcp
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources import http_client, http_network
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.http_network import publicity
from fusion_contracts.sources.jsonrpc import FloodError
from fusion_contracts.sources.sse_events import Event, events

Serve = Callable[..., Site]
MIB = 2**20
LESS = "make it send less, or its lists in pages"


@pytest.fixture
def options(options: Options) -> Options:
    """The shared ones, with a NAME, which is else made of the URL's host."""
    return replace(options, name="site")


def failure(source: HttpSource, options: Options) -> Problem:
    with pytest.raises(FusionError) as caught:
        source.read(options)
    return caught.value.problem


def listing(answer: Callable[[Exchange], None]) -> Callable[[Exchange], None]:
    """A server that is good but for its tools."""

    def answered(exchange: Exchange) -> None:
        (answer if exchange.asks == "tools/list" else mcp)(exchange)

    return answered


# -- time ----------------------------------------------------------------------------------------------------------


def drip(exchange: Exchange, data: bytes) -> None:
    """Send a byte at a time, for ever."""
    while True:
        for byte in data:
            exchange.raw(bytes([byte]))
            if exchange.stopping.wait(0.005):
                return


def dripping_headers(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 200 OK\r\nX-Long: ")
    drip(exchange, b"a")


def dripping_body(exchange: Exchange) -> None:
    exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n")
    drip(exchange, b" ")


def dripping_stream(exchange: Exchange) -> None:
    exchange.stream()
    drip(exchange, b": ping\n\n")


def promising(exchange: Exchange) -> None:
    """Say that an answer is under way, for ever."""
    while not exchange.stopping.wait(0.005):
        exchange.raw(b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.parametrize("answer", [dripping_headers, dripping_body, dripping_stream, promising])
def test_a_slow_drip(serve: Serve, options: Options, answer: Callable[[Exchange], None]) -> None:
    quick = replace(options, timeout=0.3)
    problem = failure(HttpSource(serve(answer).url), quick)
    assert problem.message == "no answer to initialize in 0.3 s"
    assert problem.next == "check the URL and the network, or give it more time: --timeout"
    problem = failure(HttpSource(serve(listing(answer)).url), quick)
    assert problem.message == "tools/list is not complete 0.3 s after the start"
    assert problem.stage == "list"


def test_a_slow_drip_over_the_older_transport(serve: Serve, options: Options) -> None:
    problem = failure(HttpSource(serve(dripping_stream).url, transport="sse"), replace(options, timeout=0.2))
    assert problem.message == "no answer to initialize in 0.2 s"


def test_pages_that_do_not_end(serve: Serve, options: Options) -> None:
    def endless(exchange: Exchange) -> None:
        page = int(exchange.message["params"].get("cursor", "0"))
        exchange.result({"tools": [TOOL], "nextCursor": str(page + 1)})

    assert failure(HttpSource(serve(listing(endless)).url), options).message == (
        "pages for ever: tools/list has more than 1000 pages"
    )


def test_pages_in_a_circle(serve: Serve, options: Options) -> None:
    def circle(exchange: Exchange) -> None:
        page = exchange.message["params"].get("cursor", "a")
        exchange.result({"tools": [TOOL], "nextCursor": "b" if page == "a" else "a"})

    assert failure(HttpSource(serve(listing(circle)).url), options).message == (
        "pages for ever: tools/list gives a nextCursor that it gave before"
    )


# -- memory --------------------------------------------------------------------------------------------------------


class Counted:
    """A server that sends pieces until it is stopped, and counts them."""

    def __init__(self, head: bytes, pieces: Iterator[bytes]) -> None:
        self.head, self.pieces, self.sent = head, pieces, 0

    def __call__(self, exchange: Exchange) -> None:
        exchange.raw(self.head)
        for piece in self.pieces:
            exchange.raw(piece)
            self.sent += len(piece)


def gigabyte() -> Iterator[bytes]:
    yield b'{"jsonrpc":"2.0","id":1,"result":{"tools":"'
    for _ in range(1024):
        yield b"x" * MIB


def bomb() -> Iterator[bytes]:
    """A gibibyte of one letter, compressed to a mebibyte."""
    machine = zlib.compressobj(9, wbits=31)
    yield machine.compress(b'{"jsonrpc":"2.0","id":1,"result":{"tools":"')
    for _ in range(1024):
        yield machine.compress(b"x" * MIB)
    yield machine.flush()


def parts(*pieces: bytes) -> Iterator[bytes]:
    """Pieces, again and again, a gibibyte of them."""
    sent = 0
    while sent < 1024 * MIB:
        for piece in pieces:
            yield piece
            sent += len(piece)


def chunked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield b"%x\r\n%b\r\n" % (len(piece), piece)


OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
JSON, STREAM = OK + b"application/json\r\n", OK + b"text/event-stream\r\n\r\n"
NOTE = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":"' + b"x" * 4096 + b'"}\n\n'


@pytest.mark.parametrize(
    ("server", "said", "most"),
    [
        (lambda: Counted(JSON + b"\r\n", gigabyte()), "16 MiB in one message", 40),
        (lambda: Counted(JSON + b"Content-Length: 1073741824\r\n\r\n", gigabyte()), "16 MiB in one message", 40),
        (
            lambda: Counted(JSON + b"Transfer-Encoding: chunked\r\n\r\n", chunked(gigabyte())),
            "16 MiB in one message",
            40,
        ),
        (lambda: Counted(JSON + b"Content-Encoding: gzip\r\n\r\n", bomb()), "16 MiB in one message", 2),
        (lambda: Counted(STREAM, parts(b"data: " + b"x" * MIB)), "16 MiB in one message", 40),
        (lambda: Counted(STREAM, parts(b"data: " + b"x" * 4096 + b"\n")), "16 MiB in one message", 40),
        (lambda: Counted(STREAM, parts(NOTE)), "64 MiB", 90),
        (lambda: Counted(STREAM, parts(b": " + b"x" * 4096 + b"\n")), "64 MiB", 90),
    ],
    ids=["body", "length", "chunks", "bomb", "line", "event", "events", "comments"],
)
def test_more_than_is_read(serve: Serve, options: Options, server: Callable[[], Counted], said: str, most: int) -> None:
    """What is held at once is measured, and what left the server: the rest waits in the buffers of the system."""
    hostile = server()
    tracemalloc.start()
    try:
        problem = failure(HttpSource(serve(listing(hostile)).url), options)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert problem == Problem("site", "list", f"sends more than {said}", LESS)
    assert hostile.sent <= most * MIB
    assert peak <= 150 * MIB


def test_the_memory_of_a_whole_run(serve: Serve, tmp_path: Path) -> None:
    """As the system counts it, beside a run that reads one tool."""
    fusion = [sys.executable, "-m", "fusion_contracts", "show", "--timeout", "60"]

    def peak(url: str) -> tuple[int, str]:
        process = subprocess.Popen([*fusion, url], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert process.stderr is not None
        said = process.stderr.read().decode()
        process.stderr.close()
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        return usage.ru_maxrss // (1024 if sys.platform != "darwin" else MIB), said

    usual, _ = peak(serve(mcp).url)
    for hostile in (Counted(JSON + b"\r\n", gigabyte()), Counted(JSON + b"Content-Encoding: gzip\r\n\r\n", bomb())):
        used, said = peak(serve(listing(hostile)).url)
        assert "sends more than 16 MiB in one message" in said
        assert used <= usual + 100


def test_headers_that_do_not_end(serve: Serve, options: Options) -> None:
    for pieces in (parts(b"x" * 65536), parts(b"X-A: b\r\n" * 1000)):
        hostile = Counted(b"HTTP/1.1 200 OK\r\nX-Long: ", pieces)
        problem = failure(HttpSource(serve(hostile).url), options)
        assert problem.message == "does not speak HTTP as it should: its headers are larger than 100 KiB"
        assert hostile.sent <= 20 * MIB


def test_compressed_answers_are_read(serve: Serve, options: Options) -> None:
    def small(exchange: Exchange) -> None:
        answer = json.dumps({"jsonrpc": "2.0", "id": exchange.message["id"], "result": {"tools": [TOOL]}}).encode()
        exchange.body(gzip.compress(answer[:40]) + gzip.compress(answer[40:]), headers={"Content_Encoding": "gzip"})

    def whole(exchange: Exchange) -> None:
        answer = json.dumps({"jsonrpc": "2.0", "id": exchange.message["id"], "result": {"tools": [TOOL]}}).encode()
        exchange.body(zlib.compress(answer), headers={"Content_Encoding": "deflate"})

    for answer in (small, whole):
        (contract,) = HttpSource(serve(listing(answer)).url).read(options).contracts
        assert list(contract.tools) == ["greet"]


@pytest.mark.parametrize(
    ("coding", "data", "sentence"),
    [
        ("br", b"abc", "compresses its answers in a way that was not offered: br"),
        ("gzip, gzip", b"abc", "compresses its answers in a way that was not offered: gzip, gzip"),
        ("gzip", b"not gzip", "sends an answer that says it is gzip and is not"),
        ("gzip", gzip.compress(b"{}" * 999, mtime=0)[:-20], "sends an answer that says it is gzip and is not"),
    ],
)
def test_compression_of_no_use(serve: Serve, options: Options, coding: str, data: bytes, sentence: str) -> None:
    site = serve(listing(lambda exchange: exchange.body(data, headers={"Content_Encoding": coding})))
    assert failure(HttpSource(site.url), options).message == sentence


# -- bytes ---------------------------------------------------------------------------------------------------------

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


# -- redirects -----------------------------------------------------------------------------------------------------

SECRET = {"Authorization": "Bearer ${TOKEN}"}


@pytest.fixture
def knowing(options: Options) -> Options:
    """With a token."""
    return replace(options, environ={"TOKEN": "very-secret-token"})


def moved(to: str, status: int = 307, origin: str = "/mcp") -> Callable[[Exchange], None]:
    def answer(exchange: Exchange) -> None:
        exchange.status(status, Location=to) if exchange.path == origin else mcp(exchange)

    return answer


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_on_the_same_host_is_followed_with_headers(serve: Serve, knowing: Options, status: int) -> None:
    site = serve(moved("/mcp/", status))
    (contract,) = HttpSource(site.url, SECRET).read(knowing).contracts
    assert list(contract.tools) == ["greet"]
    assert {exchange.headers["authorization"] for exchange in site.seen} == {"Bearer very-secret-token"}
    assert contract.source is not None
    assert contract.source.url == site.url


def test_a_redirect_to_another_host_carries_no_headers(serve: Serve, knowing: Options) -> None:
    other = serve(mcp, "localhost")
    site = serve(moved(f"{other.origin}/mcp"))
    (contract,) = (
        HttpSource(f"http://me:${{TOKEN}}@127.0.0.1:{site.port}/mcp", {"X-Team": "blue"}).read(knowing).contracts
    )
    assert list(contract.tools) == ["greet"]
    assert {exchange.headers["x-team"] for exchange in site.seen} == {"blue"}
    assert all(exchange.headers["authorization"].startswith("Basic ") for exchange in site.seen)
    assert other.seen
    for exchange in other.seen:
        assert not exchange.headers.keys() & {"x-team", "authorization"}


def test_another_port_is_another_host(serve: Serve, knowing: Options) -> None:
    other = serve(lambda exchange: exchange.status(401))
    site = serve(moved(f"{other.origin}/mcp"))
    problem = failure(HttpSource(site.url, SECRET), knowing)
    assert problem.message == "needs authorization; fusion does not log in (HTTP status 401 (Unauthorized))"
    assert problem.next == (
        f"Authorization goes to 127.0.0.1:{site.port} alone: name {other.url} if that is the server"
    )
    assert not any("authorization" in exchange.headers for exchange in other.seen)


def test_a_page_behind_a_redirect_is_named(serve: Serve, options: Options) -> None:
    site = serve(
        lambda exchange: (
            exchange.status(302, Location="/login?next=x&token=abcdefgh")
            if exchange.path == "/mcp"
            else exchange.body(b"<html>", "text/html")
        )
    )
    assert failure(HttpSource(site.url), options).message == (
        f"answers initialize with an HTML page, not MCP, after a redirect to {site.origin}/login"
    )


def test_redirects_that_do_not_end(serve: Serve, options: Options) -> None:
    site = serve(lambda exchange: exchange.status(307, Location=exchange.path + "x"))
    assert failure(HttpSource(site.url), options).message == (
        f"redirects more than 5 times, the last time to {site.url}xxxxxx"
    )
    assert len(site.seen) == 6


@pytest.mark.parametrize(
    ("to", "sentence"),
    [
        ("file:///etc/passwd", "redirects to an address that is no http or https address"),
        ("http://me:pw@example.com/", "redirects to an address that holds a user name"),
        ("http://a b/", "redirects to an address that holds a space or a control character"),
        ("http://[", "redirects to an address that has a host or port that is none"),
    ],
)
def test_a_redirect_to_no_address(serve: Serve, options: Options, to: str, sentence: str) -> None:
    assert failure(HttpSource(serve(moved(to)).url), options).message == sentence


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, list[str]], None]:
    """Say where names lead, one answer after the other, and take 127.0.0.1 for an address of the world."""
    answers: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def resolve(host: str, port: int, *rest: Any, **more: Any) -> Any:
        if host in answers:
            address = answers[host].pop(0) if len(answers[host]) > 1 else answers[host][0]
            return real(address, port, *rest, **more)
        return real(host, port, *rest, **more)

    def reach(address: Any) -> int:
        return 2 if str(address) == "127.0.0.1" else publicity(address)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    for module in (http_client, http_network):
        monkeypatch.setattr(module, "publicity", reach)
    return answers.__setitem__


@pytest.mark.parametrize(
    "near", ["127.0.0.2", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[::1]", "localhost", "0.0.0.0"]
)
def test_a_redirect_from_the_world_to_a_private_address(
    serve: Serve, options: Options, world: Callable[[str, list[str]], None], near: str
) -> None:
    world("public.test", ["127.0.0.1"])
    site = serve(moved(f"http://{near}:8080/latest"), "public.test")
    problem = failure(HttpSource(site.url), options)
    assert problem.message == (
        f"redirects to http://{near}:8080/latest, which is no public address, though the server's own is"
    )
    assert problem.next == "name that URL yourself if it is the server"


def test_a_redirect_to_a_name_of_a_private_address(
    serve: Serve, options: Options, world: Callable[[str, list[str]], None]
) -> None:
    world("public.test", ["127.0.0.1"])
    world("inside.test", ["127.0.0.2"])
    site = serve(moved("http://inside.test:8080/"), "public.test")
    assert failure(HttpSource(site.url), options).message == (
        "leads to inside.test (127.0.0.2), which is no public address, though the server's own is"
    )


def test_a_name_that_leads_elsewhere_the_second_time(
    serve: Serve, options: Options, world: Callable[[str, list[str]], None]
) -> None:
    """DNS rebinding: the address that is judged is the one that is connected to, each time."""
    world("public.test", ["127.0.0.1", "127.0.0.2"])

    def closing(exchange: Exchange) -> None:
        exchange.handler.close_connection = True
        mcp(exchange)

    site = serve(closing, "public.test")
    assert failure(HttpSource(site.url), options).message == (
        "leads to public.test (127.0.0.2), which is no public address, though the server's own is"
    )


@pytest.mark.parametrize(
    ("address", "reach"),
    [
        ("8.8.8.8", 2),
        ("2606:4700::1111", 2),
        ("10.1.2.3", 1),
        ("172.16.0.1", 1),
        ("192.168.0.1", 1),
        ("100.64.0.1", 1),
        ("fd00::1", 1),
        ("224.0.0.1", 1),
        ("127.0.0.1", 0),
        ("::1", 0),
        ("169.254.169.254", 0),
        ("fe80::1", 0),
        ("0.0.0.0", 0),
        ("::", 0),
        ("::ffff:127.0.0.1", 0),
        ("::ffff:10.0.0.1", 1),
    ],
)
def test_how_far_an_address_reaches(address: str, reach: int) -> None:
    assert publicity(ip_address(address)) == reach


# -- event streams -------------------------------------------------------------------------------------------------


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
