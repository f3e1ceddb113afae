"""Where a call's key comes from, and what its arguments are told by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from fusion_contracts.canonical import canonical_json
from fusion_contracts.loop.idempotency.faults import META_KEY, bad_key, incomparable

__all__ = ["KeySource", "carried", "checked_key", "derived", "digest_of", "is_context", "key_of", "keyed", "meta_of"]

KeySource: TypeAlias = str | Callable[[Mapping[str, Any]], str | None] | None
"""The name of the argument that holds the key, a function of the arguments, or None: the call carries it alone."""

_LONGEST = 255  # characters

# Objects that frameworks hand to a tool beside its arguments: package, class.
_CONTEXTS = frozenset(
    {
        ("agents", "RunContextWrapper"),
        ("agents", "ToolContext"),
        ("fastmcp", "Context"),
        ("langchain", "ToolRuntime"),
        ("langgraph", "ToolRuntime"),
        ("mcp", "Context"),
        ("pydantic_ai", "RunContext"),
    }
)

_carried: ContextVar[object] = ContextVar("fusion_idempotency_key", default=None)


@contextmanager
def keyed(key: object) -> Iterator[None]:
    """Calls inside carry this key: for a middleware that has read it from the call. None changes nothing."""
    if key is None:
        yield
        return
    token = _carried.set(key)
    try:
        yield
    finally:
        _carried.reset(token)


def carried() -> object:
    """The key that the current call carries; None for none."""
    return _carried.get()


def key_of(meta: Any) -> object:
    """The key in a call's `_meta`, a mapping or an SDK's object; None for none."""
    if isinstance(meta, Mapping):
        return meta.get(META_KEY)
    extra = getattr(meta, "model_extra", None)
    return extra.get(META_KEY) if isinstance(extra, Mapping) else None


def meta_of(context: Any) -> Any:
    """The `_meta` of the call that a framework's context object stands for; None where it has none."""
    try:
        return context.request_context.meta
    except Exception:  # noqa: BLE001 - outside a request, and in frameworks that have no such thing
        return None


def is_context(value: object) -> bool:
    """Whether a framework handed it to the tool beside the arguments."""
    return any((kind.__module__.partition(".")[0], kind.__name__) in _CONTEXTS for kind in type(value).__mro__)


def derived(*names: str) -> Callable[[Mapping[str, Any]], str]:
    """A key made of those arguments, or of all: the same values are the same operation while its record is kept.

    Name what tells two operations apart, such as the run's id; else an equal call that was meant as a second
    operation gets the first one's result.
    """

    def key(arguments: Mapping[str, Any]) -> str:
        chosen = {name: arguments.get(name) for name in names} if names else arguments
        return f"derived:{digest_of(chosen)}"

    return key


def checked_key(key: object) -> str:
    """The key as text; a whole number is taken as its digits. Raises VALIDATION_ERROR on any other."""
    if isinstance(key, int) and not isinstance(key, bool):
        key = str(key)
    if not isinstance(key, str):
        raise bad_key(f"a {type(key).__name__}")
    if not 1 <= len(key) <= _LONGEST:
        raise bad_key(f"one of {len(key)}")
    return key


def digest_of(arguments: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of the arguments, in hexadecimal. Raises VALIDATION_ERROR where there is none."""
    digest = hashlib.sha256()
    for name in sorted(arguments):
        digest.update(canonical_json(name) + b":" + _canonical(name, arguments[name]) + b",")
    return digest.hexdigest()


def _canonical(name: str, value: Any) -> bytes:
    try:
        return canonical_json(value)
    except TypeError:
        pass
    except (ValueError, RecursionError):
        raise incomparable(name) from None
    from pydantic_core import to_jsonable_python  # only for arguments that are no JSON: models, dates, decimals

    try:
        return canonical_json(to_jsonable_python(value))
    except (TypeError, ValueError, RecursionError):
        raise incomparable(name) from None
