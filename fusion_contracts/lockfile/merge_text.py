"""The texts of three locks merged: entries keep the bytes and comments of the side that they come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import HEADER, encode_entries, open_lock
from fusion_contracts.lockfile.fragments import Fragments, Key, fragments
from fusion_contracts.lockfile.merge import PARTS, Conflict, Merged, merge, same_entry, same_server
from fusion_contracts.lockfile.verify import damage
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record

__all__ = ["MergedText", "merge_texts"]


@record
class MergedText:
    """The merged text; where there are conflicts, each stands whole between git's markers and all else is merged."""

    text: str
    conflicts: tuple[Conflict, ...]


@record
class _Side:
    """One of the three: its contracts and the pieces of its text. Nothing, where the file was not there."""

    lock: Lock
    pieces: Fragments

    @classmethod
    def of(cls, text: str, origin: str) -> _Side:
        if not text.strip():
            return cls(Lock(), Fragments())
        opened = open_lock(text, origin=origin)
        for problem in damage(opened):
            raise FusionError(f"{origin}: {problem.server}: {problem.message}", problem.next, stage="lock")
        return cls(opened.lock, fragments(text))


def merge_texts(base: str, ours: str, theirs: str) -> MergedText:
    """Merge three locks by entry. Without conflicts the text is intact and says what the three-way merge says.

    Line ends are those of `ours`. An empty `base` is no lock. Comments follow their entries; one inside an entry that
    the other side changed is lost. Raises FusionError where a side cannot be read or was edited by hand.
    """
    line_end = "\r\n" if "\r\n" in ours else "\n"
    named = {"the common base": base, "our side": ours, "their side": theirs}
    sides = [_Side.of(text.replace("\r\n", "\n"), name) for name, text in named.items()]
    merged = merge(*(side.lock for side in sides))
    rows = list(_rows(merged, sides))
    if not _says(rows, merged):  # a side was written by hand in another form: its bytes cannot be kept
        rows = list(_rows(merged, [replace(side, pieces=Fragments()) for side in sides]))
    return MergedText("\n".join(_shown(*row) for row in rows).replace("\n", line_end), merged.conflicts)


Row = tuple[str, str]
"""What our side and their side have in one place; "" where a side has nothing there."""


def _rows(merged: Merged, sides: list[_Side]) -> Iterator[Row]:
    """The whole file, from its head to its last entry."""
    base, ours, theirs = (side.pieces.head.body or None for side in sides)
    head = _newer(base, ours, theirs) or HEADER
    yield head, head
    split = {one.server for one in merged.conflicts}
    whole = {one.server for one in merged.conflicts if not one.name}
    for name in sorted({*merged.ours.servers, *merged.theirs.servers}):
        left = _texts(merged.ours.servers.get(name), sides)
        right = _texts(merged.theirs.servers.get(name), sides) if name in split else left
        if name in whole:
            yield "\n".join(left.values()), "\n".join(right.values())
        else:
            yield from ((left.get(key, ""), right.get(key, "")) for key in _ordered({**left, **right}))


def _ordered(keys: Mapping[Key, str]) -> list[Key]:
    places = {part: place for place, part in enumerate(("", *PARTS))}
    return sorted(keys, key=lambda key: (places[key[1]], key[2]))


def _texts(contract: ServerContract | None, sides: list[_Side]) -> dict[Key, str]:
    """The text of each entry of a merged server: that of a side which has it so, else as it is written anew."""
    if contract is None:
        return {}
    found = {}
    for (part, name), written in encode_entries(contract).items():
        key = contract.name, part, name
        pieces = [side.pieces.entries.get(key) for side in sides]
        leads = [piece.lead if piece else None for piece in pieces]
        bodies = [
            piece.body if piece and same_entry(side.lock.servers.get(contract.name), contract, part, name) else None
            for side, piece in zip(sides, pieces, strict=True)
        ]
        found[key] = (_newer(*leads) or "") + (_newer(*bodies) or written)
    return found


def _newer(base: str | None, ours: str | None, theirs: str | None) -> str | None:
    """The text that a side changed, ours where both did; None stands for a side that has none to offer."""
    if ours is None or theirs is None:
        return ours or theirs
    return theirs if ours == base else ours


def _says(rows: list[Row], merged: Merged) -> bool:
    """Whether what is to be written is intact and says what was merged, whichever side people take."""
    for side, lock in enumerate((merged.ours, merged.theirs) if merged.conflicts else (merged.ours,)):
        try:
            opened = open_lock("\n".join(row[side] for row in rows if row[side]), origin="the merged lock")
        except FusionError:
            return False
        found = opened.lock.servers
        if damage(opened) or found.keys() != lock.servers.keys():
            return False
        if not all(same_server(contract, lock.servers[name]) for name, contract in found.items()):
            return False
    return True


def _shown(ours: str, theirs: str) -> str:
    return ours if ours == theirs else f"<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n"
