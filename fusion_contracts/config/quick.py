"""Settings that are plainly right, without pydantic: importing that costs a third of a whole `fusion diff`.

Each dataclass is filled from its table by the annotations of its fields. Whatever does not fit at once is left to
pydantic, which knows what else is right, and says what is wrong. Where both take a table they agree: a property test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date
from typing import Any, TypeAlias, TypeVar, get_args

from fusion_contracts.config.model import (
    Config,
    FailOn,
    Level,
    Limits,
    Server,
    Source,
    Transport,
    Volatile,
    Waiver,
    World,
    hyphenated,
)

__all__ = ["common_form"]

T = TypeVar("T")
_Take: TypeAlias = Callable[[Any], Any]


class _OddError(Exception):
    """It is not plainly right."""


def common_form(table: Mapping[str, Any]) -> Config | None:
    """The settings of a table that is plainly right; None for any other."""
    try:
        return _filled(Config, table)
    except (_OddError, ValueError):
        return None


def _filled(model: type[T], table: Any) -> T:
    named = {hyphenated(item.name): item for item in fields(model)}  # type: ignore[arg-type]  # only dataclasses come
    if not isinstance(table, Mapping) or not table.keys() <= named.keys():
        raise _OddError
    try:
        return model(**{named[key].name: _TAKES[str(named[key].type)](value) for key, value in table.items()})
    except TypeError:  # a key is missing
        raise _OddError from None


def _of(kind: type[T]) -> Callable[[Any], T]:
    """Take what is of that type and of no other: true is no number, a moment no day."""

    def take(value: Any) -> T:
        if type(value) is not kind:
            raise _OddError
        return value

    return take


def _word(literal: Any) -> _Take:
    words = frozenset(get_args(literal))

    def take(value: Any) -> Any:
        if not isinstance(value, str) or value not in words:
            raise _OddError
        return value

    return take


def _model(model: type[Any]) -> _Take:
    return lambda value: _filled(model, value)


def _list(take: _Take) -> _Take:
    return lambda value: tuple(take(item) for item in _of(list)(value))


def _table(take: _Take) -> _Take:
    return lambda value: {name: take(item) for name, item in _of(dict)(value).items()}


_TEXT, _NUMBER = _of(str), _of(int)
_TAKES: dict[str, _Take] = {
    "str": _TEXT,
    "str | None": _TEXT,
    "int": _NUMBER,
    "int | None": _NUMBER,
    "date | None": _of(date),
    "FailOn": _word(FailOn),
    "FailOn | None": _word(FailOn),
    "World": _word(World),
    "World | None": _word(World),
    "Transport | None": _word(Transport),
    "dict[str, Level]": _table(_word(Level)),
    "dict[str, str]": _table(_TEXT),
    "tuple[str, ...]": _list(_TEXT),
    "Limits": _model(Limits),
    "dict[str, Source]": _table(_model(Source)),
    "dict[str, Server]": _table(_model(Server)),
    "tuple[Volatile, ...]": _list(_model(Volatile)),
    "tuple[Waiver, ...]": _list(_model(Waiver)),
}
"""How a value becomes that of a field, by the field's annotation. TOML has no null: a key that is there has a value."""
