"""Requests of one conversation over HTTP: redirects with care, proxies, trust, and a limit on every size.

A redirect is followed a few times, never from https to http, and what people configured (headers, a user name) goes to
the server's own origin alone. Proxies are those of `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` (or of the
system), and none for this machine. Trust is the system's, or what `SSL_CERT_FILE`, `SSL_CERT_DIR` or
`REQUESTS_CA_BUNDLE` name.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from httpcore2 import URL, ConnectionPool, ReadError, RemoteProtocolError, Request, Response, WriteError

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.http_network import Meter, publicity
from fusion_contracts.sources.http_route import Routes
from fusion_contracts.sources.http_target import Target
from fusion_contracts.sources.http_url import Url
from fusion_contracts.sources.jsonrpc import MAX_BYTES, MAX_MESSAGE, FloodError

__all__ = ["Answer", "Client"]

MAX_REDIRECTS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_WORLD = 2  # the publicity of what everyone can reach
_EITHER = zlib.MAX_WBITS | 32  # gzip or zlib, as the data says
_PIECE = 65536  # bytes that are decompressed in one step
_AGENT = "fusion-contracts"


class Client:
    """Sends requests to one server, with its headers, until the meter's time is over."""

    def __init__(
        self, target: Target, meter: Meter, environ: Mapping[str, str], judge: Callable[[Url], None] | None = None
    ) -> None:
        """Take note; nothing is contacted before the first request. `judge` may raise where a redirect leads."""
        self._more = judge
        self._home, self._headers, self._meter = target.url, dict(target.headers), meter
        self._routes = Routes(meter, environ)
        self._decoded = 0

    @contextmanager
    def request(
        self, method: str, url: Url, headers: Mapping[str, str], content: bytes | None = None
    ) -> Iterator[Answer]:
        """Send a request and give its answer, whatever its status; leaving gives the connection back.

        Raises FusionError for a redirect that is not followed and an unreachable host, FloodError, SilenceError, and
        what httpcore2 does.
        """
        here = url
        for _ in range(MAX_REDIRECTS + 1):
            response = self._response(method, here, headers, content)
            try:
                answer = Answer(response, here, self, redirected=here != url)
                location = answer.headers.get("location")
                if answer.status not in _REDIRECTS or not location:
                    yield answer
                    return
            finally:
                response.close()
            here = self._followed(here, location)
        message = f"redirects more than {MAX_REDIRECTS} times, the last time to {here.shown}"
        raise FusionError(message, "correct the server, or name its last URL", stage="start")

    def _response(self, method: str, url: Url, headers: Mapping[str, str], content: bytes | None) -> Response:
        address = URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target)
        length = {} if content is None else {"Content-Length": str(len(content))}
        fields = self._all_headers(url, {**headers, **length})

        def request() -> Request:
            extensions = {"timeout": {"pool": self._meter.left()}}
            return Request(method, address, headers=fields, content=content, extensions=extensions)

        return _sent(self._routes.to(url), request, self._meter)

    def _all_headers(self, url: Url, headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """What a request carries: what people configured only to the server's own origin, or that over TLS."""
        found = {"Host": url.authority, "User-Agent": _AGENT, "Accept-Encoding": "gzip", **headers}
        if self.is_home(url):
            ours = {name.lower() for name in self._headers}
            found = {name: value for name, value in found.items() if name.lower() not in ours} | self._headers
        return [(name.encode("ascii"), value.encode("latin-1")) for name, value in found.items()]

    def is_home(self, url: Url) -> bool:
        """Whether an address is the server's own, so that it may know what people configured."""
        home = self._home
        upgraded = (home.scheme, home.port, url.scheme, url.port) == ("http", 80, "https", 443)
        return url.origin == home.origin or (upgraded and url.host == home.host)

    def _followed(self, here: Url, location: str) -> Url:
        """Where a redirect leads. Raises FusionError where it is not followed."""
        try:
            there = here.joined(location)
        except ValueError as error:
            message = f"redirects to an address that {error}"
            raise FusionError(message, "correct the server", stage="start") from None
        if (here.scheme, there.scheme) == ("https", "http"):
            message = f"redirects to {there.shown}, from https to plain http, which is not followed"
            raise FusionError(message, "correct the server, or name the https URL that it means", stage="start")
        self._judge(here, there)
        if self._more is not None:
            self._more(there)
        return there

    def _judge(self, here: Url, there: Url) -> None:
        """Refuse a redirect to what is near by its number or name; what a name resolves to is judged by the network."""
        if self._meter.reach is None:  # reached by a proxy, which resolves the names
            self._meter.reach = _WORLD if here.address is None else publicity(here.address)
        near = publicity(there.address) if there.address else 0 if there.is_loopback else _WORLD
        if near < self._meter.reach:
            message = f"redirects to {there.shown}, which is no public address, though the server's own is"
            raise FusionError(message, "name that URL yourself if it is the server", stage="start")

    def close(self) -> None:
        """Close every connection."""
        self._routes.close()

    def count(self, number: int) -> None:
        """Take note of bytes after decompression. Raises FloodError where they are too many in all."""
        self._decoded += number
        if self._decoded > MAX_BYTES:
            raise FloodError(f"more than {MAX_BYTES // 2**20} MiB")


class Answer:
    """What came back from `url`, which is not the one asked where that `redirected`."""

    def __init__(self, response: Response, url: Url, client: Client, *, redirected: bool) -> None:
        """Take note; nothing of the body is read yet."""
        self.url, self.redirected = url, redirected
        self._response, self._client = response, client
        self._pieces = self._read()

    @property
    def is_home(self) -> bool:
        """Whether it is of the server's own origin, and so of one that saw what people configured."""
        return self._client.is_home(self.url)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return int(self._response.status)

    @property
    def headers(self) -> dict[str, str]:
        """The headers, their names in lower case; of several of one name the last."""
        return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in self._response.headers}

    @property
    def media_type(self) -> str:
        """The content type without its parameters, in lower case; "" where there is none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def chunks(self) -> Iterator[bytes]:
        """The body, or what is left of it, decompressed.

        Raises FloodError, and FusionError for a compression that was not offered.
        """
        return self._pieces

    def _read(self) -> Iterator[bytes]:
        coding = self.headers.get("content-encoding", "identity").strip().lower()
        for piece in _decompressed(self._response.iter_stream(), coding):
            self._client.count(len(piece))
            yield piece

    def body(self) -> bytes:
        """The whole body. Raises FloodError where it is longer than a message may be."""
        found = bytearray()
        for piece in self.chunks():
            found += piece
            if len(found) > MAX_MESSAGE:
                raise FloodError(f"more than {MAX_MESSAGE // 2**20} MiB in one message")
        return bytes(found)

    def start(self, limit: int = 4000) -> bytes:
        """The first bytes of the body, or of what is left of it."""
        found = bytearray()
        for piece in self.chunks():
            found += piece
            if len(found) >= limit:
                break
        return bytes(found[:limit])


def _sent(pool: ConnectionPool, request: Callable[[], Request], meter: Meter) -> Response:
    """The response to a request: a second time where a connection that was kept alive had just been closed."""
    before = meter.opened
    try:
        return pool.handle_request(request())
    except (RemoteProtocolError, ReadError, WriteError):
        if meter.opened != before:  # a new connection: what went wrong is no matter of being late
            raise
    return pool.handle_request(request())


def _decompressed(pieces: Iterator[bytes], coding: str) -> Iterator[bytes]:
    """The pieces of a body without their compression, none larger than what one step gives."""
    if coding in {"identity", ""}:
        yield from pieces
        return
    if coding not in {"gzip", "x-gzip", "deflate"}:
        message = f"compresses its answers in a way that was not offered: {printable(coding)[:40]}"
        raise FusionError(message, "let it send gzip, or nothing of the kind", stage="list")
    machine = zlib.decompressobj(_EITHER)
    try:
        for piece in pieces:
            rest = piece
            while rest:
                if machine.eof:  # gzip may come in several members
                    machine = zlib.decompressobj(_EITHER)
                yield machine.decompress(rest, _PIECE)
                rest = machine.unconsumed_tail or machine.unused_data
        whole = machine.eof
    except zlib.error:
        whole = False
    if not whole:
        message = f"sends an answer that says it is {coding} and is not"
        raise FusionError(message, "correct the server", stage="list")
