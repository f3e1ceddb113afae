"""The second opinion: jsonschema-rs on the original schemas, each in its own dialect, formats as annotations.

It refuses a whole schema for any keyword of a form that its dialect does not have, though it be an example. What it
refuses as written is judged by its translation, which has that form where there is one way to read it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from fusion_contracts.schema.aside import without
from fusion_contracts.schema.dialect_keywords import LATEST
from fusion_contracts.schema.document import LISTS, MAPS, SINGLE
from fusion_contracts.schema.vocabulary import PROSE

__all__ = ["Judge", "bare"]

DRAFTS = {
    "2020-12": "Draft202012Validator", "2019-09": "Draft201909Validator", "draft-07": "Draft7Validator",
    "draft-06": "Draft6Validator", "draft-04": "Draft4Validator",
}  # fmt: skip


class Judge:
    """A validator that is not ours for one schema, made once, when it is first asked."""

    def __init__(self, schema: Any, dialect: str, translated: Any) -> None:
        self._schema, self._dialect, self._translated = schema, dialect, translated
        self._validator: Any = None
        self._aside: frozenset[str] = frozenset()
        self._whole = self

    def without(self, aside: frozenset[str]) -> Judge:
        """A judge that reads less: what `properties` says of a name counts only for a value that holds the name.

        A value that holds one after all is judged by the whole. Reading is most of what a judgement takes.
        """
        if not aside:
            return self
        other = Judge(self._schema, self._dialect, self._translated)
        other._aside, other._whole = aside, self._whole
        return other

    def accepts(self, value: Any) -> bool | None:
        """Whether the validator takes the value; None where it cannot read the schema."""
        if self._aside and isinstance(value, dict) and not self._aside.isdisjoint(value):
            return self._whole.accepts(value)
        try:
            if self._validator is None:
                self._validator = self._made()
            return bool(self._validator.is_valid(value))
        except _refusals():
            return None

    def _made(self) -> Any:
        """A validator of the schema as written, else of its translation. Raises what jsonschema-rs does."""
        import jsonschema_rs  # a comparison that ends in "equal" needs no validator

        if self._dialect in DRAFTS:  # the one of OpenAPI 3.0 is none that it knows
            kind = getattr(jsonschema_rs, DRAFTS[self._dialect])
            with suppress(*_refusals()):
                return kind(without(self._schema, self._aside), validate_formats=False, offline=True)
        kind = getattr(jsonschema_rs, DRAFTS[LATEST])
        return kind(bare(without(self._translated, self._aside)), validate_formats=False, offline=True)


def bare(schema: Any) -> Any:
    """A 2020-12 schema without prose, and each name of a list once: of a form that a validator takes, if it has one."""
    return dict(_kept(schema)) if isinstance(schema, dict) else schema


def _kept(schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for keyword, value in schema.items():
        if keyword in SINGLE:
            yield keyword, bare(value)
        elif keyword in LISTS and isinstance(value, list):
            yield keyword, [bare(part) for part in value]
        elif keyword in MAPS and isinstance(value, dict):
            yield keyword, {name: bare(part) for name, part in value.items()}
        elif keyword in ("required", "type") and isinstance(value, list):
            yield keyword, list(dict.fromkeys(value))
        elif keyword not in PROSE:
            yield keyword, value


def _refusals() -> tuple[type[Exception], ...]:
    import jsonschema_rs  # as above

    read = jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, TypeError
    return *read, ArithmeticError, RecursionError
