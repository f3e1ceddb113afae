"""Servers at a URL that send slowly, or more than is read: each is refused in bounded time and memory."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from http_reading import Serve, listing
from http_site import TOOL, Exchange, mcp
from reading import failure
from waiting import in_its_time

from fusion_contracts.errors import Problem
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource

MIB = 2**20
LESS = "make it send less, or its lists in pages"


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
    more = "give it more time: --timeout"
    silent, greeted = HttpSource(serve(answer).url), HttpSource(serve(listing(answer)).url)
    in_its_time(
        lambda seconds: failure(silent, replace(options, timeout=seconds)),
        lambda seconds: Problem(
            "site", "start", f"no answer to initialize in {seconds:g} s", f"check the URL and the network, or {more}"
        ),
        first=0.3,
    )
    in_its_time(
        lambda seconds: failure(greeted, replace(options, timeout=seconds)),
        lambda seconds: Problem(
            "site",
            "list",
            f"tools/list is not complete {seconds:g} s after the start",
            f"look at the server's own log, or {more}",
        ),
        first=0.3,
    )


def test_a_slow_drip_over_the_older_transport(serve: Serve, options: Options) -> None:
    source = HttpSource(serve(dripping_stream).url, transport="sse")
    in_its_time(
        lambda seconds: failure(source, replace(options, timeout=seconds)).message,
        lambda seconds: f"no answer to initialize in {seconds:g} s",
        first=0.2,
    )


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
    fusion = [sys.executable, "-m", "fusion_contracts", "show", "--timeout", "600"]

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
