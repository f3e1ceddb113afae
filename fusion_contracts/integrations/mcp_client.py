"""A client session of a server that one does not own, guarded by its lock: `async with guarded(client): ...`.

For a `ClientSession` of the MCP SDK 1 and 2, the `Client` of the SDK 2, and the `Client` of FastMCP 2, 3 and 4. The
client itself is guarded, until the block ends: whatever lists or calls through it, an agent framework too, sees what is
accepted alone.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from typing import Any, TypeAlias

from fusion_contracts.canonical import printable
from fusion_contracts.integrations.answers import Answer, of_fault
from fusion_contracts.integrations.consumer import Consumer, Explained
from fusion_contracts.integrations.drift import DriftError, Reaction, Reactions, Verdict
from fusion_contracts.integrations.hooks import tell
from fusion_contracts.integrations.locked import read_locked
from fusion_contracts.integrations.mcp_ports import Port, first_text, has_failed, is_whole, port_of, with_text
from fusion_contracts.integrations.mcp_results import beside, call_tool_result
from fusion_contracts.integrations.options import Options, Outcome, ToolCall
from fusion_contracts.model import ServerContract
from fusion_contracts.runtime.client import parse_tool_error
from fusion_contracts.sources.objects.kind import dumped

__all__ = ["GuardedClient", "OnChange", "guarded"]

OnChange: TypeAlias = Callable[[Verdict], Any]
"""Called with the new verdict when a server offers something else than before; may be a coroutine function."""

_PAUSE = 1.0  # seconds between two listings that notifications ask for; a call or a listing never waits for it
_PATIENCE = 5.0  # seconds that a server has to open its stream of changes
_MOST_LOOKED = 256  # failures that a listing is not asked for again
_ARGUMENTS = frozenset({-32600, -32601, -32602, -32603})  # JSON-RPC: what was asked is not what is taken now
_log = logging.getLogger("fusion_contracts.integrations")


@asynccontextmanager
async def guarded(  # noqa: PLR0913 - what is compared, and what becomes of a difference
    client: Any,
    *,
    lock: str | os.PathLike[str] | ServerContract | None = None,
    server: str | None = None,
    config: str | os.PathLike[str] | None = None,
    on_breaking: Reaction = "refuse",
    on_hidden_text: Reaction = "refuse-all",
    on_added: Reaction = "ignore",
    on_change: OnChange | None = None,
    initialize_result: Any = None,
    options: Options | None = None,
    **each: Any,
) -> AsyncIterator[GuardedClient]:
    """Guard a connected client by a server's entry in a lock, inside the block.

    `lock`, `server` and `config` as for `read_locked`: by default the only server of the settings' lock in the current
    folder. The reactions say what becomes of tools with BREAKING changes, of hidden text, and of tools that are not in
    the lock (see `Reaction`). `initialize_result` is what a session of the SDK's first major answered where it was
    initialised before; one that was not is initialised here. `options` are those of every integration, together, or
    `each` by its name (`unknown`, `cap`, `coerce`, `redact`, `compact`, `guard`, `on_error`, `on_success`).

    Raises FusionError where there is no such entry, DriftError (one too) where the whole server is refused, and what
    the client raises where it cannot list.
    """
    chosen = _options(options or Options(), each)
    reactions = Reactions(on_breaking, on_hidden_text, on_added)
    consumer = Consumer(read_locked(lock, server, config), reactions, chosen)
    guard = GuardedClient(port_of(client, initialize_result), consumer, on_change)
    async with guard._running():  # noqa: SLF001 - of this module
        yield guard


def _options(options: Options, each: dict[str, Any]) -> Options:
    for name in ("releases", "strict"):
        if name in each or getattr(options, name):
            raise TypeError(f"guarded() takes no {name}: a lock says what was learned, and a missing one is an error")
    return replace(options, **each)


class GuardedClient:
    """What `guarded` gives: the guarded client, and what is known of its server."""

    def __init__(self, port: Port, consumer: Consumer, on_change: OnChange | None) -> None:
        self.client = port.client
        self._port = port
        self._consumer = consumer
        self._on_change = on_change
        self._turn = asyncio.Lock()
        self._heard = self._taken = 0
        self._open = False
        self._told = asyncio.Event()
        self._looked: set[tuple[str, str]] = set()

    @property
    def verdict(self) -> Verdict:
        """The verdict on what the server listed last: `.report`, `.refused`, `.refused_all`, `.live`."""
        return self._consumer.verdict

    async def refresh(self) -> Verdict:
        """List again and judge now; the verdict that counts from here on. Raises what the client raises."""
        await self._judged(always=True)
        return self.verdict

    # -- what the client does instead ------------------------------------------------------------------------------

    async def _list(self, *args: Any, **kwargs: Any) -> Any:
        """The client's listing without what the model must not see."""
        await self._settle()
        page = await self._port.list(*args, **kwargs)
        if not self._consumer.lists([dumped(tool) for tool in page.tools], whole=is_whole(page, *args, **kwargs)):
            await self._look()
            page = await self._port.list(*args, **kwargs)
        kept = [tool for tool in page.tools if self._consumer.shows(dumped(tool))]
        return page if len(kept) == len(page.tools) else page.model_copy(update={"tools": kept})

    async def _call(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **kwargs: Any) -> Any:
        """The client's call, checked before it is sent and explained where it fails."""
        await self._settle()
        call = self._consumer.action_of(ToolCall(name, {} if arguments is None else arguments))
        stop = await self._hooked("before", call)
        if stop is not None:
            return self._answered(call, of_fault(stop, self._consumer.options))
        remark, checked = self._consumer.before(call)
        if remark is not None and remark.is_error:
            return self._answered(call, remark)
        sent = arguments if checked is call.arguments else checked
        try:
            result = await self._port.call(name, sent, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - what is none of the server's answers is raised again
            outcome, result = await self._raised(replace(call, arguments=checked), error)
        else:
            outcome, result = await self._returned(replace(call, arguments=checked), result, remark)
        if outcome.fault is not None or has_failed(result):
            self._consumer.told(call, outcome)
        else:
            tell(self._consumer.options.on_success, call, outcome)
        await self._hooked("after", call, outcome)
        return result

    async def _returned(self, call: ToolCall, result: Any, remark: Answer | None) -> tuple[Outcome, Any]:
        if not has_failed(result):
            if remark is None or not hasattr(result, "content"):
                return Outcome(result=result), result
            return replace(remark.outcome, result=result), beside(result, [remark])
        text = first_text(result)
        explained = await self._explained(call, text)
        if explained is None:
            return Outcome(parse_tool_error(result), text=text, result=result), result
        if explained.refusal is not None:
            return explained.outcome, call_tool_result(explained.refusal)
        return explained.outcome, with_text(result, explained.text, explained.meta)

    async def _raised(self, call: ToolCall, error: Exception) -> tuple[Outcome, Any]:
        """A protocol error is raised on, its message explained; of what is refused now an answer is made."""
        said: Any = getattr(error, "error", None)
        if getattr(said, "code", None) not in _ARGUMENTS:
            if isinstance(error, RuntimeError):  # how the SDK says that a result does not fit the schema it listed
                await self._look()
            raise error
        explained = await self._explained(call, said.message)
        if explained is None:
            raise error
        if explained.refusal is not None:
            return explained.outcome, call_tool_result(explained.refusal)
        self._consumer.told(call, explained.outcome)
        error.args = tuple(explained.text if one == said.message else one for one in error.args)
        setattr(error, "error", said.model_copy(update={"message": explained.text}))  # noqa: B010 - the SDK's errors alone
        raise error

    async def _explained(self, call: ToolCall, text: str) -> Explained | None:
        """The server is asked again what it offers, once for each failure: it may have failed by a change."""
        if (call.tool, text) not in self._looked:
            await self._look()
            if len(self._looked) >= _MOST_LOOKED:
                self._looked.clear()
            self._looked.add((call.tool, text))
        return self._consumer.explained(call, text)

    def _answered(self, call: ToolCall, answer: Answer) -> Any:
        self._consumer.told(call, answer.outcome)
        return call_tool_result(answer)

    async def _hooked(self, name: str, *given: Any) -> Any:
        """What a guard of the agent loop answers; nothing where there is none, or it fails."""
        guard = self._consumer.options.guard
        if guard is None:
            return None
        try:
            said = getattr(guard, name)(*given)
            return await said if inspect.isawaitable(said) else said
        except Exception:  # noqa: BLE001 - of anyone's making; it is logged
            _log.exception("A guard failed: the call goes on without it")
            return None

    # -- what the server changes meanwhile -------------------------------------------------------------------------

    def _changed(self) -> None:
        """The server says that its tools changed: whatever comes next looks first."""
        self._heard += 1
        self._told.set()

    async def _settle(self) -> None:
        """Wait until what the server said last is judged."""
        if self._heard != self._taken:
            await self._look(always=False)

    async def _judged(self, *, always: bool) -> None:
        """List and judge, one after another; unless it is done `always`, only where something was heard since."""
        changed = False
        async with self._turn:
            heard = self._heard
            if always or heard != self._taken:
                changed = self._consumer.take(await self._port.offered())
                self._taken = heard
        if changed:
            self._looked.clear()
            await self._tell()

    async def _look(self, *, always: bool = True) -> None:
        """List and judge where a failure must not hide what it is for."""
        try:
            await self._judged(always=always)
        except Exception as error:  # noqa: BLE001 - of the server's making
            name = printable(self._consumer.locked.name)
            _log.warning("%s cannot be listed again (%s): what it offered before counts", name, type(error).__name__)

    async def _tell(self) -> None:
        if self._on_change is None or not self._open:
            return
        try:
            said = self._on_change(self.verdict)
            if inspect.isawaitable(said):
                await said
        except Exception:  # noqa: BLE001 - of anyone's making; it is logged
            _log.exception("A callback on a changed server failed")

    async def _watch(self) -> None:
        """Look when the server says so, one after another, with a pause between: some servers say so without end."""
        while True:
            await self._told.wait()
            self._told.clear()
            await self._settle()
            await asyncio.sleep(_PAUSE)

    async def _listen(self, ready: asyncio.Event) -> None:
        """Where changes are told on a stream of their own: hear it until it ends."""
        try:
            stream = self._port.stream()
            if stream is not None:
                async with stream as events:
                    ready.set()
                    async for _ in events:
                        self._changed()
        except Exception as error:  # noqa: BLE001 - of the server's making
            _log.info("%s tells no changes: %s", printable(self._consumer.locked.name), type(error).__name__)
        finally:
            ready.set()

    # -- begin and end ---------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        await self._port.open()
        async with AsyncExitStack() as stack:
            tasks: list[asyncio.Task[None]] = []
            stack.push_async_callback(_ended, tasks)
            stack.enter_context(self._port.hearing(self._changed))
            ready = asyncio.Event()
            tasks.append(asyncio.create_task(self._listen(ready)))
            with suppress(TimeoutError):  # heard before it is listed: no change falls between the two
                await asyncio.wait_for(ready.wait(), _PATIENCE)
            await self.refresh()
            if self.verdict.refused_all:
                raise DriftError(self.verdict)
            stack.enter_context(self._installed())
            tasks.append(asyncio.create_task(self._watch()))
            self._open = True
            yield

    @contextmanager
    def _installed(self) -> Iterator[None]:
        """The client's own methods, replaced on this object alone."""
        replaced = {self._port.lists: self._list, self._port.calls: self._call}
        before = {name: vars(self.client)[name] for name in replaced if name in vars(self.client)}
        for name, method in replaced.items():
            setattr(self.client, name, method)
        try:
            yield
        finally:
            for name in replaced:
                delattr(self.client, name)
            vars(self.client).update(before)


async def _ended(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
