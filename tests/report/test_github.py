"""Annotations for GitHub."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from fusion_contracts.diff import Finding, Level, Report, Side
from fusion_contracts.errors import Problem
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.github import SHOWN, render

OLD, NEW = Side("old.json", "catalog"), Side("new.json", "catalog")


def finding(number: int, level: Level = Level.BREAKING, **more: Any) -> Finding:
    fields = {"tool": f"tool{number:03}", "message": f"argument{number} removed", "hint": "Keep it.", **more}
    pointer = f"/inputSchema/properties/{level.name}{number}"
    return Finding(
        rule="property-removed", level=level, server="s", action=None, side="input", pointer=pointer, **fields
    )


def lines(*findings: Finding, errors: tuple[Problem, ...] = (), **more: Any) -> list[str]:
    return render(Report(OLD, NEW, findings, errors), Context(**more)).splitlines()


def kinds(found: list[str]) -> dict[str, int]:
    words = [line.split(" ")[0] for line in found]
    return {word: words.count(word) for word in dict.fromkeys(words)}


def test_nothing_to_show() -> None:
    assert lines() == []
    assert lines(finding(1, Level.SAFE), finding(2, waived=True)) == []


def test_a_real_case(case: Callable[..., tuple[Report, Context]]) -> None:
    report, context = case("diff/argument-renamed-value-carries", path="a b/fusion.lock")
    (first, *_) = render(report, context).splitlines()
    (broken,) = [found for found in report.findings if found.level is Level.BREAKING]
    rows = (context.compared[None].text or "").split("\n")
    line = rows.index("[servers.new.tools.book_flight.input.properties.place]") + 1
    title = f"BREAKING {broken.fingerprint[:7]}%3A old%3A {broken.tool}"
    start = f"::error file=a b/fusion.lock,line={line},title={title}::"
    assert first.startswith(start)
    assert first.endswith("%0AAccept the old name beside the new one for one release.")
    assert "%0Aworked: " in first
    assert "%0Anow: refused" in first


def test_without_a_lock_there_is_no_line() -> None:
    (line,) = lines(finding(1))
    assert re.fullmatch(r"::error title=BREAKING [0-9a-f]{7}%3A s%3A tool001::argument1 removed%0AKeep it\.", line)


def test_a_group_is_one_command() -> None:
    found = [
        Finding(
            rule="property-removed", level=Level.RISKY, server="s", tool=f"t{number}", action=None, side="input",
            message=f"m{number}", hint="", pointer="/x",
        )
        for number in range(7)
    ]  # fmt: skip
    (line,) = lines(*found)
    assert line.startswith("::warning title=RISKY ")
    assert line.endswith("%3A s%3A t0%2C t1%2C t2%2C t3%2C t4%2C 2 more::m0%0Am1%0Am2%0A4 other changes of this kind")


def test_ten_of_each_kind_and_the_rest_in_one_notice() -> None:
    found = [finding(number, level) for level in (Level.BREAKING, Level.RISKY) for number in range(25)]
    told = lines(*found)
    assert kinds(told) == {"::error": SHOWN, "::warning": SHOWN, "::notice": 1}
    notice = told[-1]
    assert notice.startswith("::notice title=15 breaking groups and 15 risky groups more::")
    assert "15 breaking groups and 15 risky groups more than GitHub shows of one step.%0A" in notice
    everything = " ".join(told)
    assert all(one.fingerprint[:7] in everything for one in found if one.level is Level.BREAKING)


def test_problems_have_their_place_among_the_errors() -> None:
    problems = tuple(Problem(f"s{number}", "start", f"no answer {number}", "wait") for number in range(4))
    few = lines(finding(1), errors=problems)
    assert few[0].startswith("::error title=BREAKING")
    assert few[1] == "::error title=not checked%3A s0::no answer 0%0Anext: wait"
    assert len(few) == 5
    many = lines(*map(finding, range(20)), errors=problems)
    assert kinds(many) == {"::error": SHOWN, "::notice": 1}
    assert sum("title=not checked" in line for line in many) == 2
    assert many[-1].startswith("::notice title=12 breaking groups and 2 problems more::")


def test_the_notice_is_never_too_long_and_names_every_group() -> None:
    found = [finding(number, message="m" * 500 + str(number)) for number in range(1_000)]
    told = lines(*found)
    assert len(told[-1]) < 65_536
    everything = " ".join(told)
    assert all(one.fingerprint[:7] in everything for one in found)


def test_a_very_long_sentence_is_cut() -> None:
    (line,) = lines(finding(1, message="m" * 100_000, tool="t" * 100_000))
    assert len(line) < 3_000


def test_each_lock_has_its_own_file() -> None:
    locks = {f"{name}/fusion.lock": Compared(path=f"top/{name}/fusion.lock", text="") for name in "ab"}
    told = lines(*(finding(1, lockfile=place) for place in locks), compared=locks)
    assert [line.split(",")[0] for line in told] == [f"::error file=top/{name}/fusion.lock" for name in "ab"]
