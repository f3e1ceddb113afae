"""The report for a terminal: the worst first, one row for the same change over many tools, the call that fails below.

    BREAKING  chrome-devtools 0.8.1 -> 0.13.0: 11 breaking, 29 risky, 18 safe
      close_page, select_page        pageIdx replaced by pageId                   4f2a91c
          worked  close_page {"pageIdx":0}
          now     refused: pageId is missing

Every BREAKING is there. RISKY ones are rows without calls, reworded prose and SAFE ones a line each, unless `show`
asks. The seven digits at the end of a row are the group's id. Words carry the meaning; colour only repeats it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.report.counts import count, is_reworded, levels, of_prose, of_safe
from fusion_contracts.report.layout import columns, cut, paint, width_of, wrap
from fusion_contracts.report.refusal import refusal

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.errors import Problem
    from fusion_contracts.model import JsonValue

__all__ = ["render", "render_findings", "render_problems"]

_STYLES = {"BREAKING": "red", "RISKY": "yellow", "SAFE": "green"}
_DIGITS = 7  # of a group's id
_INDENT, _BELOW = 2, 6  # cells before a row, and before the lines that belong to it
_DISTINCT = 3  # different messages of one group that are told apart


def render(report: Report, *, width: int, colour: bool = False, show: Collection[str] = ()) -> str:
    """Return the whole report, ending in a newline; without findings and errors it says so in one line.

    `width` is the terminal's; `show` holds any of `safe`, `risky`, `prose`, `all`: what to list in full.
    """
    text = render_findings(report.findings, width=width, colour=colour, show=show)
    text += ("\n" if text and report.errors else "") + render_problems(report.errors, width=width, colour=colour)
    return text or "no changes\n"


def render_findings(
    findings: Iterable[Finding], *, width: int, colour: bool = False, show: Collection[str] = ()
) -> str:
    """Return the findings of all servers, a blank line between servers; "" for none."""
    page = _Page(columns(width), colour, frozenset({"safe", "risky", "prose", "breaking"} if "all" in show else show))
    servers: dict[str, list[Finding]] = {}
    for finding in findings:
        servers.setdefault(finding.server, []).append(finding)
    blocks = ("".join(f"{line}\n" for line in _server(name, found, page)) for name, found in servers.items())
    return "\n".join(blocks)


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


@dataclass(frozen=True, slots=True)
class _Page:
    """Where things stand on a line, and what is shown in full."""

    width: int
    colour: bool
    show: frozenset[str]

    @property
    def column(self) -> int:
        """Where messages start: beside a long tool name, where the line has room for both."""
        return min(33, self.width * 3 // 8)

    def row(self, names: Sequence[str], message: str, mark: str, *, brief: bool = False) -> list[str]:
        """Names, message and id on one line; on more where they do not fit. `brief` counts tools instead."""
        room = self.column - _INDENT - 2
        label = ", ".join(printable(name) for name in names)
        if width_of(label) > room and brief and len(names) > 1:
            label = count(len(names), "tool")
        above = []
        if width_of(label) > room:
            above, label = [" " * _INDENT + line for line in wrap(label, self.width - _INDENT)], ""
        lines = wrap(message, self.width - self.column - (_DIGITS + 2 if mark else 0))
        first = " " * _INDENT + label + " " * (self.column - _INDENT - width_of(label)) + lines[0]
        if mark:
            first += " " * (self.width - _DIGITS - width_of(first)) + paint(mark, "dim", colour=self.colour)
        return [*above, first, *(" " * self.column + line for line in lines[1:])]

    def below(self, label: str, text: str) -> list[str]:
        """A labelled text under a row, wrapped behind its label."""
        head = " " * _BELOW + label + " "
        lines = wrap(text, self.width - len(head))
        return [head + lines[0], *(" " * len(head) + line for line in lines[1:])]

    def example(self, label: str, text: str) -> str:
        """A labelled line under a row, cut where it is too long: a call, or a value."""
        return cut(f"{' ' * _BELOW}{label:<8}{text}", self.width)

    def level(self, name: str) -> str:
        return paint(name, _STYLES[name], colour=self.colour)


def _server(name: str, findings: Sequence[Finding], page: _Page) -> Iterator[str]:
    by_level = {level: [one for one in findings if one.level.name == level and not one.waived] for level in _STYLES}
    waived = sum(one.waived for one in findings)
    worst = next((level for level, found in by_level.items() if found), None)
    counts = levels(*map(len, by_level.values()), waived=waived)
    yield (f"{page.level(worst)}  " if worst else "") + f"{_title(name, findings)}: {counts}"
    yield from _breaking(by_level["BREAKING"], page)
    if by_level["RISKY"]:
        yield from [page.level("RISKY")] if worst != "RISKY" else []
        yield from _risky(by_level["RISKY"], page)
    if by_level["SAFE"]:
        yield from _safe(by_level["SAFE"], page, headed=worst == "SAFE")


def _title(name: str, findings: Sequence[Finding]) -> str:
    """The server's name, and its versions where they differ."""
    for finding in findings:
        if finding.rule == "server-version-changed" and finding.before and finding.after:
            return printable(f"{name} {finding.before} -> {finding.after}")
    return printable(name)


def _breaking(findings: Sequence[Finding], page: _Page) -> Iterator[str]:
    for group in _groups(findings):
        if "breaking" in page.show:
            yield from _each(group, page)
        else:
            yield from _rows(group, page, "all")
            yield from next((_call(one, page) for one in group if one.has_witness), ())


def _risky(findings: Sequence[Finding], page: _Page) -> Iterator[str]:
    prose = [one for one in findings if is_reworded(one)]
    for group in _groups([one for one in findings if not is_reworded(one)]):
        yield from _each(group, page) if "risky" in page.show else _rows(group, page, "risky", brief=True)
    if prose and "prose" in page.show:
        yield from _each(prose, page)
    elif prose:
        yield from page.row([of_prose(prose)], "descriptions reworded (--show\u00a0prose)", "")


def _safe(findings: Sequence[Finding], page: _Page, *, headed: bool) -> Iterator[str]:
    if "safe" in page.show:
        yield from [] if headed else [page.level("SAFE")]
        for group in _groups(findings):
            yield from _rows(group, page, "all", brief=True)
        return
    start = " " * _INDENT if headed else f"{page.level('SAFE')}  "
    room = page.width - (_INDENT if headed else len("SAFE  "))
    first, *rest = wrap(f"{of_safe(findings)} (--show\u00a0safe)", room)
    yield start + first
    yield from ("  " + line for line in rest)


def _groups(findings: Iterable[Finding]) -> list[list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.group, []).append(finding)
    return list(groups.values())


def _rows(group: Sequence[Finding], page: _Page, more: str, *, brief: bool = False) -> Iterator[str]:
    """A group: one row for each distinct message, three at most, the id on the first."""
    messages: dict[str, list[Finding]] = {}
    for finding in group:
        messages.setdefault(finding.message, []).append(finding)
    mark = group[0].group[:_DIGITS]
    for message, found in list(messages.items())[:_DISTINCT]:
        yield from page.row(_names(found), printable(message), mark, brief=brief)
        mark = ""
    rest = [one for found in list(messages.values())[_DISTINCT:] for one in found]
    if rest:
        told = f"{count(len(rest), 'other change')} of this kind (--show\u00a0{more})"
        yield from page.row(_names(rest), told, "", brief=brief)


def _each(findings: Iterable[Finding], page: _Page) -> Iterator[str]:
    """Every finding by itself: its own id, the call, before and after, and what to do."""
    for finding in findings:
        yield from page.row(_names([finding]), printable(finding.message), finding.fingerprint[:_DIGITS])
        if finding.has_witness:
            yield from _call(finding, page)
        else:
            yield from (
                page.example(label, _json(value))
                for label, value in (("before", finding.before), ("after", finding.after))
                if value is not None
            )
        if finding.hint:
            yield from page.below("next:", printable(finding.hint))


def _names(findings: Iterable[Finding]) -> list[str]:
    return list(dict.fromkeys(finding.action or finding.tool or "server" for finding in findings))


def _call(finding: Finding, page: _Page) -> Iterator[str]:
    """The call that worked and what it gets now; for outputs, the answer that old readers do not take."""
    call = f"{printable(finding.action or finding.tool or '')} {_json(finding.witness)}"
    if finding.side == "output":
        yield page.example("answers", call)
        yield page.example("readers", "of the old contract refuse it")
        return
    yield page.example("worked", call)
    yield page.example("now", refusal(finding))


def _json(value: JsonValue) -> str:
    return printable(json.dumps(value, ensure_ascii=False))
