"""Client configurations: the servers that Claude, Cursor, VS Code, Codex, Gemini, Zed, opencode and others start.

Every client has its own words for the same things; here they become one `Entry` a server, with references written
`${NAME}` whatever the client writes:

| written | becomes | by |
|---|---|---|
| `${env:NAME}` | `${NAME}` | Cursor, VS Code, Windsurf |
| `$NAME`, a whole value | `${NAME}` | Gemini CLI |
| `{env:NAME}` | `${NAME}` | opencode |
| `${input:some-id}` | `${SOME_ID}` | VS Code; `--input some-id=...` sets it, else the environment |
| `${userHome}` | `${HOME}` | Cursor, VS Code |
| `${workspaceFolder}` | `.`, the project's folder | Cursor, VS Code |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.record import record
from fusion_contracts.sources.client_document import servers_in
from fusion_contracts.sources.offered import Filter

__all__ = ["Entry", "entries_of", "input_variable", "secret_inputs"]

_MAX_TEXT = 2**17  # characters of one text: no system takes a longer word of a command, or variable
_MAX_BITS = 1024  # of a number that stands for a text


@record
class Entry:
    """One server of a client configuration: a command or a URL. Texts may hold `${NAME}` references.

    `transport` is `http`, `sse`, or None where the client leaves it open. `env_file` and `cwd` are as written, from
    the project's folder. A disabled entry is listed, so that it can be named, and not started. `inputs` maps the
    variables that stand for what VS Code would ask to the ids that it asks by.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str | None = None
    transport: str | None = None
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    pass_env: tuple[str, ...] = ()
    env_file: str | None = None
    cwd: str | None = None
    disabled: bool = False
    tools: Filter = field(default_factory=Filter)
    inputs: Mapping[str, str] = field(default_factory=dict)


# --- the entries -----------------------------------------------------------------------------------------------------


def entries_of(document: Mapping[str, Any]) -> tuple[list[Entry], list[Problem]]:
    """The servers of a configuration, sorted by name, and what is wrong with the others."""
    entries: list[Entry] = []
    problems: list[Problem] = []
    for name, table in sorted((servers_in(document) or {}).items()):
        try:
            entries.append(_entry(name, table))
        except FusionError as error:
            problems.append(Problem(name, "usage", error.problem.message, error.problem.next))
    return entries, problems


def _entry(name: str, table: Any) -> Entry:
    if not name:
        raise FusionError("an entry has no name", "name it", stage="usage")
    if not isinstance(table, dict):
        raise FusionError("its entry is no table", "write command and args, or url", stage="usage")
    if any(len(text) > _MAX_TEXT for text in _strings(table)):
        message = f"its entry holds a text of more than {_MAX_TEXT >> 10} KiB"
        raise FusionError(message, "correct the entry", stage="usage")
    command, env = _command(table)
    url, transport = _url(table)
    disabled = table.get("disabled") is True or table.get("enabled") is False
    if not disabled and bool(command) == (url is not None):
        both = "both a command and a URL" if command else "neither a command nor a URL"
        raise FusionError(f"its entry has {both}", "keep one of the two", stage="usage")
    return Entry(
        name,
        command,
        url,
        transport,
        {**env, **_texts(table, "env"), **_texts(table, "environment")},
        dict(_headers(table)),
        _variables(table, "env_vars"),
        _reference(_text(table, "envFile")),
        _reference(_text(table, "cwd")),
        disabled,
        _filter(table),
        {input_variable(found["id"]): found["id"] for text in _strings(table) for found in _INPUT.finditer(text)},
    )


def _command(table: Mapping[str, Any]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The words to start, and the environment that stands with them; a command may be a text, a list or a table."""
    value, args = table.get("command"), _listed(table, "args")
    if isinstance(value, dict):  # Zed, as it was
        return (_referenced((_text(value, "path") or "",)) + _referenced(_listed(value, "args"))), _texts(value, "env")
    if isinstance(value, list):
        return _referenced(_listed(table, "command") + args), {}
    text = _text(table, "command")
    return (_referenced((text, *args)) if text else ()), {}


_TRANSPORTS = {
    "http": "http", "streamable-http": "http", "streamable_http": "http", "streamableHttp": "http", "sse": "sse",
    "stdio": None, "local": None, "remote": None, "custom": None, "extension": None,
}  # fmt: skip


def _url(table: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The URL, and how it is spoken to where the client says so."""
    said = _text(table, "type") or _text(table, "transport")
    if said is not None and said not in _TRANSPORTS:
        message = f"its entry has the transport {printable(said)}"
        raise FusionError(message, "write stdio, http or sse", stage="usage")
    for key, transport in (("httpUrl", "http"), ("url", None), ("serverUrl", None)):
        if (text := _text(table, key)) is not None:
            return _reference(text), transport or _TRANSPORTS.get(said or "")
    return None, None


def _headers(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield from _texts(table, "headers").items()
    yield from _texts(table, "http_headers").items()
    yield from ((name, f"${{{variable}}}") for name, variable in _texts(table, "env_http_headers").items())
    if bearer := _text(table, "bearer_token_env_var"):
        yield "Authorization", f"Bearer ${{{bearer}}}"


def _filter(table: Mapping[str, Any]) -> Filter:
    only = [table[key] for key in ("includeTools", "enabled_tools") if table.get(key) is not None]
    names = (*_listed(table, "excludeTools"), *_listed(table, "disabled_tools"), *_listed(table, "disabledTools"))
    listed = (*_listed(table, "includeTools"), *_listed(table, "enabled_tools"))
    return Filter(frozenset(map(_bare, listed)) if only else None, frozenset(map(_bare, names)))


def _bare(tool: str) -> str:
    """A tool's name; Gemini allows arguments behind it."""
    return tool.partition("(")[0]


# --- values ----------------------------------------------------------------------------------------------------------


def _text(table: Mapping[str, Any], key: str) -> str | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise FusionError(f"its {key} is no text", "correct the entry", stage="usage")
    return value


def _listed(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise FusionError(f"its {key} is no list of texts", "correct the entry", stage="usage")
    return tuple(value)


def _variables(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = _listed(table, key)
    if any(_NO_NAME.search(name) for name in names):
        raise FusionError(f"its {key} holds what is no variable's name", "correct the entry", stage="usage")
    return names


def _texts(table: Mapping[str, Any], key: str) -> dict[str, str]:
    """A table of texts; numbers and booleans are written as clients hand them on."""
    value = table.get(key)
    if value is None:
        return {}
    if not (isinstance(value, dict) and all(map(_is_plain, value.values()))):
        raise FusionError(f"its {key} is no table of texts", "correct the entry", stage="usage")
    return {name: _reference(_shell_text(one)) for name, one in value.items()}


def _is_plain(value: Any) -> bool:
    """Whether a client can hand it on as a text; Python writes no number of more than 4,300 digits out."""
    return isinstance(value, str | float) or (isinstance(value, int) and value.bit_length() <= _MAX_BITS)


def _shell_text(value: str | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


_NO_NAME = re.compile("^$|[\x00=\ud800-\udfff]")
_ENV = re.compile(r"\$\{env:(?P<name>[A-Za-z_]\w*)\}|\{env:(?P<bare>[A-Za-z_]\w*)\}")
_INPUT = re.compile(r"\$\{input:(?P<id>[^}]+)\}")
_ALONE = re.compile(r"\$(?P<name>[A-Za-z_]\w*)")
_HERE = re.compile(r"\$\{workspaceFolder\}|\$\{workspaceRoot\}")


def _strings(value: Any) -> Iterator[str]:
    """Every text in a value, however deep: keys joined by points make TOML as deep as they are many."""
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict | list):
            pending += one.values() if isinstance(one, dict) else one


def secret_inputs(document: Mapping[str, Any]) -> frozenset[str]:
    """The variables of the inputs that VS Code hides while they are typed."""
    listed = document.get("inputs")
    asked = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    hidden = [one.get("id") for one in asked if one.get("password") is True]
    return frozenset(input_variable(one) for one in hidden if isinstance(one, str))


def input_variable(identifier: str) -> str:
    """The variable that stands for a VS Code input: `api-key` is `API_KEY`."""
    return re.sub(r"\W", "_", identifier, flags=re.ASCII).upper()


def _referenced(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(_reference(word) for word in words)


def _reference(text: Any) -> Any:
    """A text with its references in our form; None for None."""
    if text is None:
        return None
    text = _ENV.sub(lambda found: f"${{{found['name'] or found['bare']}}}", text)
    text = _INPUT.sub(lambda found: f"${{{input_variable(found['id'])}}}", text)
    text = _HERE.sub(".", text.replace("${userHome}", "${HOME}"))
    alone = _ALONE.fullmatch(text)
    return f"${{{alone['name']}}}" if alone else text
