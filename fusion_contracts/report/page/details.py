"""What is known about one finding, label by label, and the commands that accept or explain it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fusion_contracts.canonical import HIDDEN, equal
from fusion_contracts.report.commands import explain, waive
from fusion_contracts.report.grouping import identifier
from fusion_contracts.report.page.markup import Markup, join, json_text, tag
from fusion_contracts.report.page.prose import marked, reworded
from fusion_contracts.report.page.room import Room
from fusion_contracts.report.refusal import call

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.report.context import Context

__all__ = ["commands", "details"]

_LONGEST, _LEAST = 2_000, 300  # characters of a value that is shown in full where there is room, and in any case
_SILENT = "no error may tell the agent: the old call can be answered as if nothing were wrong"
_SHORT = 60  # characters of a text that needs no marks to be compared


def details(finding: Finding, room: Room, *, hinted: bool = True) -> Markup:
    """The call and what it gets now, what took its place, before and after, where it is; if `hinted` what to do.

    Of a SAFE finding there is nothing to do.
    """
    rows = [*_call(finding), *_values(finding, room)]
    rows += [("next", tag("span", finding.hint))] if hinted and finding.hint and finding.level else []
    rows += [("waived", tag("span", finding.accepted))] if finding.accepted else []
    rows.append(("where", _where(finding)))
    return tag("dl", *(part for label, text in rows for part in (tag("dt", label), tag("dd", text))))


def _call(finding: Finding) -> Iterator[tuple[str, Markup]]:
    if finding.has_witness:
        (label, _), (then, said) = call(finding)
        yield label, _copied(finding)
        yield then, tag("span", said)
    if finding.silent:
        yield "silent", tag("span", _SILENT)
    if finding.successor is not None and (finding.silent or not finding.has_witness):  # else it is in what is said now
        yield "instead", tag("code", finding.successor)


def _copied(finding: Finding) -> Markup:
    """The call, or the answer: its name for JSON beside it, the arguments in full, so that a script can copy both."""
    name = finding.action or finding.tool or ""
    value = tag("span", json_text(finding.witness), class_="value")
    if finding.side == "output":
        return tag("code", tag("span", name, class_="name"), " ", value, class_="answer")
    tool = finding.tool or name  # an action is called through its tool
    spoken = json_text(tool) if HIDDEN.search(tool) or tool != name else None
    return tag("code", tag("span", name, class_="name"), " ", value, class_="call", data_name=spoken)


def _values(finding: Finding, room: Room) -> Iterator[tuple[str, Markup]]:
    before, after = finding.before, finding.after
    if isinstance(before, str) and isinstance(after, str) and len(before) + len(after) > _SHORT:
        text = reworded(before, after, room)
        if room.takes(text):
            yield "text", tag("div", text, class_="prose")
            return
    if before is not None and equal(before, after):
        yield "same", tag("code", _cut(json_text(before), room))
        return
    old, new = (_cut(json_text(value), room) for value in (before, after))
    for label, value, text in zip(("before", "after"), (before, after), marked(old, new, room), strict=True):
        if value is not None:
            yield label, tag("code", text)


def _cut(text: str, room: Room) -> str:
    if len(text) <= _LEAST or (len(text) <= _LONGEST and room.takes(text)):
        return text
    return f"{text[:_LEAST]}... ({len(text):,} characters)"


def _where(finding: Finding) -> Markup:
    place = [tag("code", finding.pointer)] if finding.pointer else []
    parts = [*place, finding.side, tag("code", identifier([finding]))]
    return tag("span", join(parts, " \u00b7 "), class_="muted")


def commands(kind: Sequence[Sequence[Finding]], report: Report, context: Context) -> Markup:
    """The commands for each group of an article, folded."""
    context = replace(context, again=_again(report, context))
    said = [explain(kind[0], context)]
    said += [waive(row, context) for row in kind if row[0].level and not (row[0].waived or row[0].about_waivers)]
    name = "Explain or waive" if len(said) > 1 else "Explain"
    summary = tag("summary", name, tag("span", f" {identifier(kind[0])}", class_="muted"))
    return tag("details", summary, *(tag("p", tag("code", one, class_="command")) for one in said), class_="commands")


def _again(report: Report, context: Context) -> tuple[str, ...]:
    """What names the comparison, with the base of a page that was made elsewhere, so that it is the same here."""
    base = report.base
    if base.revision and (base.kind, context.again) in {("git", ()), ("release", ("--against", "release"))}:
        return (*context.again, "--base", base.revision[:12])
    return context.again
