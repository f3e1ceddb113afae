"""From a raw table to settings, and what is said about one that is wrong."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any, TypeAlias

from fusion_contracts.config.model import Config, Limits, Server, Source, Volatile, Waiver, hyphenated
from fusion_contracts.config.place import ConfigFile, locate
from fusion_contracts.config.quick import common_form
from fusion_contracts.errors import FusionError

__all__ = ["Judge", "keys_of", "other_keys", "read", "unknown_key"]

Judge: TypeAlias = Callable[[Mapping[str, Any], ConfigFile], None]


def keys_of(model: type[Any] = Config) -> tuple[str, ...]:
    """The keys of a table of settings."""
    from dataclasses import fields

    return tuple(hyphenated(item.name) for item in fields(model))


def other_keys(table: Mapping[str, Any]) -> dict[str, Any]:
    """What a table holds beside the keys of `Config`: flags of commands, or mistakes."""
    known = set(keys_of())
    return {key: value for key, value in table.items() if key not in known}


def _refuse_others(others: Mapping[str, Any], place: ConfigFile) -> None:
    raise unknown_key(place, next(iter(others)), keys_of())


def read(
    root: Path, explicit: Path | None = None, *, create: bool = False, judge: Judge = _refuse_others
) -> tuple[Config, ConfigFile | None]:
    """Return the settings of the folder `root` (defaults where there are none) and where they stand.

    `explicit` and `create` as for `locate`. `judge` is called with what is no key of `Config`, where there is anything,
    and raises FusionError unless it knows it: flags of commands stand in settings too. Raises FusionError naming file,
    key and what is wrong with it.
    """
    place, table = locate(root, explicit, create=create)
    sys.audit("fusion_contracts.step", "has found settings in", "no file" if place is None else place.path)
    if place is None or not table:
        return Config(), place
    others = other_keys(table)
    if others:
        judge(others, place)
    own = {key: value for key, value in table.items() if key not in others}
    return common_form(own) or _validate(own, place), place


def _validate(table: Mapping[str, Any], place: ConfigFile) -> Config:
    from pydantic import TypeAdapter, ValidationError  # heavy: only here, where something is not plainly right

    _require_days(table, place)
    try:
        return TypeAdapter(Config).validate_python(table)
    except ValidationError as error:
        raise _explain(error.errors()[0], place) from None


def _require_days(table: Mapping[str, Any], place: ConfigFile) -> None:
    """Raise FusionError for an `until` that is no date of TOML: pydantic would also take texts, numbers and moments."""
    waivers = table.get("waivers")
    for index, one in enumerate(waivers if isinstance(waivers, list) else ()):
        until = one.get("until") if isinstance(one, dict) else None
        if until is not None and type(until) is not date:
            message = f"{place.path}: {place.prefix}waivers.{index}.until must be a date"
            raise FusionError(message, "write it without quotes: until = 2026-12-31", stage="usage")


def _explain(error: Any, place: ConfigFile) -> FusionError:
    """The first thing pydantic found wrong, as one sentence. The value itself is never shown: it may be a secret."""
    path = ".".join(str(part) for part in error["loc"])
    if error["type"] == "unexpected_keyword_argument":
        loc = error["loc"]
        owner = _MODELS.get(str(loc[0]), Config) if len(loc) > 1 else Config
        return unknown_key(place, path, keys_of(owner))
    path = place.prefix + path
    if error["type"] == "missing":
        return FusionError(f"{place.path}: {path} is missing", "add it", stage="usage")
    if error["type"] == "value_error":
        said = f"{path}{' ' if error['loc'] else ''}{error['ctx']['error']}"  # of no one key: it names its own
        return FusionError(f"{place.path}: {said}", "correct the entry", stage="usage")
    wanted = {
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "int_from_float": "must be a whole number",
        "tuple_type": "must be a list",
        "string_type": "must be a string",
        "dict_type": "must be a table",
        "dataclass_type": "must be a table",
        "literal_error": f"must be {error.get('ctx', {}).get('expected')}",
    }.get(error["type"], f"is wrong: {error['msg']}")
    return FusionError(f"{place.path}: {path} {wanted}", "correct the value", stage="usage")


_MODELS = {"sources": Source, "volatile": Volatile, "servers": Server, "limits": Limits, "waivers": Waiver}


def unknown_key(place: ConfigFile, path: str, known: Iterable[str]) -> FusionError:
    """That a key (the last part of its `path`) is not known there, with the nearest one that is, or all of them."""
    from difflib import get_close_matches

    known = sorted(known)
    near = get_close_matches(hyphenated(path.rpartition(".")[2]), known, n=1, cutoff=0.6)
    step = f"did you mean {near[0]}?" if near else f"known keys: {', '.join(known)}"
    return FusionError(f"{place.path}: unknown key {place.prefix}{path}", step, stage="usage")
