"""Two judges of a value that share no code with the engine: Python's jsonschema and jsonschema-rs."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
import referencing
import referencing.jsonschema
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

Judge = Callable[[Any, Any, str], bool]

PYTHON: dict[str, Any] = {
    "2020-12": jsonschema.Draft202012Validator,
    "2019-09": jsonschema.Draft201909Validator,
    "draft-07": jsonschema.Draft7Validator,
    "draft-06": jsonschema.Draft6Validator,
    "draft-04": jsonschema.Draft4Validator,
}
RUST: dict[str, Any] = {
    "2020-12": jsonschema_rs.Draft202012Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
    "draft-06": jsonschema_rs.Draft6Validator,
    "draft-04": jsonschema_rs.Draft4Validator,
}


def _multiple_of(_: Any, step: Any, value: Any, __: Any) -> Any:
    """Exact decimals: binary floats deny that 0.3 is a multiple of 0.1."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and Fraction(str(value)) % Fraction(str(step)):
        yield ValidationError(f"{value!r} is not a multiple of {step!r}")


_extend: Any = extend  # it has no types
EXACT = {name: _extend(validator, {"multipleOf": _multiple_of}) for name, validator in PYTHON.items()}


def by_python(schema: Any, value: Any, dialect: str) -> bool:
    validator = EXACT[dialect](schema, registry=referencing.Registry())
    return bool(validator.is_valid(value))


def by_rust(schema: Any, value: Any, dialect: str) -> bool:
    return bool(RUST[dialect](schema, validate_formats=False).is_valid(value))


@pytest.fixture(scope="session")
def judges() -> tuple[Judge, Judge]:
    """Two functions (schema, value, dialect) -> whether the schema accepts the value."""
    return by_python, by_rust
