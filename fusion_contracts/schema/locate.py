"""Where the document itself writes what a view of it shows: views follow references and bring spellings together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from fusion_contracts.canonical import pointer_key, pointer_token
from fusion_contracts.schema.document import MISSING, step

__all__ = ["located"]

# Where a keyword stood before the translation to 2020-12.
MOVED = {
    "prefixItems": "items", "items": "additionalItems", "dependentRequired": "dependencies",
    "dependentSchemas": "dependencies", "enum": "const", "$defs": "definitions",
}  # fmt: skip
UNIONS = ("anyOf", "oneOf")


def located(pointer: str, document: Any) -> str:
    """The pointer to the same thing in a document as written; to what it is in, where nothing like it is found."""
    tokens = [pointer_key(token) for token in pointer.split("/")[1:]]
    here = document
    for token in tokens:
        here = step(here, token)
        if here is MISSING:
            return _Search(document, tokens).pointer()
    return pointer  # nearly all


class _Search:
    """The way down a document along the tokens of a pointer, each place of it tried once."""

    def __init__(self, document: Any, tokens: list[str]) -> None:
        self._document = document
        self._tokens = tokens
        self._tried: set[tuple[int, int]] = set()
        self._deepest = (0, "")

    def pointer(self) -> str:
        found = self._find(self._document, "", 0)
        return self._deepest[1] if found is None else found

    def _find(self, here: Any, pointer: str, at: int) -> str | None:
        """The pointer to what the tokens from `at` on lead to."""
        if at > self._deepest[0]:
            self._deepest = (at, pointer)
        if at == len(self._tokens):
            return pointer
        if (id(here), at) in self._tried:
            return None
        self._tried.add((id(here), at))
        token = self._tokens[at]
        for name in (token, MOVED.get(token)):
            part = MISSING if name is None else step(here, name)
            found = None if part is MISSING else self._find(part, f"{pointer}/{pointer_token(name or '')}", at + 1)
            if found is not None:
                return found
        for part, elsewhere in self._elsewhere(here, pointer):
            found = self._find(part, elsewhere, at)
            if found is not None:
                return self._together(pointer, elsewhere, at) or found
        return None

    def _together(self, pointer: str, branch: str, at: int) -> str:
        """The union itself for what its branches have together: their types, their values."""
        keyword = branch.removeprefix(f"{pointer}/").partition("/")[0]  # of a reference it is none
        return f"{pointer}/{keyword}" if keyword in UNIONS and self._tokens[at:] in (["type"], ["enum"]) else ""

    def _elsewhere(self, here: Any, pointer: str) -> Iterator[tuple[Any, str]]:
        """What else speaks of the same value: behind a reference, in a part of allOf, in a branch of a union."""
        if not isinstance(here, dict):
            return
        reference = here.get("$ref")
        if isinstance(reference, str) and reference.startswith("#/"):
            target = self._document
            for token in unquote(reference[2:]).split("/"):
                target = step(target, pointer_key(token))
            if target is not MISSING:
                yield target, unquote(reference[1:])
        for keyword in ("allOf", *UNIONS):
            parts = here.get(keyword)
            for index, part in enumerate(parts if isinstance(parts, list) else ()):
                yield part, f"{pointer}/{keyword}/{index}"
