"""What is reached without a proxy, whatever the environment names: this machine, and what NO_PROXY holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from http_reading import Serve, named
from http_site import mcp
from proxying import Proxy

from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.http_url import parse

Start = Callable[..., Proxy]
HERE = "0.0.0.0"  # leads to this machine, and is no address of loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
def test_this_machine_is_reached_by_no_proxy(  # noqa: PLR0913, PLR0917 - fixtures
    serve: Serve, options: Options, proxy: Start, monkeypatch: pytest.MonkeyPatch, variable: str, host: str
) -> None:
    site, way = serve(mcp, host), proxy()
    monkeypatch.setenv(variable, f"http://127.0.0.1:{way.port}")
    monkeypatch.setenv("NO_PROXY", "example.com")
    assert named(HttpSource(site.url), options) == ["greet"]
    assert way.lines == []


def test_other_hosts_are_where_no_proxy_says_so(
    serve: Serve, options: Options, proxy: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, way = serve(mcp, HERE), proxy()
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{way.port}")
    monkeypatch.setenv("NO_PROXY", f"example.com,{HERE}")
    assert named(HttpSource(site.url), options) == ["greet"]
    assert way.lines == []
    monkeypatch.setenv("NO_PROXY", "example.com")
    assert named(HttpSource(site.url), options) == ["greet"]
    assert way.lines[0] == f"POST http://{HERE}:{site.port}/mcp HTTP/1.1"


@pytest.mark.parametrize(
    ("host", "is_loopback"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("desk.localhost", True),
        ("127.3.2.1", True),
        ("[::1]", True),
        ("[::ffff:127.0.0.1]", True),
        ("localhost.example.com", False),
        ("notlocalhost", False),
        ("127.0.0.1.example.com", False),
        ("10.0.0.1", False),
        ("[::ffff:10.0.0.1]", False),
    ],
)
def test_which_hosts_are_this_machine(host: str, is_loopback: bool) -> None:
    assert parse(f"http://{host}:8080/hook").is_loopback is is_loopback
