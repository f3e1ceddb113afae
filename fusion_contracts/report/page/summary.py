"""The first glance: the verdict, how much changed, what was compared, what was not checked, and how the run ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fusion_contracts.diff.findings import Level
from fusion_contracts.report.counts import count
from fusion_contracts.report.grouping import Section
from fusion_contracts.report.page.markup import Markup, arrows, join, lines, tag

if TYPE_CHECKING:
    from fusion_contracts.diff import Report
    from fusion_contracts.diff.findings import Side
    from fusion_contracts.errors import Problem
    from fusion_contracts.report.context import Compared, Context

__all__ = ["summary", "title"]

_SAYING = {
    "BREAKING": "Calls, answers or approvals that held under the old contract no longer do.",
    "RISKY": "Agents may behave differently, or it could not be decided whether old calls still work.",
    "SAFE": "What worked under the old contract works under the new one.",
    "NONE": "Nothing changed.",
    "UNKNOWN": "What was not checked may be worse than what was found.",
}
_NOTHING = "unknown"  # the kind of a side where an error came before it was read
_WORDS = {"NONE": "NO CHANGES", "UNKNOWN": "NOT CHECKED"}
_DIGITS = 7  # of a revision


def title(report: Report, sections: Sequence[Section], context: Context) -> str:
    """What a browser's tab shows. Not escaped."""
    return f"{_word(report)}: {_subject(report, sections)} - {context.command}"


def summary(report: Report, sections: Sequence[Section], context: Context) -> Markup:
    """The page's header."""
    badge = tag("span", _word(report), class_=f"verdict {report.verdict}")
    return tag(
        "header",
        tag("p", _compared(report, context), class_="kicker"),
        tag("h1", badge, " ", tag("span", arrows(_subject(report, sections)), class_="what")),
        tag("p", _SAYING[report.verdict] if report.head.kind != _NOTHING else "No source was read.", class_="lede"),
        _counts(report) if report.head.kind != _NOTHING else "",
        tag("p", tag("code", context.ending), class_="ending") if context.ending else "",
        _answers(context),
        _problems(report.errors, context),
        _costs(sections),
    )


def _word(report: Report) -> str:
    return _WORDS.get(report.verdict, report.verdict)


def _subject(report: Report, sections: Sequence[Section]) -> str:
    if len(sections) == 1:
        return sections[0].title
    if sections:
        return count(len(sections), "server")
    return report.head.label if report.head.kind != _NOTHING else "nothing was compared"


def _compared(report: Report, context: Context) -> Markup:
    sides = [_side(side) for side in (report.base, report.head) if side.kind != _NOTHING]
    return join([tag("b", context.command), *([": ", join(sides, " \u2192 ")] if sides else [])])


def _side(side: Side) -> Markup:
    digits = (side.revision or "")[:_DIGITS]
    return tag("span", side.label, "" if digits in side.label else f" ({digits})", class_="name")


def _counts(report: Report) -> Markup:
    counts = report.counts
    found = {level.name: counts[level] for level in sorted(Level, reverse=True)}
    waived = sum(finding.waived for finding in report.findings)
    found |= {"WAIVED": waived} if waived else {}
    tiles = [
        tag("li", tag("b", f"{number:,}"), " ", tag("span", name.lower()), class_=f"{name}{'' if number else ' none'}")
        for name, number in found.items()
    ]
    return tag("ul", *tiles, class_="counts", aria_label="Findings by level")


def _answers(context: Context) -> Markup:
    """What `fusion check` asked: of one lock the answers below each other, of several a row each."""
    asked = [compared for compared in context.compared.values() if compared.answers]
    if len(asked) > 1:
        return tag("section", tag("h2", "The locks"), _locks(asked), class_="panel")
    if not asked:
        return Markup("")
    heading = tag("h2", "The lock", " ", tag("small", asked[0].title))
    said = [_said(*answer) for answer in asked[0].answers.items()]
    rows = (join([tag("dt", question), tag("dd", answer)]) for question, answer in said)
    return tag("section", heading, tag("dl", *rows), class_="panel")


def _locks(asked: Sequence[Compared]) -> Markup:
    questions = dict.fromkeys(question for compared in asked for question in compared.answers)
    head = tag("thead", tag("tr", *(tag("th", one, scope="col") for one in ("lock", *questions))))
    rows = []
    for compared in asked:
        answers = compared.answers
        cells = (tag("td", _said(one, answers[one])[1] if one in answers else "", data_label=one) for one in questions)
        rows.append(tag("tr", tag("th", compared.title, scope="row"), *cells))
    return tag("table", head, tag("tbody", *rows), class_="locks")


def _said(question: str, answer: Sequence[str]) -> tuple[str, Markup]:
    """A question and its answer, with what is wrong below it."""
    more = [tag("div", lines("\n".join(answer[1:])), class_="told")] if answer[1:] else []
    return question, join([answer[0], *more])


def _problems(problems: Sequence[Problem], context: Context) -> Markup:
    """What could not be checked, or is wrong beside the findings, where no answer has said so."""
    said = "\n".join(line for one in context.compared.values() for answer in one.answers.values() for line in answer)
    rest = [problem for problem in problems if problem.message not in said]
    if not rest:
        return Markup("")
    heading = "Wrong, or not checked" if said else "Not checked"
    return tag("section", tag("h2", heading), tag("dl", *map(_problem, rest)), class_="panel wrong")


def _problem(problem: Problem) -> Markup:
    following = [tag("div", f"next: {problem.next}", class_="told")] if problem.next else []
    return join([tag("dt", problem.server or "all"), tag("dd", problem.message, *following)])


def _costs(sections: Sequence[Section]) -> Markup:
    """What the tools cost a model, where that changed and there are several servers to tell apart."""
    costs = [(one.title, one.cost) for one in sections if one.cost is not None and one.cost.tells]
    if not costs:
        return Markup("")
    named = len(sections) > 1
    parts = [f"{arrows(name)}: {arrows(str(cost))}" if named else arrows(str(cost)) for name, cost in costs]
    return tag("p", "Cost to the model: ", join(parts, "; "), class_="cost")
