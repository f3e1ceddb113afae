"""The contract's changelog: what each release broke, changed and added, in Markdown or for machines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import first_few
from fusion_contracts.diff.bump import bump_of, least_bump
from fusion_contracts.diff.version import Bump
from fusion_contracts.errors import Problem
from fusion_contracts.model import JsonObject, Lock
from fusion_contracts.record import record
from fusion_contracts.report.advice import advice
from fusion_contracts.report.bump import bump_from
from fusion_contracts.report.counts import count, is_reworded, of_prose, of_safe
from fusion_contracts.report.grouping import Section, arguments, foremost, groups, names, sections
from fusion_contracts.report.inline import markdown, markdown_code, markdown_of_ours
from fusion_contracts.report.layout import cut
from fusion_contracts.report.refusal import call

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report

__all__ = ["Entry", "render_json", "render_markdown"]

_VERSION = 1
_NAMED = 12  # tools that a line names
_LONGEST = 200  # characters of a call


@record
class Entry:
    """What led to one release, or to the present state: `before` is what was known, `report` what changed since.

    `first`: the lock that appeared with it; `gone`: the lock was not there; `problem`: it could not be read. `since` is
    the version of the release before.
    """

    title: str
    date: str
    commit: str
    tag: str | None = None
    before: Lock | None = None
    report: Report | None = None
    first: Lock | None = None
    gone: bool = False
    problem: Problem | None = None
    since: str | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What changed."""
        return self.report.findings if self.report else ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.findings or self.first or self.gone or self.problem)


def render_json(entries: Sequence[Entry]) -> str:
    """Return the changelog as JSON, in ASCII alone: `changelog_version`, `sections`, the newest first."""
    return json.dumps({"changelog_version": _VERSION, "sections": list(map(_section, entries))}, indent=2) + "\n"


def _section(entry: Entry) -> JsonObject:
    return {
        "title": entry.title,
        "tag": entry.tag,
        "commit": entry.commit,
        "date": entry.date,
        "bump": least_bump(entry.findings).word,
        "first": sorted(entry.first.servers) if entry.first else [],
        "findings": [finding.to_dict() for finding in entry.findings],
        "error": entry.problem.to_dict() if entry.problem else None,
    }


def render_markdown(entries: Sequence[Entry]) -> str:
    """Return the changelog as Markdown, a heading of the second level for each entry, ending in a newline.

    The entry without a release is left out where it is empty and others are there.
    """
    told = [entry for entry in entries if entry.tag is not None or not entry.is_empty] or list(entries)
    return "\n".join("".join(f"{line}\n" for line in _lines(entry)) for entry in told) or "No change to the contract.\n"


def _lines(entry: Entry) -> Iterator[str]:
    where = f" ({entry.date})" if entry.tag else f" ({entry.date}, {entry.commit[:7]})"
    dated = entry.title == entry.date
    yield f"## {entry.date} ({entry.commit[:7]})" if dated else f"## {markdown(entry.title)}{where}"
    yield ""
    if entry.problem is not None:
        yield f"Not known: {markdown_of_ours(str(entry.problem))}."
    elif entry.first is not None:
        yield from _appeared(entry.first)
    elif entry.gone:
        yield "The lock is not there."
    elif not entry.findings:
        yield "No change to the contract."
    elif entry.report is not None:
        found = sections(entry.report)
        bump = bump_from(entry.since, entry.findings)
        yield f"Least version bump: {markdown(bump) or 'none'}."
        several = len(entry.before.servers if entry.before else ()) > 1 or len(found) > 1
        for section in found:
            if several or section.title != section.server:
                yield from ("", f"{'### ' if several else ''}{_title(section)}")
            yield from _server(section, "####" if several else "###")


def _title(section: Section) -> str:
    """The server as code, which begins no list and no heading of its own, and its versions where they differ."""
    versions = " → ".join(map(markdown, section.versions or ()))
    return f"{markdown_code(section.named)} {versions}".rstrip()


def _appeared(lock: Lock) -> Iterator[str]:
    if not lock.servers:
        yield "The first lock, without a server."
        return
    yield "The first lock:"
    yield ""
    for name, contract in lock.servers.items():
        version = contract.info.get("version")
        shown = f" {markdown(version)}" if isinstance(version, str) else ""
        yield f"- {markdown_code(name)}{shown}: {count(len(contract.tools), 'tool')}"


def _server(section: Section, level: str) -> Iterator[str]:
    """The findings about one server as people read them; waived ones changed the contract as well."""
    found = [one for one in section.findings if one.rule != "server-version-changed"]  # the title says it
    breaking = [one for one in found if one.level.name == "BREAKING"]
    risky = [one for one in found if one.level.name == "RISKY"]
    added = [one for one in found if one.level.name == "SAFE" and bump_of(one) is Bump.MINOR]
    small = [one for one in found if one.level.name == "SAFE" and one not in added]
    reworded = [one for one in risky if is_reworded(one)]
    if not found:
        yield from ("", "The version, and nothing else.")
    yield from _part(f"{level} Breaking", [_broken(group) for group in groups(breaking)])
    changed = [_line(group) for group in groups([one for one in risky if one not in reworded])]
    changed += [f"- descriptions reworded: {of_prose(reworded)}"] if reworded else []
    yield from _part(f"{level} Changed", changed)
    yield from _part(f"{level} Added", [_line(group) for group in groups(added)])
    yield from _part(f"{level} Without effect on calls", [f"- {of_safe(small)}"] if small else [])


def _part(heading: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", heading, "", *lines)


def _line(group: Sequence[Finding]) -> str:
    """Who is concerned, and what happened; one line for a group."""
    shown = first_few([*map(markdown_code, names(group))], _NAMED)
    said, others = foremost(dict.fromkeys(finding.message for finding in group))
    known = {name for finding in group for name in arguments(finding)}
    parts = [markdown(message, known) for message in said]
    parts += [count(len(others), "other change")] if others else []
    return f"- {shown}: {'; '.join(parts)}"


def _broken(group: Sequence[Finding]) -> str:
    """The same with a call that worked, what it gets now, and what an agent does instead."""
    line = f"{_line(group)}."
    shown = next((finding for finding in group if finding.has_witness), None)
    if shown is not None:
        (label, text), (then, said) = call(shown)
        line += f" {label.capitalize()}: {markdown_code(cut(text, _LONGEST))}; "
        line += f"{then}: {markdown(said, set(arguments(shown)))}."
    return f"{line} {advice(group[0])}"
