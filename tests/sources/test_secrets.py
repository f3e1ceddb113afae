"""Literal secrets: which are recognised, how they are refused, and that none is shown."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.secrets import (
    forms,
    is_secret_name,
    is_secret_value,
    redact,
    refuse_literal,
    refuse_literal_url,
    shown_url,
)
from fusion_contracts.sources.stdio import StdioSource

# Put together at run time: a scanner of this repository should find nothing.
RANDOM = "9fK2" + "xQ7vLmZ81tRbW4nYcP0s"
VALUES = [
    "sk-" + "abcd1234" * 3,
    "sk-ant-api03-" + "abcd1234" * 3,
    "ghp_" + "a1B2" * 9,
    "github_pat_" + "a1B2" * 9,
    "glpat-" + "a1B2" * 5,
    "xoxb-" + "1234567890-abcdef",
    "AKIA" + "ABCDEFGH12345678",
    "AIza" + "aB3_" * 9,
    "npm_" + "a1B2" * 9,
    "hf_" + "a1B2" * 6,
    "Bearer " + "abcdef123456",
    "eyJhbGciOiJI" + ".eyJzdWIiOiIx.c2lnbmF0dXJl",
    "sk_live_" + "a1B2" * 5,
    "-----BEGIN RSA PRIVATE KEY-----",
]


@pytest.mark.parametrize(
    "name",
    [
        "token", "TOKEN", "accessToken", "access_token", "--access-token", "API_KEY", "apiKey", "APIKey", "--api-key",
        "apikey", "db_password", "dbPassword", "passwd", "client-secret", "clientSecret", "Authorization",
        "aws.credential", "AWS_SECRET_ACCESS_KEY", "private_key", "GOOGLE_APPLICATION_CREDENTIALS",
    ],
)  # fmt: skip
def test_names_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "key",
        "issue_key",
        "issueKey",
        "--key",
        "tokens",
        "token_count",
        "max-tokens",
        "tokenizer",
        "secretary",
        "keyboard",
        "x",
        "PWD",
        "pass",
        "bypass",
    ],
)
def test_other_names(name: str) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("value", VALUES)
def test_values_of_well_known_shapes(value: str) -> None:
    assert is_secret_value(value)
    assert is_secret_value(f"before {value}")
    assert value not in redact(f"it says {value}.")
    for command in (["x", value], ["x", f"--flag={value}"], ["x", "--flag", value]):
        with pytest.raises(FusionError) as caught:
            refuse_literal(command)
        assert value not in str(caught.value)
        assert caught.value.problem.stage == "usage"


@pytest.mark.parametrize(
    ("command", "where", "variable"),
    [
        (["npx", "x", "--api-key", "hunter2"], "the argument after --api-key", "API_KEY"),
        (["npx", "x", "--apiKey", "hunter2"], "the argument after --apiKey", "API_KEY"),
        (["npx", "x", "--api-key=hunter2"], "the value of --api-key", "API_KEY"),
        (["docker", "-e", "DB_PASSWORD=hunter2"], "the value of DB_PASSWORD", "DB_PASSWORD"),
        (["x", "--header", "Authorization: Bearer hunter2x"], "the value of Authorization", "AUTHORIZATION"),
        (["x", "--header", "X-Api-Key: hunter2"], "the value of X-Api-Key", "X_API_KEY"),
        (["x", "--license-key", RANDOM], "the argument after --license-key", "LICENSE_KEY"),
        (["x", f"--license-key={RANDOM}"], "the value of --license-key", "LICENSE_KEY"),
        (["x", "--token", "${TOKEN:-hunter2}"], "the argument after --token", "TOKEN"),
        (["x", VALUES[0]], "an argument", "SECRET"),
        (["x", "-k", VALUES[0]], "the argument after -k", "K"),
        (["x", "https://me:hunter2@mcp.example.com/x"], "the user part of the URL at mcp.example.com", "URL_PASSWORD"),
        (["x", f"https://{RANDOM}@example.com/1"], "the user part of the URL at example.com", "URL_USER"),
        (
            ["x", "--url=https://example.com/?a=1&access_token=hunter2"],
            "access_token in the query of the URL at example.com",
            "ACCESS_TOKEN",
        ),
        (["x", f"https://example.com/?key={RANDOM}"], "key in the query of the URL at example.com", "KEY"),
        (["x", "https://example.com/#token=hunter2"], "token in the query of the URL at example.com", "TOKEN"),
        (["x", "https://a/ https://me:hunter2@b/"], "the user part of the URL at b", "URL_PASSWORD"),
        (["x", "https://a/,https://me:hunter2@b/"], "the user part of the URL at b", "URL_PASSWORD"),
        (["docker", "--env=API_KEY=hunter2"], "the value of API_KEY", "API_KEY"),
        (["x", "--config", '{"token": "hunter2"}'], "the value of token", "TOKEN"),
        (["x", "--config={'db': {'dbPassword':'a b c'}}"], "the value of dbPassword", "DB_PASSWORD"),
        (["x", "--dsn", "host=h password=hunter2 user=u"], "the value of password", "PASSWORD"),
        (["x", "Server=s;User Id=u;Password=hunter2;"], "the value of Password", "PASSWORD"),
        (["x", "PGPASSWORD=hunter2"], "the value of PGPASSWORD", "PGPASSWORD"),
        (["x", "-e", "MYSQL_PWD=hunter2"], "the value of MYSQL_PWD", "MYSQL_PWD"),
        (["x", "--secret-key", "hunter2"], "the argument after --secret-key", "SECRET_KEY"),
    ],
)
def test_a_literal_secret_is_refused_with_the_variable_to_write(command: list[str], where: str, variable: str) -> None:
    with pytest.raises(FusionError) as caught:
        StdioSource(tuple(command))
    assert str(caught.value) == (
        f"{where} looks like a secret; "
        f"write '${{{variable}}}' for it (in single quotes) and set {variable} in the environment"
    )
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        ["npx", "-y", "@modelcontextprotocol/server-filesystem@2025.8.21", "/tmp/some/long/folder/name/here1"],
        ["x", "--api-key", "${API_KEY}"],
        ["x", "--api-key=${API_KEY}", "--token", "${A}${B}"],
        ["x", "--header", "Authorization: Bearer ${TOKEN}"],
        ["x", "--header=Authorization:${AUTH_HEADER}"],
        ["docker", "run", "-e", "GITHUB_TOKEN", "ghcr.io/github/github-mcp-server"],
        ["x", "--token", "--verbose"],
        ["x", "--issue-key", "PROJ-123", "--key", "name"],
        ["x", "https://example.com/a?page=2&issue_key=PROJ-1", "https://user@example.com/"],
        ["x", "https://${USER}:${PASS}@example.com/?token=${TOKEN}"],
        ["uvx", "mcp-server-time", "--local-timezone=Europe/Berlin"],
        ["python", "-c", "token = read()\nprint(token)"],
        ["x", "--token-file", "/run/secrets/token", "sk-learn-tools", "task-runner-with-a-long-name"],
    ],
)
def test_ordinary_commands_pass(command: list[str]) -> None:
    refuse_literal(command)


def test_urls() -> None:
    refuse_literal_url("https://${USER}:${PASSWORD}@example.com/mcp?token=${TOKEN}&page=2")
    with pytest.raises(FusionError, match=r"token in the query of the URL at example\.com looks like a secret"):
        refuse_literal_url("https://example.com/mcp?token=hunter2")
    assert shown_url("https://me:hunter2@example.com:8080/mcp?token=x#y") == "https://example.com:8080/mcp"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("no https://a.example/b?token=abc123&z=1", "no https://a.example/b?token=(hidden)&z=1"),
        ("GET https://a.example/?z=1&api_key=ABCDEF failed", "GET https://a.example/?z=1&api_key=(hidden) failed"),
        ("https://a.example/#access_token=abc", "https://a.example/#access_token=(hidden)"),
        ("https://a.example/?token=${TOKEN}&page=2", "https://a.example/?token=${TOKEN}&page=2"),
    ],
)
def test_redaction_hides_secret_parameters_of_a_url(said: str, shown: str) -> None:
    assert redact(said) == shown


def test_redaction_hides_values_and_what_follows_a_name() -> None:
    hidden = redact(
        'login with hunter2 failed: {"apiKey": "abc"}, password=abc; at postgres://me:abc@db/x, PASSWORD: ${P}, n=3',
        ["hunter2", "3"],
    )
    assert hidden == (
        'login with (hidden) failed: {"apiKey": "(hidden)"}, password=(hidden); '
        "at postgres://(hidden)@db/x, PASSWORD: ${P}, n=3"
    )


@given(st.text(), st.text(min_size=4, max_size=20), st.text())
def test_a_given_value_is_never_left(before: str, value: str, after: str) -> None:
    assert value in "(hidden)" or value not in redact(before + value + after, [value]).replace("(hidden)", "")


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
def test_no_command_breaks_the_check(command: list[str]) -> None:
    with suppress(FusionError):
        refuse_literal(command)


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abc",
        '{"password": "with spaces, and more"}',
        "password='x y z'",
        "--api-key=abc",
        "at https://me:p@ss@host/x",
        '{\\"token\\": \\"abcdef\\"}',
    ],
)
def test_nothing_of_a_value_behind_a_secret_name_is_left(text: str) -> None:
    left = redact(text)
    assert "(hidden)" in left
    assert not any(part in left for part in ("abc", "spaces", "more", "y z", "ss@", "def"))


def test_what_gives_a_secret_away() -> None:
    assert forms("plain") == {"plain"}
    assert forms("a b") == {"a b", "a%20b"}
    assert forms('say "x"') >= {'say "x"', 'say \\"x\\"', "say%20%22x%22"}
    assert forms("postgres://me:pa%24s@h/x") >= {"pa%24s", "pa$s"}
    key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nshort\n"
    assert {"MIIEvQIBADANBgkq", "short"} & forms(key) == {"MIIEvQIBADANBgkq"}


@pytest.mark.parametrize("text", ["a" * 300_000, "a-" * 150_000, "a=" * 150_000, "a://" * 75_000, '"a":' * 75_000])
def test_a_long_text_takes_no_time_by_its_square(text: str) -> None:
    with suppress(FusionError):
        refuse_literal(["x", text])
    assert redact(text) is not None
