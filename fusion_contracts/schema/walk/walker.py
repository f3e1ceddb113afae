"""The walk itself: down both documents side by side, through references, each shared definition once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.branches import Pairing
from fusion_contracts.schema.document import MISSING, Document, Scope, unescape
from fusion_contracts.schema.identity import Identity
from fusion_contracts.schema.view import View, Viewer
from fusion_contracts.schema.vocabulary import ANNOTATIONS
from fusion_contracts.schema.walk.arrays import array
from fusion_contracts.schema.walk.composition import composed, crossed, into_union, union, unlike
from fusion_contracts.schema.walk.objects import dependent, patterned, properties
from fusion_contracts.schema.walk.place import Frame, Place, Raw, dot, join
from fusion_contracts.schema.walk.prose import prose
from fusion_contracts.schema.walk.values import BOUNDS, bound, listed_values, one_value, types

__all__ = ["Walker", "walk"]

HANDLED = frozenset({
    *BOUNDS, "type", "enum", "const", "pattern", "format", "uniqueItems", "properties", "required",
    "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "patternProperties", "propertyNames",
    "dependentRequired", "dependentSchemas", "items", "contains", "prefixItems", "anyOf", "oneOf", "allOf", "not", "if",
    "then", "else",
})  # fmt: skip
STEPS = ("", ".", "[", "(", "{")  # how a step of a path may begin


def walk(old: Any, new: Any) -> list[Raw]:
    """The edits from one 2020-12 document to the other, each once, in the order of the old document."""
    walker = Walker(old, new)
    found = list(walker.compare(walker.root()))
    return walker.with_uses(found)


class Walker:
    """Two documents side by side; remembers what was seen, so that nothing is told twice."""

    def __init__(self, old: Any, new: Any) -> None:
        self.old, self.new = Document(old), Document(new)
        self.identity = Identity()
        self._viewer = Viewer()
        self.pairing = Pairing(self._viewer, self.identity)
        self._uses = {("", ""): [""]}  # the paths that reach a pair of definitions, by their pointers
        self._open: set[tuple[int, int]] = set()

    def root(self) -> Frame:
        """The frame of the two documents."""
        old, new = self.old, self.new
        return Frame(old.root, new.root, old.scope, new.scope, lambda schema: schema, "", "", "")

    def with_uses(self, found: list[Raw]) -> list[Raw]:
        """Name every argument that reaches a change inside a shared definition."""
        shared = [(*pointers, paths) for pointers, paths in self._uses.items() if len(paths) > 1]
        shared.sort(key=lambda entry: -len(entry[0]))  # the innermost first
        return [_used(raw, shared) for raw in found] if shared else found

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

    def unchanged(self, old: Any, new: Any) -> bool:
        """Whether two parts say the same: the same text, and nothing in it refers to what differs."""
        return self.identity.same(old, new) and (
            not self.identity.has_reference(old) or self.identity.same(self.old.root, self.new.root)
        )

    def _compare(self, frame: Frame) -> Iterator[Raw]:
        old, new = self.view(frame.old, frame.old_scope), self.view(frame.new, frame.new_scope)
        if old.reference is not None and new.reference is not None:
            shared = (_fragment(old.reference), _fragment(new.reference))
            paths = self._uses.setdefault(shared, [])
            paths.append(frame.path)
            yield from prose(Place(self, frame, old, new), at_use=True)
            if len(paths) > 1:
                return
            frame = self._at_definition(frame, old.reference, shared)
            old, new = old.definition or old, new.definition or new
        yield from edits(Place(self, frame, old, new))

    def _at_definition(self, frame: Frame, reference: str, pointers: tuple[str, str]) -> Frame:
        """Both sides refer to a definition: the edit belongs there, and all its uses change with it."""
        if not reference.startswith("#/") or frame.old_scope.root is not self.old.root:
            return frame
        tokens = [unescape(token) for token in unquote(reference[2:]).split("/")]
        root = self.old.root

        def put(schema: Any) -> Any:
            return _set(root, tokens, schema)

        return replace(frame, put=put, old_pointer=pointers[0], new_pointer=pointers[1])


def edits(place: Place) -> Iterator[Raw]:
    """All edits at the place and below."""
    old, new = place.old.keywords, place.new.keywords
    yield from prose(place)
    if unlike(place):
        yield place.raw(
            facts.SchemaReplaced(place=place.at(), before=place.frame.old, after=place.frame.new), place.whole
        )
        return
    if crossed(old, new):
        yield from into_union(place)
        return
    yield from union(place)
    yield from types(place)
    yield from listed_values(place)
    for keyword in BOUNDS:
        yield from bound(place, keyword)
    yield from one_value(place, "pattern", facts.PatternChanged)
    yield from one_value(place, "format", facts.FormatChanged)
    yield from one_value(place, "uniqueItems", facts.UniqueItemsChanged, missing=False)
    yield from properties(place)
    yield from patterned(place)
    yield from dependent(place)
    yield from array(place)
    yield from composed(place)
    yield from rest(place)


def rest(place: Place) -> Iterator[Raw]:
    """Keywords that no vocabulary knows, and references that lead nowhere."""
    old, new = place.old.keywords, place.new.keywords
    for keyword in sorted((old.keys() | new.keys()) - HANDLED - ANNOTATIONS):
        if place.same(old.get(keyword, MISSING), new.get(keyword, MISSING)):
            continue
        spot, before, after = place.both(keyword), old.get(keyword), new.get(keyword)
        change: facts.SchemaChange = (
            facts.ReferenceChanged(place=spot, before=before, after=after)
            if keyword == "$ref"
            else facts.KeywordChanged(place=spot, before=before, after=after, keyword=keyword)
        )
        yield place.raw(change, place.so(**{keyword: new.get(keyword, MISSING)}))


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


def _used(raw: Raw, shared: list[tuple[str, str, list[str]]]) -> Raw:
    place = raw.change.place
    for old, new, paths in shared:
        if _inside(place.old, old) if place.old is not None else _inside(place.new or "", new):
            first, *others = paths
            rest = place.path.removeprefix(first)
            rest = rest if first or rest[:1] in STEPS else dot(rest)
            uses = tuple(join(other, rest) for other in others)
            return Raw(replace(raw.change, place=replace(place, uses=(place.path, *uses))), raw.edited)
    return raw


def _inside(pointer: str, outer: str) -> bool:
    return pointer == outer or pointer.startswith(f"{outer}/")


def _fragment(reference: str) -> str:
    """The pointer of a reference within its document; the whole of one into another resource."""
    return unquote(reference[1:]) if reference.startswith("#") else reference
