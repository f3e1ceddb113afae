"""Where the document itself writes what a view of it shows: views follow references and bring spellings together."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from fusion_contracts.schema.document import MISSING, escape, step, unescape

__all__ = ["located"]

# Where a keyword stood before the translation to 2020-12.
MOVED = {
    "prefixItems": "items", "items": "additionalItems", "dependentRequired": "dependencies",
    "dependentSchemas": "dependencies", "enum": "const", "$defs": "definitions",
}  # fmt: skip
UNIONS = ("anyOf", "oneOf")
MOST_TURNS = 64  # references and parts looked into on the way


def located(pointer: str, document: Any) -> str:
    """The pointer to the same thing in a document as written; to what it is in, where nothing like it is found."""
    tokens = [unescape(token) for token in pointer.split("/")[1:]]
    shorter = (_find(document, "", tokens[:length], document, MOST_TURNS) for length in range(len(tokens), 0, -1))
    return next((found for found in shorter if found is not None), "")


def _find(here: Any, pointer: str, tokens: list[str], document: Any, turns: int) -> str | None:
    if not tokens:
        return pointer
    if turns <= 0:
        return None
    for name in (tokens[0], MOVED.get(tokens[0])):
        part = MISSING if name is None else step(here, name)
        found = None if part is MISSING else _find(part, _below(pointer, name), tokens[1:], document, turns)
        if found is not None:
            return found
    return _find_elsewhere(here, pointer, tokens, document, turns - 1) if isinstance(here, dict) else None


def _find_elsewhere(here: dict[str, Any], pointer: str, tokens: list[str], document: Any, turns: int) -> str | None:
    """Behind a reference, in a part of allOf, or in a branch of a union."""
    reference = here.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/"):
        target = unquote(reference[1:])
        found = _find(document, "", [unescape(token) for token in target.split("/")[1:]] + tokens, document, turns)
        if found is not None:
            return found
    for keyword in ("allOf", *UNIONS):
        parts = here.get(keyword)
        for index, part in enumerate(parts if isinstance(parts, list) else ()):
            found = _find(part, f"{pointer}/{keyword}/{index}", tokens, document, turns)
            if found is not None:
                whole = keyword in UNIONS and tokens in (["type"], ["enum"])
                return f"{pointer}/{keyword}" if whole else found  # the types of a union are those of all branches
    return None


def _below(pointer: str, name: str | None) -> str:
    return f"{pointer}/{escape(name or '')}"
