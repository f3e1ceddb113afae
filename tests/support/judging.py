"""What the tests of the engine share: a validator that is not ours."""

from __future__ import annotations

from typing import Any

import jsonschema
from referencing.exceptions import Unresolvable


def accepts(schema: Any, value: Any) -> bool | None:
    """What a validator says; None where it follows a reference that leads nowhere, or to itself without end."""
    try:
        return bool(jsonschema.Draft202012Validator(schema).is_valid(value))
    except (RecursionError, Unresolvable):
        return None
