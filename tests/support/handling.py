"""What the tests of the handler share: a tool whose argument was renamed, and two ways to handle a call of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from fusion_contracts.integrations import Options, ToolCall
from fusion_contracts.integrations.framework import Framework, Handled
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.live import contract_of_tools
from fusion_contracts.model import ServerContract
from fusion_contracts.runtime.releases import Known, Release

ID = {"type": "integer", "description": "The ticket's number."}
OUTPUT = {"type": "object", "properties": {"closed": {"type": "integer"}}, "required": ["closed"]}


def tool(argument: str) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {argument: ID, "note": {"type": "string"}},
        "required": [argument],
    }
    return {"name": "close_ticket", "description": "Close.", "inputSchema": schema, "outputSchema": OUTPUT}


GONE = {"name": "whoami", "inputSchema": {"type": "object", "properties": {}}}
OLD: ServerContract = contract_of_tools([tool("id"), GONE], "desk")
KNOWN = Known("desk", releases=(Release("1.0.0", 1, OLD),))
RENAMED = """<validation_error action="close_ticket">
  <field name="ticket_id">Missing. You sent: id 7. Expected an integer.</field>
  <contract_awareness since="1.0.0">
    <change severity="BREAKING" field="ticket_id">renamed from id; same value</change>
  </contract_awareness>
  <suggested_arguments>{"ticket_id":7}</suggested_arguments>
  <recovery>Call the tool again with suggested_arguments. Do not explain the error.</recovery>
</validation_error>"""


class Ran:
    """A framework's way to go on: keeps what it was called with."""

    def __init__(self, result: Any = None, raises: BaseException | None = None) -> None:
        self.sent: list[Any] = []
        self.result = {"closed": 7} if result is None else result
        self.raises = raises

    def __call__(self, arguments: Any) -> Any:
        self.sent.append(arguments)
        if self.raises is not None:
            raise self.raises
        return self.result


def handler(options: Options | None = None, **framework: Any) -> Handler:
    said: dict[str, Any] = {"tools": lambda: [tool("ticket_id")], "structured": lambda result: result}
    return Handler(options or Options(), Framework(**(said | framework)), KNOWN)


Way = Callable[[Handler, ToolCall, Ran], Handled]


def synchronous(made: Handler, call: ToolCall, ran: Ran) -> Handled:
    return made.around_sync(call, ran)


def asynchronous(made: Handler, call: ToolCall, ran: Ran) -> Handled:
    async def proceed(arguments: Any) -> Any:
        await asyncio.sleep(0)
        return ran(arguments)

    return asyncio.run(made.around(call, proceed))


def call(name: str = "close_ticket", /, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments)


class Refused(Exception):  # noqa: N818 - a framework's own name
    """A framework's refusal."""
