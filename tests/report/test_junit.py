"""JUnit XML."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import pytest

from fusion_contracts.diff import FailOn, Finding, Level, Report, Side, failing
from fusion_contracts.errors import Problem
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.junit import render

OLD, NEW = Side("old.json", "catalog"), Side("new.json", "catalog")

# What Jenkins's schema of the format allows, as far as it is used here: attributes, then elements inside.
ALLOWED = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "file"}, {"testcase"}),
    "testcase": ({"name", "classname"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}


def read(text: str) -> ET.Element:
    """The document, its shape and its sums checked."""
    root = ET.fromstring(text)
    for element in root.iter():
        attributes, inner = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes
        assert {below.tag for below in element} <= inner
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite)
        for plural, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(plural, "")) == sum(case.find(tag) is not None for case in suite)
    for total in ("tests", "failures", "errors"):
        assert int(root.get(total, "")) == sum(int(suite.get(total, "")) for suite in root)
    keys = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(keys) == len(set(keys))
    return root


def outcomes(root: ET.Element) -> dict[str, list[str]]:
    return {str(case.get("name")): [inner.tag for inner in case] for case in root.iter("testcase")}


def finding(tool: str | None, level: Level, **more: Any) -> Finding:
    fields = {
        "rule": "property-removed", "server": "s", "action": tool, "side": "input", "hint": "Keep it.",
        "pointer": "/inputSchema/properties/x", "message": "x removed", **more,
    }  # fmt: skip
    return Finding(tool=tool, level=level, **fields)


def server(*names: str, grouped: str | None = None) -> Lock:
    tools = {name: Tool(name, {"type": "object"}) for name in names}
    if grouped is not None:
        branches = [
            {"properties": {"do": {"const": value}, value: {}}, "required": ["do"]} for value in ("open", "close")
        ]
        tools[grouped] = Tool(grouped, {"type": "object", "oneOf": branches})
    return Lock({"s": ServerContract("s", tools=tools)})


def junit(*findings: Finding, fail_on: FailOn = "breaking", errors: tuple[Problem, ...] = ()) -> ET.Element:
    sides = server("a", "b", "gone", grouped="page"), server("a", "b", "new", grouped="page")
    report = Report(OLD, NEW, findings, errors)
    fails = {one.fingerprint for one in failing(report, fail_on)}
    return read(render(report, Context("fusion check", {None: Compared(*sides, path="x/fusion.lock", failing=fails)})))


PASSED: dict[str, list[str]] = {
    name: [] for name in ("(server)", "a", "b", "gone", "new", "page", "page.open", "page.close")
}


def test_everything_that_was_compared_passes_where_nothing_is_found() -> None:
    root = junit()
    assert outcomes(root) == PASSED
    assert root.attrib == {"name": "fusion check", "tests": "8", "failures": "0", "errors": "0"}
    (suite,) = root
    assert suite.get("file") == "x/fusion.lock"


@pytest.mark.parametrize(
    ("fail_on", "failed"),
    [("breaking", {"a"}), ("risky", {"a", "b"}), ("any", {"a", "b", "new"}), ("never", set())],
)
def test_what_fails_is_what_ends_the_run(fail_on: FailOn, failed: set[str]) -> None:
    levels = {"a": Level.BREAKING, "b": Level.RISKY, "new": Level.SAFE}
    root = junit(*(finding(name, level) for name, level in levels.items()), fail_on=fail_on)
    shown = {name: ["failure"] if name in failed else ["system-out"] for name in ("a", "b")}
    assert outcomes(root) == PASSED | shown | {"new": ["failure"] if "new" in failed else []}


def test_a_failure_tells_everything() -> None:
    more = {"has_witness": True, "witness": {"x": "<1>"}}
    found = finding("page", Level.BREAKING, action="page.open", **more), finding("page", Level.RISKY, message="& y")
    root = junit(*found)
    (failure,) = root.iter("failure")
    assert failure.attrib == {"message": "x removed", "type": "property-removed"}
    assert failure.text == (
        f"BREAKING  {found[0].fingerprint[:7]}  property-removed: x removed\n"
        '  worked  page.open {"x": "<1>"}\n'
        '  now     refused: x is no argument now\n'
        "  next:   Keep it."
    )  # fmt: skip
    (rest,) = root.iter("system-out")
    assert rest.text == f"RISKY  {found[1].fingerprint[:7]}  property-removed: & y\n  next:   Keep it."
    assert outcomes(root) == PASSED | {"page.open": ["failure"], "page": ["system-out"]}


def test_several_failures_of_one_case_are_one_failure() -> None:
    root = junit(*(finding("a", Level.BREAKING, message=f"m{number}", pointer=f"/{number}") for number in range(3)))
    (failure,) = root.iter("failure")
    assert failure.get("message") == "m0 (and 2 more)"
    assert (failure.text or "").count("BREAKING") == 3


def test_what_is_waived_is_skipped() -> None:
    both = finding("b", Level.BREAKING), finding("b", Level.BREAKING, pointer="/y", waived=True)
    reason = "ends with 3 & <4>"
    root = junit(finding("a", Level.BREAKING, waived=True, accepted=reason), *both)
    assert outcomes(root) == PASSED | {"a": ["skipped", "system-out"], "b": ["failure", "system-out"]}
    (skipped,) = root.iter("skipped")
    assert skipped.get("message") == f"1 accepted on purpose: {reason}"


def test_what_could_not_be_checked_is_an_error() -> None:
    problems = (
        Problem("s", "start", "no answer", "try again"),
        Problem("s", "list", "no tools", ""),
        Problem("other", "start", "no answer", ""),
        Problem(None, "git", "no base", "fetch"),
    )
    root = junit(errors=problems)
    assert [(suite.get("name"), suite.get("errors")) for suite in root] == [
        ("s", "1"),
        ("other", "1"),
        ("fusion check", "1"),
    ]
    first, *_ = root.iter("error")
    assert first.attrib == {"message": "no answer (and 1 more)", "type": "start"}
    assert first.text == "no answer\n  next: try again\nno tools"


def test_a_server_without_a_past_was_not_compared() -> None:
    context = Context(compared={None: Compared(Lock(), server("a"))})
    assert list(read(render(Report(OLD, NEW), context))) == []


def test_an_error_that_ended_the_run() -> None:
    root = read(render(Report(OLD, NEW, errors=(Problem(None, "usage", "no lock", "lock"),)), Context("fusion check")))
    assert outcomes(root) == {"(could be checked)": ["error"]}


def test_each_lock_has_its_suites_and_its_own_level() -> None:
    found = tuple(finding("a", Level.RISKY, lockfile=f"{name}/fusion.lock") for name in "ab")
    fails: dict[str | None, set[str]] = {"a/fusion.lock": set(), "b/fusion.lock": {found[1].fingerprint}}
    compared = {
        place: Compared(server("a"), server("a"), path=place, failing=failed) for place, failed in fails.items()
    }  # fmt: skip
    root = read(render(Report(OLD, NEW, found), Context(compared=compared)))
    assert [(suite.get("name"), suite.get("file"), suite.get("failures")) for suite in root] == [
        ("a/fusion.lock: s", "a/fusion.lock", "0"),
        ("b/fusion.lock: s", "b/fusion.lock", "1"),
    ]


def test_where_nobody_says_what_fails_it_is_what_breaks() -> None:
    found = finding("a", Level.BREAKING), finding("b", Level.RISKY), finding("c", Level.BREAKING, waived=True)
    root = read(render(Report(OLD, NEW, found), Context()))
    assert outcomes(root) == {"a": ["failure"], "b": ["system-out"], "c": ["skipped", "system-out"]}


def test_names_that_differ_in_case_alone_are_two_cases(case: Callable[..., tuple[Report, Context]]) -> None:
    names = {one.get("name") for one in read(render(*case("hostile"))).iter("testcase")}
    assert {"Page", "page", "PAGE"} <= names
