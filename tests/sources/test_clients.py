"""Client configurations: every client's words become the same entries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.client_document import parse_document
from fusion_contracts.sources.clients import Entry, entries_of, input_variable
from fusion_contracts.sources.offered import Filter

FILES = ("npx", "-y", "@acme/files-mcp@1.2.0")
ISSUES = "https://issues.example.com/mcp"


def read(root: Path, name: str) -> list[Entry]:
    document = parse_document((root / "fixtures" / "clients" / name).read_bytes(), name)
    assert document is not None
    entries, problems = entries_of(document)
    assert problems == []
    return entries


def wrong(**servers: Any) -> list[str]:
    """What is said about the entries of a configuration."""
    entries, problems = entries_of({"mcpServers": servers})
    assert entries == []
    return [str(problem) for problem in problems]


def test_claude_code(root: Path) -> None:
    assert read(root, "claude-code.json") == [
        Entry("events", url="https://events.example.com/sse", transport="sse"),
        Entry(
            "files",
            ("npx", "-y", "@acme/files-mcp@1.2.0", "${FILES_ROOT:-.}"),
            env={"LOG_LEVEL": "error", "FILES_TOKEN": "${FILES_TOKEN}"},
        ),
        Entry("issues", url=ISSUES, transport="http", headers={"Authorization": "Bearer ${ISSUES_TOKEN}"}),
    ]


def test_cursor(root: Path) -> None:
    assert read(root, "cursor.json") == [
        Entry(
            "files", ("${HOME}/bin/files-mcp", "./data"), env={"TOKEN": "${FILES_TOKEN}"}, env_file="./.env"
        ),
        Entry("issues", url=ISSUES, headers={"X-Key": "${ISSUES_KEY}"}),
    ]  # fmt: skip


def test_vs_code_with_comments_and_trailing_commas(root: Path) -> None:
    asked = {"ISSUES_KEY": "issues-key"}
    assert read(root, "vscode.jsonc") == [
        Entry("files", ("uvx", "files-mcp==2.0.1"), env={"KEY": "${ISSUES_KEY}"}, inputs=asked),
        Entry("issues", url=ISSUES, transport="http", headers={"X-Key": "${ISSUES_KEY}"}, inputs=asked),
    ]


def test_codex(root: Path) -> None:
    headers = {"X-Team": "support", "X-Key": "${ISSUES_KEY}", "Authorization": "Bearer ${ISSUES_TOKEN}"}
    assert read(root, "codex.toml") == [
        Entry(
            "files", ("uvx", "files-mcp==2.0.1"), env={"LOG_LEVEL": "error"}, pass_env=("FILES_TOKEN",), cwd="tools",
            tools=Filter(frozenset({"read_file", "list_files"})),
        ),
        Entry("issues", url=ISSUES, headers=headers),
        Entry("old", ("old-mcp",), disabled=True),
    ]  # fmt: skip


def test_gemini_cli(root: Path) -> None:
    events, files, issues = read(root, "gemini.json")
    assert (events.url, events.transport) == ("https://events.example.com/sse", "sse")
    assert (files.command, files.cwd, files.env) == (("node", "server.js"), "./tools", {"TOKEN": "${FILES_TOKEN}"})
    assert [tool for tool in ("read_file", "list_files", "write_file") if files.tools.takes(tool)] == ["read_file"]
    assert issues == Entry("issues", url=ISSUES, transport="http", headers={"X-Key": "${ISSUES_KEY}"})


def test_zed_as_it_is_and_as_it_was(root: Path) -> None:
    assert read(root, "zed.json") == [
        Entry("files", FILES),
        Entry("issues", url=ISSUES, headers={"X-Team": "support"}),
        Entry("older", ("older-mcp", "--stdio"), env={"A": "1"}),
    ]


def test_windsurf(root: Path) -> None:
    files, issues = read(root, "windsurf.json")
    assert files == Entry("files", FILES, disabled=True, tools=Filter(without=frozenset({"write_file"})))
    assert (issues.url, issues.headers) == (ISSUES, {"Authorization": "Bearer ${ISSUES_TOKEN}"})
    assert not issues.tools.takes("delete_issue")


def test_opencode(root: Path) -> None:
    assert read(root, "opencode.jsonc") == [
        Entry("files", FILES, env={"TOKEN": "${FILES_TOKEN}"}),
        Entry("issues", url=ISSUES, headers={"X-Key": "${ISSUES_KEY}"}, disabled=True),
    ]


def test_fastmcp(root: Path) -> None:
    assert read(root, "fastmcp.json") == [
        Entry("files", ("python", "files.py")),
        Entry("issues", url=ISSUES, transport="http"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"tools": []}', "[]", "mcpServers", '{"mcpServers": []}', '{"servers": [{"url": "https://api.example.com"}]}',
        '{"openapi": "3.1.0", "servers": {"a": {"description": "no server of ours"}}}', "\xff", "",
    ],
)  # fmt: skip
def test_what_is_no_client_configuration_is_left_to_others(text: str) -> None:
    assert parse_document(text.encode("latin-1"), "x.json") is None


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.json", '{"mcpServers": {"a": }}', "x.json is no JSON, with comments or without: line 1 Unexpected"),
        ("x.json", '{"mcpServers": {"a": {}, "a": {}}, // twice\n}', "x.json is no JSON, with comments or without: "),
        ("x.json", '{"mcpServers": ' + "[" * 9999, "x.json is nested too deeply; check that it is the right file"),
        ("x.toml", "[mcp_servers.a]\ncommand = ", "x.toml is not valid TOML"),
    ],
)
def test_a_broken_file_is_told(name: str, text: str, said: str) -> None:
    with pytest.raises(FusionError) as caught:
        parse_document(text.encode(), name)
    assert str(caught.value).startswith(said)


def test_one_broken_entry_hides_no_other() -> None:
    entries, problems = entries_of({"mcpServers": {"a": {"command": "a-mcp"}, "b": {}, "c": {"url": "https://c"}}})
    assert [entry.name for entry in entries] == ["a", "c"]
    assert [str(problem) for problem in problems] == [
        "b: its entry has neither a command nor a URL; keep one of the two"
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (None, "its entry is no table; write command and args, or url"),
        ({"command": "a", "url": "https://a"}, "its entry has both a command and a URL; keep one of the two"),
        ({"command": 1}, "its command is no text; correct the entry"),
        ({"command": ["a", 1]}, "its command is no list of texts; correct the entry"),
        ({"command": "a", "args": "x"}, "its args is no list of texts; correct the entry"),
        ({"command": "a", "env": {"A": []}}, "its env is no table of texts; correct the entry"),
        ({"command": "a", "env": "A=1"}, "its env is no table of texts; correct the entry"),
        ({"url": "https://a", "type": "pigeon"}, "its entry has the transport pigeon; write stdio, http or sse"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_entry_is_said(entry: Any, said: str) -> None:
    assert wrong(a=entry) == [f"a: {said}"]


def test_numbers_and_booleans_in_an_environment_are_texts() -> None:
    entries, _ = entries_of({"mcpServers": {"a": {"command": "a", "env": {"N": 1, "B": True, "F": 1.5}}}})
    assert entries[0].env == {"N": "1", "B": "true", "F": "1.5"}


def test_a_dollar_that_is_no_reference_stays() -> None:
    env = {"A": "pa$$word", "B": "$HOME/x", "C": "$HOME", "D": "${HOME}"}
    entries, _ = entries_of({"mcpServers": {"a": {"command": "a", "env": env}}})
    assert entries[0].env == {"A": "pa$$word", "B": "$HOME/x", "C": "${HOME}", "D": "${HOME}"}


@pytest.mark.parametrize(("identifier", "variable"), [("api-key", "API_KEY"), ("gh.token", "GH_TOKEN"), ("ä b", "__B")])
def test_the_variable_of_an_input(identifier: str, variable: str) -> None:
    assert input_variable(identifier) == variable


KEYS = st.sampled_from(["command", "args", "env", "url", "type", "headers", "cwd", "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=4))
def test_every_entry_is_read_or_named(servers: dict[str, Any]) -> None:
    entries, problems = entries_of({"mcpServers": servers})
    assert sorted([entry.name for entry in entries] + [problem.server or "" for problem in problems]) == sorted(servers)


def test_secrets_are_not_in_what_a_traceback_shows() -> None:
    entry = {"command": "a", "env": {"K": "hunter2"}, "headers": {"X": "hunter2"}}
    entries, _ = entries_of({"mcpServers": {"a": entry}})
    assert "hunter2" not in repr(entries[0])
