"""Which run of an agent a call of a server belongs to, for hooks that count or log by run."""

from __future__ import annotations

from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

__all__ = ["RUN_KEY", "run_of", "session_of"]

RUN_KEY = "io.github.fusion-contracts/run"
"""The key in a call's `_meta` under which an agent's program may name its run."""

_STATELESS = "2026-07-28"  # from this revision of the protocol on no session outlives a request
_names: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


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


def session_of(context: Any) -> str:
    """The name of the session of a request context, the same for all its calls and no other's; "" for none.

    In its second release the SDK makes a session's object for each request; what lasts is its connection.
    """
    session = getattr(context, "session", None)
    lasting = getattr(session, "_connection", session)
    if lasting is None:
        return ""
    # No `id()`: a session that has ended leaves its own to the next.
    return _names.get(lasting) or _names.setdefault(lasting, uuid4().hex)
