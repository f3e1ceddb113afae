"""Markdown for a comment on a pull request: what breaks in a table, everything else folded below it.

The first line is a hidden comment, the same in all releases, by which a step of a CI finds its comment again to replace
it. The whole is at most 65,000 bytes, and so characters too; GitHub takes 65,536. Where it would be more, detail goes
in this order: SAFE findings, RISKY ones and waived ones, of which the counts stay; then long calls and long lists of
tools; the calls, the hints and what was asked of the lock; rows of the table, from the end, of which the ids stay; at
last all but the ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from fusion_contracts.record import record
from fusion_contracts.report.bump import bump_lines
from fusion_contracts.report.commands import acceptance
from fusion_contracts.report.counts import count, is_reworded, levels, of_prose, of_safe
from fusion_contracts.report.grouping import Section, arguments, foremost, groups, identifier, names, sections
from fusion_contracts.report.inline import markdown, markdown_code, markdown_of_ours
from fusion_contracts.report.layout import STYLES, clipped
from fusion_contracts.report.refusal import call

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.report.context import Compared, Context

__all__ = ["LANGUAGE", "LONGEST", "MARKER", "render"]

LANGUAGE = "markdown"

MARKER = "<!-- fusion-contracts -->"
"""The first line of every comment, the same in all releases."""

LONGEST = 65_000
"""Bytes that a comment may have: GitHub refuses more than 65,536, which it calls characters, and has counted either.

What is left is for a step that adds a line of its own.
"""

_HINTS = 5  # different hints that are listed
_LABEL = 200  # characters of a server's name, or of what was compared
_ID = len(" `1234567`")
_SHORTEST_ROW = 30
_GONE = frozenset({"tool-removed", "tool-renamed", "action-removed", "action-renamed", "server-removed"})
_REST = "see the JSON report"


@record
class _Detail:
    """How much is told. `names`, `sentence` and `value` are the most of a row's tools, and of characters of a text."""

    safe: bool = True
    risky: bool = True
    waived: bool = True
    below: bool = True  # hints, answers
    calls: bool = True
    names: int = 50
    sentence: int = 1_000
    value: int = 500
    rows: int | None = None  # of the tables of BREAKING groups, all together


_STEPS = (
    _Detail(),
    _Detail(safe=False),
    _Detail(safe=False, risky=False),
    _Detail(safe=False, risky=False, waived=False),
    _Detail(safe=False, risky=False, waived=False, names=5, sentence=200, value=80),
    _Detail(safe=False, risky=False, waived=False, names=5, sentence=200, calls=False, below=False),
)
_LEAST = replace(_STEPS[-1], names=2, sentence=100, rows=0)


_CALM_SETTINGS = 20  # locks of which it is said, where nothing else is


def render(report: Report, context: Context) -> str:
    """Return the comment; one calm line below the marker where nothing changed and everything was checked."""
    if not report.findings and not report.errors:
        told = [said for one in context.compared.values() for said in _settings(one)][:_CALM_SETTINGS]
        return f"{MARKER}\n" + "\n\n".join([f"No changes for agents: {_compared(report)}.", *told]) + "\n"
    broken = [group for section in sections(report) for group in groups(section.of("BREAKING"))]
    for detail in _STEPS if len(broken) * _SHORTEST_ROW < LONGEST else ():
        text = _page(report, context, detail)
        if _fits(text):
            return text
    bare = _page(report, context, _LEAST)
    if not _fits(bare):
        return _ids_alone(report, broken)
    return _page(report, context, replace(_LEAST, rows=_rows_that_fit(report, LONGEST - len(bare.encode()))))


def _rows_that_fit(report: Report, room: int) -> int:
    """How many rows of the tables fit into that many bytes, where each takes the place of its id."""
    rows = 0
    for section in sections(report):
        head, *written = _table(groups(section.of("BREAKING")), _LEAST).split("\n")
        room -= len(head) * 2  # more than the line below it takes
        for row in written[1:]:
            room -= len(row.encode()) + 1 - _ID
            if room < 0:
                return rows
            rows += 1
    return rows


def _fits(text: str) -> bool:
    return len(text.encode()) <= LONGEST


def _ids_alone(report: Report, broken: Sequence[Sequence[Finding]]) -> str:
    """What is left where even the names of the servers are too many."""
    from fusion_contracts.diff import Level

    told = levels(*(report.counts[level] for level in reversed(Level)))
    head = f"{MARKER}\n### {report.verdict}: {told}\n\nToo much for a comment: {_REST}. The breaking groups:\n\n"
    room = (LONGEST - len(head.encode()) - len(" and 1,000,000 more\n")) // _ID
    more = f" and {len(broken) - room:,} more" if len(broken) > room else ""
    return f"{head}{_ids(broken[:room])}{more}\n"


# --- the page ---------------------------------------------------------------------------------------------------------


def _page(report: Report, context: Context, detail: _Detail) -> str:
    parts: list[str] = []
    rows = detail.rows
    for section in sections(report):
        parts += _section(section, replace(detail, rows=rows), context)
        parts += map(markdown, bump_lines(section, context))
        if rows is not None:
            rows = max(0, rows - len(groups(section.of("BREAKING"))))
    parts += _problems(report, detail)
    if detail.below:
        for compared in context.compared.values():
            parts += _settings(compared)
            parts += _answers(compared, context.command, worry=bool(report.errors))
    parts.append(f"Compared: {_compared(report)}.")
    return f"{MARKER}\n" + "\n\n".join(parts) + "\n"


def _compared(report: Report) -> str:
    return " → ".join(markdown_code(clipped(side.label, _LABEL)) for side in (report.base, report.head))


def _section(section: Section, detail: _Detail, context: Context) -> Iterator[str]:
    by_level = {level: section.of(level) for level in STYLES}
    worst = next((level for level, found in by_level.items() if found), "WAIVED")
    counts = levels(*map(len, by_level.values()), waived=len(section.waived))
    versions = [clipped(version, _LABEL) for version in section.versions or ()]
    title = " ".join([markdown(clipped(section.named, _LABEL)), " → ".join(map(markdown, versions))]).rstrip()
    yield f"### {worst}: {title} ({counts})"
    if by_level["BREAKING"]:
        yield from _breaking(groups(by_level["BREAKING"]), versions[:1], detail, context)
    yield from _folded(f"{len(by_level['RISKY'])} risky", _risky(by_level["RISKY"], detail), shown=detail.risky)
    yield from _folded(f"{len(by_level['SAFE'])} safe", _safe(by_level["SAFE"], detail), shown=detail.safe)
    waived = _table(groups(section.waived), detail, last="Accepted because")
    yield from _folded(f"{len(section.waived)} waived", waived, shown=detail.waived)
    if section.cost is not None and section.cost.tells:
        yield f"Cost to the model: {str(section.cost).replace('->', '→')}"


def _breaking(
    broken: list[list[Finding]], versions: Sequence[str], detail: _Detail, context: Context
) -> Iterator[str]:
    yield f"Agents that learned {markdown(versions[0]) if versions else 'the old contract'} fail on these calls:"
    rows = len(broken) if detail.rows is None else detail.rows
    if broken[:rows]:
        yield _table(broken[:rows], detail, last="Worked before" if detail.calls else "")
    if broken[rows:]:
        yield f"{len(broken[rows:])} more, {_REST}: {_ids(broken[rows:])}"
    if detail.below:
        yield _hints([finding.hint for group in broken for finding in group if finding.hint])
    head, accept = acceptance(broken, context)
    yield f"**{head}**: {markdown_code(accept)}, and commit."


def _ids(broken: Iterable[Sequence[Finding]]) -> str:
    return " ".join(f"`{identifier(group)}`" for group in broken)


def _hints(hints: Sequence[str]) -> str:
    distinct = [markdown_of_ours(hint) for hint in dict.fromkeys(hints)]
    head = "**To keep agents working**:"
    if len(distinct) == 1:
        return f"{head} {distinct[0]}"
    listed = [f"- {hint}" for hint in distinct[:_HINTS]]
    more = [f"- {len(distinct) - _HINTS} more: `fusion explain RULE`"] if len(distinct) > _HINTS else []
    return "\n".join([head, "", *listed, *more])


# --- tables -----------------------------------------------------------------------------------------------------------


def _table(found: Iterable[Sequence[Finding]], detail: _Detail, *, last: str = "") -> str:
    """A row a group; `last` heads one more column, of the calls that worked or of the reasons that waivers give."""
    more = {"Worked before": _worked, "Accepted because": _accepted}.get(last)
    head = ["What changed", "Tools", *([last] if more else []), "Id"]
    rows = [_row(group, detail, [more(group, detail)] if more else []) for group in found]
    if not rows:
        return ""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows))


def _row(group: Sequence[Finding], detail: _Detail, more: Sequence[str]) -> list[str]:
    messages = dict.fromkeys(finding.message for finding in group)
    known = {name for finding in group for name in arguments(finding)}
    first, others = foremost(messages)
    lines = [markdown(clipped(message, detail.sentence), known) for message in first]
    lines += [f"{count(len(others), 'other change')} of this kind"] if others else []
    every = names(group)
    tools = ", ".join(markdown_code(clipped(name, _LABEL)) for name in every[: detail.names])
    tools += f" and {len(every) - detail.names} more" if len(every) > detail.names else ""
    return ["<br>".join(lines), tools, *more, f"`{identifier(group)}`"]


def _worked(group: Sequence[Finding], detail: _Detail) -> str:
    """The call of a group, cut behind what the change concerns."""
    finding = next((one for one in group if one.has_witness), None)
    if finding is None:
        return "every call" if group[0].rule in _GONE else ""
    (_, text), _ = call(finding, within=detail.value)
    return f"{'the answer ' if finding.side == 'output' else ''}{markdown_code(clipped(text, detail.value))}"


def _accepted(group: Sequence[Finding], detail: _Detail) -> str:
    reasons = dict.fromkeys(finding.accepted for finding in group if finding.accepted)
    return "<br>".join(markdown(clipped(reason, detail.sentence)) for reason in foremost(reasons)[0])


def _risky(findings: Sequence[Finding], detail: _Detail) -> str:
    prose = [finding for finding in findings if is_reworded(finding)]
    others = groups([finding for finding in findings if not is_reworded(finding)])
    reworded = f"Descriptions reworded: {of_prose(prose)}" if prose else ""
    return "\n\n".join(filter(None, (_table(others, detail), reworded)))


def _safe(findings: Sequence[Finding], detail: _Detail) -> str:
    return f"{of_safe(findings)}\n\n{_table(groups(findings), detail)}" if findings else ""


# --- what is folded, and what was asked -------------------------------------------------------------------------------


def _folded(summary: str, inner: str, *, shown: bool = True, opened: bool = False) -> Iterator[str]:
    """A part that opens at a click. `summary` is our own words; the blank lines make Markdown of what is inside."""
    if inner and shown:
        yield f"<details{' open' if opened else ''}><summary>{summary}</summary>\n\n{inner}\n\n</details>"
    elif inner:
        yield f"{summary}: {_REST}."


def _problems(report: Report, detail: _Detail) -> Iterator[str]:
    """What could not be checked, and what else is wrong with a lock: never folded."""
    if not report.errors:
        return
    yield "### Beside the findings" if report.findings else "### UNKNOWN: not everything could be checked"
    told = [clipped(str(problem), detail.sentence) for problem in report.errors[: detail.names]]
    lines = [f"- {markdown_of_ours(sentence)}" for sentence in told]
    more = len(report.errors) - len(lines)
    yield "\n".join([*lines, *([f"- {more} more, {_REST}"] if more else [])])


def _settings(compared: Compared) -> Iterator[str]:
    """That the change also changes how it is judged: not folded, for whoever reviews it decides that as well."""
    for said in compared.answers.get("settings", ()):
        yield f"**Settings** of {markdown(clipped(compared.title, _LABEL))} {markdown(clipped(said, _LABEL))}"


def _answers(compared: Compared, command: str, *, worry: bool) -> Iterator[str]:
    """What `fusion check` asked of a lock: an answer an item, what is wrong below it."""
    lines = []
    for question, (answer, *details) in compared.answers.items():
        lines.append(f"- {question}: {markdown(clipped(answer, _LABEL))}")
        lines += [f"  - {markdown_of_ours(clipped(line.strip(), 1_000))}" for line in details]
    if lines:
        inner = "\n".join([markdown(clipped(compared.title, _LABEL)), "", *lines])
        yield from _folded(f"What {command} asked", inner, opened=worry)
