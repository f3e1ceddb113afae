"""What a report holds: judged changes, in the shape that machines read."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from enum import IntEnum
from functools import lru_cache
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from fusion_contracts.canonical import canonical_json
from fusion_contracts.diff.cost import Cost
from fusion_contracts.errors import Problem
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.record import record

__all__ = ["SCHEMA_VERSION", "Finding", "FindingSide", "Level", "Report", "Side"]

SCHEMA_VERSION = 1
_ENTRIES = frozenset({"/prompts", "/resources", "/resourceTemplates"})  # an entry of these is changed as a whole
_DIGITS = 16  # of a group or fingerprint; people are shown the first seven

FindingSide: TypeAlias = Literal["input", "output", "tool", "server"]


class Level(IntEnum):
    """How much a change matters to an agent that learned the old contract."""

    SAFE = 0
    RISKY = 1
    BREAKING = 2


@record
class Side:
    """One of the two things compared: `label` for people, `kind` as sources name it, `revision` where git has one."""

    label: str
    kind: str
    revision: str | None = None

    def to_dict(self) -> JsonObject:
        """The report's `base` or `head`."""
        shown: JsonObject = {"label": self.label, "kind": self.kind}
        return shown if self.revision is None else {**shown, "revision": self.revision}


@record(kw_only=True)
class Finding:
    """One judged change. `pointer` is relative to the tool as MCP lists it, without a tool to the contract.

    `witness` counts only with `has_witness`: null is a value. `group` gathers the same change over many tools;
    `fingerprint` names this one, whatever its wording. `lockfile` names the lock where a report covers several. Of one
    that is `waived`, `accepted` says why, in the words of its waiver. Of findings about waivers `server` is the
    settings file, and `pointer` leads into that.
    """

    rule: str
    level: Level
    server: str
    tool: str | None
    action: str | None
    side: FindingSide
    pointer: str
    message: str
    hint: str
    before: JsonValue = None
    after: JsonValue = None
    has_witness: bool = False
    witness: JsonValue = None
    successor: str | None = None
    silent: bool = False
    waived: bool = False
    accepted: str = ""
    lockfile: str | None = None
    group: str = field(init=False)
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        above, _, last = self.pointer.rpartition("/")
        last = "" if above in _ENTRIES else last  # a name of its own, as every tool has
        # each level has groups of its own: who accepts what is RISKY has not accepted what is BREAKING
        level = () if self.level is Level.BREAKING else (self.level.name,)
        object.__setattr__(self, "group", _group(self.server, self.rule, last, *level))
        identity = self.rule, self.server, self.tool, self.action, self.pointer, self.before, self.after
        object.__setattr__(self, "fingerprint", _digest(*identity))

    @property
    def about_waivers(self) -> bool:
        """Whether it speaks of a waiver in the settings, and so of no contract: no waiver accepts it."""
        return self.rule.startswith("waiver-")

    def to_dict(self) -> JsonObject:
        """The finding as the JSON report holds it; optional keys are there only when they say something."""
        names = ("server", "tool", "action", "side", "pointer", "message", "hint", "before", "after")
        shown: JsonObject = {"rule": self.rule, "level": self.level.name}
        shown |= {name: getattr(self, name) for name in names}
        if self.has_witness:
            shown["witness"] = self.witness
        if self.successor is not None:
            shown["successor"] = self.successor
        if self.silent:
            shown["silent"] = True
        shown |= {"group": self.group, "fingerprint": self.fingerprint}
        if self.waived:
            shown["waived"] = True
        if self.lockfile is not None:
            shown["lockfile"] = self.lockfile
        return shown


@record
class Report:
    """What a comparison found, and what could not be checked. Findings are kept in one order, the worst first.

    `costs` holds the servers whose tools cost a model more or less than before. It is for people: the shape of the JSON
    report is fixed, and there the finding `catalog-tokens-grew` carries the numbers.
    """

    base: Side
    head: Side
    findings: tuple[Finding, ...] = ()
    errors: tuple[Problem, ...] = ()
    costs: tuple[Cost, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "findings", tuple(sorted(self.findings, key=_order)))

    @property
    def counts(self) -> Counter[Level]:
        """How many findings of each level are not waived."""
        return Counter(finding.level for finding in self.findings if not finding.waived)

    @property
    def verdict(self) -> str:
        """The highest level that is not waived, or NONE; UNKNOWN when what was not checked could be worse."""
        highest = max(self.counts, default=None)
        if self.errors and highest is not Level.BREAKING:
            return "UNKNOWN"
        return "NONE" if highest is None else highest.name

    def to_dict(self) -> JsonObject:
        """The JSON report: schema_version, base, head, summary, findings, errors."""
        counts = self.counts
        summary: dict[str, Any] = {level.name.lower(): counts[level] for level in sorted(Level, reverse=True)}
        summary |= {"waived": sum(finding.waived for finding in self.findings), "verdict": self.verdict}
        return {
            "schema_version": SCHEMA_VERSION,
            "base": self.base.to_dict(),
            "head": self.head.to_dict(),
            "summary": summary,
            "findings": [finding.to_dict() for finding in self.findings],
            "errors": [problem.to_dict() for problem in self.errors],
        }


@lru_cache(maxsize=1_000)  # each has many findings, and they come one after the other
def _group(*parts: str) -> str:
    return _digest(*parts)


def _digest(*parts: JsonValue) -> str:
    return sha256(canonical_json(parts)).hexdigest()[:_DIGITS]


def _order(finding: Finding) -> tuple[int, str, str, str, str, str, str]:
    place = finding.lockfile or "", finding.server, finding.tool or "", finding.pointer, finding.rule
    return (-finding.level, *place, finding.fingerprint)
