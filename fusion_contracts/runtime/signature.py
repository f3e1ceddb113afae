"""An action as one compact line: `close_page(pageId: number, force?: boolean)`."""

from __future__ import annotations

from typing import Any

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.echo import clip
from fusion_contracts.runtime.shape import BRANCHES, Flat, Shape

__all__ = ["signature"]

_LONGEST = 420
_MOST_OPTIONS = 4


def signature(schema: JsonValue, action: str) -> str:
    """The arguments of an action with their types, required ones first; those that do not fit are counted."""
    shape = Shape(schema)
    flat = shape.at(())
    properties = flat.get("properties")
    parts = properties if isinstance(properties, dict) else {}
    needed = flat.get("required")
    required = [name for name in needed if isinstance(name, str)] if isinstance(needed, list) else []
    names = [*required, *(name for name in parts if name not in required)]
    shown: list[str] = []
    length = 0
    for name in names:
        mark = "" if name in required else "?"
        text = f"{clip(name)}{mark}: {_type(shape.flat(parts.get(name)))}"
        length += len(text) + 2
        if length > _LONGEST:
            break
        shown.append(text)
    rest = len(names) - len(shown)
    more = [f"{rest:,} more"] if rest else []
    return f"{clip(action)}({', '.join([*shown, *more])})"


def _type(flat: Flat) -> str:
    options = flat.get("enum")
    if isinstance(options, list) and 0 < len(options) <= _MOST_OPTIONS and all(isinstance(o, str) for o in options):
        return " | ".join(f"'{clip(option, 30)}'" for option in options)
    if BRANCHES in flat and not flat.get("type"):
        return " | ".join(dict.fromkeys(_type(branch) for branch in flat[BRANCHES][:_MOST_OPTIONS]))
    types: Any = flat.get("type")
    names = types if isinstance(types, list) else [types]
    return " | ".join(_name(name, flat) for name in names[:_MOST_OPTIONS] if isinstance(name, str)) or "any"


def _name(name: str, flat: Flat) -> str:
    items = flat.get("items") if "prefixItems" not in flat else None  # of a tuple it speaks of what follows alone
    if name == "array" and isinstance(items, dict) and isinstance(items.get("type"), str):
        return f"{clip(items['type'], 20)}[]"
    return clip(name, 20)
