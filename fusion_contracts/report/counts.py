"""Findings in words and numbers: `3 tools and 13 optional arguments added, 2 constraints loosened`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding

__all__ = ["count", "is_reworded", "joined", "levels", "of_places", "of_prose", "of_safe"]

# What SAFE rules say, in the order of the line. Rules on schemas that are in neither table loosened a constraint of an
# input, or narrowed an output; what else is left counts as a minor change.
_ADDED = {
    "server-added": "server",
    "tool-added": "tool",
    "action-added": "action",
    "prompt-added": "prompt",
    "resource-added": "resource",
    "resource-template-added": "resource template",
    "optional-property-added": "optional argument",
    "output-schema-added": "output schema",
    "output-field-added": "output field",
    "capability-added": "capability",
}
_NAMED = {
    "equivalent-rewrite": "schema",
    "dialect-changed": "schema",
    "title-changed": "title",
    "hint-without-effect": "hint",
    "default-changed": "default",
    "description-changed": "text",
    "parameter-description-changed": "text",
    "instructions-changed": "text",
    "server-version-changed": "version",
}
_PROSE = frozenset({"description-changed", "parameter-description-changed", "instructions-changed"})
_PLURALS = {"capability": "capabilities"}


def count(number: int, word: str) -> str:
    """`1 tool`, `2 tools`, `1,204 capabilities`."""
    return f"1 {word}" if number == 1 else f"{number:,} {_PLURALS.get(word, word + 's')}"


def joined(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else "".join(parts)


def levels(breaking: int, risky: int, safe: int, *, waived: int = 0) -> str:
    """`11 breaking, 29 risky, 18 safe`, without what is not there; `no changes` when nothing is."""
    named = {"breaking": breaking, "risky": risky, "safe": safe, "waived": waived}
    return ", ".join(f"{number:,} {word}" for word, number in named.items() if number) or "no changes"


def is_reworded(finding: Finding) -> bool:
    """Whether a finding only says that some prose reads differently."""
    return finding.rule in _PROSE


def of_safe(findings: Iterable[Finding]) -> str:
    """SAFE findings in one line."""
    findings = list(findings)
    by_rule = Counter(finding.rule for finding in findings)
    added = [count(by_rule[rule], word) for rule, word in _ADDED.items() if by_rule[rule]]
    kinds = Counter(_kind(finding) for finding in findings)
    parts = [f"{joined(added)} added"] if added else []
    parts += [f"{count(kinds[word], word)} {verb}".rstrip() for word, verb in _VERBS.items() if kinds[word]]
    parts += ["version changed"] if kinds["version"] else []
    return ", ".join(parts)


_VERBS = {
    "constraint": "loosened",
    "output": "narrowed",
    "schema": "rewritten without effect",
    "default": "added without effect",
    "hint": "without effect",
    "title": "changed",
    "text": "with other white space",
    "minor change": "",
}


def _kind(finding: Finding) -> str:
    if finding.rule in _ADDED:
        return "added"
    if finding.rule in _NAMED:
        return _NAMED[finding.rule]
    return {"input": "constraint", "output": "output"}.get(finding.side, "minor change")


def of_places(findings: Iterable[Finding]) -> str:
    """Where in schemas findings are: `9 tools, 24 arguments`."""
    findings = list(findings)
    word = "argument" if findings[0].side == "input" else "field"
    places = len({(finding.tool, finding.pointer) for finding in findings})
    return f"{count(len({finding.tool for finding in findings}), 'tool')}, {count(places, word)}"


def of_prose(findings: Iterable[Finding]) -> str:
    """Whose prose was reworded: `server, 3 tools, 2 arguments`."""
    tools = {finding.tool for finding in findings if finding.tool and finding.side == "tool"}
    arguments = sum(finding.side in {"input", "output"} for finding in findings)
    others = sum(finding.tool is None for finding in findings)
    parts = ["server"] if others else []
    parts += [count(len(tools), "tool")] if tools else []
    parts += [count(arguments, "argument")] if arguments else []
    return ", ".join(parts)
