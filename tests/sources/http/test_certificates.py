"""TLS of a server at a URL: a private authority where it is named, and certificates that are refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme
from http_reading import Serve, context, named
from http_site import mcp
from reading import failure

from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource

PRIVATE = "for a private authority set SSL_CERT_FILE to the file of its certificate"


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_a_private_authority_is_trusted_where_it_is_named(
    serve: Serve, options: Options, authority: trustme.CA, bundle: str, variable: str
) -> None:
    for host in ("127.0.0.1", "localhost"):
        site = serve(mcp, host, context(authority, host))
        assert named(HttpSource(site.url), replace(options, environ={variable: bundle})) == ["greet"]


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
