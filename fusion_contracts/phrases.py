"""What a schema asks of a value, in a few words: the same for the model that is told and the person that reads."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["BOUNDS", "TYPES", "bound", "either"]

TYPES = {
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
"""Each type of JSON Schema."""

BOUNDS = {
    "minimum": ("at least {}", ""),
    "exclusiveMinimum": ("more than {}", ""),
    "maximum": ("at most {}", ""),
    "exclusiveMaximum": ("less than {}", ""),
    "multipleOf": ("a multiple of {}", ""),
    "minLength": ("at least {}", "character"),
    "maxLength": ("at most {}", "character"),
    "minItems": ("at least {}", "item"),
    "maxItems": ("at most {}", "item"),
    "minProperties": ("at least {}", "key"),
    "maxProperties": ("at most {}", "key"),
}
"""Each keyword that bounds a value: the phrase, and what is counted."""


def bound(keyword: str, limit: object, shown: str) -> str:
    """`at most 3 items`, for a keyword of `BOUNDS`; `shown` is the limit as it is told."""
    phrase, unit = BOUNDS[keyword]
    return phrase.format(f"{shown} {unit}{'' if limit == 1 else 's'}" if unit else shown)


def either(types: Iterable[str]) -> str:
    """`a number or null`: types in words, null last; integers are not told beside numbers."""
    named = sorted(types, key=lambda name: name == "null")
    return " or ".join(TYPES[name] for name in named if name != "integer" or "number" not in named)
