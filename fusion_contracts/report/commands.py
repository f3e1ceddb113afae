"""The commands that a report names, such that they look at what the report looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import shell_word
from fusion_contracts.report.grouping import identifier

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.report.context import Context

__all__ = ["acceptance", "explain", "waive"]

_BY_RULE = frozenset({"version-bump-missing"})  # what no comparison of two contracts finds, so that no id leads to it


def acceptance(rows: Sequence[Sequence[Finding]], context: Context) -> tuple[str, str]:
    """How rows are accepted: in a word, that says so where there are several, and the command for the first of them."""
    each = len(rows) > 1 and rows[0][0].rule not in _BY_RULE
    return "Accept each by its id" if each else "Accept on purpose", waive(rows[0], context)


def waive(row: Sequence[Finding], context: Context) -> str:
    """How the findings of a row are accepted: `fusion waive 4f2a91c --reason "..." --base main`."""
    by_rule = row[0].rule in _BY_RULE
    what = f"--rule {row[0].rule}" if by_rule else identifier(row)
    day = " --until YYYY-MM-DD" if by_rule else ""  # which a waiver of a rule always needs
    return f'fusion waive {what} --reason "..."{day}{_again(row[0], context)}'


def explain(row: Sequence[Finding], context: Context) -> str:
    """How the findings of a row are shown in full: `fusion explain 4f2a91c old.json new.json`."""
    if row[0].rule in _BY_RULE:
        return f"fusion explain {row[0].rule}"
    return f"fusion explain {identifier(row)}{_again(row[0], context)}"


def _again(finding: Finding, context: Context) -> str:
    """What names the same comparison again; a command after `--` stands last, so all of it does.

    -s is part of it: two sides of one server each are paired whatever they are called. A rule is waived for all.
    """
    only = () if finding.rule in _BY_RULE else (word for glob in context.servers for word in ("-s", glob))
    return "".join(f" {shell_word(word)}" for word in (*context.of(finding).options, *only, *context.again))
