"""What the tests of sources at a URL share: names of what is listed, servers bad in one answer, TLS for a server."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any

import trustme
from http_site import Exchange, Site, mcp

from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource

Serve = Callable[..., Site]
CHECK = "check the URL; the path of an MCP endpoint is often /mcp or /sse"


def named(source: HttpSource, options: Options) -> list[str]:
    (contract,) = source.read(options).contracts
    return list(contract.tools)


def listing(answer: Callable[[Exchange], None]) -> Callable[[Exchange], None]:
    """A server that is good but for its tools."""

    def answered(exchange: Exchange) -> None:
        (answer if exchange.asks == "tools/list" else mcp)(exchange)

    return answered


def context(authority: trustme.CA, *names: str, **more: Any) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **more).configure_cert(made)
    return made
