"""The documentation of a rule in a terminal."""

from __future__ import annotations

import re

import pytest

from fusion_contracts.diff.rule import find, rule_ids
from fusion_contracts.report.layout import width_of
from fusion_contracts.report.rules import example, render, render_all


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("enum-value-removed", "Level: BREAKING; SAFE where proved. On: input."),
        ("enum-value-added", "Level: SAFE; BREAKING with a witness. On: input."),
        ("property-renamed", "Level: RISKY; BREAKING with a witness. On: input."),
        ("optional-property-added", "Level: SAFE. On: input."),
        ("output-field-added", "Level: SAFE; RISKY with a witness. On: output."),
        ("default-changed", "Level: RISKY. On: schema."),
        ("read-only-lost", "Level: BREAKING. On: tool."),
        ("tool-removed", "Level: BREAKING. On: tool."),
        ("undecided", "Level: RISKY. On: schema."),
    ],
)
def test_how_a_level_comes_about(rule: str, line: str) -> None:
    assert render(find(rule), width=80).splitlines()[1] == line


@pytest.mark.parametrize("width", [60, 80, 120])
def test_prose_fits_and_examples_are_whole(width: int) -> None:
    for rule in map(find, rule_ids()):
        prose, _, shown = render(rule, width=width).partition("\nExample\n")
        assert all(width_of(line) <= width for line in prose.splitlines()[1:]), rule.id
        assert shown.count("\n") == 2 + (rule.example.witness is not None)
    listed = render_all(map(find, rule_ids()), width=width, wraps=True)
    assert all(width_of(line) <= max(width, 70) for line in listed.splitlines())


def test_the_list_says_of_levels_what_the_page_says_and_cuts_nothing() -> None:
    rules = [find(identifier) for identifier in rule_ids()]
    lines = render_all(rules, width=60).splitlines()
    assert [line.split(maxsplit=1)[0] for line in lines] == [rule.id for rule in rules]
    for rule, line in zip(rules, lines, strict=True):
        levels = render(rule, width=80).splitlines()[1].removeprefix("Level: ").partition(". On: ")[0]
        assert re.fullmatch(rf"{rule.id} +{levels} +{re.escape(rule.title)}", line)


def test_on_a_terminal_a_title_without_room_stands_below() -> None:
    found = [find("property-renamed")]
    assert render_all(found, width=60, wraps=True) == (
        "property-renamed  RISKY; BREAKING with a witness\n    An argument has another name.\n"
    )
    assert render_all(found, width=80, wraps=True) == (
        "property-renamed  RISKY; BREAKING with a witness  An argument has another name.\n"
    )


def test_paragraphs_stay_apart() -> None:
    text = render(find("catalog-tokens-grew"), width=200)
    assert "text.\n\n  Counted are the compact name" in text


def test_a_very_long_text_of_an_example_is_shortened() -> None:
    (_, new) = (text for _, text in example(find("catalog-tokens-grew")))
    assert f'"{"Open a page. " * 4}Open a p... (2,340 characters)"' in new


def test_hidden_characters_are_shown() -> None:
    assert '"Open a page.\\u{200b}"' in render(find("invisible-text-added"), width=80)


def test_colour_repeats_what_words_say() -> None:
    found = [find("enum-value-removed")]
    line = "enum-value-removed  \x1b[1;31mBREAKING\x1b[0m; SAFE where proved  An enum lost values.\n"
    assert render_all(found, width=80, colour=True) == line
    assert "\x1b[1mWhat to do\x1b[0m\n" in render(find("enum-value-removed"), width=80, colour=True)
    assert render_all([], width=80) == ""
