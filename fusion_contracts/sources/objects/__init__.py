"""Python objects that offer tools, one file a framework, each with its `KINDS`; nothing else lists them.

No framework is imported to recognise an object: the classes that it inherits from are compared by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from fusion_contracts.sources.objects.kind import Server, Toolset, classes_of

__all__ = ["Server", "Toolset", "kind_of", "titles"]


@cache
def _kinds() -> dict[str, Server | Toolset]:
    """Every kind, by each of its classes."""
    modules = [import_module(f"{__name__}.{found.name}") for found in sorted(iter_modules(__path__), key=str)]
    kinds = [kind for module in modules for kind in getattr(module, "KINDS", ())]
    return {name: kind for kind in kinds for name in kind.classes}


def kind_of(item: Any) -> Server | Toolset | None:
    """What an object is, by the nearest class that some kind names; None for an object that offers no tools."""
    is_class = isinstance(item, type)
    for name in classes_of(item if is_class else type(item)):
        kind = _kinds().get(name)
        if kind is not None:
            as_class = isinstance(kind, Toolset) and kind.as_class
            return kind if as_class == is_class else None
    return None


def titles() -> Iterator[str]:
    """The kinds in words, each once."""
    yield from dict.fromkeys(kind.title for kind in _kinds().values())
