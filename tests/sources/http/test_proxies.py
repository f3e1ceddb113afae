"""How a server at a URL is reached through a proxy, and what a proxy may not bring about."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace

import pytest
import trustme
from http_reading import Serve, context, named
from http_site import closed_port, mcp
from proxying import Proxy
from reading import failure

from fusion_contracts.errors import Problem
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource

Start = Callable[..., Proxy]


def test_a_proxy_for_plain_http(serve: Serve, options: Options, proxy: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    site, way = serve(mcp, "server.test"), proxy()
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{way.port}")
    assert named(HttpSource(site.url), options) == ["greet"]
    assert way.lines[0] == f"POST http://server.test:{site.port}/mcp HTTP/1.1"
    assert site.seen[0].headers["host"] == f"server.test:{site.port}"


@pytest.mark.parametrize("variable", ["https_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def test_a_tunnel_through_a_proxy(  # noqa: PLR0913, PLR0917 - fixtures
    serve: Serve,
    options: Options,
    proxy: Start,
    authority: trustme.CA,
    bundle: str,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    site, way = serve(mcp, "server.test", context(authority, "server.test")), proxy()
    monkeypatch.setenv(variable, f"127.0.0.1:{way.port}")
    assert named(HttpSource(site.url), replace(options, environ={"SSL_CERT_FILE": bundle})) == ["greet"]
    assert way.lines == [f"CONNECT server.test:{site.port} HTTP/1.1"]


def test_a_proxy_that_wants_to_know_who_asks(  # noqa: PLR0913, PLR0917 - fixtures
    serve: Serve,
    options: Options,
    proxy: Start,
    authority: trustme.CA,
    bundle: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    site = serve(mcp, "server.test", context(authority, "server.test"))
    knowing = replace(options, environ={"SSL_CERT_FILE": bundle})
    way = proxy("Proxy-Authorization: Basic " + b64encode(b"me:pa:ss").decode())
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:pa%3Ass@127.0.0.1:{way.port}")
    assert named(HttpSource(site.url), knowing) == ["greet"]
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:wrong-password@127.0.0.1:{way.port}")
    assert failure(HttpSource(site.url), knowing) == Problem(
        "site",
        "start",
        "cannot be reached: the proxy answers 407 Proxy Authentication Required",
        "check HTTPS_PROXY, with its user and password, and NO_PROXY",
    )


def test_a_proxy_of_no_use(serve: Serve, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    with closed_port() as port:
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{port}")
        assert failure(HttpSource("http://server.test/mcp"), options).message == (
            f"cannot be reached: the proxy 127.0.0.1, port {port}: it refuses the connection"
        )
    monkeypatch.setenv("HTTP_PROXY", "socks5://me:pw@127.0.0.1:1080")
    problem = failure(HttpSource("http://server.test/mcp"), options)
    assert problem.message == "the proxy socks5://127.0.0.1 is no HTTP proxy"
    monkeypatch.setenv("HTTP_PROXY", "http://[::1")
    assert failure(HttpSource("http://server.test/mcp"), options).message == "the proxy has no address that can be read"


@pytest.mark.parametrize("there", ["http://127.0.0.1:9/x", "http://localhost:9/x", "http://169.254.169.254/x"])
def test_through_a_proxy_a_redirect_to_a_private_address_is_refused(
    serve: Serve, options: Options, proxy: Start, monkeypatch: pytest.MonkeyPatch, there: str
) -> None:
    way = proxy()
    site = serve(lambda exchange: exchange.status(307, Location=there), "server.test")
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{way.port}")
    assert failure(HttpSource(site.url), options).message == (
        f"redirects to {there}, which is no public address, though the server's own is"
    )
    assert all("server.test" in line for line in way.lines)
