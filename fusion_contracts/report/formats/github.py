"""Annotations for GitHub: workflow commands, which a step prints and the pull request shows at lines of the lock.

    ::error file=fusion.lock,line=31,title=BREAKING 1105067%3A helpdesk%3A close_ticket::id is now ticket_id; ...

BREAKING is an error, RISKY a warning, SAFE and what is waived are not shown. There is one command a group, the worst
first. GitHub shows ten errors and ten warnings of a step and drops what comes behind, so that the rest is told in one
notice, with the id of each BREAKING group. Settings that judge the change and were changed in it are a notice as well.
Nothing found, nothing printed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.report.counts import count, joined
from fusion_contracts.report.escape import github_data, github_property
from fusion_contracts.report.grouping import DIGITS, foremost, groups, identifier, names, sections
from fusion_contracts.report.layout import clipped
from fusion_contracts.report.lines import Place, Places
from fusion_contracts.report.refusal import call

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.errors import Problem
    from fusion_contracts.report.context import Context

__all__ = ["LANGUAGE", "SHOWN", "render"]

LANGUAGE = "text"

SHOWN = 10
"""Commands of one kind that GitHub shows of a step."""

_PROBLEMS = 2  # of the errors shown, those about what could not be checked, where BREAKING groups fill the rest
_LONGEST = 2_000  # characters of a sentence
_CALL = _LONGEST - len("answers: ")
_NAMES, _NAME = 5, 80  # tools that a title names, and characters of each
_NOTICE = 60_000  # characters: an annotation holds 64 KB


def render(report: Report, context: Context) -> str:
    """Return the commands, a line each; "" where nothing is BREAKING or RISKY and everything was checked."""
    places = Places(context)
    broken, risky = (_groups(report, level) for level in ("BREAKING", "RISKY"))
    room = SHOWN - min(len(report.errors), _PROBLEMS)
    shown = broken[: max(room, SHOWN - len(report.errors))]
    problems = report.errors[: SHOWN - len(shown)]
    lines = [_command("error", places.of(group[0]), *_told(group)) for group in shown]
    lines += [_command("error", None, *_problem(problem)) for problem in problems]
    lines += [_command("warning", places.of(group[0]), *_told(group)) for group in risky[:SHOWN]]
    lines += _rest(broken[len(shown) :], risky[SHOWN:], report.errors[len(problems) :])
    lines += _settings(context)
    return "".join(f"{line}\n" for line in lines)


def _settings(context: Context) -> Iterator[str]:
    for compared in context.compared.values():
        for said in compared.answers.get("settings", ()):
            yield _command("notice", None, "fusion check: settings", f"{compared.title}: settings {said}")


def _groups(report: Report, level: str) -> list[list[Finding]]:
    return [group for section in sections(report) for group in groups(section.of(level))]


def _command(kind: str, place: Place | None, title: str, message: str) -> str:
    properties = {"file": place.path, "line": str(place.line)} if place else {}
    written = ",".join(f"{name}={github_property(value)}" for name, value in (properties | {"title": title}).items())
    return f"::{kind} {written}::{github_data(message)}"


def _told(group: Sequence[Finding]) -> tuple[str, str]:
    """The title and the message of one group."""
    first = group[0]
    title = f"{first.level.name} {identifier(group)}: {first.server}: {_tools(group)}"
    shown, others = foremost(dict.fromkeys(one.message for one in group))
    lines = [clipped(message, _LONGEST) for message in shown]
    lines += [f"{count(len(others), 'other change')} of this kind"] if others else []
    witnessed = next((one for one in group if one.has_witness), None)
    called = call(witnessed, within=_CALL) if witnessed else ()
    lines += [clipped(f"{label}: {text}", _LONGEST) for label, text in called]
    return title, "\n".join([*lines, *([first.hint] if first.hint else [])])


def _tools(group: Sequence[Finding]) -> str:
    every = names(group)
    named = [clipped(name, _NAME) for name in every[:_NAMES]]
    return ", ".join([*named, f"{len(every) - _NAMES} more"] if len(every) > _NAMES else named)


def _problem(problem: Problem) -> tuple[str, str]:
    told = clipped(problem.message, _LONGEST)
    return f"not checked: {problem.server or 'all'}", f"{told}\nnext: {problem.next}" if problem.next else told


def _rest(broken: Sequence[Sequence[Finding]], risky: Sequence[object], problems: Sequence[Problem]) -> Iterator[str]:
    """One notice about what GitHub would not show: as many sentences as fit, and the id of every BREAKING group."""
    left = {"breaking group": broken, "risky group": risky, "problem": problems}
    told = joined([count(len(found), word) for word, found in left.items() if found])
    if not told:
        return
    lines = [f"{told} more than GitHub shows of one step."]
    ids = [identifier(group) for group in broken]
    room = _NOTICE - len(lines[0]) - len(ids) * (DIGITS + 1)
    for called, group in zip(ids, broken, strict=True):
        sentence = f" {_tools(group)}: {clipped(group[0].message, 200)}"
        room -= len(github_data(sentence))
        lines.append(called + sentence if room > 0 else called)
    yield _command("notice", None, f"{told} more", "\n".join(lines))
