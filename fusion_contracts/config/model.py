"""What settings may hold: every key, its default, and what it does (the text that an editor shows beside it)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import field
from datetime import date
from typing import Any, ClassVar, Literal, TypeAlias

from fusion_contracts.record import record

__all__ = [
    "Config",
    "FailOn",
    "Level",
    "Limits",
    "Server",
    "Source",
    "Transport",
    "Volatile",
    "Waiver",
    "World",
    "hyphenated",
]

FailOn: TypeAlias = Literal["breaking", "risky", "any", "never"]
Level: TypeAlias = Literal["breaking", "risky", "safe"]
World: TypeAlias = Literal["declared", "open"]
Transport: TypeAlias = Literal["http", "sse"]


def hyphenated(name: str) -> str:
    """The key of a field."""
    return name.replace("_", "-")


# For pydantic, where it is asked: what is wrong with settings, and what editors are told of them.
_STRICT: dict[str, Any] = {"extra": "forbid", "alias_generator": hyphenated, "use_attribute_docstrings": True}


@record
class Source:
    """A server to start (`command`) or contact (`url`), a saved listing to read (`path`), or code to import (`object`).

    One of the four.
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    command: tuple[str, ...] = ()
    """The words that start a server over stdio, in the project's folder; `${VAR}` is filled in from the environment."""
    path: str | None = None
    """A saved `tools/list` result, or a client's configuration with all its servers; from the project's folder."""
    env: dict[str, str] = field(default_factory=dict)
    """Variables for the server; values may hold `${VAR}`."""
    pass_env: tuple[str, ...] = ()
    """Names of variables that are handed through to what is started: a server, or those of a client's configuration."""
    url: str | None = None
    """A server over HTTP; `${VAR}` is filled in from the environment."""
    headers: dict[str, str] = field(default_factory=dict)
    """What is sent to the `url`; values may hold `${VAR}`."""
    transport: Transport | None = None
    """How the `url` is spoken to: streamable HTTP, or the transport of 2024-11-05; both are tried without it."""
    timeout: int | None = None
    """Seconds that one listing may take."""
    object: str | None = None
    """A Python object to import, `FILE.py[:ATTR]` from the project's folder or `package.module:ATTR`: runs its code."""

    def __post_init__(self) -> None:
        """Raise ValueError unless one of `command`, `url`, `path`, `object` is there, with what it takes alone."""
        named = {"a url": self.url, "a path": self.path, "an object": self.object}
        others = [what for what, value in named.items() if value is not None]
        if bool(self.command) + len(others) != 1:
            raise ValueError("needs a command, a url, a path or an object, one of the four")
        if self.env and not self.command:
            raise ValueError(f"has env beside {others[0]}; only a command takes it")
        if self.pass_env and not self.command and self.path is None:
            raise ValueError(f"has pass-env beside {others[0]}; only what is started takes it")
        if self.url is None and (self.headers or self.transport is not None):
            raise ValueError("has headers or transport without a url; only a url takes them")
        if self.timeout is not None and self.timeout < 1:
            raise ValueError("has a timeout below 1")
        _refuse_zero((self.path or "", *self.command, *self.env, *self.env.values(), *self.pass_env))
        _refuse_zero((self.object or "", self.url or "", *self.headers, *self.headers.values()))
        if any(not name or "=" in name for name in (*self.env, *self.pass_env)):
            raise ValueError('names a variable that cannot be one: it is empty, or holds "="')


@record
class Volatile:
    """Text that differs from run to run: what `pattern` matches is stored as `{volatile}`."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    pattern: str
    """A Python regular expression; every match that is not empty is replaced."""
    reason: str
    """Why, for whoever reads it."""
    server: str = "*"
    """The server's NAME, or a glob."""
    tool: str = "*"
    """The tool's name, or a glob; empty for what the server says beside its tools."""
    pointer: str = "*"
    """A JSON pointer into the tool as MCP lists it, or a glob, which reaches prose alone."""


@record(kw_only=True)
class Waiver:
    """Findings that are accepted on purpose: by `fingerprints`, or by `rule` until a day."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    fingerprints: tuple[str, ...] = ()
    """The findings, by the ids that `fusion waive ID` writes; seven digits of one will do."""
    rule: str | None = None
    """Instead of fingerprints: every finding of this rule, where `server`, `tool` and `pointer` match."""
    server: str = "*"
    """Beside a rule: the server's NAME, or a glob."""
    tool: str = "*"
    """Beside a rule: the tool's name, or a glob; empty for what the server says beside its tools."""
    pointer: str = "*"
    """Beside a rule: the finding's JSON pointer, or a glob."""
    reason: str
    """Why it is accepted, for whoever reads it."""
    until: date | None = None
    """The last day (UTC) on which it holds, a date without quotes; required beside a rule."""

    def __post_init__(self) -> None:
        """Raise ValueError unless it says what is accepted, why, and of a rule until when."""
        if not self.reason.strip():
            raise ValueError("has an empty reason")
        if bool(self.fingerprints) == (self.rule is not None):
            raise ValueError("needs fingerprints or a rule, one of the two")
        if any(not _FINGERPRINT.fullmatch(one) for one in self.fingerprints):
            raise ValueError("has a fingerprint that is none: seven to sixteen digits from 0 to f")
        if self.fingerprints and (self.server, self.tool, self.pointer) != ("*", "*", "*"):
            raise ValueError("has server, tool or pointer beside fingerprints; only a rule takes them")
        if self.rule is not None and self.until is None:
            raise ValueError("needs until, the last day on which it holds: it names a rule")

    @property
    def what(self) -> tuple[Any, ...]:
        """What it accepts, whatever its reason and its day: two that are equal here are the same waiver."""
        return frozenset(self.fingerprints), self.rule, self.server, self.tool, self.pointer


_FINGERPRINT = re.compile("[0-9a-f]{7,16}")


@record
class Server:
    """What holds for the servers of a name, in place of the keys of the same name at the top."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    fail_on: FailOn | None = None
    """From which level on findings about these servers end a command with 1."""
    world: World | None = None
    """What a call may hold."""
    levels: dict[str, Level] = field(default_factory=dict)
    """Levels of rules, by their ids; a rule that is not here has the level that it has at the top."""
    token_growth_percent: int | None = None
    """By how many per cent what the tools cost a model may grow before that is a finding."""
    timeout: int | None = None
    """Seconds that one listing may take."""
    memory: str | None = None
    """What a started server may use with all its children: a size such as `512 MiB` (Linux)."""

    def __post_init__(self) -> None:
        """Raise ValueError where a number makes no sense."""
        if self.token_growth_percent is not None and self.token_growth_percent < 0:
            raise ValueError("has a token-growth-percent below 0")
        _judge_limits(self.timeout, self.memory)


@record
class Limits:
    """What one server may take while it is listed, where nothing of its own says otherwise."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    timeout: int | None = None
    """Seconds that one listing may take."""
    memory: str | None = None
    """What a started server may use with all its children: a size such as `512 MiB` (Linux). It is 2 GiB without."""

    def __post_init__(self) -> None:
        """Raise ValueError where a number makes no sense."""
        _judge_limits(self.timeout, self.memory)


@record
class Config:
    """All settings, with their defaults, but for flags of commands: those are the command line's to know."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    lockfile: str = "fusion.lock"
    """The lock's path, from the project's folder."""
    fail_on: FailOn | None = None
    """From which level on findings end a command with 1; without it `breaking`, `any` for a client configuration's."""
    world: World = "declared"
    """What a call may hold: `declared`, arguments that the old contract names; `open`, any."""
    sources: dict[str, Source] = field(default_factory=dict)
    """The servers of the project; the key is the server's NAME in the lock."""
    levels: dict[str, Level] = field(default_factory=dict)
    """Levels of rules, by their ids."""
    token_growth_percent: int = 25
    """By how many per cent what the tools cost a model may grow before that is a finding."""
    volatile: tuple[Volatile, ...] = ()
    """Text that is no part of the contract."""
    base: str | None = None
    """The git revision that a change is compared with."""
    formats: tuple[str, ...] = ()
    """How reports are written, and where to: `FORMAT` or `FORMAT=FILE`, as `--format` takes them."""
    servers: dict[str, Server] = field(default_factory=dict)
    """Other settings for some servers; the key is a NAME or a glob, and the most exact one counts."""
    limits: Limits = field(default_factory=Limits)
    """What one server may take while it is listed."""
    waivers: tuple[Waiver, ...] = ()
    """Findings that are accepted on purpose."""

    def __post_init__(self) -> None:
        """Raise ValueError where a number makes no sense, or a text is no name of a file or server."""
        if not self.lockfile or "\0" in self.lockfile:
            raise ValueError("lockfile is empty, or holds a zero character")
        if "" in self.sources:
            raise ValueError("sources holds an entry without a name")
        if self.token_growth_percent < 0:
            raise ValueError("token-growth-percent must be 0 or more")


_SIZE = re.compile("[1-9][0-9]{0,8} (?:KiB|MiB|GiB)")


def _judge_limits(timeout: int | None, memory: str | None) -> None:
    """Raise ValueError for a time that has passed when it begins, and for what is no size."""
    if timeout is not None and timeout < 1:
        raise ValueError("has a timeout below 1")
    if memory is not None and not _SIZE.fullmatch(memory):
        raise ValueError('has a memory that is no size such as "512 MiB" or "2 GiB"')


def _refuse_zero(texts: Iterable[str]) -> None:
    """Raise ValueError for a zero character, which ends a text for every system."""
    if any("\0" in text for text in texts):
        raise ValueError("holds a zero character")
