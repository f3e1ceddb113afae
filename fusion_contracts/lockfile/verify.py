"""Whether a lock is intact, and whether two contracts are the same surface: both by digests."""

from __future__ import annotations

from fusion_contracts.canonical import printable, shortened
from fusion_contracts.errors import Problem
from fusion_contracts.lockfile.codec import OpenLock, open_lock
from fusion_contracts.lockfile.digest import KINDS, Digests, Entry, all_digests
from fusion_contracts.model import ServerContract
from fusion_contracts.record import record

__all__ = ["SurfaceChange", "damage", "surface_changes", "verify"]


def verify(text: str, *, origin: str) -> list[Problem]:
    """What was edited by hand or merged badly in the text of a lock, one problem an entry; empty when it is intact.

    Raises FusionError where the text is no lock at all.
    """
    return damage(open_lock(text, origin=origin))


def damage(opened: OpenLock) -> list[Problem]:
    """`verify` for a lock that is read already; by server, its own table first, then tools, prompts, resources."""
    return [
        Problem(printable(name), "lock", f"{_label(entry)} was edited by hand or merged badly: {reason}", _NEXT)
        for name, contract in opened.lock.servers.items()
        for entry, right in all_digests(contract).items()
        if (reason := _mismatch(right, opened.stored[name].get(entry, {})))
    ]


_NEXT = "run `fusion lock`"


def _mismatch(right: Digests, stored: dict[str, str]) -> str:
    missing = [kind for kind in KINDS if kind not in stored]
    wrong = [kind for kind in KINDS if kind in stored and stored[kind] != getattr(right, kind)]
    told = (
        _digests_do(wrong, "does not match", "do not match") if wrong else "",
        _digests_do(missing, "is missing", "are missing") if missing else "",
    )
    return " and ".join(filter(None, told))


def _digests_do(kinds: list[str], one: str, many: str) -> str:
    if len(kinds) == 1:
        return f"its {kinds[0]} digest {one}"
    return f"its {', '.join(kinds[:-1])} and {kinds[-1]} digests {many}"


def _label(entry: Entry) -> str:
    kind, name = entry
    return f"{kind.replace('_', ' ')} {shortened(name)}" if name or kind != "server" else "the server's own table"


@record
class SurfaceChange:
    """One entry whose digests differ. `what` is `added`, `removed`, or the kinds of content that changed."""

    kind: str
    name: str
    what: tuple[str, ...]

    def __str__(self) -> str:
        return f"{_label((self.kind, self.name))} ({', '.join(self.what)})"


def surface_changes(old: ServerContract, new: ServerContract) -> tuple[SurfaceChange, ...]:
    """Where two contracts of one server differ by their digests; empty when agents rely on the same in both.

    A lock is stale when this is not empty. Protocol version, serverInfo's version and source do not count: compare
    them apart, for a note.
    """
    before, after = all_digests(old), all_digests(new)
    changes = {entry: _what(before.get(entry), after.get(entry)) for entry in {**before, **after}}
    return tuple(SurfaceChange(*entry, what) for entry, what in changes.items() if what)


def _what(before: Digests | None, after: Digests | None) -> tuple[str, ...]:
    if before is None:
        return ("added",)
    if after is None:
        return ("removed",)
    return tuple(kind for kind in KINDS if getattr(before, kind) != getattr(after, kind))
