"""A validation error as XML that never grows beyond a bound: the lines that help most come first and stay longest."""

from __future__ import annotations

from collections.abc import Sequence

from fusion_contracts.runtime.echo import fitted
from fusion_contracts.runtime.envelope import clean, escape, escape_attribute
from fusion_contracts.runtime.issues import Issue

__all__ = ["LONGEST", "MOST_ISSUES", "render"]

LONGEST = 2_000
MOST_ISSUES = 10
_LONGEST_LINE = 420
_FIX = "Fix the fields above and call the tool again. Do not explain the error."
_REPEAT = "Call the tool again with suggested_arguments. Do not explain the error."
_MORE = 40  # characters that "... and 9,990 more" may take


def render(action: str, issues: Sequence[Issue], more: int, *, block: str, suggestion: str | None) -> str:
    """The text of a validation error.

    `more` counts issues that are not in the list; `block` is the indented `<contract_awareness>`, "" for none;
    `suggestion` is JSON. A suggestion is left out where the lines would have no room beside it.
    """
    head = f'<validation_error action="{fitted(action, 128, _in_attribute)}">'
    tail = [block] if block else []
    recovery = _FIX
    if suggestion is not None:
        tail.append(f"  <suggested_arguments>{escape(clean(suggestion))}</suggested_arguments>")
        recovery = _REPEAT
    tail += [f"  <recovery>{recovery}</recovery>", "</validation_error>"]
    room = LONGEST - len(head) - sum(len(part) + 1 for part in tail) - _MORE
    lines = _lines(issues[:MOST_ISSUES], room, brief=suggestion is not None)
    if not lines and suggestion is not None:
        return render(action, issues, more, block=block, suggestion=None)
    rest = more + len(issues) - len(lines)
    if rest:
        lines.append(f"  ... and {rest:,} more")
    return "\n".join([head, *lines, *tail])


def _lines(issues: Sequence[Issue], room: int, *, brief: bool) -> list[str]:
    """A line for each issue, as long as there is room for: from the last one backwards they lose words.

    First goes the description, then what was sent and expected, so that the names stay. Beside a call that is ready
    to be sent descriptions say nothing that is needed: then no line has one.
    """
    lines = [_line(issue, issue.line(brief=brief)) for issue in issues]
    length = sum(map(len, lines)) + len(lines)
    for bare in (False, True):
        for index in range(len(lines) - 1, -1, -1):
            if length <= room:
                return lines
            issue = issues[index]
            line = _line(issue, issue.problem if bare else issue.line(brief=True))
            length -= len(lines[index]) - len(line)
            lines[index] = line
    while lines and length > room:
        length -= len(lines.pop()) + 1
    return lines


def _line(issue: Issue, text: str) -> str:
    name = fitted(issue.name, 120, _in_attribute)
    return f'  <field name="{name}">{fitted(text, _LONGEST_LINE, _in_content)}</field>'


def _in_attribute(text: str) -> str:
    return escape_attribute(clean(text))


def _in_content(text: str) -> str:
    return escape(clean(text))
