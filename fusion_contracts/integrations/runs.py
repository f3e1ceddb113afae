"""Which run of an agent a call of a server belongs to, for hooks that count or log by run."""

from __future__ import annotations

from typing import Any

__all__ = ["RUN_KEY", "run_of"]

RUN_KEY = "io.github.fusion-contracts/run"
"""The key in a call's `_meta` under which an agent's program may name its run."""

_STATELESS = "2026-07-28"  # from this revision of the protocol on no session outlives a request


def run_of(context: Any, session: str = "") -> str:
    """What the caller names as its run, else the session while the protocol has any, else "".

    `context` is the SDK's request context: `meta` and, in its second release, `protocol_version`.
    """
    meta = getattr(context, "meta", None)
    said = meta if isinstance(meta, dict) else getattr(meta, "model_extra", None) or {}
    named = said.get(RUN_KEY)
    if isinstance(named, str) and named:
        return named
    version = getattr(context, "protocol_version", None)
    return "" if isinstance(version, str) and version >= _STATELESS else session
