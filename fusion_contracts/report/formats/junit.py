"""JUnit XML, which GitLab, Jenkins and the reporters of GitHub read: what was compared as test cases.

A suite is a server, a case one of its tools or actions: passed where no finding fails the run (what else was found is
its output), failed with every finding at or above the level that fails, skipped where only waivers let it pass. What
could not be checked is an error. Cases are named the same in every run, so that a reader can tell new failures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.report.escape import xml
from fusion_contracts.report.grouping import identifier
from fusion_contracts.report.refusal import call

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.errors import Problem
    from fusion_contracts.model import ServerContract
    from fusion_contracts.report.context import Context

__all__ = ["LANGUAGE", "render"]

LANGUAGE = "xml"

_SERVER = "(server)"  # the case of what concerns no tool
_CHECKED = "(could be checked)"
_LONGEST = 2_000  # characters of one line
_CALL = _LONGEST - len("  answers ")
_WAIVED = "accepted on purpose"


@dataclass(slots=True)
class _Case:
    """One test case: its findings, or the problems that kept it from being checked."""

    name: str
    failed: list[Finding] = field(default_factory=list)
    passed: list[Finding] = field(default_factory=list)
    waived: list[Finding] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def skipped(self) -> bool:
        return bool(self.waived) and not self.failed and not self.problems


@dataclass(slots=True)
class _Suite:
    """The cases of one server by name; `path` is the lock's."""

    name: str
    path: str | None = None
    cases: dict[str, _Case] = field(default_factory=dict)

    def case(self, name: str) -> _Case:
        return self.cases.setdefault(name, _Case(name))

    @property
    def counts(self) -> dict[str, int]:
        cases = self.cases.values()
        return {
            "tests": len(cases),
            "failures": sum(bool(case.failed) for case in cases),
            "errors": sum(bool(case.problems) for case in cases),
            "skipped": sum(case.skipped for case in cases),
        }


def render(report: Report, context: Context) -> str:
    """Return the document, with an XML declaration. It tells no time: a report has no clock."""
    suites = _suites(report, context)
    totals = {name: sum(suite.counts[name] for suite in suites) for name in ("tests", "failures", "errors")}
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites{_attributes(name=context.command, **totals)}>"]
    for suite in suites:
        file = {"file": suite.path} if suite.path else {}
        lines.append(f"  <testsuite{_attributes(name=suite.name, **suite.counts, **file)}>")
        lines += (line for case in suite.cases.values() for line in _written(case, suite.name))
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


# --- what was compared ------------------------------------------------------------------------------------------------


def _suites(report: Report, context: Context) -> list[_Suite]:
    from fusion_contracts.diff import pairs

    found: dict[tuple[str | None, str], _Suite] = {}

    def suite(lockfile: str | None, server: str) -> _Suite:
        named = server if lockfile is None else f"{lockfile}: {server}"
        return found.setdefault((lockfile, server), _Suite(named, _path(context, lockfile, server)))

    for lockfile, compared in context.compared.items():
        for server, old, new in pairs(compared.old, compared.new):
            for name in _names(old, new) if old else ():  # a server without a past was not compared
                suite(lockfile, server).case(name)
    for finding in report.findings:
        case = suite(finding.lockfile, finding.server).case(finding.action or finding.tool or _SERVER)
        kind = case.waived if finding.waived else case.failed if context.fails(finding) else case.passed
        kind.append(finding)
    return [*found.values(), *_unchecked(report.errors, list(found.values()), context)]


def _path(context: Context, lockfile: str | None, server: str) -> str | None:
    return context.compared[lockfile].file_of(server)[0] if lockfile in context.compared else None


def _names(old: ServerContract, new: ServerContract | None) -> Iterator[str]:
    """The server itself, its tools, and the actions of those that hold several."""
    from fusion_contracts.schema.actions import grouping

    yield _SERVER
    for name, tool in sorted({**(new.tools if new else {}), **old.tools}.items()):
        yield name
        group = grouping(tool.input_schema)
        yield from (f"{name}.{value}" for value in group.values) if group else ()


def _unchecked(problems: Iterable[Problem], suites: Sequence[_Suite], context: Context) -> list[_Suite]:
    """Put each problem into the suite of its server; those of no suite are put into new ones, which are returned."""
    added: dict[str, _Suite] = {}
    for problem in problems:
        name = problem.server or context.command
        own = [one for one in suites if printable(one.name) == problem.server]
        suite = own[0] if len(own) == 1 else added.setdefault(name, _Suite(name))
        suite.case(_CHECKED).problems.append(problem)
    return list(added.values())


# --- how it is written ------------------------------------------------------------------------------------------------


def _attributes(**values: str | int) -> str:
    return "".join(f' {name}="{xml(str(value))}"' for name, value in values.items())


def _written(case: _Case, suite: str) -> Iterator[str]:
    names = _attributes(name=case.name, classname=suite)
    inner = list(_outcome(case))
    if not inner:
        yield f"    <testcase{names}/>"
        return
    yield f"    <testcase{names}>"
    yield from inner
    yield "    </testcase>"


def _outcome(case: _Case) -> Iterator[str]:
    if case.problems:
        first, *more = (problem.message for problem in case.problems)
        lines = (line for one in case.problems for line in (one.message, one.next and f"  next: {one.next}"))
        yield _element("error", filter(None, lines), message=_and_more(first, more), type=case.problems[0].stage)
    if case.failed:
        first, *more = (finding.message for finding in case.failed)
        told = (line for one in case.failed for line in _told(one))
        yield _element("failure", told, message=_and_more(first, more), type=case.failed[0].rule)
    if case.skipped:
        yield _skipped(case.waived)
    rest = [f"waived  {line}" for one in case.waived for line in _told(one)[:1]]
    rest += [line for one in case.passed if one.level for line in _told(one)]
    if rest:
        yield _element("system-out", rest)


def _skipped(waived: Sequence[Finding]) -> str:
    reasons = "; ".join(dict.fromkeys(one.accepted for one in waived if one.accepted))
    said = f"{len(waived)} {_WAIVED}"
    return f"      <skipped{_attributes(message=f'{said}: {reasons}' if reasons else said)}/>"


def _and_more(first: str, more: Sequence[str]) -> str:
    return f"{first} (and {len(more)} more)" if more else first


def _element(name: str, lines: Iterable[str], **attributes: str) -> str:
    """An element with lines of text. None of them is a line that a server wrote whole."""
    text = "\n".join(xml(line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…") for line in lines)
    return f"      <{name}{_attributes(**attributes)}>{text}</{name}>"


def _told(finding: Finding) -> list[str]:
    """A finding on lines: what it is with its id, the call, what to do."""
    lines = [f"{finding.level.name}  {identifier([finding])}  {finding.rule}: {finding.message}"]
    lines += [f"  {label:<7} {text}" for label, text in call(finding, within=_CALL)] if finding.has_witness else []
    return [*lines, f"  next:   {finding.hint}"] if finding.hint else lines
