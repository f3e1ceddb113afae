"""A check of each call before it is sent, for servers one does not own.

Many servers drop an unknown argument in silence and answer as if nothing were wrong: then only the caller's side can
notice that an argument was removed or renamed.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from fusion_contracts.model import JsonValue, ServerContract
from fusion_contracts.runtime.awareness import ContractAwareness
from fusion_contracts.runtime.call import UnknownPolicy, checked_policy
from fusion_contracts.runtime.from_schema import accepts, prepared
from fusion_contracts.runtime.issues import Issue
from fusion_contracts.runtime.missing_tool import unknown_action
from fusion_contracts.runtime.validation import ValidationReport, explain_validation

__all__ = ["CallGuard"]


class CallGuard:
    """Holds calls to the live contract, with what changed since the locked one, which the caller learned."""

    def __init__(
        self,
        locked: ServerContract,
        live: ServerContract,
        *,
        unknown: UnknownPolicy = "auto",
        cap: int = 5,
        redact: Collection[str] = (),
    ) -> None:
        """`unknown` and `redact` as for `explain_validation`; `cap` is the number of changes that a text shows.

        Raises ValueError on a policy that there is not.
        """
        self.live = live
        self.awareness = ContractAwareness.between(locked, live, cap=cap)
        self._unknown = checked_policy(unknown)
        self._redact = tuple(redact)
        self._validators: dict[str, Any] = {}

    def check(self, tool: str, arguments: JsonValue) -> ValidationReport | None:
        """None for a call that may be sent; else the report whose `to_xml()` goes to the model instead of an answer.

        A report with `warning` (policy `warn`) leaves the call to the caller. Formats are not judged: servers differ.
        """
        if tool not in self.live.tools:
            return self._no_tool(tool)
        sent = {} if arguments is None else arguments
        schema = self.live.tools[tool].input_schema
        if (
            self._unknown == "auto"
            and not self.awareness.gone(self.awareness.action_of(tool, sent))
            and accepts(self._validator(tool), sent)
        ):
            return None
        report = explain_validation(
            schema,
            sent,
            action=tool,
            awareness=self.awareness,
            unknown=self._unknown,
            formats=False,
            redact=self._redact,
        )
        return report or None

    def _validator(self, tool: str) -> Any:
        if tool not in self._validators:
            self._validators[tool] = prepared(self.live.tools[tool].input_schema, formats=False)
        return self._validators[tool]

    def _no_tool(self, tool: str) -> ValidationReport:
        fault = unknown_action(tool, self.live, self.awareness)
        issue = Issue((), tool, "arguments", fault.message)
        return ValidationReport(tool, (issue,), fault=fault)
