"""Write `docs/rules.md` from the rules themselves: `python docs/generate.py`. A test says when the page is stale."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fusion_contracts.diff.rule import Rule, find, rule_ids
from fusion_contracts.report.rules import example

PAGE = Path(__file__).with_name("rules.md")

HEAD = """\
# The rules

Written by `python docs/generate.py` from the files in `fusion_contracts/diff/rules/`; edit those. `fusion explain RULE`
prints the same in a terminal.

A rule on schemas says what changed; the proof says how much it matters ([levels.md](levels.md)). So some levels have
two parts: *SAFE where proved* that no old call (or reader) can fail; *BREAKING with a witness* where one does. What
cannot be decided is RISKY, as the rule `undecided`. Any level can be changed in `[tool.fusion.levels]`.

| rule | level | on | |
|---|---|---|---|
"""


def page() -> str:
    """The whole page, ending in a newline."""
    rules = [find(identifier) for identifier in rule_ids()]
    table = "".join(f"| [{one.id}](#{one.id}) | {one.levels} | {one.about} | {one.title} |\n" for one in rules)
    return HEAD + table + "".join(f"\n{line}\n" for one in rules for line in section(one))


def section(rule: Rule) -> Iterator[str]:
    """The paragraphs about one rule."""
    yield f"## {rule.id}"
    yield rule.title
    yield f"Level: {rule.levels}. On: {rule.about}."
    yield from (f"**{heading}.** {text}" for heading, text in rule.sections.items())
    yield "```text\n" + "".join(f"{label:<8} {text}\n" for label, text in example(rule)) + "```"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
