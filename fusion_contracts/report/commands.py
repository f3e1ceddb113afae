"""The commands that a report names, such that they look at what the report looked at."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from fusion_contracts.canonical import shell_word

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.report.context import Context

__all__ = ["explain", "waive"]

_DIGITS = 7  # of a group's id


def waive(finding: Finding, context: Context) -> str:
    """How the findings of a group are accepted: `fusion waive 4f2a91c --reason "..." --base main`."""
    return f'fusion waive {finding.group[:_DIGITS]} --reason "..."{_again(finding, context)}'


def explain(finding: Finding, context: Context) -> str:
    """How the findings of a group are shown in full: `fusion explain 4f2a91c old.json new.json`."""
    return f"fusion explain {finding.group[:_DIGITS]}{_again(finding, context)}"


def _again(finding: Finding, context: Context) -> str:
    """What names the same comparison again; a command after `--` stands last, so all of it does."""
    folder = posixpath.dirname(finding.lockfile or "")
    words = ("-C", folder, *context.again) if folder else context.again
    return "".join(f" {shell_word(word)}" for word in words)
