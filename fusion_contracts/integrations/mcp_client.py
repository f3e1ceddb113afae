"""A client session of a server that one does not own, guarded by its lock: `async with guarded(client): ...`.

For a `ClientSession` of the MCP SDK 1 and 2, the `Client` of the SDK 2, and the `Client` of FastMCP 2, 3 and 4. The
client itself is guarded, until the block ends: whatever lists or calls through it, an agent framework too, sees what is
accepted alone.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from fusion_contracts.integrations.answers import Answer, of_guard
from fusion_contracts.integrations.consumer import Consumer, Explained
from fusion_contracts.integrations.drift import Reaction, Reactions, Verdict
from fusion_contracts.integrations.driving import driven, shielded
from fusion_contracts.integrations.framework import is_flagged
from fusion_contracts.integrations.hooks import hooked, tell
from fusion_contracts.integrations.locked import read_locked
from fusion_contracts.integrations.mcp_ports import Port, first_text, is_whole, port_of, with_text
from fusion_contracts.integrations.mcp_results import beside, call_tool_result
from fusion_contracts.integrations.mcp_watch import OnChange, Watch
from fusion_contracts.integrations.options import Ending, Options, ToolCall
from fusion_contracts.loop.exceptions import kind_of
from fusion_contracts.model import ServerContract
from fusion_contracts.runtime.client import fault_of_text, parse_tool_error
from fusion_contracts.runtime.raising import passes
from fusion_contracts.sources.objects.kind import dumped

__all__ = ["GuardedClient", "OnChange", "guarded"]

_MOST_LOOKED = 256  # failures that a listing is not asked for again
_ARGUMENTS = frozenset({-32600, -32601, -32602, -32603})  # JSON-RPC: what was asked is not what is taken now


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
    port = port_of(client, initialize_result)
    watch = Watch(port, consumer, on_change)
    guard = GuardedClient(port, consumer, watch)
    async with watch.running(), guard._installed():  # noqa: SLF001 - of this module
        yield guard


def _options(options: Options, each: dict[str, Any]) -> Options:
    for name in ("releases", "strict"):
        if name in each or getattr(options, name):
            raise TypeError(f"guarded() takes no {name}: a lock says what was learned, and a missing one is an error")
    return replace(options, **each)


class GuardedClient:
    """What `guarded` gives: the guarded client, and what is known of its server."""

    def __init__(self, port: Port, consumer: Consumer, watch: Watch) -> None:
        self.client = port.client
        self._port = port
        self._consumer = consumer
        self._watch = watch
        self._looked: set[int] = set()
        self._looked_at = 0

    @property
    def verdict(self) -> Verdict:
        """The verdict on what the server listed last: `.report`, `.refused`, `.refused_all`, `.live`."""
        return self._consumer.verdict

    async def refresh(self) -> Verdict:
        """List again and judge now; the verdict that counts from here on. Raises what the client raises."""
        await self._watch.judge(always=True)
        return self.verdict

    async def _list(self, *args: Any, **kwargs: Any) -> Any:
        """The client's listing without what the model must not see."""
        await self._watch.settle()
        page = await self._port.list(*args, **kwargs)
        if not self._consumer.lists([dumped(tool) for tool in page.tools], whole=is_whole(page, *args, **kwargs)):
            await self._watch.look()
            page = await self._port.list(*args, **kwargs)
        kept = [tool for tool in page.tools if self._consumer.shows(dumped(tool))]
        return page if len(kept) == len(page.tools) else page.model_copy(update={"tools": kept})

    async def _call(self, name: str, arguments: dict[str, Any] | None = None, *args: Any, **kwargs: Any) -> Any:
        """The client's call, checked before it is sent and explained where it fails."""
        await self._watch.settle()
        call = self._consumer.action_of(ToolCall(name, {} if arguments is None else arguments))
        stop = await self._hooked("before", call)
        if stop is not None:
            answer = of_guard(stop, self._consumer.options)
            self._consumer.told(call, answer.ending)
            return call_tool_result(answer)
        remark, checked = self._consumer.before(call)
        if remark is not None and remark.is_error:
            await self._ended(call, remark.ending, failed=True)
            return call_tool_result(remark)
        sent = arguments if checked is call.arguments else checked
        meant = replace(call, arguments=checked)
        try:
            try:
                result = await self._port.call(name, sent, *args, **kwargs)
            except Exception as error:  # noqa: BLE001 - what is none of the server's answers is raised again
                ending, result = await self._raised(meant, error)
            else:
                ending, result = await self._returned(meant, result, remark)
        except GeneratorExit:
            raise
        except BaseException:  # cancelled
            await shielded(self._hooked("after", call, None))
            raise
        await self._ended(call, ending, failed=ending.fault is not None or is_flagged(result))
        if result is None and ending.cause is not None:
            raise ending.cause
        return result

    async def _ended(self, call: ToolCall, ending: Ending, *, failed: bool) -> None:
        if failed:
            self._consumer.told(call, ending)
        else:
            tell(self._consumer.options.on_success, call, ending)
        await self._hooked("after", call, ending)

    async def _returned(self, call: ToolCall, result: Any, remark: Answer | None) -> tuple[Ending, Any]:
        if not is_flagged(result):
            if remark is None or not hasattr(result, "content"):
                return Ending(result=result), result
            return replace(remark.ending, result=result), beside(result, [remark])
        text = first_text(result)
        explained = await self._explained(call, text)
        if explained is None:
            return Ending(parse_tool_error(result), text=text, result=result), result
        if explained.refusal is not None:
            return explained.ending, call_tool_result(explained.refusal)
        return explained.ending, with_text(result, explained.text, explained.meta)

    async def _raised(self, call: ToolCall, error: Exception) -> tuple[Ending, Any]:
        """A protocol error goes on, its message explained, as the cause; of what is refused now an answer is made."""
        if passes(error):
            raise error
        said: Any = getattr(error, "error", None)
        text, kind = str(getattr(said, "message", error)), kind_of(error)
        if getattr(said, "code", None) not in _ARGUMENTS:
            if isinstance(error, RuntimeError):  # how the SDK says that a result does not fit the schema it listed
                await self._watch.look()
            return Ending(fault_of_text(text), text=text, cause=error, kind=kind), None
        explained = await self._explained(call, text)
        if explained is None:
            return Ending(parse_tool_error(text) or fault_of_text(text), text=text, cause=error, kind=kind), None
        if explained.refusal is not None:
            return explained.ending, call_tool_result(explained.refusal)
        error.args = tuple(explained.text if one == said.message else one for one in error.args)
        setattr(error, "error", said.model_copy(update={"message": explained.text}))  # noqa: B010 - the SDK's errors alone
        return replace(explained.ending, cause=error, kind=kind), None

    async def _explained(self, call: ToolCall, text: str) -> Explained | None:
        """The server is asked again what it offers, once for each failure: it may have failed by a change."""
        failure = hash((call.tool, text))  # a server's text may be of any size, and there are many
        if failure not in self._looked or self._looked_at != self._watch.changes:
            await self._watch.look()
            if len(self._looked) >= _MOST_LOOKED or self._looked_at != self._watch.changes:
                self._looked.clear()
            self._looked_at = self._watch.changes
            self._looked.add(failure)
        return self._consumer.explained(call, text)

    async def _hooked(self, name: str, *given: Any) -> Any:
        """What a guard of the agent loop answers; nothing where there is none, or it fails."""
        guard = self._consumer.options.guard
        if guard is None:
            return None
        return await driven(hooked(lambda: getattr(guard, name)(*given)))

    @asynccontextmanager
    async def _installed(self) -> AsyncIterator[None]:
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
