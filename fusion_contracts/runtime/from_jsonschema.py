"""Failures from errors of the jsonschema package, one or many, as `iter_errors` and `validate` give them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.failures import Failure
from fusion_contracts.runtime.shape import Path

if TYPE_CHECKING:
    from jsonschema import ValidationError

__all__ = ["failures_of"]

_MOST = 200
_FLAGS = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}  # of draft-04: they stand beside the bound
_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)  # names as Python writes them


def failures_of(error: ValidationError, depth: int = 0) -> Iterable[Failure]:
    """The failures that one error tells: one for each name that is missing or too much."""
    keyword, limit, instance = str(error.validator), error.validator_value, error.instance
    path: Path = tuple(error.absolute_path)
    if keyword == "required":
        yield from (Failure((*path, name), "required") for name in _absent(limit, instance))
    elif keyword in {"dependentRequired", "dependencies"} and isinstance(limit, dict):
        lists = [names for key, names in limit.items() if isinstance(instance, dict) and key in instance]
        absent = [name for names in lists for name in _absent(names, instance)]
        yield from (Failure((*path, name), "required", "dependent") for name in absent)
    elif keyword in {"additionalProperties", "unevaluatedProperties"} and isinstance(instance, dict):
        told = "unexpected" if keyword == "additionalProperties" else "unevaluated"
        named = set(_QUOTED.findall(error.message))
        yield from (Failure((*path, name), told) for name in instance if isinstance(name, str) and repr(name) in named)
    elif keyword in {"anyOf", "oneOf"} and depth < 8:  # noqa: PLR2004 - unions of unions of unions
        yield Failure(path, keyword, branches=_branches(error, depth))
    elif keyword == "type":
        yield Failure(path, "type", limit if isinstance(limit, list) else [limit])
    elif keyword == "None":  # the schema is `false`
        yield Failure(path, "false")
    else:
        flag = _FLAGS.get(keyword, keyword)
        strict = isinstance(error.schema, dict) and error.schema.get(flag) is True
        yield Failure(path, flag if strict else keyword, limit)


def _absent(names: JsonValue, instance: JsonValue) -> list[str]:
    if not isinstance(names, list) or not isinstance(instance, dict):
        return []
    return [name for name in names if isinstance(name, str) and name not in instance]


def _branches(error: ValidationError, depth: int) -> tuple[tuple[Failure, ...], ...]:
    branches: dict[int, list[Failure]] = {}
    for child in (error.context or [])[:_MOST]:
        index = child.relative_schema_path[0] if child.relative_schema_path else 0
        branches.setdefault(int(index), []).extend(failures_of(child, depth + 1))
    return tuple(tuple(branch) for branch in branches.values())
