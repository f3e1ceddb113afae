"""The findings: by server and level as in the terminal, each with all that is known about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import not_
from typing import TYPE_CHECKING

from fusion_contracts.report.bump import bump_lines
from fusion_contracts.report.counts import is_reworded, levels, of_places
from fusion_contracts.report.grouping import Section, alike, groups, names, predicate
from fusion_contracts.report.grouping import identifier as row_id
from fusion_contracts.report.layout import STYLES
from fusion_contracts.report.page.details import commands, details
from fusion_contracts.report.page.markup import Markup, arrows, escape, join, tag
from fusion_contracts.report.page.rules import identifier, title

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.report.page.schemas import Schemas

__all__ = ["WAIVED", "Findings"]

WAIVED = "WAIVED"
"""What stands for a level where a finding was accepted on purpose."""

_NAMED = 4  # tools that a heading names


@dataclass(slots=True)
class Findings:
    """Writes the sections of servers. An id on the page is never given twice, whatever groups are called."""

    report: Report
    schemas: Schemas
    _given: Counter[str] = field(default_factory=Counter)

    def section(self, section: Section) -> Markup:
        """One server: what it is called, how much changed, and the findings of each level."""
        anchor = self._id("server")
        counted = [len(section.of(level)) for level in STYLES]
        said = levels(*counted, waived=len(section.waived))
        said = ". ".join([said, *bump_lines(section, self.schemas.context)])
        head = [tag("h2", arrows(section.title), id=anchor), tag("p", arrows(said), class_="muted")]
        return tag("section", *head, *self._blocks(section), class_="server", aria_labelledby=anchor)

    def _blocks(self, section: Section) -> Iterator[Markup]:
        for level in STYLES:
            found = section.of(level)
            apart = [level != "SAFE" and is_reworded(one) for one in found]
            yield from self._block(level, level, list(compress(found, map(not_, apart))))
            yield from self._block(level, f"{level}: reworded", list(compress(found, apart)))
        yield from self._block(WAIVED, "Waived: accepted on purpose", section.waived)

    def _block(self, level: str, heading: str, findings: Sequence[Finding]) -> Iterator[Markup]:
        if not findings:
            return
        anchor = self._id("level")
        head = tag(
            "h3",
            tag("span", heading, class_=f"level {level}"),
            " ",
            tag("span", f"{len(findings):,}", class_="count"),
            id=anchor,
        )
        articles = [self._article(kind, level) for kind in alike(groups(findings))]
        yield tag("section", head, *articles, class_="block", aria_labelledby=anchor)

    def _article(self, kind: Sequence[Sequence[Finding]], level: str) -> Markup:
        every = [finding for group in kind for finding in group]
        rule, anchor = every[0].rule, self._id(f"group-{row_id(kind[0])}")
        heading = f"{anchor}-heading"
        head = tag("h4", _who(every), " ", tag("span", _what(kind, every), class_="what"), id=heading)
        badge = tag("p", f"{every[0].level.name}, waived", class_="muted") if level == WAIVED else Markup("")
        why = tag("a", f"Why: {rule}", href=f"#{identifier(rule)}", class_="inline")
        alone = every[0] if len(every) == 1 else None
        said = commands(kind, self.report, self.schemas.context)
        foot = tag("div", self._link(alone) if alone else "", why, said, class_="more")
        rows = [tag("div", self._details(alone), **_known(alone))] if alone else self._rows(kind, level)
        return tag(
            "article", head, badge, *rows, foot, id=anchor, class_=f"group {level}", data_level=level, data_rule=rule,
            aria_labelledby=heading, tabindex="-1",
        )  # fmt: skip

    def _rows(self, kind: Sequence[Sequence[Finding]], level: str) -> Iterator[Markup]:
        """Many findings one below the other, the first with its call unfolded where there is something to repair."""
        findings = [finding for group in kind for finding in group]
        unfolded = next((one for one in findings if one.has_witness), findings[0]) if level != "SAFE" else None
        apart = len(kind) > 1 or len({finding.message for finding in findings}) > 1
        hints = {finding.hint for finding in findings}
        for finding in findings:
            said = tag("span", finding.message, class_="what") if apart else Markup("")
            summary = tag("summary", _who([finding]), " ", said)
            link = tag("div", self._link(finding), class_="more")
            inside = self._details(finding, hinted=len(hints) > 1)
            yield tag("details", summary, inside, link, open=finding is unfolded, **_known(finding))
        if level != "SAFE" and len(hints) == 1 and all(hints):
            yield tag("dl", tag("dt", "next"), tag("dd", *hints))

    def _details(self, finding: Finding, *, hinted: bool = True) -> Markup:
        return details(finding, self.schemas.room, hinted=hinted)

    def _link(self, finding: Finding) -> Markup:
        """To the schemas that a finding is about."""
        anchor = self.schemas.identifier(finding)
        return tag("a", "Schemas side by side", href=f"#{anchor}", class_="inline") if anchor else Markup("")

    def _id(self, name: str) -> str:
        self._given[name] += 1
        return name if self._given[name] == 1 else f"{name}-{self._given[name]}"


def _known(finding: Finding) -> dict[str, str]:
    """What the controls choose by."""
    return {"class_": "finding", "data_side": finding.side, "data_tool": finding.tool or ""}


def _who(findings: Sequence[Finding]) -> Markup:
    every = names(findings)
    shown = [tag("span", name, class_="name") for name in every[:_NAMED]]
    rest = len(every) - len(shown)
    more = [escape(f"and {rest:,} more")] if rest else []
    return tag("span", join(shown, ", "), " " if more else "", *more, class_="who")


def _what(kind: Sequence[Sequence[Finding]], every: Sequence[Finding]) -> str:
    """The one sentence that holds for all; else what the rule is about."""
    messages = {finding.message for finding in every}
    if len(messages) == 1:
        return messages.pop()
    if len(kind) > 1:
        return f"{of_places(every)}: {predicate(every[0])}"
    return title(every[0].rule)
