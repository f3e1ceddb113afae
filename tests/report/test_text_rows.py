"""Rows of the report for a terminal: the tools that they name, their sentences, and the calls that they show."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from text_report import NEW, OLD, broken, finding, shown, text_of

from fusion_contracts.diff import Finding, Level, Report
from fusion_contracts.report.context import Context
from fusion_contracts.report.formats import json as json_report


def test_the_id_of_a_row_of_several_is_the_group_s_and_stands_once() -> None:
    first, second = broken("a", "x is y now"), broken("b", "x is z now")
    lines = text_of(first, second).splitlines()
    assert [line.split()[0] for line in lines] == ["BREAKING", "a", "b"]
    assert lines[1].endswith(first.group[:7])
    assert len(lines[1]) == 90
    assert first.group[:7] not in lines[2]
    assert text_of(first).splitlines()[1].endswith(f" {first.fingerprint[:7]}")


def test_an_id_is_the_same_in_every_view() -> None:
    one, two, alone = broken("a", "x is y now"), broken("b", "x is z now"), finding("gone", Level.BREAKING, "c", "gone")
    row, ids = one.group[:7], [found.fingerprint[:7] for found in (one, two, alone)]
    assert text_of(one, two, alone) == (
        "BREAKING  chrome: 3 breaking\n"
        f"  a                              x is y now                                        {row}\n"
        "  b                              x is z now\n"
        f"  c                              gone                                              {ids[2]}\n"
    )
    whole = (
        "  a, b                           2 findings of this kind, each below               {}\n"
        "  a                              x is y now                                        {}\n"
        "      next: Keep the old name.\n"
        "  b                              x is z now                                        {}\n"
        "      next: Keep the old name.\n"
    ).format(row, *ids[:2])
    last = (
        f"  c                              gone                                              {ids[2]}\n"
        "      next: Keep the old name.\n"
    )
    head = "BREAKING  chrome: 3 breaking\n"
    assert text_of(one, two, alone, show=frozenset({"all"})) == head + whole + last
    waived = [replace(found, waived=True) for found in (one, two, alone)]
    assert text_of(*waived, show=frozenset({"waived"})) == "chrome: 3 waived\nWAIVED\n" + whole + last


def test_one_difference_more_is_told_since_counting_it_takes_a_line_too() -> None:
    assert shown(*(broken(f"tool{n}", f"was {n}") for n in range(4))) == (
        "BREAKING  chrome: 4 breaking\n"
        "  tool0                          was 0                                             #######\n"
        "  tool1                          was 1\n"
        "  tool2                          was 2\n"
        "  tool3                          was 3\n"
    )


def test_a_group_tells_three_differences_and_counts_the_rest() -> None:
    report = shown(*(broken(f"tool{n}", f"was {n}") for n in range(6)))
    assert report == (
        "BREAKING  chrome: 6 breaking\n"
        "  tool0                          was 0                                             #######\n"
        "  tool1                          was 1\n"
        "  tool2                          was 2\n"
        "  tool3, tool4, tool5            3 other changes of this kind (--show all)\n"
    )


def test_many_names_of_a_breaking_row_are_all_there() -> None:
    names = [f"a_rather_long_tool_name_{n}" for n in range(9)]
    report = text_of(*(broken(name, "gone") for name in names), width=60)
    assert all(name in report for name in names)


def test_of_more_names_than_anybody_reads_the_first_are_there() -> None:
    lines = shown(*(broken(f"t{n:04}", "gone") for n in range(3_000)), width=60).splitlines()
    assert lines[1:4] == [
        "  t0000, t0001, t0002, t0003, t0004, t0005, t0006, t0007,",
        "  t0008, t0009, t0010, t0011, t0012, t0013, t0014, t0015,",
        "  t0016, t0017, t0018, t0019 and 2,980 more",
    ]


def test_an_answer_that_old_readers_refuse() -> None:
    output = finding(
        "output-field-removed", Level.BREAKING, "t", "id removed", "/outputSchema/properties/id",
        side="output", action=None, has_witness=True, witness={},
    )  # fmt: skip
    assert shown(output).splitlines()[2:] == [
        "      answers t {}",
        "      readers of the old contract refuse it",
    ]


def test_a_long_call_shows_first_what_the_change_concerns() -> None:
    nested = broken(
        "t", "a[].b removed", has_witness=True, witness={"x": "y" * 90, "a": [{"c": 1, "b": 2}, {"c": 3, "b": 4}]}
    )
    nested = replace(nested, pointer="/inputSchema/properties/a/items/properties/b", rule="property-removed")
    lines = shown(nested).splitlines()
    assert lines[2].startswith('      worked  t {"a": [{"b": 2, "c": 1}, {"c": 3, "b": 4}], "x": "yyy')
    assert lines[3] == "      now     refused: a[].b is no argument now"
    short = replace(nested, witness={"x": 1, "a": [{"c": 1, "b": 2}]})
    assert shown(short).splitlines()[2] == '      worked  t {"x": 1, "a": [{"c": 1, "b": 2}]}'
    missing = replace(nested, witness={"x": "y" * 90, "a": [{"c": 1}]})
    assert shown(missing).splitlines()[2].startswith('      worked  t {"a": [{"c": 1}], "x": "yyy')


def test_why_a_call_fails_is_never_cut() -> None:
    report = shown(broken("t", "url removed", has_witness=True, witness={}, silent=True), width=60)
    assert report.splitlines()[3:] == [
        "      now     refused by its schema; a server that drops",
        "              unknown keys answers without it",
    ]


def null_removed(
    tool: str, argument: str, level: Level = Level.BREAKING, said: str = "no longer takes null"
) -> Finding:
    pointer = f"/inputSchema/properties/{argument}"
    more: dict[str, Any] = {"has_witness": True, "witness": {argument: None}} if level else {}
    return finding("null-removed", level, tool, f"{argument} {said}", pointer, **more)


def test_rows_of_one_sentence_stand_together_and_show_one_call() -> None:
    report = shown(
        null_removed("a", "x"), broken("a", "gone"), null_removed("b", "y"), null_removed("c", "x"),
        null_removed("d", "z", said="no longer takes null, array"),
    )  # fmt: skip
    assert report == (
        "BREAKING  chrome: 5 breaking\n"
        "  a                              gone                                              #######\n"
        "  a, c                           x no longer takes null                            #######\n"
        '      worked  a {"x": null}\n'
        "      now     refused: x is null\n"
        "  b                              y no longer takes null                            #######\n"
        "  d                              z no longer takes null, array                     #######\n"
        '      worked  d {"z": null}\n'
        "      now     refused: z is null\n"
    )
    assert shown(null_removed("a", "x"), null_removed("b", "y"), show=frozenset({"all"})).count("worked") == 2


def test_many_risky_rows_of_one_sentence_are_one() -> None:
    many = [null_removed(f"t{n % 3}", f"a{n}", Level.RISKY, "default changed") for n in range(4)]
    assert shown(*many[:3]).count("#######") == 3
    assert shown(*many) == ("RISKY  chrome: 4 risky\n  3 tools, 4 arguments           default changed (--show risky)\n")
    fields = [replace(one, side="output") for one in many]
    assert "  3 tools, 4 fields              default changed (--show risky)\n" in shown(*fields)
    whole = [replace(one, side="tool", pointer=f"/annotations/{n}") for n, one in enumerate(many)]
    assert shown(*whole).count("#######") == 4
    assert shown(*many, show=frozenset({"risky"})).count("next:") == 4


def test_a_name_a_little_too_long_stays_on_the_line_of_its_message() -> None:
    name = "a_rather_long_name_of_a_tool_that_is"
    assert shown(broken(name, "gone")) == (
        "BREAKING  chrome: 1 breaking\n"
        "  a_rather_long_name_of_a_tool_that_is  gone                                       #######\n"
    )
    lines = shown(broken(name, "gone " * 9 + "gone")).splitlines()
    assert lines[1] == f"  {name}"
    assert lines[2].startswith(" " * 33 + "gone")


def test_null_is_a_call_s_value_too() -> None:
    assert '      worked  t {"a": null}\n' in shown(broken("t", "gone", has_witness=True, witness={"a": None}))
    assert "      worked  t null\n" in shown(broken("t", "gone", has_witness=True, witness=None))


def test_a_long_call_is_cut_for_people_and_whole_for_machines() -> None:
    found = broken("t", "gone", has_witness=True, witness={"a": "x" * 300})
    line = shown(found).splitlines()[2]
    assert (len(line), line[-1]) == (90, "…")
    assert "x" * 300 in json_report.render(Report(OLD, NEW, (found,)), Context())
