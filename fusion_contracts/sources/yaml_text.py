"""YAML as JSON: what a YAML document says, in the values that JSON has.

Booleans are `true` and `false` alone, numbers as JSON has them, and a date is the text that it is written as: the core
schema of YAML 1.2, which OpenAPI asks for, and not what YAML 1.1 makes of `no`, `on` or `012`. The library is optional:
only OpenAPI documents come as YAML.
"""

from __future__ import annotations

import re
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonValue

__all__ = ["yaml_loads"]

MAX_VALUES = 2_000_000
"""Values in one document, those that an alias repeats counted each time."""
_NEXT = "check that it is the right file, and complete"
_NUMBERS = {
    "int": r"[-+]?[0-9]+",
    "float": r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?",
    "bool": r"true|True|TRUE|false|False|FALSE",
    "null": r"~|null|Null|NULL|",
}


def yaml_loads(text: str | bytes, origin: str) -> JsonValue:
    """Read one YAML document. Raises FusionError: no library, no YAML, a key twice, what JSON does not have."""
    try:
        import yaml
    except ImportError:
        message = f"{printable(origin)} is YAML, which needs the library pyyaml beside fusion"
        raise FusionError(message, "pip install pyyaml, or save it as JSON") from None
    try:
        node = yaml.compose(text if isinstance(text, str) else text.decode("utf-8-sig"), _loader(yaml))
    except UnicodeDecodeError:
        raise FusionError(f"{printable(origin)} is not UTF-8", _NEXT) from None
    except RecursionError:
        raise FusionError(f"{printable(origin)} is nested too deeply", _NEXT) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f": line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        said = printable(str(getattr(error, "problem", None) or "it cannot be read"))
        raise FusionError(f"{printable(origin)} is not YAML{where}: {said}", _NEXT) from None
    return _Reader(origin).value(node, ())


def _loader(yaml: Any) -> Any:
    """A loader that composes and resolves by the core schema alone."""

    class Core(yaml.SafeLoader):  # type: ignore[misc]  # its type is not known, since the library is optional
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - the library's own form

    for name, pattern in _NUMBERS.items():
        Core.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(rf"(?:{pattern})\Z"), None)
    return Core


class _Reader:
    """From nodes to values, with a limit on how many."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.left = MAX_VALUES

    def value(self, node: Any, above: tuple[int, ...]) -> JsonValue:
        self.left -= 1
        if self.left < 0 or len(above) > 200:  # noqa: PLR2004 - no document of ours nests so deep
            raise self._refusal("says more than is read", node)
        if node is None:
            return None
        if id(node) in above:
            raise self._refusal("holds an alias of what it stands in", node)
        inside = (*above, id(node))
        if node.id == "sequence":
            return [self.value(one, inside) for one in node.value]
        if node.id == "mapping":
            return self._mapping(node, inside)
        return self._scalar(node)

    def _mapping(self, node: Any, above: tuple[int, ...]) -> JsonValue:
        found: dict[str, JsonValue] = {}
        for key, value in node.value:
            if key.id != "scalar":
                raise self._refusal("has a key that is no text", key)
            if key.value in found:
                raise self._refusal(f'holds the key "{printable(key.value)[:80]}" twice in one object', key)
            found[key.value] = self.value(value, above)
        return found

    def _scalar(self, node: Any) -> JsonValue:
        kind = node.tag.rpartition(":")[2]
        if kind == "null":
            return None
        if kind == "bool":
            return node.value.lower() == "true"
        try:
            if kind == "int":
                return int(node.value)
            if kind == "float" and (number := float(node.value)) not in (float("inf"), float("-inf")):
                return number
        except ValueError:
            raise self._refusal("holds a number that is too long", node) from None
        return str(node.value)

    def _refusal(self, said: str, node: Any) -> FusionError:
        line = node.start_mark.line + 1 if node is not None else 1
        return FusionError(f"{printable(self.origin)} {said}: line {line}", _NEXT)
