"""Contracts to the text of a lock and back, without loss.

The text is one comment, `lock_version`, then a block for each server, sorted by NAME; a block is the server's own table
(protocol version, instructions, digests), `source`, `info`, `capabilities`, then `prompts`, `resources`,
`resource_templates` and `tools`, each entry a table with its own digests. No line speaks for more than one entry, so
that two branches which change two entries merge. A lock_version above this release's may carry `needs`, the release
that reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.digest import (
    KINDS,
    Digests,
    digests,
    prompt_digests,
    resource_digests,
    server_digests,
)
from fusion_contracts.lockfile.limits import unlockable, unlockable_parts
from fusion_contracts.lockfile.reader import StoredDigests, read_servers
from fusion_contracts.lockfile.shape import ShapeError
from fusion_contracts.lockfile.tables import prompt_table, resource_table, server_table, tool_table
from fusion_contracts.lockfile.writer import key, write_table
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record

__all__ = [
    "HEADER", "LOCK_VERSION", "OpenLock", "decode", "encode", "encode_entries", "encode_server", "open_lock",
]  # fmt: skip

LOCK_VERSION = 1
HEADER = f"""\
# What agents rely on from these servers, in full. `fusion lock` writes this file; do not edit it by hand.
lock_version = {LOCK_VERSION}
"""

# Objects are tables down to eight names below an entry's part, which is a property of an object in an array of an
# object in an array of the input (`properties.a.items.properties.b.items.properties.c`); from there they are inline.
_LEVELS = 8


def encode(lock: Lock) -> str:
    """The text of a lock, the same bytes for equal contracts.

    Raises FusionError when a value cannot be stored; `limits.lockable` drops such values first.
    """
    blocks = [encode_server(lock.servers[name]) for name in sorted(lock.servers)]
    return "\n".join([HEADER, *blocks])


def encode_server(contract: ServerContract) -> str:
    """The block of one server, from its header to its last line break. Raises FusionError as `encode` does."""
    try:
        return "\n".join(encode_entries(contract).values())
    except (ValueError, RecursionError) as error:  # UnwritableError is a ValueError, as is JSON's word on NaN
        raise (_refusal(contract) or error) from None


def encode_entries(contract: ServerContract) -> dict[tuple[str, str], str]:
    """The text of each entry by section and name, in the order of the file; the server's own table is ("", "").

    Raises ValueError or RecursionError when a value cannot be stored.
    """
    path = f"servers.{key(contract.name)}"
    texts = {("", ""): _text(path, server_table(contract), server_digests(contract))}
    for section, name, table, stored in _sections(contract):
        texts[section, name] = _text(f"{path}.{section}.{key(name)}", table, stored)
    return texts


def _sections(contract: ServerContract) -> Iterator[tuple[str, str, dict[str, Any], Digests]]:
    """Every entry in the order of the file: section, name, table, digests."""
    for name, prompt in sorted(contract.prompts.items()):
        yield "prompts", name, prompt_table(prompt), prompt_digests(prompt)
    for uri, resource in sorted(contract.resources.items()):
        yield "resources", uri, resource_table(resource), resource_digests(resource)
    for uri, template in sorted(contract.resource_templates.items()):
        yield "resource_templates", uri, resource_table(template), resource_digests(template)
    for name, tool in sorted(contract.tools.items()):
        yield "tools", name, tool_table(tool), digests(tool)


def _text(path: str, table: Mapping[str, Any], stored: Digests) -> str:
    into: list[str] = []
    entry = {**table, **{f"{kind}_digest": getattr(stored, kind) for kind in KINDS}}
    write_table(into, path, entry, levels=_LEVELS + 1, depth=0, ordered=True)
    return "\n".join(into)


def _refusal(contract: ServerContract) -> FusionError | None:
    """The first thing that the contract holds and a lock cannot; None when it is not the contract's fault."""
    for sentence in (*unlockable(contract).values(), *unlockable_parts(contract).values()):
        return FusionError(sentence, "leave it out of the lock", server=printable(contract.name), stage="lock")
    return None


@record
class OpenLock:
    """A lock and the digests that stand in its text, by server. `verify.damage` compares the two."""

    lock: Lock
    stored: Mapping[str, StoredDigests]


def decode(text: str, *, origin: str) -> Lock:
    """The contracts in the text of a lock. `origin` names it for people. Raises FusionError."""
    return open_lock(text, origin=origin).lock


def open_lock(text: str, *, origin: str) -> OpenLock:
    """The contracts in the text of a lock, and the digests beside them, which are not checked here.

    Raises FusionError, one sentence each: empty, conflict markers, broken TOML (with line and column), a newer
    lock_version, an unknown key or a wrong type (with its path).
    """
    where = printable(origin)
    document = _parsed(text.removeprefix("\ufeff"), where)
    _gate(document, where)
    try:
        servers, stored = read_servers(document)
    except ShapeError as error:
        raise FusionError(f"{where}: {error}", _AGAIN, stage="lock") from None
    return OpenLock(Lock(servers), stored)


_AGAIN = "undo the edit, or delete the file and run `fusion lock` to write it anew"  # a broken one is never replaced
_SHOWN = 200  # characters of the TOML reader's reason; it may quote a key from the file
_MARKER = re.compile(r"^(?:<{7}|={7}|>{7}|\|{7})(?=[ \t\r\n]|\Z)", re.MULTILINE)


def _parsed(text: str, where: str) -> dict[str, Any]:
    import tomli  # not needed by commands that only read catalogs

    if not text.strip():
        raise FusionError(f"{where} is empty", "restore it, or delete it and run `fusion lock`", stage="lock")
    marker = _MARKER.search(text)  # prose never looks like one: the writer escapes it
    if marker:
        line = text.count("\n", 0, marker.start()) + 1
        raise FusionError(
            f"{where} holds merge conflict markers, the first at line {line}",
            "take either side whole, then run `fusion lock` to write it from its sources",
            stage="lock",
        )
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        message = f"{where} is not TOML: line {error.lineno}, column {error.colno}: {printable(reason[:_SHOWN])}"
    except RecursionError:
        message = f"{where} is nested too deeply to be a lock"
    except ValueError:  # an integer of more digits than Python converts
        message = f"{where} holds a number that is too long to be read"
    raise FusionError(message, _AGAIN, stage="lock")


def _gate(document: dict[str, Any], where: str) -> None:
    """Refuse what this release cannot read, before anything else is looked at."""
    version = document.pop("lock_version", None)
    if version is None:
        raise FusionError(
            f"{where} has no lock_version: it is not a lock", "name the right file, or run `fusion lock`", stage="lock"
        )
    if type(version) is not int or version < 1:
        raise FusionError(f"{where} has a lock_version that is no version number", _AGAIN, stage="lock")
    if version > LOCK_VERSION:
        needs = document.get("needs")
        release = f"to {printable(needs)}" if isinstance(needs, str) else "fusion-contracts"
        raise FusionError(
            f"{where} has lock_version {version}; this release reads {LOCK_VERSION}", f"upgrade {release}", stage="lock"
        )
