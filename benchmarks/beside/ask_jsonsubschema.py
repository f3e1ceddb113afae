"""Answers pairs of schemas with jsonsubschema, in an environment of its own (see answering.py)."""

from __future__ import annotations

from typing import Any

from beside.answering import serve
from jsonsubschema import isSubschema  # type: ignore[import-not-found]


def ask(old: Any, new: Any, _dialect: str) -> bool | None:
    """Whether the old schema is a subschema of the new one; None where the library does not say."""
    answer = isSubschema(old, new)
    return answer if isinstance(answer, bool) else None


if __name__ == "__main__":
    serve(ask)
