"""How the changes of each server are judged: what the settings say of some servers, over what they say of all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from fusion_contracts.canonical import fits
from fusion_contracts.config.model import Server

if TYPE_CHECKING:
    from fusion_contracts.diff import Policy

__all__ = ["Settings", "by_exactness", "first_said", "policy_of"]

T = TypeVar("T")


class Settings(Protocol):
    """What decides: a `Config`, or one with what a command line says over it."""

    @property
    def world(self) -> str: ...  # noqa: D102
    @property
    def levels(self) -> Mapping[str, str]: ...  # noqa: D102
    @property
    def token_growth_percent(self) -> int: ...  # noqa: D102
    @property
    def servers(self) -> Mapping[str, Server]: ...  # noqa: D102


def by_exactness(name: str, entries: Mapping[str, T]) -> list[T]:
    """The entries whose key is the name or a glob that matches it, the most exact first.

    That is the name itself, then the glob with the most characters that stand for themselves, then the one that the
    settings hold first.
    """
    fitting = [key for key in entries if fits(name, key)]
    return [entries[key] for key in sorted(fitting, key=lambda key: (key != name, -len(_WILD.sub("", key))))]


_WILD = re.compile(r"\[[^]]+\]|[*?]")


def policy_of(server: str, settings: Settings) -> Policy:
    """How the changes of a server are judged."""
    from fusion_contracts.diff import Policy

    own = by_exactness(server, settings.servers)
    return Policy(
        world=first_said((one.world for one in own), settings.world),
        levels={**settings.levels, **{rule: level for one in reversed(own) for rule, level in one.levels.items()}},
        token_growth_percent=first_said((one.token_growth_percent for one in own), settings.token_growth_percent),
    )


def first_said(values: Iterable[T | None], otherwise: T) -> T:
    """The first of these that says anything."""
    return next((value for value in values if value is not None), otherwise)
