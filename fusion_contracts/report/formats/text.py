"""The report for a terminal: the worst first, one row for the same change over many tools, the call that fails below.

    BREAKING  chrome-devtools 0.8.1 -> 0.13.0: 11 breaking, 29 risky, 18 safe
      close_page, select_page        pageIdx replaced by pageId                   4f2a91c
          worked  close_page {"pageIdx":0}
          now     refused: pageId is missing

Every BREAKING is there; where one sentence holds for many arguments (`no longer takes null`), those rows stand together
and the first shows the call. RISKY ones are rows without calls, many of one sentence one row; reworded prose and SAFE
ones are a line each, unless `show` asks. The seven digits at the end of a row are its id: the start of the finding's
fingerprint, or of the group's where it stands for several. Words carry the meaning; colour only repeats it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import first_few, printable, printable_json, shortened
from fusion_contracts.record import record
from fusion_contracts.report import commands
from fusion_contracts.report.bump import bump_lines
from fusion_contracts.report.counts import count, is_reworded, levels, of_places, of_prose, of_safe
from fusion_contracts.report.escape import log_lines
from fusion_contracts.report.grouping import (
    DIGITS,
    Section,
    alike,
    foremost,
    groups,
    identifier,
    names,
    predicate,
    sections,
)  # fmt: skip
from fusion_contracts.report.layout import STYLES, columns, cut, paint, where_they_differ, width_of, wrap
from fusion_contracts.report.refusal import call

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.errors import Problem
    from fusion_contracts.report.context import Compared, Context

__all__ = ["LANGUAGE", "render", "render_findings", "render_problems", "why"]

LANGUAGE = "text"

_COST = "catalog-tokens-grew"  # its row says what the line about the cost would say again
_INDENT, _BELOW = 2, 6  # cells before a row, and before the lines that belong to it
_QUESTION = 12  # cells of what was asked of a lock
_LABEL = 8  # cells of a label below a row
_NAMED = 20  # tools that a row names; the JSON has all
_ALIKE = 3  # groups of one sentence that are rows of their own, where they are not BREAKING
_NO_BREAK = "\u00a0"


def render(report: Report, context: Context) -> str:
    """Return the whole report, ending in a newline; without findings and errors it says so in one line.

    `context.show` holds any of `safe`, `risky`, `prose`, `waived`, `all`: what to list in full.
    """
    findings = render_findings(report, context, advises=True) + why(report, context)
    answers = "".join(f"{line}\n" for one in context.compared.values() for line in _answers(one, context))
    # an answer names what it could not check
    problems = "" if answers else render_problems(report.errors, width=context.width, colour=context.colour)
    return log_lines("\n".join(filter(None, (answers, findings, problems)))) or "no changes\n"


def _answers(one: Compared, context: Context) -> Iterator[str]:
    """What `fusion check` asked of a lock, an answer a line, and below it what is wrong."""
    if one.answers:
        yield f"{context.command}: {printable(one.title)}"
    for question, (answer, *details) in one.answers.items():
        yield from _hung(f"{question:<{_QUESTION}}", printable(answer), context)
        for line in map(printable, details):
            text = line.lstrip(" ")
            yield from _hung(" " * (_INDENT + len(line) - len(text)), text, context)


def _hung(head: str, text: str, context: Context) -> list[str]:
    """The text behind its head. What a log shows stays one line, such that it can be searched for."""
    room = columns(context.width) - len(head)
    if not context.wraps or width_of(text) <= room:
        return [head + text]
    lines = wrap(text.replace("  ", _NO_BREAK * 2), room)  # a name keeps its distance
    return [head + lines[0], *(" " * len(head) + line for line in lines[1:])]


def render_findings(report: Report, context: Context, *, advises: bool = False) -> str:
    """Return the findings of all servers and what they cost a model, a blank line between servers; "" for none.

    `advises`: what is not listed in full names the option that does; only a command that has it may say so.
    """
    show = context.show | {"safe", "risky", "prose", "waived", "breaking"} if "all" in context.show else context.show
    page = _Page(columns(context.width), context.colour, show, advises=advises)
    parts = ((*_server(one, page), *bump_lines(one, context)) for one in sections(report))
    return "\n".join("".join(f"{line}\n" for line in lines) for lines in parts)


def why(report: Report, context: Context) -> str:
    """How to accept the worst finding, where it is BREAKING, and to read more about it; "" for none above SAFE."""
    worst = next((one for one in report.findings if one.level and not one.waived), None)
    if worst is None:
        return ""
    reason = f"Why: fusion explain {worst.rule}"
    if worst.level.name != "BREAKING" or worst.about_waivers:
        return f"\n{reason}\n"
    accept = ": ".join(commands.acceptance(_broken(report), context))
    gap = " " * 5 if len(accept) + 5 + len(reason) <= columns(context.width) else "\n"
    return f"\n{accept}{gap}{reason}\n"


def _broken(report: Report) -> list[list[Finding]]:
    """The rows of all servers that are BREAKING and can be accepted: a group of one lock is one."""
    found: dict[tuple[str | None, str], list[Finding]] = {}
    for one in report.findings:
        if one.level.name == "BREAKING" and not (one.waived or one.about_waivers):
            found.setdefault((one.lockfile, one.group), []).append(one)
    return list(found.values())


def render_problems(problems: Sequence[Problem], *, width: int, colour: bool = False) -> str:
    """Return what could not be checked, and what to do about each; "" for nothing."""
    if not problems:
        return ""
    page = _Page(columns(width), colour, frozenset())
    lines = [paint("NOT CHECKED", "bold", colour=colour)]
    for problem in problems:
        lines += page.row([problem.server or "all"], printable(problem.message), "")
        lines += page.below("next:", printable(problem.next)) if problem.next else []
    return "".join(f"{line}\n" for line in lines)


@record
class _Page:
    """Where things stand on a line, and what is shown in full."""

    width: int
    colour: bool
    show: frozenset[str]
    advises: bool = False

    def option(self, word: str, gap: str = _NO_BREAK) -> str:
        """The option that lists something in full, behind what is said instead of it."""
        return f" (--show{gap}{word})" if self.advises else ""

    @property
    def column(self) -> int:
        """Where messages start: beside a long tool name, where the line has room for both."""
        return min(33, self.width * 3 // 8)

    def row(self, names: Sequence[str], message: str, mark: str, *, brief: bool = False) -> list[str]:
        """The first names, message and id on one line; on more where they do not fit. `brief` counts tools instead."""
        room = self.column - _INDENT - 2
        label = first_few([*map(shortened, names)], _NAMED)
        if width_of(label) > room and brief and len(names) > 1:
            label = count(len(names), "tool")
        above = []
        end = DIGITS + 2 if mark else 0
        if room < width_of(label) <= self.width - _INDENT - 2 - width_of(message) - end:
            room = width_of(label)  # a little out of line, and on one line
        elif width_of(label) > room:
            above, label = [" " * _INDENT + line for line in wrap(label, self.width - _INDENT)], ""
        lines = wrap(message, self.width - self.column - end)
        if room > self.column - _INDENT - 2:
            lines = [message.replace(_NO_BREAK, " ")]
        first = " " * _INDENT + label + " " * (room + 2 - width_of(label)) + lines[0]
        if mark:
            first += " " * (self.width - DIGITS - width_of(first)) + paint(mark, "dim", colour=self.colour)
        return [*above, first, *(" " * self.column + line for line in lines[1:])]

    def below(self, label: str, text: str) -> list[str]:
        """A labelled text under a row, wrapped behind its label."""
        head = " " * _BELOW + label + " "
        lines = wrap(text, self.width - len(head))
        return [head + lines[0], *(" " * len(head) + line for line in lines[1:])]

    def example(self, label: str, text: str) -> str:
        """A labelled line under a row, cut where it is too long: a call, or a value."""
        return cut(f"{' ' * _BELOW}{label:<{_LABEL}}{text}", self.width)

    def call(self, finding: Finding) -> Iterator[str]:
        """The call of a finding, cut behind what the change concerns, and what it gets now."""
        (label, text), (then, said) = call(finding, within=self.width - _BELOW - _LABEL)
        yield self.example(label, text)
        yield from self.below(f"{then:<{_LABEL - 1}}", said)

    def level(self, name: str) -> str:
        return paint(name, STYLES[name], colour=self.colour)


def _server(section: Section, page: _Page) -> Iterator[str]:
    by_level = {level: section.of(level) for level in STYLES}
    worst = next((level for level, found in by_level.items() if found), None)
    counts = levels(*map(len, by_level.values()), waived=len(section.waived))
    head = f"{worst}{_NO_BREAK * 2}" if worst else ""
    first, *rest = wrap(f"{head}{printable(section.title)}: {counts.replace(' ', _NO_BREAK)}", page.width)
    yield page.level(worst) + first.removeprefix(worst) if worst else first
    yield from (" " * _INDENT + line for line in rest)
    yield from _breaking(by_level["BREAKING"], page)
    if by_level["RISKY"]:
        yield from [page.level("RISKY")] if worst != "RISKY" else []
        yield from _risky(by_level["RISKY"], page)
    if by_level["SAFE"]:
        yield from _safe(by_level["SAFE"], page, headed=worst == "SAFE")
    if section.waived:
        yield from _waived(section.waived, page)
    cost = section.cost
    if cost is not None and cost.tells and not any(one.rule == _COST and one.level for one in section.findings):
        yield f"Cost to the model: {cost}"


def _breaking(findings: Sequence[Finding], page: _Page) -> Iterator[str]:
    for kind in alike(groups(findings)):
        for number, group in enumerate(kind):
            if "breaking" in page.show:
                yield from _each(group, page)
                continue
            yield from _rows(group, page, "all")
            if not number:
                yield from next((page.call(one) for one in group if one.has_witness), ())


def _risky(findings: Sequence[Finding], page: _Page) -> Iterator[str]:
    prose = [one for one in findings if is_reworded(one)]
    for kind in alike(groups([one for one in findings if not is_reworded(one)])):
        if len(kind) > _ALIKE and "risky" not in page.show:
            every = [one for group in kind for one in group]
            said = printable(predicate(every[0]))
            yield from page.row([of_places(every)], f"{said}{page.option('risky')}", "")
            continue
        for group in kind:
            yield from _each(group, page) if "risky" in page.show else _rows(group, page, "risky", brief=True)
    if prose and "prose" in page.show:
        yield from (line for group in groups(prose) for line in _each(group, page))
    elif prose:
        yield from page.row([of_prose(prose)], f"descriptions reworded{page.option('prose')}", "")


def _safe(findings: Sequence[Finding], page: _Page, *, headed: bool) -> Iterator[str]:
    if "safe" in page.show:
        yield from [] if headed else [page.level("SAFE")]
        for group in groups(findings):
            yield from _rows(group, page, "all", brief=True)
        return
    start = " " * _INDENT if headed else f"{page.level('SAFE')}  "
    room = page.width - (_INDENT if headed else len("SAFE  "))
    first, *rest = wrap(f"{of_safe(findings)}{page.option('safe')}", room)
    yield start + first
    yield from ("  " + line for line in rest)


def _waived(findings: Sequence[Finding], page: _Page) -> Iterator[str]:
    """What was accepted on purpose: one line, or all of it with the reasons."""
    if "waived" not in page.show:
        yield f"WAIVED  {count(len(findings), 'finding')} accepted on purpose{page.option('waived', ' ')}"
        return
    yield "WAIVED"
    for group in groups(findings):
        yield from _each(group, page)


def _rows(group: Sequence[Finding], page: _Page, more: str, *, brief: bool = False) -> Iterator[str]:
    """A group: one row for each distinct message, three at most, the id on the first."""
    messages: dict[str, list[Finding]] = {}
    for finding in group:
        messages.setdefault(finding.message, []).append(finding)
    mark = identifier(group)
    first, others = foremost(messages.items())
    for message, found in first:
        yield from page.row(names(found), printable(message), mark, brief=brief)
        mark = ""
    rest = [one for _, found in others for one in found]
    if rest:
        counted = f"{count(len(rest), 'other change')} of this kind{page.option(more)}"
        yield from page.row(names(rest), counted, "", brief=brief)


def _each(group: Sequence[Finding], page: _Page) -> Iterator[str]:
    """Every finding by itself: its own id, the call, before and after, what to do, why it was accepted.

    Several keep the id of the row that stands for them elsewhere.
    """
    if identifier(group) != identifier(group[:1]):
        said = f"{count(len(group), 'finding')} of this kind, each below"
        yield from page.row(names(group), said, identifier(group), brief=True)
    for finding in group:
        yield from page.row(names([finding]), printable(finding.message), identifier([finding]))
        if finding.has_witness:
            yield from page.call(finding)
        else:
            values = {"before": finding.before, "after": finding.after}
            shown = {label: printable_json(value) for label, value in values.items() if value is not None}
            if len(shown) == len(values):
                told = where_they_differ(shown["before"], shown["after"], page.width - _BELOW - _LABEL)
                shown = dict(zip(shown, told, strict=True))
            yield from (page.example(label, text) for label, text in shown.items())
        if finding.hint:
            yield from page.below("next:", printable(finding.hint))
        if finding.accepted:
            yield from page.below("reason:", printable(finding.accepted))
