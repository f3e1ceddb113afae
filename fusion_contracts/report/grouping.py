"""Findings as people read them: by server, by level, and one group where the same change is in many tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from fusion_contracts.canonical import pointer_key
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.diff import Cost, Finding, Report

__all__ = [
    "DIGITS", "Section", "alike", "arguments", "foremost", "groups", "identifier", "names", "predicate", "sections",
    "subject",
]  # fmt: skip

Sentence = TypeVar("Sentence")

DIGITS = 7
"""Digits of an id that people are shown."""
_DISTINCT = 3  # different sentences of one group that are told apart


@record
class Section:
    """All findings about one server of one lock, the worst first; `cost` is what its tools cost a model."""

    server: str
    lockfile: str | None
    findings: tuple[Finding, ...]
    cost: Cost | None = None

    @property
    def title(self) -> str:
        """The server's name, its versions where they differ, and its lock where there are several. Not escaped."""
        versions = self.versions
        return f"{self.named} {versions[0]} -> {versions[1]}" if versions else self.named

    @property
    def named(self) -> str:
        """The server's name, and its lock where there are several. Not escaped."""
        return self.server if self.lockfile is None else f"{self.lockfile}: {self.server}"

    @property
    def versions(self) -> tuple[str, str] | None:
        """The server's versions before and after, where they differ and it tells both. Not escaped."""
        for finding in self.findings:
            if finding.rule == "server-version-changed" and finding.before and finding.after:
                return str(finding.before), str(finding.after)
        return None

    def of(self, level: str) -> list[Finding]:
        """Its findings of a level that are not waived."""
        return [finding for finding in self.findings if finding.level.name == level and not finding.waived]

    @property
    def waived(self) -> list[Finding]:
        """Its findings that were accepted on purpose."""
        return [finding for finding in self.findings if finding.waived]


def sections(report: Report) -> list[Section]:
    """The servers with findings, in the report's order."""
    found: dict[tuple[str | None, str], list[Finding]] = {}
    for finding in report.findings:
        found.setdefault((finding.lockfile, finding.server), []).append(finding)
    costs = {(cost.lockfile, cost.server): cost for cost in report.costs}
    return [Section(place[1], place[0], tuple(each), costs.get(place)) for place, each in found.items()]


def groups(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings of one section by their group, in order."""
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.group, []).append(finding)
    return list(found.values())


def foremost(sentences: Iterable[Sentence]) -> tuple[list[Sentence], list[Sentence]]:
    """Of the different sentences of a row those that are told, and the others, which are counted: never one alone."""
    every = list(sentences)
    end = len(every) if len(every) == _DISTINCT + 1 else _DISTINCT
    return every[:end], every[end:]


def identifier(row: Sequence[Finding]) -> str:
    """The id of a row, in every view: a finding's is its fingerprint, that of several in one row is their group's."""
    several = len({finding.fingerprint for finding in row}) > 1
    return (row[0].group if several else row[0].fingerprint)[:DIGITS]


def alike(grouped: Iterable[list[Finding]]) -> list[list[list[Finding]]]:
    """Groups of which one sentence holds, with nothing but another argument or field for its subject."""
    kinds: dict[tuple[str, str, str], list[list[Finding]]] = {}
    for group in grouped:
        said = {predicate(finding) for finding in group}
        one = group[0].side in {"input", "output"} and len(said) == 1
        kinds.setdefault((group[0].rule, group[0].side, said.pop() if one else group[0].group), []).append(group)
    return list(kinds.values())


def predicate(finding: Finding) -> str:
    """What a sentence about an argument says of it."""
    return finding.message.partition(" ")[2]


def names(findings: Sequence[Finding]) -> list[str]:
    """The actions, tools, `server` or `waivers` that findings are about, each once. Not escaped."""
    return list(dict.fromkeys(map(subject, findings)))


def subject(finding: Finding) -> str:
    """The action, the tool, `server` or `waivers`: what a finding is about. Not escaped."""
    return finding.action or finding.tool or ("waivers" if finding.about_waivers else "server")


def arguments(finding: Finding) -> Iterator[str]:
    """Names of the language of the contract that a finding's sentence may hold: they are shown as code."""
    if finding.side in {"input", "output"}:
        yield pointer_key(finding.pointer.rpartition("/")[2])
    if finding.successor is not None:
        yield finding.successor
