"""A new resource template.

## Why it matters
Nobody read through it before.

## What to do
Nothing to do.

## Reference
MCP, resources/templates/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import TemplateAdded
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    new={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resourceTemplates": [{"uriTemplate": "log://{service}", "name": "log"}],
    },
    of="server",
)


@rule(TemplateAdded, level=Level.SAFE, example=EXAMPLE)
def judge(change: TemplateAdded) -> str:
    """Fire on every template that appeared."""
    return f"resource template {short(change.name)} added"
