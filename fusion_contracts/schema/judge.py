"""The second opinion: jsonschema-rs on the original schemas, each in its own dialect, formats as annotations."""

from __future__ import annotations

from typing import Any

from fusion_contracts.schema.aside import without

__all__ = ["Judge"]

DRAFTS = {
    "2020-12": "Draft202012Validator", "2019-09": "Draft201909Validator", "draft-07": "Draft7Validator",
    "draft-06": "Draft6Validator", "draft-04": "Draft4Validator",
}  # fmt: skip


class Judge:
    """A validator that is not ours for one schema, made once, when it is first asked."""

    def __init__(self, schema: Any, dialect: str) -> None:
        self._schema, self._dialect = schema, dialect
        self._validator: Any = None
        self._aside: frozenset[str] = frozenset()
        self._whole = self

    def without(self, aside: frozenset[str]) -> Judge:
        """A judge that reads less: what `properties` says of a name counts only for a value that holds the name.

        A value that holds one after all is judged by the whole. Reading is most of what a judgement takes.
        """
        if not aside:
            return self
        other = Judge(without(self._schema, aside), self._dialect)
        other._aside, other._whole = aside, self._whole
        return other

    def accepts(self, value: Any) -> bool | None:
        """Whether the validator takes the value; None where it cannot read the schema."""
        if self._aside and isinstance(value, dict) and not self._aside.isdisjoint(value):
            return self._whole.accepts(value)
        import jsonschema_rs  # a comparison that ends in "equal" needs no validator

        refusals = (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, TypeError)
        try:
            if self._validator is None:
                kind = getattr(jsonschema_rs, DRAFTS[self._dialect])
                self._validator = kind(self._schema, validate_formats=False, retriever=_never)
            return bool(self._validator.is_valid(value))
        except (*refusals, ArithmeticError, RecursionError):
            return None


def _never(uri: str) -> Any:
    raise ValueError(f"{uri} is not in the document, and nothing is fetched")
