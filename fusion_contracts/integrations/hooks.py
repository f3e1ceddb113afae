"""Hooks of a program around calls: what one of them raises is logged, and changes no answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable
from typing import Any

from fusion_contracts.integrations.options import Ending, Sink, ToolCall

__all__ = ["hooked", "tell"]

_log = logging.getLogger("fusion_contracts.integrations")


def hooked(hook: Callable[[], Any]) -> Generator[Callable[[], Any], Any, Any]:
    """What a hook answers; None where it fails: a store that is down must not take the tools with it."""
    try:
        return (yield hook)
    except Exception:  # noqa: BLE001 - of anyone's making; it is logged
        _log.exception("A guard failed: the call goes on without it")
        return None


def tell(sinks: Iterable[Sink], call: ToolCall, ending: Ending) -> None:
    """Tell each sink what became of a call."""
    for sink in sinks:
        try:
            sink(call, ending)
        except Exception:  # noqa: BLE001 - of anyone's making; it is logged
            _log.exception("A sink of errors failed")
