"""One decorator: the effect of a tool happens once for each key."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypeVar

from fusion_contracts.loop.idempotency.faults import no_key, not_kept
from fusion_contracts.loop.idempotency.keys import (
    KeySource,
    carried,
    checked_key,
    digest_of,
    is_context,
    key_of,
    meta_of,
)
from fusion_contracts.loop.idempotency.ledger import Claim, Ledger
from fusion_contracts.loop.idempotency.off_loop import finished
from fusion_contracts.loop.idempotency.record import Ending, Record
from fusion_contracts.loop.idempotency.results import Results, failed
from fusion_contracts.loop.stores import open_store
from fusion_contracts.runtime.wrapping import is_async, is_generator

__all__ = ["Unkeyed", "idempotent"]

Function = TypeVar("Function", bound=Callable[..., Any])

Unkeyed: TypeAlias = Literal["refuse", "warn"]
"""What happens to a write that is not declared idempotent and has no key."""


def idempotent(  # noqa: PLR0913 - each says one thing about the tool
    key: KeySource = None,
    *,
    ledger: Ledger | str | None = None,
    scope: str | Callable[[], str] | None = None,
    annotations: object = None,
    unkeyed: Unkeyed = "refuse",
    ignore: Iterable[str] = (),
) -> Callable[[Function], Function]:
    """Decorate a writing tool's function, plain or `async`, below `fault_boundary`.

    The key of a call is the one that it carries (`keyed`, or `_meta` of a framework's context argument), else what
    `key` says: an argument's name, a function of the arguments such as `derived()`. The same key with the same
    arguments replays the first call's result; anything else that is not a first call raises a ToolFault (see
    `Ledger.begin`).

    `ledger`: where it is written: a Ledger, a store's URL, or the default store. `scope`: whose keys these are, by
    default the function's module and name; where callers must not see each other's results, a function that says
    who calls. `annotations`: the tool's, as MCP names them: one with `readOnlyHint` is left as it is, one with
    `idempotentHint` may come without a key. Any other call without a key is refused, or with `unkeyed="warn"` made
    and logged. `ignore`: arguments that tell no calls apart; `self` and the frameworks' own contexts never do.

    Raises TypeError on a generator function, ValueError on another word for `unkeyed` and on an argument that the
    function does not have.
    """
    if unkeyed not in ("refuse", "warn"):
        raise ValueError(f"unkeyed must be refuse or warn, not {unkeyed!r:.40}")

    def decorate(function: Function) -> Function:
        if _hint(annotations, "readOnlyHint"):
            return function
        if is_generator(function):
            raise TypeError("idempotent does not hold for generators: decorate a function that returns its result")
        free = _hint(annotations, "idempotentHint")
        tool = _Tool(function, key, ledger, scope, None if free else unkeyed, frozenset(ignore))
        return _wrapped(function, tool)  # type: ignore[return-value]  # functools.wraps keeps what it shows

    return decorate


def _hint(annotations: object, name: str) -> bool:
    """Whether the annotations, a mapping or an SDK's object, say so."""
    value = annotations.get(name) if isinstance(annotations, Mapping) else getattr(annotations, name, None)
    return value is True


@dataclass(frozen=True, slots=True)
class _Call:
    """One call with a key. `renewable`: whoever calls can choose another."""

    scope: str
    key: str
    digest: str
    renewable: bool


class _Tool:
    """A decorated function: what its calls are known by, and how they end."""

    def __init__(  # noqa: PLR0913, PLR0917 - what `idempotent` was told
        self,
        function: Callable[..., Any],
        key: KeySource,
        ledger: Ledger | str | None,
        scope: str | Callable[[], str] | None,
        unkeyed: Unkeyed | None,
        ignore: frozenset[str],
    ) -> None:
        self._name = getattr(function, "__name__", type(function).__name__)
        self._signature = inspect.signature(function)
        self._key = key
        self._ledger = ledger
        self._scope = scope or f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', self._name)}"
        self._unkeyed = unkeyed
        self._ignore = ignore
        named = ignore | ({key} if isinstance(key, str) else set())
        absent = sorted(named - set(self._signature.parameters))
        if absent:
            raise ValueError(f"{self._name} has no argument {absent[0]}")
        self._function = function

    @functools.cached_property
    def ledger(self) -> Ledger:
        """Opened by the first call."""
        return self._ledger if isinstance(self._ledger, Ledger) else _shared_ledger(self._ledger)

    @functools.cached_property
    def results(self) -> Results:
        """How results are kept."""
        try:
            annotation = inspect.signature(self._function, eval_str=True).return_annotation
        except Exception:  # noqa: BLE001 - whatever a user's annotation does when it is evaluated
            annotation = inspect.Signature.empty
        return Results(None if annotation is inspect.Signature.empty else annotation)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call | None:
        """What the call is known by; None where it may be made without. Raises ToolFault, or bind's TypeError."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        contexts = [value for value in bound.arguments.values() if is_context(value)]
        arguments = {name: value for name, value in bound.arguments.items() if self._counts(name, value)}
        sent = carried()
        for context in contexts:
            sent = key_of(meta_of(context)) if sent is None else sent
        key = self._own_key(bound.arguments, arguments) if sent is None else sent
        if key is None:
            self._without_key()
            return None
        scope = self._scope() if callable(self._scope) else self._scope
        return _Call(scope, checked_key(key), digest_of(arguments), sent is not None or not callable(self._key))

    def ending(self, value: Any) -> Ending | None:
        """The end of a call that returned this."""
        ending = self.results.ended(value)
        if ending is not None and "unkept" in ending.content:
            logging.getLogger("fusion_contracts.loop").warning(
                "The result of %s cannot be replayed: %s", self._name, ending.content["unkept"]
            )
        return ending

    def replay(self, call: _Call, record: Record) -> Any:
        """What the first call returned, or raised."""
        return self.results.replayed(record.content, unkept=functools.partial(not_kept, call.key))

    def _counts(self, name: str, value: Any) -> bool:
        return name not in self._ignore and name not in ("self", "cls") and not is_context(value)

    def _own_key(self, bound: Mapping[str, Any], arguments: Mapping[str, Any]) -> object:
        if self._key is None:
            return None
        return self._key(arguments) if callable(self._key) else bound[self._key]

    def _without_key(self) -> None:
        if self._unkeyed == "refuse":
            raise no_key(self._name, self._key if isinstance(self._key, str) else None)
        if self._unkeyed == "warn":
            logging.getLogger("fusion_contracts.loop").warning(
                "%s was called without an idempotency key: repeated, it has its effect again", self._name
            )


@functools.cache
def _shared_ledger(url: str | None) -> Ledger:
    """One ledger a URL and process, so that tools share connection and heartbeat."""
    return Ledger(open_store(url))


def _wrapped(function: Callable[..., Any], tool: _Tool) -> Callable[..., Any]:
    if is_async(function):

        @functools.wraps(function)
        async def once_async(*args: Any, **kwargs: Any) -> Any:
            call = tool.call(args, kwargs)
            if call is None:
                return await function(*args, **kwargs)
            begun = await _begun(tool.ledger, call)
            if isinstance(begun, Record):
                return tool.replay(call, begun)
            return await _awaited(tool, begun, lambda: function(*args, **kwargs))

        return once_async

    @functools.wraps(function)
    def once(*args: Any, **kwargs: Any) -> Any:
        call = tool.call(args, kwargs)
        if call is None:
            return function(*args, **kwargs)
        begun = tool.ledger.begin(call.scope, call.key, call.digest, renewable=call.renewable)
        if isinstance(begun, Record):
            return tool.replay(call, begun)
        try:
            value = function(*args, **kwargs)
        except BaseException as error:
            tool.ledger.end(begun, failed(error))
            raise
        if inspect.isawaitable(value):
            return _awaited(tool, begun, lambda: value)
        tool.ledger.end(begun, tool.ending(value))
        return value

    return once


async def _begun(ledger: Ledger, call: _Call) -> Claim | Record:
    """`Ledger.begin`, off the loop. A call that is cancelled meanwhile gives back what it claimed: nothing began."""
    begin = functools.partial(ledger.begin, call.scope, call.key, call.digest, renewable=call.renewable)

    def give_back(begun: Claim | Record) -> None:
        if isinstance(begun, Claim):
            ledger.end(begun, None)

    return await finished(begin, blocking=ledger.store.blocking, unwanted=give_back)


async def _awaited(tool: _Tool, claim: Claim, make: Callable[[], Awaitable[Any]]) -> Any:
    """The result of the effect, whose end is written before anybody sees it."""
    ledger = tool.ledger
    try:
        value = await make()
    except GeneratorExit as error:  # the coroutine was thrown away: it may await nothing more
        ledger.end(claim, failed(error))
        raise
    except BaseException as error:
        await finished(functools.partial(ledger.end, claim, failed(error)), blocking=ledger.store.blocking)
        raise
    await finished(functools.partial(ledger.end, claim, tool.ending(value)), blocking=ledger.store.blocking)
    return value
