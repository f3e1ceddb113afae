"""Whatever a caller has in hand, a schema or a validator's error, read into failures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.failures import Failure
from fusion_contracts.runtime.from_schema import check_schema, failure_of, prepared, refusals
from fusion_contracts.runtime.shape import Shape

__all__ = ["Reading", "read"]

_CAUSES = 6  # exceptions of a chain that are looked at


class Reading:
    """The failures, how many more there are, and the live schema where one is known."""

    __slots__ = ("_validator", "failures", "more", "schema")

    def __init__(self, failures: Sequence[Failure], more: int = 0, schema: JsonValue = None) -> None:
        """`schema` is the live one, whatever judged the arguments."""
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
    if isinstance(error_or_schema, (list, tuple)):
        return Reading(
            [failure for error in error_or_schema for failure in _failures(error, arguments, schema)], schema=schema
        )
    return Reading(_failures(error_or_schema, arguments, schema), schema=schema)


def _by_schema(schema: JsonValue, arguments: JsonValue, *, formats: bool) -> Reading:
    validator = _validator(schema, formats=formats)
    if validator is None:  # no validator reads this schema: what is plain to see in it still counts
        return Reading(check_schema(schema, arguments), schema=schema)
    failures, more = refusals(validator, arguments)
    return Reading(failures, more, schema)


def _validator(schema: JsonValue, *, formats: bool) -> Any:
    if not isinstance(schema, (dict, bool)):
        return None
    try:
        return prepared(schema, formats=formats)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None


def _failures(error: Any, arguments: JsonValue, schema: JsonValue) -> list[Failure]:
    """The failures of the first error in the chain of causes that a validator raised."""
    here = error
    for _ in range(_CAUSES):
        found = _of_one(here, arguments, schema)
        if found is not None:
            return found
        here = getattr(here, "__cause__", None) or getattr(here, "source", None)
        if here is None:
            break
    return [Failure((), "other", message=str(error)[:300] if isinstance(error, (Exception, str)) else "")]


def _of_one(error: Any, arguments: JsonValue, schema: JsonValue) -> list[Failure] | None:
    home = type(error).__module__.partition(".")[0]
    if home in {"pydantic_core", "pydantic"} and hasattr(error, "errors"):
        from fusion_contracts.runtime import from_pydantic

        details = error.errors(include_url=False, include_context=True)
        return from_pydantic.failures_of(details, arguments, Shape(schema))
    if home == "jsonschema_rs" and hasattr(error, "kind"):
        return list(failure_of(error))
    if home == "jsonschema" and hasattr(error, "validator_value"):
        from fusion_contracts.runtime import from_jsonschema

        return list(from_jsonschema.failures_of(error))
    return None
