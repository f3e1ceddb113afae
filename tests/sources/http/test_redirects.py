"""Redirects of a server at a URL: which are followed, without headers for others, and into no private network."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest
from http_reading import Serve
from http_site import Exchange, mcp
from reading import failure

from fusion_contracts.sources import http_client, http_network
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.http_network import publicity

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
