"""What is kept of a failed call's arguments: types and digests, and values only where somebody asked for them."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from fusion_contracts.canonical import canonical_json, printable
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.echo import HIDDEN_VALUE, is_secret

__all__ = ["digests", "values"]

_MOST = 50  # arguments of one call
_LONGEST = 200  # characters of a name
_DEEPEST = 32
_BYTES = 4  # of a digest: enough to see that a value was sent again

_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}


def digests(arguments: JsonValue, run: str) -> JsonObject:
    """Each argument's type and a short digest: equal values of a run have equal ones, those of two runs have not.

    Of what has a secret's name the type alone: who knows the run can check a guess against a digest.
    """
    if not isinstance(arguments, dict):
        return {"": _type(arguments)}
    key = run.encode(errors="replace")[:64]
    kept = list(arguments.items())[:_MOST]
    return {_name(name): _described(name, value, key) for name, value in kept}


def _described(name: Any, value: JsonValue, key: bytes) -> str:
    kind = _type(value)
    if is_secret(str(name)) or value is None:
        return kind
    try:
        digest = blake2b(canonical_json(value), key=key, digest_size=_BYTES)
    except (TypeError, ValueError, RecursionError):
        return kind
    return f"{kind}:{digest.hexdigest()}"


def _type(value: JsonValue) -> str:
    return "null" if value is None else _TYPES.get(type(value), "other")


def values(arguments: JsonValue) -> JsonObject:
    """The arguments themselves; what has a secret's name is hidden at any depth, what is no JSON becomes its type."""
    if not isinstance(arguments, dict):
        return {"": _plain(arguments, _DEEPEST)}
    shown = _plain(arguments, _DEEPEST)
    return shown if isinstance(shown, dict) else {}


def _plain(value: JsonValue, depth: int) -> JsonValue:
    if isinstance(value, str):
        return printable(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth and isinstance(value, dict):
        inner = ((key, _plain(item, depth - 1)) for key, item in value.items())
        return {_name(key): HIDDEN_VALUE if is_secret(str(key)) else item for key, item in inner}
    if depth and isinstance(value, list | tuple):
        return [_plain(item, depth - 1) for item in value]
    return _type(value)


def _name(name: Any) -> str:
    return printable(str(name)[:_LONGEST])
