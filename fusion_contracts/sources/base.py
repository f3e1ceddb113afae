"""What every source offers, and what reading one gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from fusion_contracts.errors import Problem
from fusion_contracts.model import JsonObject, JsonValue, ServerContract, SourceRecord
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.sources.hold import Hold

__all__ = ["Listing", "Options", "Reading", "Source", "VolatileRule", "joined", "keep_unread", "silent"]


@record
class VolatileRule:
    """Text that differs from machine to machine or run to run, and is no part of the contract.

    `server` and `tool` are globs (an empty `tool` means the server's own texts), `pointer` is RFC 6901 relative to the
    tool as MCP lists it (to the server's listing where `tool` is empty), `pattern` a Python regular expression whose
    matches are replaced by `{volatile}`, `reason` says why.
    """

    server: str
    tool: str
    pointer: str
    pattern: str
    reason: str


def silent(text: str) -> None:
    """Progress that nobody wants to be told of."""


@record
class Options:
    """How to read: the same for every kind of source; each takes what concerns it.

    `root` is the folder that relative paths start from; `name` the NAME asked for; `pass_env` lists variables handed
    through to a started server, `inputs` holds values by the ids that a client's configuration asks by, `headers` and
    `transport` (`http` or `sse`) go with a URL; `protocol_version` is the locked one, asked for while the server offers
    it; `timeout` is in seconds, from start to the complete list (None: what suits the kind of source), `memory` in
    bytes, of a started server with all its children (None: the default); `progress` takes one line for people, and
    where it was `announced` already, none says that reading begins; `lockfile` is the lock's path inside a folder or
    revision; `environ` is where `${VAR}` is looked up (default: the environment of the process that reads, which need
    not be the one that asked); with `hold` a server that tells of changes is kept open after its list.
    """

    root: Path = field(default_factory=Path)
    name: str | None = None
    pass_env: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    transport: str | None = None
    protocol_version: str | None = None
    volatile: tuple[VolatileRule, ...] = ()
    timeout: float | None = None
    memory: int | None = None
    announced: bool = False
    progress: Callable[[str], None] = silent
    lockfile: str = "fusion.lock"
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    hold: Hold | None = None

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: all but the environment of this one."""
        state = {item.name: getattr(self, item.name) for item in fields(self)}
        return state | {"environ": None if self.environ is os.environ else self.environ}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Arrive, and find the environment that is here."""
        for name, value in (state | {"environ": os.environ if state["environ"] is None else state["environ"]}).items():
            object.__setattr__(self, name, value)


@record
class Listing:
    """What a server said, as it said it: raw JSON, noise and malformed entries included.

    `unlisted` names the sections (`prompts`, `resources`, `resource_templates`) that the server offers and failed to
    list, with the reason.
    """

    tools: tuple[JsonValue, ...] = ()
    prompts: tuple[JsonValue, ...] = ()
    resources: tuple[JsonValue, ...] = ()
    resource_templates: tuple[JsonValue, ...] = ()
    protocol_version: str | None = None
    info: JsonObject = field(default_factory=dict)
    capabilities: JsonObject = field(default_factory=dict)
    instructions: str | None = None
    unlisted: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@record
class Reading:
    """What one source gave.

    `problems` are what could not be read; `refused` maps a server's NAME to its malformed tools, `unread` to the
    sections that it failed to list: both keep their old entries in the lock (`keep_unread`). `notes` are lines for
    people; nothing in them is a fault.
    """

    contracts: tuple[ServerContract, ...] = ()
    problems: tuple[Problem, ...] = ()
    refused: Mapping[str, frozenset[str]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unread: Mapping[str, frozenset[str]] = field(default_factory=dict)


def joined(readings: Iterable[Reading]) -> Reading:
    """Several readings as one."""
    all_of = list(readings)
    return Reading(
        contracts=tuple(contract for one in all_of for contract in one.contracts),
        problems=tuple(problem for one in all_of for problem in one.problems),
        refused={name: tools for one in all_of for name, tools in one.refused.items()},
        notes=tuple(note for one in all_of for note in one.notes),
        unread={name: sections for one in all_of for name, sections in one.unread.items()},
    )


class Source(Protocol):
    """Anything that can list tools.

    `label` is for people and holds no secret; `kind` is `stdio`, `http`, `python`, `config`, `catalog`, `lock`, `git`
    or `release`; `record` is what the lock keeps of it (None where the contracts carry their own); `live` says that
    reading starts or contacts a server, or runs its code.
    """

    @property
    def label(self) -> str:
        """For people."""
        ...

    @property
    def kind(self) -> str:
        """One word."""
        ...

    @property
    def record(self) -> SourceRecord | None:
        """What the lock keeps."""
        ...

    @property
    def live(self) -> bool:
        """Whether reading starts or contacts a server."""
        ...

    def read(self, options: Options) -> Reading:
        """Read every contract that this source names. Raises FusionError where there is nothing to read."""
        ...


def keep_unread(contract: ServerContract, old: ServerContract | None, reading: Reading) -> ServerContract:
    """The contract with the old entries of what could not be read now: refused tools and unread sections."""
    if old is None:
        return contract
    refused = reading.refused.get(contract.name, frozenset())
    kept = {name: tool for name, tool in old.tools.items() if name in refused}
    if kept:
        contract = replace(contract, tools=dict(sorted({**contract.tools, **kept}.items())))
    unread = reading.unread.get(contract.name, frozenset())
    if "prompts" in unread:
        contract = replace(contract, prompts=old.prompts)
    if "resources" in unread:
        contract = replace(contract, resources=old.resources)
    if "resource_templates" in unread:
        contract = replace(contract, resource_templates=old.resource_templates)
    return contract
