"""What the tests of idempotency share: a tool in three ways, its effect and its outcome, and a clock."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from fusion_contracts.loop.idempotency import Ledger, idempotent

NOW = 1_800_000_000.0
DAY = 86_400.0


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


Tool = Callable[..., Any]


def tools(ledger: Ledger, effect: Callable[[int], Any], **options: Any) -> list[Tool]:
    """The same tool as a function, as a coroutine function, and as a function that gives a coroutine."""

    def plain(ref: str | None, amount: int) -> Any:
        return effect(amount)

    async def asynchronous(ref: str | None, amount: int) -> Any:
        return effect(amount)

    def late(ref: str | None, amount: int) -> Any:
        return asynchronous(ref, amount)

    return [idempotent("ref", ledger=ledger, **options)(function) for function in (plain, asynchronous, late)]


def outcome(tool: Tool, *arguments: Any, **named: Any) -> Any:
    """What the tool gave: its result, or what it raised."""
    try:
        value = tool(*arguments, **named)
        return asyncio.run(value) if inspect.iscoroutine(value) else value
    except Exception as raised:  # noqa: BLE001 - an outcome
        return raised


class Effect:
    """Counts what was done, and then ends as it is told."""

    def __init__(self, *endings: Any) -> None:
        self.done: list[int] = []
        self._endings = list(endings)

    def __call__(self, amount: int) -> Any:
        self.done.append(amount)
        ending = self._endings.pop(0) if self._endings else {"paid": amount, "number": len(self.done)}
        if isinstance(ending, BaseException) and not getattr(ending, "returned", False):
            raise ending
        return ending


ways = pytest.mark.parametrize("way", [0, 1, 2])
