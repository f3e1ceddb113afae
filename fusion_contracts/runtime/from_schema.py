"""Failures of arguments against a JSON Schema, by jsonschema-rs. Nothing is fetched, whatever a schema refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.call import inside
from fusion_contracts.runtime.depth import judgeable
from fusion_contracts.runtime.failures import Failure
from fusion_contracts.runtime.shape import Shape

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

__all__ = ["TOO_DEEP", "accepts", "check_schema", "failure_of", "prepared", "refusals"]

TOO_DEEP = Failure((), "other", message="Nested too deeply to tell what is wrong.")
"""Of arguments whose refusals cannot be listed."""

_MOST_LISTED = 20_000  # schemas that are looked at for a list of errors
MOST = 200  # errors that are read; the others are counted
_UNREADABLE = (ValueError, TypeError, OverflowError, RecursionError)  # what a validator says of what is no JSON
_KEYWORDS = {"falseSchema": "false"}
_LIMITS = ("limit", "pattern", "format", "expected_value", "multiple_of")


class Prepared:
    """A validator of one schema, which raises ValueError for arguments that it would judge for ever.

    `schema` is what it reads: the schema as written, or in 2020-12.
    """

    def __init__(self, validator: Any, schema: JsonValue) -> None:
        from fusion_contracts.schema.ways import Ways  # as below

        self.schema = schema
        self._validator = validator
        self._ways = Ways.of(schema)

    def is_valid(self, arguments: JsonValue) -> bool:
        """Whether the schema accepts the arguments."""
        if self._ways.too_many(arguments):
            raise ValueError
        return bool(self._validator.is_valid(arguments))

    def iter_errors(self, arguments: JsonValue) -> Iterator[ValidationError]:
        """What the schema refuses: an error holds those of each branch, so far fewer ways are too many."""
        if self._ways.too_many(arguments, _MOST_LISTED):
            raise ValueError
        return iter(self._validator.iter_errors(arguments))


def prepared(schema: JsonValue, *, formats: bool) -> Prepared | None:
    """A validator in the schema's own dialect, else of its translation; None where no validator reads either."""
    import jsonschema_rs  # a failing call needs it, an import does not

    with suppress(*_UNREADABLE):
        return Prepared(jsonschema_rs.validator_for(schema, validate_formats=formats, retriever=_never), schema)
    from fusion_contracts.schema.dialect import Untranslatable, dialect_of, translate  # most are read as written
    from fusion_contracts.schema.judge import bare

    with suppress(*_UNREADABLE, Untranslatable):
        latest = translate(schema, dialect_of(schema))
        return Prepared(jsonschema_rs.validator_for(bare(latest), validate_formats=formats, retriever=_never), latest)
    return None


def accepts(validator: Any, arguments: JsonValue) -> bool:
    """Whether the validator takes the arguments; False where it cannot tell, or there is none."""
    if validator is None or not judgeable(arguments):
        return False
    try:
        return bool(validator.is_valid(arguments))
    except _UNREADABLE:
        return False


def refusals(validator: Any, arguments: JsonValue) -> tuple[list[Failure], int]:
    """What the validator refuses, and how many more refusals there are than were read."""
    if not judgeable(arguments):
        return [TOO_DEEP], 0
    try:
        errors = validator.iter_errors(arguments)
        found = [failure for error in islice(errors, MOST) for failure in failure_of(error, arguments)]
        return found, sum(1 for _ in errors)
    except _UNREADABLE:
        return [Failure((), "other", message="The arguments hold what no validator can judge.")], 0


def failure_of(error: ValidationError, arguments: JsonValue, depth: int = 0) -> Iterable[Failure]:
    """The failures that one error of jsonschema-rs tells of these arguments: one for each name missing or too much."""
    kind = error.kind.name
    path = tuple(error.instance_path)
    details: dict[str, Any] = error.kind.as_dict()
    if kind == "required":
        yield Failure((*path, str(details.get("property"))), "required", _needed_with(error))
    elif kind in {"additionalProperties", "unevaluatedProperties"}:
        for name in details.get("unexpected", ()):
            yield Failure((*path, name), "unexpected" if kind == "additionalProperties" else "unevaluated")
    elif kind == "falseSchema" and error.schema_path[-1:] == ["additionalProperties"] != list(path[-1:]):
        sent = inside(arguments, path)  # an object that may hold nothing: of its names the error tells none
        yield from (Failure((*path, name), "unexpected") for name in sent) if isinstance(sent, dict) else ()
    elif kind in {"anyOf", "oneOf"} and depth < 8:  # noqa: PLR2004 - unions of unions of unions
        yield Failure(path, kind, branches=_branches(details.get("context", ()), arguments, depth))
    elif kind == "type":
        yield Failure(path, "type", list(details.get("types", ())))
    elif kind == "enum":
        yield Failure(path, "enum", details.get("options"))
    else:
        limit = next((details[key] for key in _LIMITS if key in details), None)
        yield Failure(path, _KEYWORDS.get(kind, kind), limit)


def _branches(
    context: Iterable[Iterable[ValidationError]], arguments: JsonValue, depth: int
) -> tuple[tuple[Failure, ...], ...]:
    return tuple(
        tuple(failure for error in islice(branch, MOST) for failure in failure_of(error, arguments, depth + 1))
        for branch in context
    )


def _needed_with(error: ValidationError) -> str | None:
    return "dependent" if any(str(step).startswith("depend") for step in error.schema_path[-2:]) else None


def check_schema(schema: JsonValue, arguments: JsonValue) -> list[Failure]:
    """What can be said without a validator, of a schema that no validator reads: names missing, names too much."""
    if not isinstance(arguments, dict):
        return [Failure((), "type", ["object"])]
    flat = Shape(schema).at((), arguments)
    required = [name for name in _list(flat.get("required")) if isinstance(name, str)]
    known = flat.get("properties")
    found = [Failure((name,), "required") for name in required if name not in arguments]
    if flat.get("additionalProperties") is False and isinstance(known, dict):
        found += [Failure((name,), "unexpected") for name in arguments if isinstance(name, str) and name not in known]
    return found


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _never(uri: str) -> Any:
    raise ValueError(f"{uri} is not in the document, and nothing is fetched")
