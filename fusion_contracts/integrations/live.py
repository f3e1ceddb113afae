"""The tools as they are now, with what changed since agents learned them: made once for each listing."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.integrations.options import ToolCall
from fusion_contracts.model import JsonObject, JsonValue, ServerContract, Tool
from fusion_contracts.runtime.awareness import ContractAwareness
from fusion_contracts.runtime.call import Call
from fusion_contracts.runtime.from_schema import accepts, prepared, refusals
from fusion_contracts.runtime.issues import dotted
from fusion_contracts.runtime.releases import Known
from fusion_contracts.runtime.shape import Shape

__all__ = ["Live", "contract_of_tools"]

_log = logging.getLogger("fusion_contracts.integrations")


class Live:
    """One listing: its contract, its awareness, its validators."""

    __slots__ = ("_inputs", "_inside", "_outputs", "awareness", "contract")

    def __init__(self, contract: ServerContract, awareness: ContractAwareness) -> None:
        self.contract = contract
        self.awareness = awareness
        self._inputs: dict[str, Any] = {}
        self._outputs: dict[str, Any] = {}
        self._inside: dict[str, bool] = {}

    @classmethod
    def of(cls, tools: Iterable[JsonObject], known: Known, *, cap: int, hints: bool = True) -> Live:
        """From tools as MCP lists them; without `hints`, changes of these are none.

        Releases that do not fit are told in the log, and then nothing has changed.
        """
        contract = contract_of_tools(tools, known.server)
        try:
            deltas = [delta for delta in known.deltas(contract) if hints or delta.kind != "hint"]
        except FusionError as error:
            _log.warning("agents are not told what changed: %s", error)
            deltas = []
        return cls(contract, ContractAwareness(contract, deltas, cap=cap))

    def tool(self, name: str) -> Tool | None:
        """The tool of that name."""
        return self.contract.tools.get(name)

    def accepts(self, name: str, arguments: JsonValue) -> bool:
        """Whether the tool's input schema takes the arguments."""
        if name not in self._inputs:
            self._inputs[name] = prepared(self.contract.tools[name].input_schema, formats=False)
        return self._inputs[name] is None or accepts(self._inputs[name], arguments)

    def misfit(self, name: str, structured: JsonValue) -> str | None:
        """Where a structured result is not what the tool's output schema says; None where it is, or none is declared.

        For the log: a place and a keyword, no value.
        """
        if name not in self._outputs:
            tool = self.contract.tools.get(name)
            declared = None if tool is None else tool.output_schema
            self._outputs[name] = None if declared is None else prepared(declared, formats=False)
        validator = self._outputs[name]
        if validator is None or accepts(validator, structured):
            return None
        first = next(iter(refusals(validator, structured)[0]), None)
        return "it cannot be judged" if first is None else f"{dotted(first.path)} ({first.keyword})"

    def sends_gone(self, call: ToolCall) -> bool:
        """Whether a call sends an argument that a change removed or renamed, and that is not there now."""
        action = call.action or call.tool
        gone = self.awareness.gone(action)
        tool = self.contract.tools.get(call.tool)
        if not gone or tool is None or not isinstance(call.arguments, dict):
            return False
        if gone.keys().isdisjoint(call.arguments) and not self._reaches(action, gone):
            return False
        looked = Call(action, call.arguments, tool.input_schema, Shape(tool.input_schema), gone)
        return any(True for _ in looked.gone_names(call.arguments))

    def _reaches(self, action: str, gone: Iterable[str]) -> bool:
        """Whether any of the arguments that are gone stands inside another one."""
        if action not in self._inside:
            self._inside[action] = any("." in name or "[" in name for name in gone)
        return self._inside[action]

    def sends_unknown(self, call: ToolCall) -> bool:
        """Whether a call sends an argument that the schema does not name."""
        tool = self.contract.tools.get(call.tool)
        if tool is None or not isinstance(call.arguments, dict):
            return False
        looked = Call(call.action or call.tool, call.arguments, tool.input_schema, Shape(tool.input_schema))
        return bool(looked.unknown_names((), call.arguments))


def contract_of_tools(tools: Iterable[JsonObject], server: str) -> ServerContract:
    """The contract of tools as MCP lists them, free of noise as releases are.

    What is malformed is left out, and logged.
    """
    from fusion_contracts.sources.base import Listing
    from fusion_contracts.sources.contract import contract_of

    reading = contract_of(Listing(tools=tuple(tools)), name=server)
    for problem in reading.problems:
        _log.warning("errors of a tool cannot be explained: %s", printable(str(problem)))
    return reading.contracts[0]
