"""Waivers: findings that a project accepts on purpose, and what is said about waivers that accept nothing.

A waiver names findings by their fingerprints, or a rule with globs for server, tool and pointer. What it accepts stays
in the report, marked, counts apart and fails no run. An expired waiver accepts nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Any, Protocol

from fusion_contracts.canonical import first_few, fits
from fusion_contracts.diff.changes import Fact, WaiverExpired, WaiverUnmatched
from fusion_contracts.diff.classify import classify
from fusion_contracts.diff.findings import Finding
from fusion_contracts.diff.policy import require_rule
from fusion_contracts.record import record

__all__ = ["Use", "Waiver", "accept", "complaints", "described", "spent", "uses"]

_SHOWN = 7  # digits of a fingerprint
_NAMED = 3  # fingerprints of one waiver


class Waiver(Protocol):
    """An entry of the settings: `fingerprints` (starts of them), or a `rule` with globs; `until` is its last day.

    `what` is what it accepts, whatever its reason and its day.
    """

    @property
    def fingerprints(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def rule(self) -> str | None: ...  # noqa: D102
    @property
    def server(self) -> str: ...  # noqa: D102
    @property
    def tool(self) -> str: ...  # noqa: D102
    @property
    def pointer(self) -> str: ...  # noqa: D102
    @property
    def reason(self) -> str: ...  # noqa: D102
    @property
    def until(self) -> date | None: ...  # noqa: D102
    @property
    def what(self) -> tuple[Any, ...]: ...  # noqa: D102


@record
class Use:
    """One waiver in one comparison: its place among the waivers, and the findings that it names there.

    `grouped` are the findings of a group whose id it has: no id of a group accepts what joins that later.
    """

    index: int
    waiver: Waiver
    expired: bool
    found: tuple[Finding, ...]
    grouped: tuple[Finding, ...] = ()

    @property
    def instead(self) -> str:
        """What a waiver that names nothing should say, to go on behind a sentence; "" where that is not known."""
        ids = list(dict.fromkeys(finding.fingerprint[:_SHOWN] for finding in self.grouped))
        return f": it has a group's id; write those of its findings: {first_few(ids, _NAMED)}" if ids else ""


def uses(findings: Iterable[Finding], waivers: Sequence[Waiver], today: date) -> tuple[Use, ...]:
    """What each waiver names among findings, expired or not. Raises FusionError for a rule that there is not."""
    for waiver in waivers:
        if waiver.rule is not None:
            require_rule(waiver.rule)
    candidates = [finding for finding in findings if not finding.about_waivers]
    return tuple(
        Use(
            index,
            waiver,
            waiver.until is not None and waiver.until < today,
            tuple(finding for finding in candidates if _names(waiver, finding)),
            tuple(finding for finding in candidates if finding.group.startswith(tuple(waiver.fingerprints))),
        )
        for index, waiver in enumerate(waivers)
    )


def _names(waiver: Waiver, finding: Finding) -> bool:
    if waiver.rule is None:
        return finding.fingerprint.startswith(tuple(waiver.fingerprints))
    return (
        finding.rule == waiver.rule
        and fits(finding.server, waiver.server)
        and fits(finding.tool or "", waiver.tool)
        and fits(finding.pointer, waiver.pointer)
    )


def accept(findings: Iterable[Finding], used: Iterable[Use]) -> tuple[Finding, ...]:
    """The findings, those marked that a waiver names which has not expired."""
    accepted: dict[str, str] = {}
    for use in used:
        if not use.expired:
            for finding in use.found:
                accepted.setdefault(finding.fingerprint, use.waiver.reason)
    return tuple(
        replace(finding, waived=True, accepted=accepted[finding.fingerprint])
        if finding.fingerprint in accepted and not finding.about_waivers
        else finding
        for finding in findings
    )


def complaints(used: Iterable[Use], where: str, known: Collection[Any] | None = None) -> list[Finding]:
    """The findings about waivers: expired, or added in this change and naming nothing.

    `where` is what the settings file is called: it stands for the server of such a finding. `known` holds the `what` of
    the waivers at the base; None where there is no base, or where something was left out: then an expired waiver is a
    finding only where it names one, and whether a waiver is needed cannot be said.
    """
    return classify(_facts(used, known), where)


def _facts(used: Iterable[Use], known: Collection[Any] | None) -> Iterator[Fact]:
    for use in used:
        pointer, name = f"/waivers/{use.index}", described(use.waiver)
        if use.expired and (use.found or known is not None):
            day = str(use.waiver.until)
            yield Fact(WaiverExpired(pointer=pointer, name=name, before=day), "server", pointer)
        elif not use.expired and not use.found and known is not None and use.waiver.what not in known:
            yield Fact(WaiverUnmatched(pointer=pointer, name=name, after=name, instead=use.instead), "server", pointer)


def spent(used: Iterable[Use], known: Collection[Any]) -> list[Use]:
    """The waivers that stood in the settings at the base and name nothing: what they accepted is released."""
    return [use for use in used if not use.expired and not use.found and use.waiver.what in known]


def described(waiver: Waiver) -> str:
    """What a waiver accepts, in a few words. Not escaped."""
    if waiver.rule is None:
        ids = [one[:_SHOWN] for one in waiver.fingerprints]
        return first_few(ids, _NAMED)
    tool = "the server" if not waiver.tool else waiver.tool
    parts = [f" on {tool}"] if waiver.tool != "*" else []
    parts += [f" at {waiver.pointer}"] if waiver.pointer != "*" else []
    parts += [f" of {waiver.server}"] if waiver.server != "*" else []
    return waiver.rule + "".join(parts)
