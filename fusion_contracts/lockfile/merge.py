"""Three locks merged by server, then by entry; a server's own table field by field.

An entry (a tool, a prompt, a resource, a template) is merged whole: two different edits of one tool are a conflict,
whatever they touch, because its digests speak for all of it. What one side alone changed, added or removed is taken; a
server that one side removed and the other changed is a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar

from fusion_contracts.canonical import equal, shortened
from fusion_contracts.lockfile.tables import prompt_table, resource_table, server_table, source_table, tool_table
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record

__all__ = ["PARTS", "Conflict", "Merged", "merge", "same_entry", "same_server"]

T = TypeVar("T")
Same = Callable[[Any, Any], bool]

PARTS = ("prompts", "resources", "resource_templates", "tools")
"""The mappings of a contract by entry, in the order of the file."""

_TABLES: Mapping[str, Callable[[Any], Any]] = {
    "prompts": prompt_table,
    "resources": resource_table,
    "resource_templates": resource_table,
    "tools": tool_table,
}


@record
class Conflict:
    """One thing that both sides changed, each in its own way.

    `part` is one of PARTS and `name` the entry's; without a part it is the server's own table, and `name` lists its
    fields, or the server as a whole where that is empty. `removed` is the side that removed it, `ours` or `theirs`.
    """

    server: str
    part: str = ""
    name: str = ""
    removed: str = ""

    def __str__(self) -> str:
        """For people: `both sides changed tool close_page of helpdesk`."""
        server = shortened(self.server)
        what = f"{self.name} of {server}" if self.name else f"server {server}"
        if self.part:
            what = f"{self.part.removesuffix('s').replace('_', ' ')} {shortened(self.name)} of {server}"
        if not self.removed:
            return f"both sides changed {what}"
        remover, changer = ("our", "their") if self.removed == "ours" else ("their", "our")
        return f"{remover} side removed {what}, {changer} side changed it"


@record
class Merged:
    """The merge as either side would have it: equal but for the entries in `conflicts`."""

    ours: Lock
    theirs: Lock
    conflicts: tuple[Conflict, ...]


def merge(base: Lock, ours: Lock, theirs: Lock) -> Merged:
    """Merge what `ours` and `theirs` made of `base`. Swapping the sides swaps the answer, and nothing else."""
    left: dict[str, ServerContract] = {}
    right: dict[str, ServerContract] = {}
    conflicts: list[Conflict] = []
    for name in sorted({*base.servers, *ours.servers, *theirs.servers}):
        sides = base.servers.get(name), ours.servers.get(name), theirs.servers.get(name)
        one, other, found = _server(*sides)
        left |= {name: one} if one else {}
        right |= {name: other} if other else {}
        conflicts += found
    return Merged(Lock(left), Lock(right), tuple(conflicts))


def same_server(a: ServerContract | None, b: ServerContract | None) -> bool:
    """Whether a lock says the same of two servers, to the last bit: `==` takes true for 1, and 1 for 1.0."""
    if a is None or b is None:
        return a is b
    return equal(server_table(a), server_table(b)) and all(
        getattr(a, part).keys() == getattr(b, part).keys()
        and all(_same(table)(entry, getattr(b, part)[name]) for name, entry in getattr(a, part).items())
        for part, table in _TABLES.items()
    )


def same_entry(a: ServerContract | None, b: ServerContract | None, part: str, name: str) -> bool:
    """Whether two contracts hold the same entry; without a part, whether their own tables are the same."""
    if a is None or b is None:
        return False
    if not part:
        return equal(server_table(a), server_table(b))
    return _same(_TABLES[part])(getattr(a, part).get(name), getattr(b, part).get(name))


def _same(table: Callable[[Any], Any]) -> Same:
    """Whether two entries, or their absence, are the same in a lock."""

    def compare(a: Any, b: Any) -> bool:
        return a is b if a is None or b is None else equal(table(a), table(b))

    return compare


def _pick(base: T, ours: T, theirs: T, same: Same) -> tuple[T, T]:
    """What each side then has: the same, where one of the two left it as it was."""
    if same(ours, theirs) or same(base, theirs):
        return ours, ours
    return (theirs, theirs) if same(base, ours) else (ours, theirs)


Side = tuple[ServerContract | None, ServerContract | None, list[Conflict]]


def _server(base: ServerContract | None, ours: ServerContract | None, theirs: ServerContract | None) -> Side:
    if ours is None or theirs is None:
        one, other = _pick(base, ours, theirs, same_server)
        if one is other:
            return one, other, []
        kept, gone = (one, "theirs") if one else (other, "ours")
        return one, other, [Conflict(kept.name, removed=gone)] if kept else []
    before = base or ServerContract(ours.name)
    own, other_own, names = _own(before, ours, theirs)
    conflicts = [Conflict(ours.name, name=_listed(names))] if names else []
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    for part in PARTS:
        left[part], right[part], found = _entries(part, before, ours, theirs)
        conflicts += found
    return replace(own, **left), replace(other_own, **right), conflicts


def _entries(
    part: str, base: ServerContract, ours: ServerContract, theirs: ServerContract
) -> tuple[dict[str, Any], dict[str, Any], list[Conflict]]:
    before, mine, yours = (getattr(one, part) for one in (base, ours, theirs))
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    conflicts = []
    for name in sorted({*before, *mine, *yours}):
        one, other = _pick(before.get(name), mine.get(name), yours.get(name), _same(_TABLES[part]))
        left |= {} if one is None else {name: one}
        right |= {} if other is None else {name: other}
        if one is not other:
            removed = "ours" if one is None else "theirs" if other is None else ""
            conflicts.append(Conflict(ours.name, part, name, removed))
    return left, right, conflicts


# --- a server's own table --------------------------------------------------------------------------------------------

_WHOLE = {"protocol_version": "protocol version", "instructions": "instructions"}
_BY_KEY = {"info": "server info", "capabilities": "capabilities"}


def _own(
    base: ServerContract, ours: ServerContract, theirs: ServerContract
) -> tuple[ServerContract, ServerContract, list[str]]:
    """The fields of both sides, and what people call those that conflict. A source is whole: its parts fit together."""
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    clashing = []
    for field in fields(ServerContract):
        name = field.name
        sides: tuple[Any, Any, Any] = getattr(base, name), getattr(ours, name), getattr(theirs, name)
        if name in _WHOLE:
            left[name], right[name] = _pick(*sides, equal)
            told = [] if left[name] == right[name] else [_WHOLE[name]]
        elif name in _BY_KEY:
            left[name], right[name], told = _object(*sides)
            told = [f"{_BY_KEY[name]} {shortened(key)}" for key in told]
        elif name == "source":
            left[name], right[name] = _pick(*sides, _same(source_table))
            told = [] if left[name] is right[name] else ["source"]
        else:
            continue
        clashing += told
    return replace(ours, **left), replace(theirs, **right), clashing


def _object(
    base: dict[str, Any], ours: dict[str, Any], theirs: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """A JSON object merged by its keys, and the keys that conflict."""
    left: dict[str, Any] = {}
    right: dict[str, Any] = {}
    clashing = []
    for key in sorted({*base, *ours, *theirs}):
        sides = base.get(key, _ABSENT), ours.get(key, _ABSENT), theirs.get(key, _ABSENT)
        one, other = _pick(*sides, _same_value)
        left |= {} if one is _ABSENT else {key: one}
        right |= {} if other is _ABSENT else {key: other}
        clashing += [] if one is other else [key]
    return left, right, clashing


_ABSENT: Any = object()


def _same_value(a: Any, b: Any) -> bool:
    return a is b if _ABSENT in (a, b) else equal(a, b)


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
