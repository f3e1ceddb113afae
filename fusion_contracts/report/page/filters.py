"""The controls that choose findings. A page without scripts hides them and shows everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.report.page.findings import WAIVED
from fusion_contracts.report.page.markup import Markup, tag

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding

__all__ = ["filters", "keys"]

_LEVELS = ("BREAKING", "RISKY", "SAFE", WAIVED)
_SIDES = ("input", "output", "tool", "server")
_KEYS = {
    "/": "to the search field",
    "j": "to the next finding",
    "k": "to the finding before",
    "x": "show all findings again",
    "?": "this list",
}


def filters(findings: Sequence[Finding]) -> Markup:
    """The form: levels, side, tool, rule and words, how many findings match, and a way back to all of them."""
    counted = Counter(WAIVED if finding.waived else finding.level.name for finding in findings)
    boxes = [_box(level, counted[level]) for level in _LEVELS if counted[level]]
    levels = tag("fieldset", tag("legend", "Level"), *boxes)
    sides = Counter[str](finding.side for finding in findings)
    tools = Counter(finding.tool or "" for finding in findings)
    rules = Counter(finding.rule for finding in findings)
    return tag(
        "form",
        levels,
        _select("side", "Side", {side: sides[side] for side in _SIDES if sides[side]}),
        _select("tool", "Tool", dict(sorted(tools.items()))),
        _select("rule", "Rule", dict(sorted(rules.items()))),
        tag("label", tag("span", "Search"), tag("input", type="search", name="text", autocomplete="off")),
        tag("div", *_end(len(findings)), class_="end"),
        id="filters", role="search", aria_label="Filter the findings", hidden=True,
    )  # fmt: skip


def _end(total: int) -> Sequence[Markup]:
    return (
        tag("output", f"{total:,} findings", id="matches", role="status"),
        tag("button", "Show all", type="button", id="all", disabled=True),
        tag("button", "?", type="button", id="help", aria_label="Keys", aria_haspopup="dialog"),
    )


def _box(level: str, number: int) -> Markup:
    name = tag("span", level.lower(), " ", tag("small", f"{number:,}"), class_=f"chip {level}")
    return tag("label", tag("input", type="checkbox", name="level", value=level, checked=True), name)


def _select(name: str, label: str, choices: Mapping[str, int]) -> Markup:
    options = [
        tag("option", f"{choice or 'none: the server'} ({number:,})", value=f"={choice}")  # = tells "" from all
        for choice, number in choices.items()
    ]
    return tag("label", tag("span", label), tag("select", tag("option", "all", value=""), *options, name=name))


def keys() -> Markup:
    """The dialog that lists the keys, and turns them off: single keys are in the way of who speaks to a computer."""
    rows = [part for key, does in _KEYS.items() for part in (tag("dt", tag("kbd", key)), tag("dd", does))]
    switch = tag("label", tag("input", type="checkbox", id="keys-on", checked=True), " single keys do this")
    close = tag("form", tag("button", "Close"), method="dialog")
    heading = tag("h2", "Keys", id="keys-heading")
    return tag("dialog", heading, tag("dl", *rows), tag("p", switch), close, id="keys", aria_labelledby="keys-heading")
