"""Answers pairs of schemas with fusion_contracts.schema (see answering.py)."""

from __future__ import annotations

from typing import Any

from beside.answering import serve

from fusion_contracts.schema import compare

ANSWERS = {"compatible": True, "incompatible": False, "undecided": None}


def ask(old: Any, new: Any, dialect: str) -> bool | None:
    """Whether the new schema takes all that the old one takes; None where that is undecided."""
    return ANSWERS[compare(old, new, world="open", dialect=dialect).verdict]


if __name__ == "__main__":
    serve(ask)
