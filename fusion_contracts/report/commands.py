"""The commands that a report names, such that they look at what the report looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fusion_contracts.canonical import shell_word
from fusion_contracts.report.grouping import DIGITS

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.report.context import Context

__all__ = ["explain", "waive"]

_BY_RULE = frozenset({"version-bump-missing"})  # what no comparison of two contracts finds, so that no id leads to it


def waive(finding: Finding, context: Context, *, until: bool = False) -> str:
    """How the findings of a group are accepted: `fusion waive 4f2a91c --reason "..." --base main`.

    `until` names the option for a last day as well, which a waiver of a rule always needs.
    """
    by_rule = finding.rule in _BY_RULE
    what = f"--rule {finding.rule}" if by_rule else finding.group[:DIGITS]
    day = " --until YYYY-MM-DD" if until or by_rule else ""
    return f'fusion waive {what} --reason "..."{day}{_again(finding, context)}'


def explain(finding: Finding, context: Context) -> str:
    """How the findings of a group are shown in full: `fusion explain 4f2a91c old.json new.json`."""
    if finding.rule in _BY_RULE:
        return f"fusion explain {finding.rule}"
    return f"fusion explain {finding.group[:DIGITS]}{_again(finding, context)}"


def _again(finding: Finding, context: Context) -> str:
    """What names the same comparison again; a command after `--` stands last, so all of it does.

    -s is part of it: two sides of one server each are paired whatever they are called. A rule is waived for all.
    """
    only = () if finding.rule in _BY_RULE else (word for glob in context.servers for word in ("-s", glob))
    return "".join(f" {shell_word(word)}" for word in (*context.of(finding).options, *only, *context.again))
