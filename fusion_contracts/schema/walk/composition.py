"""Unions and what else is put together of schemas: anyOf, oneOf, allOf, not, if."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import MISSING
from fusion_contracts.schema.vocabulary import ANNOTATIONS
from fusion_contracts.schema.walk.place import Frame, Keywords, Place, Raw

__all__ = ["as_unions", "composed", "crossed", "into_union", "union", "unlike"]

CONDITION = ("if", "then", "else")
UNIONS = frozenset({"anyOf", "oneOf"})
MOST_BRANCHES = 20  # within each other, in which a plain schema is looked for: one may refer to what it is a branch of


def unlike(place: Place) -> bool:
    """Whether keyword by keyword makes no sense: one side is a boolean or unreadable, or composed otherwise."""
    old, new = place.old.keywords, place.new.keywords
    if "$unreadable" in old or "$unreadable" in new:
        return True
    if (old == {"not": {}}) != (new == {"not": {}}):
        return True
    return old.keys() >= UNIONS or new.keys() >= UNIONS


def crossed(old: Keywords, new: Keywords) -> bool:
    """Whether one side is a union and nothing else, the other is none."""
    if UNIONS.isdisjoint(old) and UNIONS.isdisjoint(new):
        return False
    bare = [{k for k in side if k not in ANNOTATIONS} for side in (old, new)]
    unions = [side in ({"anyOf"}, {"oneOf"}) for side in bare]
    if unions[0] == unions[1] or not all(bare):
        return False
    return UNIONS.isdisjoint(bare[unions[0]])


def union(place: Place) -> Iterator[Raw]:
    """The edits between two unions: branch by branch, or as a whole where one side has none."""
    old, new = place.old.keywords, place.new.keywords
    keyword: Any = next((k for k in ("anyOf", "oneOf") if k in old or k in new), None)
    if keyword is None:
        return
    kinds = [next((k for k in ("anyOf", "oneOf") if k in side), keyword) for side in (old, new)]
    branches = [side.get(kind) for side, kind in zip((old, new), kinds, strict=True)]
    if isinstance(branches[0], list) and isinstance(branches[1], list):
        if kinds[0] != kinds[1]:
            spot = place.at(kinds[0])._replace(new=place.at(kinds[1]).new)
            change = facts.SchemaReplaced(place=spot, before={kinds[0]: branches[0]}, after={kinds[1]: branches[1]})
            yield place.raw(change, place.so(**{kinds[0]: MISSING, kinds[1]: branches[0]}))
        yield from _branches(place, (kinds[0], kinds[1]), branches[0], branches[1])
    elif not place.same(old.get(keyword, MISSING), new.get(keyword, MISSING)):
        change = facts.SchemaReplaced(place=place.both(keyword), before=old.get(keyword), after=new.get(keyword))
        yield place.raw(change, place.so(**{keyword: place.grafted(keyword)}))


def _branches(place: Place, kinds: tuple[Any, Any], old: list[Any], new: list[Any]) -> Iterator[Raw]:
    keyword, new_keyword = kinds
    pairs, removed, added = place.walker.pairing.pair(old, new, place.old.scope, place.new.scope)
    for i, j, tag in pairs:
        yield from place.across(kinds, i, j, "" if tag is None else f"({tag[0]}={tag[1]})")
    for i, tag in removed:
        gone = facts.BranchRemoved(
            place=place.at(keyword, str(i), new=False), before=old[i], keyword=keyword, discriminator=tag
        )
        yield place.raw(gone, place.so(**{keyword: _without(old, i) or [False]}))
    for j, tag in added:
        come = facts.BranchAdded(
            place=place.at(new_keyword, str(j), old=False), after=new[j], keyword=new_keyword, discriminator=tag
        )
        beside = {new_keyword: [*(old[i] for i, _, _ in pairs), place.graft(new[j])]}
        # with a branch that is lost it shares nothing: what both take, the other edit tells
        edited = {"anyOf": [beside, *(old[i] for i, _ in removed)]} if removed else beside
        yield place.raw(come, place.so(**{keyword: MISSING, **edited}))


def as_unions(place: Place) -> Place | None:
    """The place with two unions of one kind, where the side that is none was one whose branches differ in type."""
    old, new = (
        view._replace(keywords=view.union or {}) if UNIONS.isdisjoint(view.keywords) else view
        for view in (place.old, place.new)
    )
    if (old.keywords.keys() & UNIONS) != (new.keywords.keys() & UNIONS):
        return None
    return Place(place.walker, place.frame, old, new)


def into_union(place: Place) -> Iterator[Raw]:
    """A plain schema became a union, or the other way round: it is one of the branches, or all was replaced."""
    old, new = place.old.keywords, place.new.keywords
    keyword: Any = next(k for k in ("anyOf", "oneOf") if k in old or k in new)
    widened = keyword in new
    plain = {k: v for k, v in (old if widened else new).items() if k not in ANNOTATIONS}
    branches = (new if widened else old)[keyword]
    left, right = ([plain], branches) if widened else (branches, [plain])
    pair = place.walker.pairing.pair
    pairs, removed, added = (
        pair(left, right, place.old.scope, place.new.scope) if isinstance(branches, list) else ([], [], [])
    )
    if len(pairs) != 1 or place.walker.branches > MOST_BRANCHES:
        change = facts.SchemaReplaced(place=place.at(), before=place.frame.old, after=place.frame.new)
        yield place.raw(change, place.whole)
        return
    i, j, _ = pairs[0]
    place.walker.branches += 1
    try:
        yield from place.walker.compare(_into_branch(place, keyword, (left[i], right[j]), j if widened else i))
    finally:
        place.walker.branches -= 1
    for index, tag in removed:
        gone = facts.BranchRemoved(
            place=place.at(keyword, str(index), new=False), before=branches[index], keyword=keyword, discriminator=tag
        )
        yield place.raw(gone, place.so(**{keyword: _without(branches, index)}))
    for index, tag in added:
        come = facts.BranchAdded(
            place=place.at(keyword, str(index), old=False), after=branches[index], keyword=keyword, discriminator=tag
        )
        yield place.raw(come, _either(place, keyword, plain, branches[index]))


def _into_branch(place: Place, keyword: str, parts: tuple[Any, Any], index: int) -> Frame:
    """The frame of a plain schema and the branch that it became, or of the branch that is all that is left."""
    widened = keyword in place.new.keywords
    branch = f"/{keyword}/{index}"
    return Frame(
        old=parts[0],
        new=parts[1],
        old_scope=place.old.scope,
        new_scope=place.new.scope,
        put=place.frame.put if widened else _put_branch(place, keyword, index),
        old_pointer=place.frame.old_pointer + ("" if widened else branch),
        new_pointer=place.frame.new_pointer + (branch if widened else ""),
        path=place.frame.path,
        within=place.frame.within,
        above=place.above,
    )


def _put_branch(place: Place, keyword: str, index: int) -> Callable[[Any], Any]:
    def put(schema: Any) -> Any:
        branches = list(place.old.keywords[keyword])
        branches[index] = schema
        return place.frame.put(place.replaced(**{keyword: branches}))

    return put


def _either(place: Place, keyword: str, plain: Keywords, branch: Any) -> Callable[[], Any]:
    return lambda: place.rooted({keyword: [plain, place.graft(branch)]})


def _without(branches: list[Any], index: int) -> list[Any]:
    return [branch for k, branch in enumerate(branches) if k != index]


def composed(place: Place) -> Iterator[Raw]:
    """The edits of allOf, not and if."""
    yield from _all_of(place)
    old, new = place.old.keywords, place.new.keywords
    if not place.same(old.get("not", MISSING), new.get("not", MISSING)):
        change = facts.NotChanged(place=place.both("not"), before=old.get("not"), after=new.get("not"))
        yield place.raw(change, place.so(**{"not": place.grafted("not")}))
    if "if" in old and place.same(old["if"], new.get("if", MISSING)):
        for keyword in ("then", "else"):
            yield from place.below(keyword, None, "")
        return
    before, after = ({k: side[k] for k in CONDITION if k in side} for side in (old, new))
    if (before or after) and not place.same(before, after):
        condition = facts.ConditionChanged(place=place.both("if"), before=before or None, after=after or None)
        yield place.raw(condition, place.so(**{k: place.grafted(k) for k in CONDITION}))


def _all_of(place: Place) -> Iterator[Raw]:
    old, new = (side.keywords.get("allOf") for side in (place.old, place.new))
    old, new = (parts if isinstance(parts, list) else [] for parts in (old, new))
    if not (old or new):
        return
    pairs, removed, added = place.walker.pairing.pair(old, new, place.old.scope, place.new.scope, by_place=True)
    for i, j, _ in pairs:
        yield from place.across(("allOf", "allOf"), i, j, "")
    for i, _ in removed:
        gone = facts.AllOfChanged(place=place.at("allOf", str(i), new=False), before=old[i])
        yield place.raw(gone, place.so(allOf=_without(old, i)))
    for j, _ in added:
        come = facts.AllOfChanged(place=place.at("allOf", str(j), old=False), after=new[j])
        yield place.raw(come, place.so(allOf=[*old, place.graft(new[j])]))
