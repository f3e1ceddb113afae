"""The integrations as a user would write them: type-checked, never run."""

from __future__ import annotations

from typing import assert_type

from fusion_contracts import ServerContract, ToolFault, tool_error
from fusion_contracts.integrations import Ending, Options, ToolCall, attach, warn


class Server:
    """Stands for a framework's server, whose type must not be lost."""


class Limit:
    """A guard."""

    def before(self, call: ToolCall) -> ToolFault | None:
        return tool_error("RETRY_LIMIT", call.action) if call.run else None

    async def after(self, call: ToolCall, ending: Ending | None) -> None:
        assert_type(call.tool, str)
        assert ending is not None
        assert_type(ending.fault, ToolFault | None)
        assert_type(ending.failing, tuple[str, ...])


def told(call: ToolCall, ending: Ending) -> None:
    assert_type((call.tool, ending.text), tuple[str, str])


def program(contract: ServerContract) -> None:
    options = Options(
        releases=contract, cap=3, unknown="warn", coerce=True, redact=("pin",), guard=Limit(), on_error=(told,)
    )
    assert_type(attach(Server(), options, name="desk"), Server)
    Options(releases=".fusion/releases", compact=True, strict=True)
    warn(tool_error("DEPRECATED", "m", severity="warning"))
