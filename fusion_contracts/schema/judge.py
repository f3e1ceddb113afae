"""The second opinion: jsonschema-rs on the original schemas, each in its own dialect, formats as annotations.

It refuses a whole schema for any keyword of a form that its dialect does not have, though it be an example. What it
refuses as written is judged by its translation, which has that form where there is one way to read it. Where a part has
none, what the rest says of a value counts if it is the same with a part that takes everything, and with one that takes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from fusion_contracts.canonical import text_of
from fusion_contracts.schema.aside import without
from fusion_contracts.schema.document import LISTS, MAPS, SINGLE, Document, Scope, enter
from fusion_contracts.schema.ecma import strict
from fusion_contracts.schema.ecma_tree import Unsupported
from fusion_contracts.schema.vocabulary import PROSE

__all__ = ["Judge", "bare"]

DRAFTS = {
    "2020-12": "Draft202012Validator", "2019-09": "Draft201909Validator", "draft-07": "Draft7Validator",
    "draft-06": "Draft6Validator", "draft-04": "Draft4Validator",
}  # fmt: skip

MOST_REFUSED = 20  # forms in one schema: to find out takes long for each


class Judge:
    """A validator that is not ours for one schema, made once, when it is first asked."""

    def __init__(self, schema: Any, dialect: str, translated: Any) -> None:
        self._schema, self._dialect, self._translated = schema, dialect, translated
        self._validators: tuple[Any, ...] = ()  # of which all have to say the same
        self._aside: frozenset[str] = frozenset()
        self._whole = self

    def without(self, aside: frozenset[str]) -> Judge:
        """A judge that reads less: what `properties` says of a name counts only for a value that holds the name.

        A value that holds one after all is judged by the whole. Reading is most of what a judgement takes.
        """
        if not aside:
            return self
        other = Judge(self._schema, self._dialect, self._translated)
        other._aside, other._whole = aside, self._whole
        return other

    def accepts(self, value: Any) -> bool | None:
        """Whether the validator takes the value; None where it cannot read the schema."""
        if self._aside and isinstance(value, dict) and not self._aside.isdisjoint(value):
            return self._whole.accepts(value)
        try:
            self._validators = self._validators or self._made()
            said = bool(self._validators[0].is_valid(value))
            agreed = all(validator.is_valid(value) == said for validator in self._validators[1:])
        except _refusals():
            return None
        return said if agreed else None

    def _made(self) -> tuple[Any, ...]:
        """A validator of the schema as written, else of its translation; two of what can be read of that.

        Raises what jsonschema-rs does.
        """
        import jsonschema_rs  # a comparison that ends in "equal" needs no validator

        if self._dialect in DRAFTS:  # the one of OpenAPI 3.0 is none that it knows
            kind = getattr(jsonschema_rs, DRAFTS[self._dialect])
            with suppress(*_refusals()):
                return (kind(without(self._schema, self._aside), validate_formats=False, offline=True),)
        kind = jsonschema_rs.Draft202012Validator
        schema = bare(without(self._translated, self._aside))
        with suppress(*_refusals()):
            return (kind(schema, validate_formats=False, offline=True),)
        readable = _Readable(schema)
        return tuple(
            kind(readable.with_instead(instead), validate_formats=False, offline=True) for instead in (True, False)
        )


def bare(schema: Any) -> Any:
    """A 2020-12 schema of a form that a validator takes, if it has one.

    Without prose and lists of no parts, each name of a list once, and with patterns in their strict spelling.
    """
    return dict(_kept(schema)) if isinstance(schema, dict) else schema


def _kept(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for keyword, value in schema.items():
        if keyword in SINGLE:
            yield keyword, bare(value)
        elif keyword in LISTS and isinstance(value, list):
            if value or keyword != "allOf":
                yield keyword, [bare(part) for part in value]
        elif keyword == "patternProperties" and isinstance(value, dict):
            yield keyword, {_strict(pattern): bare(part) for pattern, part in value.items()}
        elif keyword in MAPS and isinstance(value, dict):
            yield keyword, {name: bare(part) for name, part in value.items()}
        elif keyword == "pattern" and isinstance(value, str):
            yield keyword, _strict(value)
        elif keyword in ("required", "type") and isinstance(value, list):
            yield keyword, list(dict.fromkeys(value))
        elif keyword not in PROSE:
            yield keyword, value


def _strict(pattern: str) -> str:
    with suppress(Unsupported):
        return strict(pattern)
    return pattern


class _Readable:
    """What jsonschema-rs can read of a 2020-12 schema."""

    def __init__(self, schema: Any) -> None:
        self._root = Document(schema).scope
        self._forms: dict[bytes, bool] = {}
        self._refused = 0

    def with_instead(self, instead: bool) -> Any:  # noqa: FBT001 - what the schema is
        """The schema with another in the place of each that cannot be read. Raises ValueError where these are many."""
        return self._kept(self._root.root, self._root, instead)

    def _kept(self, schema: Any, scope: Scope, instead: bool) -> Any:  # noqa: FBT001 - as above
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, dict) or not self._is_read(schema, enter(schema, scope)):
            return instead
        scope, kept = enter(schema, scope), dict(schema)
        for keyword, value in schema.items():
            if keyword in SINGLE:
                kept[keyword] = self._kept(value, scope, instead)
            elif keyword in LISTS:
                kept[keyword] = [self._kept(part, scope, instead) for part in value]
            elif keyword in MAPS:
                parts = {name: part for name, part in value.items() if not _names_alone(keyword, part)}
                kept[keyword] = value | {name: self._kept(part, scope, instead) for name, part in parts.items()}
        return kept

    def _is_read(self, schema: dict[str, Any], scope: Scope) -> bool:
        """Whether a schema can be read, whatever is in its parts."""
        own = dict(schema)
        reference = own.pop("$ref", None)
        if reference is not None and not (isinstance(reference, str) and scope.document.resolve(reference, scope)):
            return False
        for keyword, value in schema.items():
            if keyword in SINGLE:
                own[keyword] = True
            elif keyword in LISTS and isinstance(value, list):
                own[keyword] = [True for _ in value]
            elif keyword in MAPS and isinstance(value, dict):
                own[keyword] = {name: part if _names_alone(keyword, part) else True for name, part in value.items()}
        text = text_of(own)
        if text is None:
            return False
        if text not in self._forms:  # most are of few forms
            if self._refused == MOST_REFUSED:
                raise ValueError("too much of it cannot be read")
            self._forms[text] = _is_taken(own)
            self._refused += not self._forms[text]
        return self._forms[text]


def _names_alone(keyword: str, part: Any) -> bool:
    """Whether a part of `dependencies` is a list of names."""
    return keyword == "dependencies" and isinstance(part, list)


def _is_taken(schema: dict[str, Any]) -> bool:
    import jsonschema_rs  # as above

    try:
        jsonschema_rs.Draft202012Validator(schema, validate_formats=False, offline=True)
    except _refusals():
        return False
    return True


def _refusals() -> tuple[type[Exception], ...]:
    import jsonschema_rs  # as above

    read = jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, TypeError
    return *read, ArithmeticError, RecursionError
