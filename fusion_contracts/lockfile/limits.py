"""What a lock cannot hold, found by name and pointer before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any, TypeVar

from fusion_contracts.canonical import pointer_token, printable, shortened
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.tables import prompt_table, resource_table, server_table, tool_table
from fusion_contracts.lockfile.writer import MAX_BITS, MAX_LEVELS
from fusion_contracts.model import JsonValue, ServerContract

__all__ = ["lockable", "unlockable", "unlockable_parts"]

# Where the lock's names stand in what MCP lists. `extra` and `fields` hold what stands beside the other names there.
_AS_LISTED = {"input": "/inputSchema", "output": "/outputSchema", "meta": "/_meta", "extra": "", "fields": ""}
_SURROGATE = "holds a lone surrogate"
T = TypeVar("T")


class _Flaw:
    """A reason, and where: the reference tokens from the inside out, gathered on the way back."""

    __slots__ = ("path", "reason")

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.path: list[str | int] = []


def unlockable(contract: ServerContract) -> dict[str, str]:
    """The tools that a lock cannot hold: name to one sentence that says why, with the pointer.

    A value nested deeper than 64 levels, a lone surrogate, NaN and Infinity, an integer of more than 4,300 digits.
    The pointer is relative to the tool as MCP lists it. Empty for nearly every server.
    """
    return {
        name: f"tool {shortened(name)} cannot be locked: {flaw}"
        for name, tool in contract.tools.items()
        if (flaw := _flaw_of(name, tool_table(tool)))
    }


def unlockable_parts(contract: ServerContract) -> dict[tuple[str, str], str]:
    """What a lock cannot hold beside tools: (kind, name) to one sentence.

    `kind` is `prompt`, `resource` or `resource_template` with the entry's name or URI, or `server` with the field's
    name (`name`, `protocol_version`, `instructions`, `source`, `info`, `capabilities`).
    """
    found = {
        (kind, name): f"{kind.replace('_', ' ')} {shortened(name)} cannot be locked: {reason}"
        for kind, name, table in _entries(contract)
        if (reason := _flaw_of(name, table))
    }
    for part, value in ({"name": contract.name} | server_table(contract)).items():
        flaw = _flaw(value)
        if flaw:
            label = part.replace("_", " ")
            found["server", part] = f"the server's {label} cannot be locked: {_sentence(flaw)}"
    return found


def lockable(contract: ServerContract, locked: ServerContract | None = None) -> ServerContract:
    """The contract without what a lock cannot hold.

    Where `locked`, the contract in the present lock, has the entry, that one stays; else the entry is left out.
    `unlockable` and `unlockable_parts` say what was dropped. Raises FusionError when the NAME itself cannot be stored.
    """
    parts = unlockable_parts(contract)
    if ("server", "name") in parts:
        raise FusionError(parts["server", "name"], "choose another with --name", stage="lock")
    dropped = {kind: {name for part, name in parts if part == kind} for kind, _ in parts}
    before = locked or ServerContract(contract.name)
    return replace(
        contract,
        tools=_kept(contract.tools, set(unlockable(contract)), before.tools),
        prompts=_kept(contract.prompts, dropped.get("prompt", set()), before.prompts),
        resources=_kept(contract.resources, dropped.get("resource", set()), before.resources),
        resource_templates=_kept(
            contract.resource_templates, dropped.get("resource_template", set()), before.resource_templates
        ),
        **{part: getattr(before, part) for part in dropped.get("server", ())},
    )


def _kept(live: Mapping[str, T], dropped: set[str], locked: Mapping[str, T]) -> Mapping[str, T]:
    if not dropped:
        return live
    names = sorted(name for name in live if name not in dropped or name in locked)
    return {name: locked[name] if name in dropped else live[name] for name in names}


def _entries(contract: ServerContract) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for name, prompt in contract.prompts.items():
        yield "prompt", name, prompt_table(prompt)
    for uri, resource in contract.resources.items():
        yield "resource", uri, resource_table(resource)
    for uri, template in contract.resource_templates.items():
        yield "resource_template", uri, resource_table(template)


def _flaw_of(name: str, table: Mapping[str, Any]) -> str | None:
    """What is wrong with one entry, or None."""
    if not _is_unicode(name):
        return f"its name {_SURROGATE}"
    for part, value in table.items():
        flaw = _flaw(value)
        if flaw:
            return _sentence(flaw, _AS_LISTED.get(part, f"/{part}"))
    return None


def _sentence(flaw: _Flaw, root: str = "") -> str:
    pointer = root + "".join(f"/{pointer_token(str(name))}" for name in reversed(flaw.path))
    return f"{printable(pointer)} {flaw.reason}" if pointer else f"it {flaw.reason}"


def _flaw(value: JsonValue, level: int = 1) -> _Flaw | None:
    """The first thing that a lock cannot hold. Looks no deeper than the limit, so that it may recurse."""
    if isinstance(value, str):
        return None if _is_unicode(value) else _Flaw(_SURROGATE)
    if isinstance(value, (dict, list)):
        return _flaw_inside(value, level)
    if isinstance(value, float) and not isfinite(value):
        return _Flaw("is not a finite number")
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        return _Flaw("is an integer of more than 4,300 digits")
    return None


def _flaw_inside(value: dict[str, Any] | list[Any], level: int) -> _Flaw | None:
    if level > MAX_LEVELS:
        return _Flaw(f"is nested deeper than {MAX_LEVELS} levels")
    items: Iterable[tuple[str | int, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in items:
        flaw = _flaw(item, level + 1)
        if flaw is None and isinstance(name, str) and not _is_unicode(name):
            flaw = _Flaw(f"is a key that {_SURROGATE}")
        if flaw:
            flaw.path.append(name)
            return flaw
    return None


def _is_unicode(text: str) -> bool:
    """Whether text can be written as UTF-8 at all."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
