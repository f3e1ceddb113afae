"""How a server at a URL is reached: TLS by a private authority, proxies, and what of secrets is shown or stored."""

from __future__ import annotations

import socket
import ssl
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
from http_site import INFO, TOOL, Exchange, Site, mcp
from proxying import Proxy

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.http_headers import header_template, headers_of

Serve = Callable[..., Site]
PRIVATE = "for a private authority set SSL_CERT_FILE to the file of its certificate"


@pytest.fixture
def options(options: Options) -> Options:
    """The shared ones, with a NAME, which is else made of the URL's host."""
    return replace(options, name="site")


def failure(source: HttpSource, options: Options) -> Problem:
    with pytest.raises(FusionError) as caught:
        source.read(options)
    return caught.value.problem


def tools(source: HttpSource, options: Options) -> list[str]:
    (contract,) = source.read(options).contracts
    return list(contract.tools)


# -- certificates --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """An authority that nobody knows."""
    return trustme.CA()


@pytest.fixture
def bundle(authority: trustme.CA, tmp_path: Path) -> str:
    """The file of its certificate."""
    authority.cert_pem.write_to_path(tmp_path / "authority.pem")
    return str(tmp_path / "authority.pem")


def context(authority: trustme.CA, *names: str, **more: Any) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **more).configure_cert(made)
    return made


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_a_private_authority_is_trusted_where_it_is_named(
    serve: Serve, options: Options, authority: trustme.CA, bundle: str, variable: str
) -> None:
    for host in ("127.0.0.1", "localhost"):
        site = serve(mcp, host, context(authority, host))
        assert tools(HttpSource(site.url), replace(options, environ={variable: bundle})) == ["greet"]


def test_a_private_authority_is_not_trusted_by_itself(serve: Serve, options: Options, authority: trustme.CA) -> None:
    site = serve(mcp, tls=context(authority, "127.0.0.1"))
    problem = failure(HttpSource(site.url), options)
    assert problem.message.startswith("its certificate is not trusted: ")
    assert "certificate" in problem.message.removeprefix("its certificate is not trusted: ")
    assert problem.next == PRIVATE
    assert site.seen == []


def test_a_certificate_of_another_name_or_time(
    serve: Serve, options: Options, authority: trustme.CA, bundle: str
) -> None:
    knowing = replace(options, environ={"SSL_CERT_FILE": bundle})
    problem = failure(HttpSource(serve(mcp, tls=context(authority, "example.com")).url), knowing)
    assert problem.message.startswith("its certificate is not trusted: ")
    assert problem.next == "check that 127.0.0.1 is the server's name"
    past = datetime.now(UTC) - timedelta(days=1)
    problem = failure(HttpSource(serve(mcp, tls=context(authority, "127.0.0.1", not_after=past)).url), knowing)
    assert problem.message == "its certificate is not trusted: certificate has expired"
    assert problem.next == "renew it, and check the clock here"


def test_tls_and_none_of_it(serve: Serve, options: Options, authority: trustme.CA) -> None:
    plain = serve(mcp)
    problem = failure(HttpSource(f"https://127.0.0.1:{plain.port}/mcp"), options)
    assert problem.message.startswith(f"cannot be reached: 127.0.0.1:{plain.port} does not speak TLS as it should (")
    assert problem.next == "write http:// for a server without TLS"
    safe = serve(mcp, tls=context(authority, "127.0.0.1"))
    problem = failure(HttpSource(f"http://127.0.0.1:{safe.port}/mcp"), options)
    assert problem.stage == "start"


def test_a_file_of_certificates_that_is_none(options: Options, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("nothing", encoding="utf-8")
    for path in (tmp_path / "empty.pem", tmp_path / "missing.pem"):
        problem = failure(HttpSource("https://127.0.0.1/mcp"), replace(options, environ={"SSL_CERT_FILE": str(path)}))
        assert problem.message == f"SSL_CERT_FILE names {path}, which holds no certificates that can be read"


def test_from_https_to_plain_http_is_not_followed(
    serve: Serve, options: Options, authority: trustme.CA, bundle: str
) -> None:
    plain = serve(mcp)
    site = serve(lambda exchange: exchange.status(307, Location=plain.url), tls=context(authority, "127.0.0.1"))
    problem = failure(HttpSource(site.url), replace(options, environ={"SSL_CERT_FILE": bundle}))
    assert problem.message == f"redirects to {plain.url}, from https to plain http, which is not followed"
    assert plain.seen == []


# -- proxies -------------------------------------------------------------------------------------------------------


Start = Callable[..., Proxy]


def test_a_proxy_for_plain_http(serve: Serve, options: Options, proxy: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    site, way = serve(mcp, "server.test"), proxy()
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{way.port}")
    assert tools(HttpSource(site.url), options) == ["greet"]
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
    assert tools(HttpSource(site.url), replace(options, environ={"SSL_CERT_FILE": bundle})) == ["greet"]
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
    assert tools(HttpSource(site.url), knowing) == ["greet"]
    monkeypatch.setenv("HTTPS_PROXY", f"http://me:wrong-password@127.0.0.1:{way.port}")
    assert failure(HttpSource(site.url), knowing) == Problem(
        "site",
        "start",
        "cannot be reached: the proxy answers 407 Proxy Authentication Required",
        "check HTTPS_PROXY, with its user and password, and NO_PROXY",
    )


def test_a_proxy_of_no_use(serve: Serve, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
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


# -- secrets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "headers", "sentence"),
    [
        (
            "https://me:hunter2@example.com/mcp",
            {},
            ("the user part of the URL at example.com looks like a secret; "
            "write '${URL_PASSWORD}' for it (in single quotes) and set URL_PASSWORD in the environment"),
        ),
        (
            "https://example.com/mcp?api_key=hunter2",
            {},
            ("api_key in the query of the URL at example.com looks like a secret; "
            "write '${API_KEY}' for it (in single quotes) and set API_KEY in the environment"),
        ),
        (
            "https://example.com/s/sk-abcdefghijklmnopqrst/mcp",
            {},
            ("a part of the URL at example.com looks like a secret; "
            "write '${SECRET}' for it (in single quotes) and set SECRET in the environment"),
        ),
        (
            "https://example.com/mcp",
            {"Authorization": "Bearer hunter2hunter2"},
            ("the value of the header Authorization looks like a secret; "
            "write '${TOKEN}' for it (in single quotes) and set TOKEN in the environment"),
        ),
        (
            "https://example.com/mcp",
            {"X-Api-Key": "hunter2"},
            ("the value of the header X-Api-Key looks like a secret; "
            "write '${X_API_KEY}' for it (in single quotes) and set X_API_KEY in the environment"),
        ),
        (
            "https://example.com/mcp",
            {"X-Anything": "Aa0Bb1Cc2Dd3Ee4Ff5Gg6Hh7"},
            ("the value of the header X-Anything looks like a secret; "
            "write '${X_ANYTHING}' for it (in single quotes) and set X_ANYTHING in the environment"),
        ),
        (
            "https://example.com/mcp",
            {"Authorization": "Bearer "},
            ("the header Authorization holds no value; "
            "write '${TOKEN}' in single quotes: in double quotes the shell fills it in"),
        ),
        (
            "https://example.com/mcp",
            {"X-Api-Key": ""},
            ("the header X-Api-Key holds no value; "
            "write '${X_API_KEY}' in single quotes: in double quotes the shell fills it in"),
        ),
        ("https://example.com/mcp", {"a b": "c"}, "\"a b\" is no name of a header; write 'NAME: VALUE'"),
        ("https://example.com/mcp", {"Host": "c"}, "the header Host is set by the protocol; leave it out"),
        ("https://example.com/mcp", {"A": "b", "a": "b"}, "a header is given twice; give it once"),
        (
            "https://example.com/mcp",
            {"X-Team": "blue\r\nX-Evil: 1"},
            "the header X-Team holds a line break or another control character; correct it",
        ),
        (
            "https://example.com/mcp",
            {"X-Team": "\u20ac"},
            "the header X-Team holds a character that no header may; correct it",
        ),
    ],
)  # fmt: skip
def test_what_is_refused_before_anything_is_contacted(url: str, headers: dict[str, str], sentence: str) -> None:
    with pytest.raises(FusionError) as caught:
        HttpSource(url, headers)
    assert str(caught.value) == sentence
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "value",
    ["Bearer ${TOKEN}", "${TOKEN}", "Basic ${USER}:${PASS}", "Token token=${T}", "ApiKey ${KEY}", "a=${A}; b=${B}"],
)
def test_references_are_no_secrets(value: str) -> None:
    assert HttpSource("https://me:${PW}@example.com/${T}?key=${K}", {"Authorization": value}).headers


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("Bearer ${TOKEN}", "Bearer ${TOKEN}"),
        ("${TOKEN}", "${TOKEN}"),
        ("v1 ${TOKEN:-x} z", "${TOKEN}"),
        ("plain", ""),
    ],
)
def test_the_lock_keeps_references_of_headers_alone(value: str, kept: str) -> None:
    assert header_template(value) == kept


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({}, ("the header Authorization needs the variable TOKEN, which is not set; "
             "set TOKEN in the environment, or write ${TOKEN:-default}")),
        ({"TOKEN": "abc\n"}, ("the header Authorization holds a line break or another control character; "
                             "correct the value of TOKEN")),
        ({"TOKEN": "a\r\nX-Evil: 1"}, ("the header Authorization holds a line break or another control character; "
                                      "correct the value of TOKEN")),
        ({"TOKEN": "\u20ac"}, ("the header Authorization holds a character that no header may; "
                              "correct the value of TOKEN")),
    ],
)  # fmt: skip
def test_what_a_variable_may_not_hold(serve: Serve, options: Options, environ: dict[str, str], sentence: str) -> None:
    site = serve(mcp)
    with pytest.raises(FusionError) as caught:
        HttpSource(site.url, {"Authorization": "Bearer ${TOKEN}"}).read(replace(options, environ=environ))
    assert str(caught.value) == f"site: {sentence}"
    assert site.seen == []


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("ftp://example.com/x", "the URL ftp://example.com/x is no http or https address"),
        ("https:///mcp", "the URL https:///mcp names no host"),
        ("https://example.com:99999/mcp", "the URL https://example.com:99999/mcp has a host or port that is none"),
        ("https://exa mple.com/mcp", "the URL https://exa mple.com/mcp holds a space or a control character"),
        ("https://${HOST}/mcp", "the URL https://${HOST}/mcp holds a space or a control character"),
        ("https://exam\u202eple..com/", "the URL https://exam\\u{202e}ple..com/ has a host that no network knows"),
    ],
)
def test_what_is_no_address(options: Options, url: str, sentence: str) -> None:
    problem = failure(HttpSource(url), replace(options, environ={"HOST": "a\nb"}))
    assert problem == Problem("site", "usage", sentence, "write http://HOST/PATH or https://HOST/PATH")


def test_a_user_part_is_sent_as_basic_authorization(serve: Serve, options: Options) -> None:
    site = serve(mcp)
    source = HttpSource(f"http://m%40e:${{PW}}@127.0.0.1:{site.port}/mcp")
    source.read(replace(options, environ={"PW": "p@ss/word?"}))
    assert site.seen[0].headers["authorization"] == "Basic " + b64encode(b"m@e:p@ss/word?").decode()
    assert site.seen[0].path == "/mcp"


def test_no_secret_comes_back(serve: Serve, options: Options) -> None:
    secret, other = "s3cret-value-of-mine", "another-s3cret"

    def telling(exchange: Exchange) -> None:
        """Repeat what was sent, wherever a server can."""
        sent = exchange.headers.get("authorization", "")
        if exchange.asks == "initialize":
            told = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "prompts": {}}, "serverInfo": INFO}
            exchange.result({**told, "instructions": f"You are {sent}, key {other}"})
        elif exchange.asks == "prompts/list":
            exchange.refusal(-32000, f"not for {sent}")
        elif exchange.asks == "tools/list" and fails:
            exchange.refusal(-32000, f"no tools for {sent} or {other}")
        else:
            mcp(exchange, [{**TOOL, "description": f"By {sent} at {exchange.path}"}])

    given = replace(options, environ={"TOKEN": secret, "QUERY": other})
    site = serve(telling)
    source = HttpSource(f"{site.url}?api_key=${{QUERY}}&a=b", {"Authorization": "Bearer ${TOKEN}", "X-Team": "blue"})
    fails = False
    reading = source.read(given)
    (contract,) = reading.contracts
    lock = encode(Lock({"site": contract}))
    assert "You are Bearer ${TOKEN}, key ${QUERY}" in lock
    assert f'url = "{site.url}?api_key=${{QUERY}}&a=b"' in lock
    assert 'Authorization = "Bearer ${TOKEN}"' in lock
    assert 'X-Team = ""' in lock
    shown = f"{lock} {reading.problems} {reading.notes} {source.label} {source!r}"
    fails = True
    shown += str(failure(source, given))
    assert secret not in shown
    assert other not in shown
    assert "blue" not in shown
    assert source.label == site.url


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        (["Authorization"], "--header takes a name, a colon and a value; write 'NAME: VALUE'"),
        ([": hunter2"], "--header takes a name, a colon and a value; write 'NAME: VALUE'"),
        (["A: b", "A: c"], "--header gives A twice; give it once"),
    ],
)
def test_headers_of_the_command_line(texts: list[str], sentence: str) -> None:
    with pytest.raises(FusionError) as caught:
        headers_of(texts)
    assert str(caught.value) == sentence
    assert headers_of(["A:b", "X-Url: http://c:1/ "]) == {"A": "b", "X-Url": "http://c:1/"}
