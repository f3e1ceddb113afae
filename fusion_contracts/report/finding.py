"""Findings in full, for people: everything that a row of the report leaves out, and nothing cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable, printable_json
from fusion_contracts.report.counts import count
from fusion_contracts.report.grouping import subject
from fusion_contracts.report.layout import STYLES, columns, hung, paint, wrap
from fusion_contracts.report.refusal import call
from fusion_contracts.report.rules import documentation

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.diff.rule import Rule

__all__ = ["render"]

_TEXT = 15  # cells before what is known of a finding
_GAP = "\u00a0" * 2  # spaces of a value, which stay as many


def render(  # noqa: PLR0913 - as the terminal looks
    findings: Sequence[Finding],
    rule: Rule,
    *,
    width: int,
    colour: bool = False,
    wraps: bool = False,
    others: Sequence[Finding] = (),
) -> str:
    """Return findings of one group with the documentation of their rule.

    `others` are the findings of the group that were not asked for: they are named. `wraps`: a terminal, where what is
    known of a finding is broken at spaces; elsewhere it stays a line.
    """
    total = count(len(findings) + len(others), "finding")
    several = len(findings) + len(others) > 1
    lines = [f"{paint(rule.id, 'bold', colour=colour)}: {rule.title}"]
    lines += [f"group {findings[0].group}: {total}", ""] if several else [""]
    for finding in findings:
        level = finding.level.name
        said = f"{level}  {printable(f'{subject(finding)}: {finding.message}')}"
        first, *rest = hung(said, columns(width)) if wraps else [said]
        lines += [paint(level, STYLES[level], colour=colour) + first.removeprefix(level), *rest]
        for label, text in _fields(finding):
            first, *rest = wrap(text.replace("  ", _GAP), columns(width) - _TEXT, whole=True) if wraps else [text]
            lines += [f"{'  ' + label:<{_TEXT}}{first}", *(" " * _TEXT + more for more in rest)]
        lines.append("")
    lines += [f"also in the group: {printable(subject(other))} {other.fingerprint}" for other in others]
    lines += [""] if others else []
    own = sorted({finding.hint for finding in findings} - {rule.hint})
    for hint in own:
        lines += [paint("Here", "bold", colour=colour), *(f"  {line}" for line in wrap(hint, columns(width) - 2)), ""]
    lines += documentation(rule, width=width, colour=colour)
    return "".join(f"{line}\n" for line in lines).rstrip("\n") + "\n"


def _fields(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "fingerprint", finding.fingerprint
    yield "server", printable(finding.server)
    if finding.pointer:
        yield "pointer", printable(finding.pointer)
    for name in ("before", "after"):
        if (value := getattr(finding, name)) is not None:
            yield name, printable_json(value)
    if finding.successor is not None:
        yield "successor", printable(finding.successor)
    if finding.has_witness:
        yield from call(finding)
    if finding.waived:
        yield "waived", printable(finding.accepted) or "accepted on purpose"
