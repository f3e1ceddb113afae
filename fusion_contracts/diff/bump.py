"""The least bump that findings allow a version: what to call the release that has them.

- major: an agent that learned the old contract fails (BREAKING). A waived break counts as well: a waiver is the promise
  of those who release, and the agents did not make it.
- minor: there is something new to call, or the same call may be answered in another way (RISKY, beside wording).
- patch: other words, or another spelling of the same.
- none: nothing an agent meets differs.
"""

from __future__ import annotations

from collections.abc import Iterable

from fusion_contracts.diff.findings import Finding, Level
from fusion_contracts.diff.rule import find
from fusion_contracts.diff.version import Bump

__all__ = ["bump_of", "least_bump"]

_NOTHING = frozenset({"server-version-changed", "version-bump-missing"})  # these speak of the version itself
_WORDS = frozenset({
    "annotation-changed", "catalog-tokens-grew", "description-changed", "equivalent-rewrite", "examples-changed",
    "hint-without-effect", "icons-changed", "instructions-changed", "parameter-description-changed",
    "server-info-changed", "title-changed",
})  # fmt: skip


def least_bump(findings: Iterable[Finding]) -> Bump:
    """The highest bump that one of the findings needs."""
    return max(map(bump_of, findings), default=Bump.NONE)


def bump_of(finding: Finding) -> Bump:
    """What one finding needs, at the level that the project gave it.

    A narrowed schema that was proved to refuse no call asks for a patch, and no more than was proved. A rule that is
    SAFE by itself tells of something that was added.
    """
    if finding.rule in _NOTHING:
        return Bump.NONE
    if finding.level is Level.BREAKING:
        return Bump.MAJOR
    if finding.rule in _WORDS:
        return Bump.PATCH
    return Bump.MINOR if finding.level is Level.RISKY or find(finding.rule).usual is Level.SAFE else Bump.PATCH
