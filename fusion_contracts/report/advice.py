"""What an agent, or whoever runs one, does about a break: a rule's own hint is for the author of the tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_contracts.report.inline import markdown_code

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding

__all__ = ["advice"]

_BY_RULE = {
    "read-only-lost": "Look again at who may call it without asking.",
    "destructive-gained": "Look again at who may call it without asking.",
    "invisible-text-added": "Read the text before a model does.",
    "resource-template-variables-changed": "List the templates again.",
    "capability-removed": "Do without it.",
    "server-removed": "Take its tools out of prompts and plans.",
}
_GONE = ("tool-", "action-", "prompt-", "resource-")


def advice(finding: Finding) -> str:
    """One sentence."""
    if finding.successor is not None:
        verb = "Send" if finding.side == "input" and finding.rule.startswith("property") else "Use"
        return f"{verb} {markdown_code(finding.successor)} instead."
    if finding.rule in _BY_RULE:
        return _BY_RULE[finding.rule]
    if finding.rule.endswith("-removed") and finding.rule.startswith(_GONE):
        return "Take it out of prompts and plans."
    if finding.side == "output":
        return "Read its output by the new schema."
    return "List the tools again, and build the call from the new schema."
