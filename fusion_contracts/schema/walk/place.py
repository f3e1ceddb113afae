"""One place in both documents: what the comparison of keywords is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fusion_contracts.canonical import pointer_token
from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import LISTS, MAPS, MISSING, Graft, Scope
from fusion_contracts.schema.location import IN_PLACE, mapped
from fusion_contracts.schema.view import View

if TYPE_CHECKING:
    from fusion_contracts.schema.walk.walker import Walker

__all__ = ["MISSING", "Frame", "Keywords", "Place", "Raw", "dot", "join", "required_names", "written"]

Keywords: TypeAlias = dict[str, Any]
Start: TypeAlias = tuple[Any, Scope]


class Raw(NamedTuple):
    """An edit as found: the fact, and how to make the old document with this edit alone.

    `edited` is None for an annotation, which decides nothing. It is made when asked for: a schema with thousands of
    edits would else be copied thousands of times. `inside`: how to make the old document with all that is new in a part
    of the value that holds the edit, for each such part.
    """

    change: facts.SchemaChange
    edited: Callable[[], Any] | None = None
    inside: tuple[Callable[[], Any], ...] = ()


class Frame(NamedTuple):
    """Two subschemas that stand for the same place.

    `put` gives the old document with another schema in the old one's place. `optional`: the place is a property that
    may be left out on both sides; `needed`: the old side has it in every value. `within`: the pair of definitions that
    the place is part of, by their pointers. `above`: the schemas of the same value that the place is a branch of, on
    both sides.
    """

    old: Any
    new: Any
    old_scope: Scope
    new_scope: Scope
    put: Callable[[Any], Any]
    old_pointer: str
    new_pointer: str
    path: str
    optional: bool = False
    needed: bool = False
    within: tuple[str, str] | None = None
    above: tuple[tuple[Start, Start], ...] = ()


class Place:
    """One place in both documents, seen through their views. `changed`: the keywords that do not say the same."""

    def __init__(self, walker: Walker, frame: Frame, old: View, new: View) -> None:
        self.walker = walker
        self.frame = frame
        self.old, self.new = old, new
        before, after, unchanged = old.keywords, new.keywords, walker.unchanged
        self.changed = {
            keyword
            for keyword in before.keys() | after.keys()
            if not unchanged(before.get(keyword, MISSING), after.get(keyword, MISSING))
        }

    @property
    def above(self) -> tuple[tuple[Start, Start], ...]:
        """What a branch of this place has above it: this place, and all that is above it."""
        frame = self.frame
        return (*frame.above, ((frame.old, frame.old_scope), (frame.new, frame.new_scope)))

    def named_elsewhere(self, name: str) -> bool:
        """Whether a property that one side does not name here is named there in a branch of this place, or above it.

        A new object that closes itself here refuses what it does not name here.
        """
        side = 0 if name in mapped(self.new.keywords, "properties") else 1
        if side and self.new.keywords.get("additionalProperties") is False:
            return False
        *above, own = (starts[side] for starts in self.above)
        names = self.walker.names
        return name in names(*own) or any(name in names(*start, always=True) for start in above)

    def same(self, left: Any, right: Any) -> bool:
        """Whether two parts have the same text."""
        return self.walker.identity.same(left, right)

    def at(self, *tokens: str, old: bool = True, new: bool = True, path: str = "") -> facts.Place:
        """A place below, by the tokens of its pointer; `old`, `new`: the sides where something stands there."""
        suffix = "".join([f"/{pointer_token(token)}" for token in tokens])
        return facts.Place(
            self.frame.old_pointer + suffix if old else None,
            self.frame.new_pointer + suffix if new else None,
            join(self.frame.path, path),
        )

    def both(self, keyword: str, path: str = "") -> facts.Place:
        """A place under a keyword, on the sides where the keyword stands."""
        return self.at(keyword, old=keyword in self.old.keywords, new=keyword in self.new.keywords, path=path)

    def raw(self, change: facts.SchemaChange, make: Callable[[], Any]) -> Raw:
        """A fact with the way to make the old schema of this place as it would be with this edit alone."""
        return Raw(change, lambda: self.frame.put(make()))

    def so(self, **updates: Any) -> Callable[[], Any]:
        """How to make the old schema of this place with these keywords (see `replaced`)."""
        return lambda: self.replaced(**updates)

    def replaced(self, **updates: Any) -> Any:
        """The old schema of this place with some keywords as given (MISSING: without; a callable makes the value)."""
        updates = {k: v() if callable(v) else v for k, v in updates.items()}
        merged = {k: v for k, v in self.old.keywords.items() if updates.get(k) is not MISSING}
        merged |= {k: v for k, v in updates.items() if v is not MISSING}
        return self.rooted(merged)

    def rooted(self, keywords: Keywords) -> Any:
        """Keywords as a schema whose references still resolve: the definitions stay."""
        written = self.frame.old
        if isinstance(written, dict):
            for name in ("$schema", "$id", "$defs", "definitions"):
                if name in written:
                    keywords.setdefault(name, written[name])
        return keywords

    def graft(self, schema: Any) -> Any:
        """A part of the new document, ready to stand in the old one."""
        if not isinstance(schema, dict) or not self.walker.identity.has_reference(schema):
            return schema
        return Graft.of(schema, self.new.scope)

    def whole(self) -> Any:
        """The new schema of this place, ready to stand in the old document."""
        return _whole(self.frame)

    def below(self, keyword: str, key: str | int | None, path: str, **required: bool) -> Iterator[Raw]:
        """Go down into a part of the old schema and the new part of the same key."""
        return self.across((keyword, keyword), key, key, path, **required)

    def across(
        self, keywords: tuple[str, str], key: str | int | None, new_key: str | int | None, path: str, **required: bool
    ) -> Iterator[Raw]:
        """Go down into two parts that stand for each other, whatever their keywords and keys."""
        keyword, new_keyword = keywords
        old, new = _part(self.old, keyword, key), _part(self.new, new_keyword, new_key)
        if self.walker.unchanged(old, new):
            return iter(())

        def put(schema: Any) -> Any:
            if key is None:
                return self.frame.put(self.replaced(**{keyword: schema}))
            holder = self.old.keywords[keyword]
            changed: Any = list(holder) if isinstance(holder, list) else dict(holder)
            changed[key] = schema
            return self.frame.put(self.replaced(**{keyword: changed}))

        frame = Frame(
            old=old,
            new=new,
            old_scope=self.old.scope,
            new_scope=self.new.scope,
            put=put,
            old_pointer=self.frame.old_pointer + _tokens(keyword, key),
            new_pointer=self.frame.new_pointer + _tokens(new_keyword, new_key),
            path=join(self.frame.path, path),
            within=self.frame.within,
            above=self.above if keyword in IN_PLACE else (),
            **required,
        )
        found = self.walker.compare(frame)
        return found if keyword in IN_PLACE else _all_inside(frame, found)

    def grafted(self, keyword: str) -> Any:
        """What the new schema says under a keyword, ready to stand in the old one; MISSING where it says nothing."""
        value = self.new.keywords.get(keyword, MISSING)
        if keyword in MAPS and isinstance(value, dict):
            return {name: self.graft(part) for name, part in value.items()}
        if keyword in LISTS and isinstance(value, list):
            return [self.graft(part) for part in value]
        return self.graft(value)


def _whole(frame: Frame) -> Any:
    return Graft.of(frame.new, frame.new_scope) if isinstance(frame.new, dict) else frame.new


def _all_inside(frame: Frame, found: Iterator[Raw]) -> Iterator[Raw]:
    for raw in found:
        yield raw._replace(inside=(*raw.inside, lambda: frame.put(_whole(frame))))


def _part(view: View, keyword: str, key: str | int | None) -> Any:
    value = view.keywords.get(keyword, {})
    return value if key is None else value[key]


def _tokens(keyword: str, key: str | int | None) -> str:
    return f"/{pointer_token(keyword)}" + ("" if key is None else f"/{pointer_token(str(key))}")


def dot(name: str) -> str:
    """The step of a path down to a property."""
    return f".{name}"


def join(path: str, step: str) -> str:
    """A path and a step down from there."""
    return path + step if path else step.removeprefix(".")


def written(schema: Any) -> Keywords:
    """The keywords of a schema as its document writes them; none for a boolean."""
    return schema if isinstance(schema, dict) else {}


def required_names(keywords: Keywords) -> list[str]:
    """The names under `required`."""
    value = keywords.get("required")
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
