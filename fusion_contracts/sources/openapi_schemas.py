"""Schemas of an OpenAPI document, each made whole: what it refers to stands in its own `$defs`, in 2020-12."""

from __future__ import annotations

from contextlib import suppress

from fusion_contracts.canonical import pointer_key
from fusion_contracts.model import JsonObject, JsonValue

__all__ = ["Schemas"]

_COMPONENTS = "#/components/schemas/"
_HOLDERS = frozenset({"properties", "patternProperties", "$defs", "dependentSchemas"})
_VALUES = frozenset({"const", "default", "enum", "example", "examples"})


class Schemas:
    """The schemas of one document; `old` says that they are of version 3.0, whose dialect is its own."""

    def __init__(self, document: JsonObject, *, old: bool) -> None:
        self.document = document
        self.old = old
        self.held = 0
        """Values in the definitions of all schemas so far: each has its own, so that few operations may hold many."""
        self._made: dict[tuple[str, bool], tuple[JsonValue, dict[str, JsonValue], int]] = {}

    def at(self, reference: str) -> JsonValue:
        """What a reference inside the document leads to; None where it leads nowhere, or elsewhere."""
        found: JsonValue = self.document if reference.startswith("#/") else None
        for token in reference.split("/")[1:]:
            key = pointer_key(token)
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def whole(self, schema: JsonObject, *, sent: bool) -> JsonObject:
        """A schema that stands by itself. `sent`: for a request, where no one has to send what is only read."""
        needed: dict[str, JsonValue] = {}
        result = self._rewritten(schema, sent, needed)
        definitions: JsonObject = {}
        pending = list(needed)
        while pending:
            name = pending.pop()
            if name in definitions:
                continue
            if (name, sent) not in self._made:
                also: dict[str, JsonValue] = {}
                made = self._rewritten(needed[name], sent, also)
                self._made[name, sent] = made, also, _size(made)
            definitions[name], also, size = self._made[name, sent]
            needed.update(also)
            pending += also
            self.held += size
        if definitions and isinstance(result, dict):
            result = {**result, "$defs": dict(sorted(definitions.items()))}
        return self._translated(result)

    def _translated(self, schema: JsonObject) -> JsonObject:
        from fusion_contracts.schema.dialect import Untranslatable, translate

        if self.old:
            with suppress(Untranslatable):
                translated: JsonObject = translate(schema, "openapi-3.0")
                return translated
        return schema

    def _rewritten(self, schema: JsonValue, sent: bool, needed: dict[str, JsonValue]) -> JsonValue:  # noqa: FBT001 - passed on
        """A copy whose references into the document lead to `$defs`; what they lead to is added to `needed`."""
        if isinstance(schema, list):
            return [self._rewritten(one, sent, needed) for one in schema]
        if not isinstance(schema, dict):
            return schema
        found: JsonObject = {}
        for key, value in schema.items():
            if key == "$ref" and isinstance(value, str):
                found[key] = self._moved(value, needed)
            elif key in _HOLDERS and isinstance(value, dict):
                found[key] = {name: self._rewritten(one, sent, needed) for name, one in value.items()}
            elif key in _VALUES or key.startswith("x-"):
                found[key] = value
            else:
                found[key] = self._rewritten(value, sent, needed)
        return self._demanded(found, sent)

    def _moved(self, reference: str, needed: dict[str, JsonValue]) -> str:
        target = self.at(reference) if reference.startswith("#/") else None
        if not isinstance(target, (dict, bool)):
            return reference  # elsewhere, or nowhere: the comparison says that it cannot tell
        token = reference.removeprefix(_COMPONENTS)
        if token == reference or "/" in token:
            token = reference.removeprefix("#/").replace("/", "_")
        needed.setdefault(pointer_key(token), target)
        return f"#/$defs/{token}"

    def _demanded(self, schema: JsonObject, sent: bool) -> JsonObject:  # noqa: FBT001 - passed on
        """Without what the other direction alone requires: `readOnly` in a request, `writeOnly` in an answer."""
        properties, required = schema.get("properties"), schema.get("required")
        if not (isinstance(properties, dict) and isinstance(required, list)):
            return schema
        flag = "readOnly" if sent else "writeOnly"
        left = [
            name
            for name in required
            if not (isinstance(one := properties.get(str(name)), dict) and one.get(flag) is True)
        ]
        if left == required:
            return schema
        rest = {key: value for key, value in schema.items() if key != "required"}
        return {**rest, "required": left} if left else rest


def _size(value: JsonValue) -> int:
    """How many values a value holds, itself one of them."""
    pending, number = [value], 0
    while pending:
        one = pending.pop()
        number += 1
        if isinstance(one, (dict, list)):
            pending += one.values() if isinstance(one, dict) else one
    return number
