"""Whatever a caller has in hand, a schema or a validator's error, read into failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.depth import listable
from fusion_contracts.runtime.failures import Failure
from fusion_contracts.runtime.from_schema import TOO_DEEP, check_schema, failure_of, prepared, refusals
from fusion_contracts.runtime.shape import Shape

__all__ = ["Reading", "read"]

_CAUSES = 6  # exceptions of a chain that are looked at


class Reading:
    """The failures, how many more there are, and the live schema where one is known."""

    __slots__ = ("_validator", "failures", "more", "schema")

    def __init__(self, failures: Sequence[Failure], more: int = 0, schema: JsonValue = None) -> None:
        """`schema` is the live one, whatever judged the arguments; as its validator reads it, where that judged."""
        self.failures = failures
        self.more = more
        self.schema = schema
        self._validator: Any = _NOT_MADE

    @property
    def validator(self) -> Any:
        """The validator of the live schema, formats as annotations; None where there is none."""
        if self._validator is _NOT_MADE:
            self._validator = _validator(self.schema, formats=False)
        return self._validator

    def again(self, arguments: JsonValue) -> Reading:
        """The same for other arguments, by the schema."""
        return _by_schema(self.schema, arguments, formats=False)


_NOT_MADE: Any = object()


def read(error_or_schema: Any, arguments: JsonValue, schema: JsonValue, *, formats: bool) -> Reading:
    """Read a schema (and judge the arguments by it), or an error that a validator raised."""
    if isinstance(error_or_schema, (dict, bool)):
        return _by_schema(error_or_schema, arguments, formats=formats)
    if isinstance(error_or_schema, type) and hasattr(error_or_schema, "model_json_schema"):
        return _by_schema(error_or_schema.model_json_schema(), arguments, formats=formats)
    given = error_or_schema if isinstance(error_or_schema, (list, tuple)) else [error_or_schema]
    found = [_failures(error, arguments, schema) for error in given]
    if None in found and isinstance(schema, (dict, bool)):  # no validator's error: the schema judges
        return _by_schema(schema, arguments, formats=formats)
    failures = [failure for each in found if each is not None for failure in each]
    return Reading(failures, sum(each.more for each in found if each is not None), schema)


def _by_schema(schema: JsonValue, arguments: JsonValue, *, formats: bool) -> Reading:
    validator = _validator(schema, formats=formats)
    if validator is None:  # no validator reads this schema: what is plain to see in it still counts
        return Reading(check_schema(schema, arguments), schema=schema)
    if not listable(validator.schema, arguments):
        return Reading([TOO_DEEP], schema=validator.schema)
    failures, more = refusals(validator, arguments)
    return Reading(failures, more, validator.schema)


def _validator(schema: JsonValue, *, formats: bool) -> Any:
    return prepared(schema, formats=formats) if isinstance(schema, (dict, bool)) else None


class _Found(list[Failure]):
    """The failures of one error, and how many more it tells of."""

    more = 0


def _failures(error: Any, arguments: JsonValue, schema: JsonValue) -> _Found | None:
    """The failures of the first error in the chain of causes that a validator raised; None where none did.

    A text, and that of a plain ValueError, is a sentence of the server's author. Of any other exception nothing is
    read: its text may hold anything.
    """
    if isinstance(error, str) or (type(error) is ValueError and error.__cause__ is None):
        return _Found([Failure((), "other", message=str(error)[:300])])
    here = error
    for _ in range(_CAUSES):
        found = _of_one(here, arguments, schema)
        if found is not None:
            return found
        here = getattr(here, "__cause__", None) or getattr(here, "source", None)
        if here is None:
            break
    return None


def _of_one(error: Any, arguments: JsonValue, schema: JsonValue) -> _Found | None:
    home = type(error).__module__.partition(".")[0]
    if home in {"pydantic_core", "pydantic"} and hasattr(error, "errors"):
        from fusion_contracts.runtime import from_pydantic

        details = error.errors(include_url=False, include_context=True)
        found = _Found(from_pydantic.failures_of(details, arguments, Shape(schema)))
        found.more = max(0, len(details) - from_pydantic.MOST)
        return found
    if home == "jsonschema_rs" and hasattr(error, "kind"):
        return _Found(failure_of(error, arguments))
    if home == "jsonschema" and hasattr(error, "validator_value"):
        from fusion_contracts.runtime import from_jsonschema

        return _Found(from_jsonschema.failures_of(error))
    return None
