"""The walk itself: down both documents side by side, through references, each shared definition once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias
from urllib.parse import unquote

from fusion_contracts.canonical import pointer_key
from fusion_contracts.schema.branches import Pairing
from fusion_contracts.schema.document import Document, Scope
from fusion_contracts.schema.identity import Identity
from fusion_contracts.schema.location import named
from fusion_contracts.schema.view import View, Viewer
from fusion_contracts.schema.walk.edits import edits
from fusion_contracts.schema.walk.place import Frame, Place, Raw, dot, join, written
from fusion_contracts.schema.walk.prose import prose

__all__ = ["Walker", "walk"]

STEPS = ("", ".", "[", "(", "{")  # how a step of a path may begin
MOST_USES, MOST_STEPS = 100, 400  # paths to one definition that are told apart, and looked at to find them
# Each pair of definitions, by their pointers: the paths that refer to it, and the pair within which each path begins.
Uses: TypeAlias = "dict[tuple[str, str], list[tuple[str, tuple[str, str] | None]]]"


def walk(old: Any, new: Any, identity: Identity, *, refers: bool) -> list[Raw]:
    """The edits from one 2020-12 document to the other, each once, in the order of the old document.

    `refers`: a reference may stand in the old one.
    """
    walker = Walker(old, new, identity, refers=refers)
    found = list(walker.compare(walker.root()))
    return walker.with_uses(found)


class Walker:
    """Two documents side by side; remembers what was seen, so that nothing is told twice."""

    def __init__(self, old: Any, new: Any, identity: Identity, *, refers: bool) -> None:
        self.old, self.new = Document(old), Document(new)
        self.identity = identity
        self._refers = refers
        self._viewer = Viewer()
        self.pairing = Pairing(self._viewer, self.identity)
        self._uses: Uses = {("", ""): [("", None)]}
        self.branches = 0  # within each other, in which a plain schema is looked for
        self._open: set[tuple[int, int]] = set()
        self._names: dict[tuple[int, int, bool], tuple[Any, frozenset[str]]] = {}

    def root(self) -> Frame:
        """The frame of the two documents."""
        old, new = self.old, self.new
        return Frame(old.root, new.root, old.scope, new.scope, lambda schema: schema, "", "", "")

    def with_uses(self, found: list[Raw]) -> list[Raw]:
        """Name every argument that reaches a change inside a shared definition."""
        if all(len(uses) == 1 for uses in self._uses.values()):
            return found
        by_place = [{pointers[side]: pointers for pointers in self._uses} for side in (0, 1)]
        known: dict[tuple[str, str], list[str]] = {}
        for index, raw in enumerate(found):
            place = raw.change.place
            pointers = (
                _definition(place.new or "", by_place[1]) if place.old is None else _definition(place.old, by_place[0])
            )
            paths = known.get(pointers) or known.setdefault(pointers, self._paths(pointers))
            if len(paths) > 1:
                uses = tuple(_further(path, place.path, paths[0]) for path in paths)
                found[index] = raw._replace(change=replace(raw.change, place=place._replace(uses=uses)))
        return found

    def _paths(self, pointers: tuple[str, str]) -> list[str]:
        """The paths from the root to a pair of definitions, the one that was walked first: as many as are worth it."""
        paths = {self._uses[pointers][0][0]: None}
        pending = [(pointers, "", frozenset({pointers}))]
        for _ in range(MOST_STEPS):
            if not pending or len(paths) >= MOST_USES:
                break
            here, rest, passed = pending.pop()
            for path, within in self._uses[here]:
                if within is None:
                    paths[join(path, rest)] = None
                elif within not in passed:
                    first = self._uses[within][0][0]
                    pending.append((within, _step(path, first) + rest, passed | {within}))
        return list(paths)[:MOST_USES]

    def compare(self, frame: Frame) -> Iterator[Raw]:
        """The edits at one place and below it."""
        if self.unchanged(frame.old, frame.new):
            return
        key = (id(frame.old), id(frame.new))
        if key in self._open:
            return
        self._open.add(key)
        try:
            yield from self._compare(frame)
        finally:
            self._open.discard(key)

    def view(self, schema: Any, scope: Scope) -> View:
        """The view of a schema, made once."""
        return self._viewer.view(schema, scope)

    def names(self, schema: Any, scope: Scope, *, always: bool = False) -> frozenset[str]:
        """The properties that any schema of a value names; `always`: those of no branch that may not hold."""
        key = id(schema), id(scope.root), always
        if key not in self._names:
            self._names[key] = (schema, named([(schema, scope)], always=always))
        return self._names[key][1]

    def unchanged(self, old: Any, new: Any) -> bool:
        """Whether two parts say the same: the same text, and nothing in it refers to what differs."""
        return (old is new or self.identity.same(old, new)) and (
            not self._refers
            or not self.identity.has_reference(old)
            or self.identity.same(self.old.root, self.new.root)
        )

    def _compare(self, frame: Frame) -> Iterator[Raw]:
        old, new = self.view(frame.old, frame.old_scope), self.view(frame.new, frame.new_scope)
        if old.reference is not None and new.reference is not None:
            shared = (_fragment(old.reference), _fragment(new.reference))
            uses = self._uses.setdefault(shared, [])
            uses.append((frame.path, frame.within))
            yield from prose(Place(self, frame, old, new), written(frame.old).keys() | written(frame.new).keys())
            if len(uses) > 1:
                return
            frame = self._at_definition(frame, old.reference, shared)
            old, new = old.definition or old, new.definition or new
        yield from edits(Place(self, frame, old, new))

    def _at_definition(self, frame: Frame, reference: str, pointers: tuple[str, str]) -> Frame:
        """Both sides refer to a definition: the edit belongs there, and all its uses change with it."""
        if not reference.startswith("#/") or frame.old_scope.root is not self.old.root:
            return frame
        tokens = [pointer_key(token) for token in unquote(reference[2:]).split("/")]
        root = self.old.root

        def put(schema: Any) -> Any:
            return _set(root, tokens, schema)

        return frame._replace(put=put, old_pointer=pointers[0], new_pointer=pointers[1], within=pointers)


def _set(root: Any, tokens: list[str], schema: Any) -> Any:
    """A copy of the document with another schema at a pointer; only the way there is copied."""
    if not tokens:
        return schema
    token, *rest = tokens
    if isinstance(root, list):
        copied: Any = list(root)
        copied[int(token)] = _set(root[int(token)], rest, schema)
    else:
        copied = dict(root)
        copied[token] = _set(root[token], rest, schema)
    return copied


def _definition(pointer: str, known: dict[str, tuple[str, str]]) -> tuple[str, str]:
    """The innermost of the definitions that hold a place; the root holds all."""
    while pointer not in known:
        pointer = pointer.rpartition("/")[0]
    return known[pointer]


def _further(path: str, inner: str, outer: str) -> str:
    """The path that goes on from `path` as `inner` does from `outer`."""
    return join(path, _step(inner, outer))


def _step(inner: str, outer: str) -> str:
    """The way from one path down to another."""
    rest = inner.removeprefix(outer)
    return rest if outer or rest[:1] in STEPS else dot(rest)


def _fragment(reference: str) -> str:
    """The pointer of a reference within its document; the whole of one into another resource."""
    return unquote(reference[1:]) if reference.startswith("#") else reference
