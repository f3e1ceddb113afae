"""Values that a reader of the contract would send: its own examples first, then what format, prose or name suggest.

They are offered, never trusted: the solver takes one only where it satisfies everything that is asked.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["plausible", "shown"]

QUOTED = re.compile(
    r"(?:\be\.g\.|\bi\.e\.|\bfor example|\bfor instance|\bsuch as|\bexamples?\b|\blike)"
    r"[\s:,(\[]*([\"'`])([^\"'`\n]{1,60})\1",
    re.IGNORECASE,
)
FORMATS = {
    "uri": "https://example.com", "url": "https://example.com", "uri-reference": "/path", "email": "ada@example.com",
    "date": "2026-01-31", "date-time": "2026-01-31T12:00:00Z", "time": "12:00:00Z", "hostname": "example.com",
    "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "uuid": "123e4567-e89b-12d3-a456-426614174000",
}  # fmt: skip
LAST_WORDS = {
    "url": "https://example.com", "uri": "https://example.com", "link": "https://example.com",
    "email": "ada@example.com", "path": "notes.txt", "file": "notes.txt", "filename": "notes.txt",
    "directory": "notes", "dir": "notes", "date": "2026-01-31", "query": "example", "text": "example",
    "title": "Example", "name": "example", "message": "example", "description": "example", "content": "example",
}  # fmt: skip
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def plausible(name: str, schema: dict[str, Any]) -> list[Any]:
    """Values for a property, the most telling first. Those of the contract itself leave no room for invented ones."""
    return shown(schema) or _suggested(name, schema)


def shown(schema: dict[str, Any]) -> list[Any]:
    """The values that the contract itself shows, the most telling first."""
    values: list[Any] = []
    for keyword in ("examples", "enum"):
        if isinstance(schema.get(keyword), list):
            values += schema[keyword][:10]
    if "example" in schema:
        values.append(schema["example"])
    if schema.get("default") is not None:
        values.append(schema["default"])
    return values


def _suggested(name: str, schema: dict[str, Any]) -> list[Any]:
    description = schema.get("description")
    quoted = QUOTED.search(description) if isinstance(description, str) else None
    words = WORD.findall(name)
    values = [
        quoted[2] if quoted else None,
        FORMATS.get(schema["format"]) if isinstance(schema.get("format"), str) else None,
        LAST_WORDS.get(words[-1].lower()) if words else None,
    ]
    return [value for value in values if value is not None]
