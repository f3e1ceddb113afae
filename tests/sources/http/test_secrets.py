"""What of secrets is sent to a server at a URL, shown and stored, and what is refused before anything is contacted."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace

import pytest
from http_reading import Serve
from http_site import INFO, TOOL, Exchange, mcp
from reading import failure

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.http_headers import header_template, headers_of


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
