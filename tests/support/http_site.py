"""A server on loopback for the tests of sources at a URL: real sockets, and answers that are functions of the test."""

from __future__ import annotations

import json
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeAlias

TOOL = {"name": "greet", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
INFO = {"name": "site", "version": "1.0.0"}


@contextmanager
def closed_port() -> Iterator[int]:
    """A port of loopback that refuses every connection: it is taken, so that nobody else listens there meanwhile."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@dataclass
class Exchange:
    """One request as it came, and the way to answer it."""

    handler: BaseHTTPRequestHandler
    method: str
    path: str
    headers: Mapping[str, str]
    message: Any
    stopping: threading.Event

    @property
    def asks(self) -> str:
        """The JSON-RPC method; "" where there is none."""
        return self.message.get("method", "") if isinstance(self.message, dict) else ""

    def raw(self, data: bytes) -> None:
        """Bytes as they are."""
        self.handler.wfile.write(data)

    def body(
        self, data: bytes, kind: str = "application/json", status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """A whole answer; `_` in the name of a header stands for `-`."""
        self.handler.send_response(status)
        self.handler.send_header("Content-Type", kind)
        self.handler.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        self.raw(data)

    def status(self, status: int, **headers: str) -> None:
        """An answer without a body."""
        self.body(b"", "text/plain", status, headers)

    def result(self, result: Any, **headers: str) -> None:
        """A JSON-RPC result."""
        self.body(json.dumps({"jsonrpc": "2.0", "id": self.message["id"], "result": result}).encode(), headers=headers)

    def refusal(self, code: int, message: str, status: int = 200) -> None:
        """A JSON-RPC error."""
        error = {"jsonrpc": "2.0", "id": self.message.get("id"), "error": {"code": code, "message": message}}
        self.body(json.dumps(error).encode(), status=status)

    def stream(self, pieces: Iterable[bytes] = (), **headers: str) -> None:
        """The start of an event stream, and its pieces; it ends with the connection."""
        self.handler.close_connection = True
        self.handler.send_response(200)
        self.handler.send_header("Content-Type", "text/event-stream")
        for name, value in headers.items():
            self.handler.send_header(name.replace("_", "-"), value)
        self.handler.end_headers()
        for piece in pieces:
            self.raw(piece)


Answer: TypeAlias = Callable[[Exchange], None]


def mcp(exchange: Exchange, tools: Iterable[Any] = (TOOL,), version: str = "2025-11-25") -> None:
    """Answer as a server of the handshake era without sessions does, in JSON."""
    match exchange.asks:
        case "initialize":
            asked = exchange.message["params"]["protocolVersion"]
            exchange.result({"protocolVersion": min(version, asked), "capabilities": {"tools": {}}, "serverInfo": INFO})
        case "tools/list":
            exchange.result({"tools": list(tools)})
        case _ if exchange.method != "POST":
            exchange.status(405)
        case _ if "id" not in exchange.message:
            exchange.status(202)
        case _:
            exchange.refusal(-32601, "Method not found", 404)


@dataclass
class Site:
    """A running server. `seen` are the requests so far."""

    answer: Answer
    host: str = "127.0.0.1"
    tls: ssl.SSLContext | None = None
    seen: list[Exchange] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Start it."""
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that leaves is no fault
        if self.tls is not None:
            self.server.socket = self.tls.wrap_socket(
                self.server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                message = json.loads(body) if body else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                exchange = Exchange(self, self.command, self.path, headers, message, site.stopping)
                site.seen.append(exchange)
                with suppress(OSError):
                    site.answer(exchange)

            do_GET = do_POST = do_DELETE = answer  # noqa: N815 - the names that http.server looks for

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}"

    @property
    def authority(self) -> str:
        """Host and port."""
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The endpoint."""
        return f"{self.origin}/mcp"

    def asked(self) -> list[str]:
        """The JSON-RPC methods so far, or the HTTP method where there is none."""
        return [exchange.asks or exchange.method for exchange in list(self.seen)]

    def stop(self) -> None:
        """Stop it, and whatever still answers."""
        self.stopping.set()
        self.server.shutdown()
        self.server.server_close()
