"""The second opinion: jsonschema-rs on the original schemas, each in its own dialect, formats as annotations."""

from __future__ import annotations

from typing import Any

__all__ = ["accepts"]

DRAFTS = {
    "2020-12": "Draft202012Validator", "2019-09": "Draft201909Validator", "draft-07": "Draft7Validator",
    "draft-06": "Draft6Validator", "draft-04": "Draft4Validator",
}  # fmt: skip


def accepts(schema: Any, value: Any, dialect: str) -> bool | None:
    """Whether a validator that is not ours takes the value; None where it cannot read the schema."""
    import jsonschema_rs  # a comparison that ends in "equal" needs no validator

    unreadable = (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, TypeError, ArithmeticError)
    try:
        validator = getattr(jsonschema_rs, DRAFTS[dialect])(schema, validate_formats=False, retriever=_never)
        return bool(validator.is_valid(value))
    except (*unreadable, RecursionError):
        return None


def _never(uri: str) -> Any:
    raise ValueError(f"{uri} is not in the document, and nothing is fetched")
