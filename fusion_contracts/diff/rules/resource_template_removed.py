"""A resource template is gone.

## Why it matters
Every URI made from it fails.

## What to do
Keep the template for one release.

## Reference
MCP, resources/templates/list
"""

from __future__ import annotations

from fusion_contracts.diff.changes import TemplateRemoved
from fusion_contracts.diff.findings import Level
from fusion_contracts.diff.rule import Example, rule
from fusion_contracts.diff.wording import short

EXAMPLE = Example(
    old={
        "serverInfo": {"name": "pages", "version": "1.0.0"},
        "resourceTemplates": [{"uriTemplate": "log://{service}", "name": "log"}],
    },
    new={"serverInfo": {"name": "pages", "version": "1.0.0"}},
    of="server",
)


@rule(TemplateRemoved, level=Level.BREAKING, example=EXAMPLE)
def judge(change: TemplateRemoved) -> str:
    """Fire on every template that vanished."""
    return f"resource template {short(change.name)} removed"
