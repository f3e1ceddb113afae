"""The rules for people: a line each, or the whole documentation of one with its example."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import printable_json
from fusion_contracts.report.layout import STYLES, columns, paint, wrap

if TYPE_CHECKING:
    from fusion_contracts.diff.rule import Rule

__all__ = ["documentation", "example", "render", "render_all"]

_LONGEST = 60  # characters of one text in an example


def render_all(rules: Iterable[Rule], *, width: int, colour: bool = False, wraps: bool = False) -> str:
    """Return id, levels and title of each rule, a line each.

    `wraps`: a terminal, where a title that has no room beside the rest stands below it.
    """
    rules = list(rules)
    room = max((len(rule.id) for rule in rules), default=0) + 2
    level = max((len(rule.levels) for rule in rules), default=0) + 2
    lines = []
    for rule in rules:
        first = rule.levels.partition(";")[0]
        painted = paint(first, STYLES[first], colour=colour) + rule.levels.removeprefix(first)
        head = f"{rule.id:<{room}}{painted}"
        if wraps and room + level + len(rule.title) > columns(width):
            lines += [head, *(f"    {line}" for line in wrap(rule.title, columns(width) - 4))]
        else:
            lines.append(f"{head}{' ' * (level - len(rule.levels))}{rule.title}")
    return "".join(f"{line}\n" for line in lines)


def render(rule: Rule, *, width: int, colour: bool = False) -> str:
    """Return the whole documentation of a rule, its example and its witness."""
    lines = [f"{paint(rule.id, 'bold', colour=colour)}: {rule.title}", f"Level: {rule.levels}. On: {rule.about}.", ""]
    lines += documentation(rule, width=width, colour=colour)
    lines += [paint("Example", "bold", colour=colour), *(f"  {label:<9}{text}" for label, text in example(rule))]
    return "".join(f"{line}\n" for line in lines)


def documentation(rule: Rule, *, width: int, colour: bool = False) -> Iterator[str]:
    """The sections of a rule's documentation, wrapped, each behind its heading and before an empty line."""
    for heading, text in rule.sections.items():
        yield paint(heading, "bold", colour=colour)
        for number, paragraph in enumerate(text.split("\n\n")):
            yield from [""] if number else []
            yield from (f"  {line}" for line in wrap(" ".join(paragraph.split()), columns(width) - 2))
        yield ""


def example(rule: Rule) -> Iterator[tuple[str, str]]:
    """What an example holds, as compact JSON: `old`, `new`, and `witness` where there is one."""
    yield "old", _compact(rule.example.old)
    yield "new", _compact(rule.example.new)
    if rule.example.witness is not None:
        yield "witness", _compact(rule.example.witness)


def _compact(value: Any) -> str:
    return printable_json(_shortened(value))


def _shortened(value: Any) -> Any:
    """The value without the rest of very long texts."""
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_shortened(item) for item in value]
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:_LONGEST]}... ({len(value):,} characters)"
    return value
