"""A resource template takes other variables.

## Why it matters
URIs made from the old template no longer fit.

## What to do
Keep the old template beside the new one.

## Reference
MCP, ResourceTemplate.uriTemplate; RFC 6570
"""

from __future__ import annotations

from fusion_contracts.diff.changes import TemplateVariablesChanged
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, Verdict, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resourceTemplates": [{"uriTemplate": "log://{service}", "name": "log"}],
    },
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resourceTemplates": [{"uriTemplate": "log://{service}/{day}", "name": "log"}],
    },
    of="server",
)


@rule(TemplateVariablesChanged, level=Level.BREAKING, example=EXAMPLE)
def judge(change: TemplateVariablesChanged) -> Verdict:
    """Fire when a template is the same but for its variables."""
    return Verdict(f"resource template {short(change.name)} is now {short(change.after)}", successor=change.after)
