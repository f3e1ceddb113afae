"""A worker that answers pairs of schemas: one request a line on stdin, one reply a line on stdout.

A request is a list of `[old, new, dialect]`; the reply `[[answer, seconds], ...]`: true (compatible), false, or null
where the tool gives no answer or fails. It imports nothing of ours, so that it runs in any environment.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

__all__ = ["serve"]


def serve(ask: Callable[[Any, Any, str], bool | None]) -> None:
    """Answer until stdin ends. What the library prints goes nowhere, and it reaches no network."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    print("[]", file=replies, flush=True)  # all is imported
    for line in sys.stdin:
        print(json.dumps([_timed(ask, *pair) for pair in json.loads(line)]), file=replies, flush=True)


def _timed(ask: Callable[[Any, Any, str], bool | None], *pair: Any) -> tuple[bool | None, float]:
    start = time.perf_counter()
    try:
        answer = ask(*pair)
    except Exception:  # noqa: BLE001 - whatever a library raises, it gave no answer
        answer = None
    return answer, time.perf_counter() - start


def _refuse(*_: Any) -> None:
    raise OSError("no network here")
