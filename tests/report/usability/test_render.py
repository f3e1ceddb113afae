"""A usability report in every format: whole texts, the published schema, hostile names."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.report.usability import FORMATS, render
from fusion_contracts.report.usability.model import Action, Healing, Loops, Report

TEXT = """\
Usability of 2 actions of desk  (.fusion/log.sqlite)
2026-10-26 07:33 to 2026-10-26 09:33 UTC: 40 runs, 1,007 calls
note: 3 lines are no entries, and were passed over
8.0 % of calls failed. After 61.3 % of these errors the next call worked.

  errors                     8.0 %   80 of 1,000 calls
  healed in one turn        61.3 %   49 of 80 errors
  healed, told of changes   88.0 %   44 of 50 errors
  healed, told of none      16.7 %   5 of 30 errors
  retry loops stopped            4   on average 3.5 model calls
  calls refused                  7   answered by the guard, without running the tool
  loops healed                  49   on average 1.2 model calls and 309 tokens (known of 40)
  loops left open                0
  partial results               12   successes that say what is missing
  empty results                 90   nothing found, which is complete

ACTIONS
  action        calls  errors    rate  healed next  stopped  refused
  close_ticket    400      80  20.0 %       61.3 %        4        7
  search          600       0   0.0 %            -        0        0

ERROR CODES
  action        code              errors  healed next
  close_ticket  VALIDATION_ERROR      60       75.0 %
  close_ticket  NOT_FOUND             20       20.0 %

ARGUMENTS THAT FAIL MOST
  action        argument   errors  of its errors
  close_ticket  ticket_id      55         68.8 %
  close_ticket  note            5          6.2 %
"""

COMPARISON = """\
Usability of 2 actions of desk  (log.jsonl)
2.0: 2026-10-26 07:33 to 2026-10-26 09:33 UTC: 40 runs, 1,007 calls
2.1: 2026-10-26 07:33 to 2026-10-26 09:33 UTC: 40 runs, 407 calls

TOGETHER
                              2.0     2.1        change
  calls                     1,000     400          -600
  errors                    8.0 %  10.0 %   +2.0 points
  healed in one turn       61.3 %  90.0 %  +28.7 points
  healed, told of changes  88.0 %  90.0 %   +2.0 points
  healed, told of none     16.7 %       -
  retry loops stopped           4       4          same
  calls refused                 7       7          same
  model calls to heal         1.2     1.2          same
  model calls to stop         3.5     3.5          same
  tokens to heal            308.6   308.6          same
  tokens to stop                -       -

ERROR RATE BY ACTION
  action           2.0     2.1        change
  close_ticket  20.0 %  10.0 %  -10.0 points
  search         0.0 %       -

HEALED IN ONE TURN BY ACTION
  action           2.0     2.1        change
  close_ticket  61.3 %  90.0 %  +28.7 points

ERROR CODES
  code              2.0  2.1  change
  NOT_FOUND          20   40     +20
  VALIDATION_ERROR   60    0     -60
"""


def test_the_text_of_a_log(report: Report) -> None:
    assert render("text", report) == TEXT


def test_the_text_of_a_comparison(comparison: Report) -> None:
    assert render("text", comparison) == COMPARISON


def test_a_log_without_calls(nothing: Report) -> None:
    assert render("text", nothing) == "Usability of 0 actions  (log.sqlite)\nno calls\nNo calls.\n"
    assert render("markdown", nothing) == "## Usability of 0 actions\n\nLog: `log.sqlite`\n\nno calls. No calls.\n"
    assert "There are no calls." in render("html", nothing)


def test_calls_that_were_all_refused_and_errors_of_unknown_cost(report: Report) -> None:
    refused = Action("desk", "close", refused=3)
    unpriced = replace(refused, calls=5, errors=5, untold=Healing(5, 0), loops={"open": Loops(5, 1, 0, 0)})
    said = []
    for action in (refused, unpriced):
        period = replace(report.periods[0], actions=(action,))
        lines = render("text", replace(report, periods=(period,), notes=())).splitlines()
        said.append([lines[2], *(line for line in lines if line.startswith(("  errors", "  calls", "  loops left")))])
    assert said == [
        [
            "Every call was refused: a guard answered.",
            "  errors                         -   0 of 0 calls",
            "  calls refused                  3   answered by the guard, without running the tool",
            "  loops left open                0",
        ],
        [
            "100.0 % of calls failed. After 0.0 % of these errors the next call worked.",
            "  errors                   100.0 %   5 of 5 calls",
            "  calls refused                  3   answered by the guard, without running the tool",
            "  loops left open                5   on average 0.2 model calls",
        ],
    ]


def test_a_narrow_terminal_cuts_names_and_wraps_sentences(hostile: Report) -> None:
    lines = render("text", hostile, width=20).split("\n")
    tables = lines[lines.index("ACTIONS") :]
    assert max(map(len, tables)) <= 90
    assert any("..." in line or "\u2026" in line for line in tables)
    assert "  loops healed" in "\n".join(lines)


def test_colour_says_nothing_by_itself(report: Report) -> None:
    coloured = render("text", report, colour=True)
    assert coloured != TEXT
    assert re.sub(r"\x1b\[\d+m", "", coloured) == TEXT


MARKDOWN = """\
## Usability of 2 actions of desk

Log: `.fusion/log.sqlite`

2026-10-26 07:33 to 2026-10-26 09:33 UTC: 40 runs, 1,007 calls. \
8.0 % of calls failed. After 61.3 % of these errors the next call worked.

Note: 3 lines are no entries, and were passed over.

| what | how much | of what |
| --- | ---: | ---: |
| errors | 8.0 % | 80 of 1,000 calls |
| healed in one turn | 61.3 % | 49 of 80 errors |
| healed, told of changes | 88.0 % | 44 of 50 errors |
| healed, told of none | 16.7 % | 5 of 30 errors |
| retry loops stopped | 4 | on average 3.5 model calls |
| calls refused | 7 | answered by the guard, without running the tool |
| loops healed | 49 | on average 1.2 model calls and 309 tokens (known of 40) |
| loops left open | 0 |  |
| partial results | 12 | successes that say what is missing |
| empty results | 90 | nothing found, which is complete |

### Actions

| action | calls | errors | rate | healed next | stopped | refused |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| `close_ticket` | 400 | 80 | 20.0 % | 61.3 % | 4 | 7 |
| `search` | 600 | 0 | 0.0 % | - | 0 | 0 |

### Error codes

| action | code | errors | healed next |
| --- | --- | ---: | ---: |
| `close_ticket` | `VALIDATION_ERROR` | 60 | 75.0 % |
| `close_ticket` | `NOT_FOUND` | 20 | 20.0 % |

### Arguments that fail most

| action | argument | errors | of its errors |
| --- | --- | ---: | ---: |
| `close_ticket` | `ticket_id` | 55 | 68.8 % |
| `close_ticket` | `note` | 5 | 6.2 % |
"""


def test_the_markdown_of_a_log(report: Report) -> None:
    assert render("markdown", report) == MARKDOWN


# --- JSON ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def validator(root: Path) -> Draft202012Validator:
    schema = json.loads((root / "docs" / "schema" / "usability.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


@pytest.mark.parametrize("name", ["report", "comparison", "hostile", "nothing"])
def test_every_json_report_is_valid(
    name: str, request: pytest.FixtureRequest, validator: Draft202012Validator
) -> None:
    document = json.loads(render("json", request.getfixturevalue(name)))
    assert [error.message for error in validator.iter_errors(document)] == []


def keys(value: Any) -> set[str]:
    """Every key of an object at any depth."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


def test_the_schema_is_strict(report: Report, validator: Draft202012Validator) -> None:
    text = render("json", report)
    for key in keys(json.loads(text)):
        for other in (f'"{key}x":', f'"{key}": "no", "was":'):
            assert not validator.is_valid(json.loads(text.replace(f'"{key}":', other))), key


def test_the_json_of_an_action(report: Report) -> None:
    (period,) = json.loads(render("json", report))["periods"]
    assert period["actions"][0] == {
        "server": "desk", "action": "close_ticket", "calls": 400, "errors": 80, "partial": 0, "empty": 0, "refused": 7,
        "codes": [{"code": "VALIDATION_ERROR", "errors": 60, "healed": 45},
                  {"code": "NOT_FOUND", "errors": 20, "healed": 4}],
        "fields": [{"field": "ticket_id", "errors": 55}, {"field": "note", "errors": 5}],
        "told": {"errors": 50, "healed": 44}, "untold": {"errors": 30, "healed": 5},
        "loops": {"healed": {"number": 49, "model_calls": 61, "counted": 40, "tokens": 12_345},
                  "stopped": {"number": 4, "model_calls": 14, "counted": 0, "tokens": 0},
                  "open": {"number": 0, "model_calls": 0, "counted": 0, "tokens": 0}},
    }  # fmt: skip


# --- the page --------------------------------------------------------------------------------------------------------


class Page(HTMLParser):
    """Reads a page: its elements in order, its text, and whether every element is closed."""

    VOID = frozenset({"meta", "link", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)


def test_the_page_holds_the_numbers_and_the_charts(report: Report) -> None:
    page = Page(render("html", report))
    assert page.open == []
    assert page.tags.count("figure") == 2
    assert "script" not in page.tags
    text = " ".join(page.texts)
    for said in ("8.0 %", "61.3 %", "88.0 %", "close_ticket", "VALIDATION_ERROR", "ticket_id", "44 of 50 errors",
                 "2026-10-26 07:33: 80 of 700 calls failed", "note: 3 lines are no entries, and were passed over",
                 ):  # fmt: skip
        assert said in text, said


def test_a_comparison_has_the_charts_of_both(comparison: Report) -> None:
    page = Page(render("html", comparison))
    assert page.tags.count("figure") == 4
    assert "+28.7 points" in page.texts


def test_the_page_needs_nothing_else(report: Report) -> None:
    text = render("html", report)
    page = Page(text)
    assert text.isascii()
    linked = [value for name, value in page.attributes if name in {"href", "src", "action", "xlink:href"}]
    assert linked == ["data:,", "#numbers"]
    assert [name for name, _ in page.attributes if name == "style" or name.startswith("on")] == []
    (policy,) = [value for _, value in page.attributes if value.startswith("default-src")]
    assert "script-src 'none'" in policy


def test_hostile_names_change_no_page(hostile: Report) -> None:
    bad, calm = (Page(render("html", one)) for one in (hostile, tamed(hostile)))
    assert bad.tags == calm.tags
    assert [name for name, _ in bad.attributes] == [name for name, _ in calm.attributes]


def tamed(report: Report) -> Report:
    """The same report with a harmless name for the hostile one."""
    (period,) = report.periods
    first, *rest = period.actions
    calm = replace(first, server="calm", action="calm", codes={"calm": Healing(80, 49)}, fields={"calm": 80})
    return Report("calm", (replace(period, label="calm", actions=(calm, *rest)),), ("calm",))


def test_hostile_names_change_no_table(hostile: Report) -> None:
    bad, calm = (render("markdown", one).split("\n") for one in (hostile, tamed(hostile)))
    assert len(bad) == len(calm)
    unescaped = [re.sub(r"`[^`]*`", "", line) for line in bad]
    assert [line.count("|") for line in unescaped] == [line.count("|") for line in calm]
    assert not any("<script" in line or "@everyone" in line for line in unescaped)


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_hidden_reaches_a_reader(form: str, hostile: Report) -> None:
    text = render(form, hostile)
    assert [line for line in text.split("\n") if HIDDEN.search(line)] == []


def test_sums_are_those_of_the_parts() -> None:
    assert Healing(3, 1) + Healing(4, 4) == Healing(7, 5)
    assert Loops(1, 2, 1, 50) + Loops(2, 5, 0, 0) == Loops(3, 7, 1, 50)
    assert (Healing().rate, Loops().calls_each, Loops(1, 2).tokens_each) == (None, None, None)


def test_a_hostile_label_changes_no_line_of_a_comparison(comparison: Report, hostile: Report) -> None:
    (bad,) = hostile.periods
    text = render(
        "text", replace(comparison, periods=tuple(replace(one, label=bad.label) for one in comparison.periods))
    )
    assert len(text.split("\n")) == len(COMPARISON.split("\n"))
    assert [line for line in text.split("\n") if HIDDEN.search(line)] == []
