"""Faults that a review found in the findings, each with the smallest pair that showed it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fusion_contracts.diff import Report, diff
from fusion_contracts.model import ServerContract

S: Any = {"type": "string"}
I: Any = {"type": "integer"}  # noqa: E741 - beside S
Found = tuple[str, str, str | None, str, str]
Findings = Callable[[Any, Any], list[Found]]


@pytest.fixture
def report(build: Callable[..., ServerContract]) -> Callable[[Any, Any], Report]:
    """The report on two versions of one tool's input."""

    def between(old: Any, new: Any) -> Report:
        return diff(*(build({"tools": [{"name": "t", "inputSchema": side}]}) for side in (old, new)))

    return between


@pytest.fixture
def findings(report: Callable[[Any, Any], Report]) -> Findings:
    """Rule, level, action, pointer and message of each finding between two versions of one tool's input."""

    def between(old: Any, new: Any) -> list[Found]:
        return [
            (each.rule, each.level.name, each.action, each.pointer, each.message) for each in report(old, new).findings
        ]

    return between


def action(value: str | list[str], *required: str, **properties: Any) -> dict[str, Any]:
    """A branch that `action` selects."""
    selector = {"const": value} if isinstance(value, str) else {"enum": value}
    return {"properties": {"action": selector, **properties}, "required": ["action", *required]}


def one_of(*branches: Any, **beside: Any) -> dict[str, Any]:
    return {"type": "object", "oneOf": list(branches), **beside}


READ, WRITE = action("read", "id", id=S), action("write", "id", "text", id=S, text=S)
REWRITE = ("equivalent-rewrite", "SAFE", None, "/inputSchema", "input written differently, with the same meaning")


def test_the_last_but_one_action_is_removed_as_any_other(findings: Findings) -> None:
    assert findings(one_of(READ, WRITE), one_of(READ)) == [
        ("action-removed", "BREAKING", "t.write", "/inputSchema", "action write removed")
    ]
    assert findings(one_of(READ, WRITE), READ) != []


def test_an_action_that_is_left_alone_keeps_its_own_findings(findings: Findings) -> None:
    found = findings(one_of(READ, WRITE), one_of(action("read", "id", id=I)))
    assert [(rule, act) for rule, _, act, _, _ in found] == [("action-removed", "t.write"), ("type-narrowed", "t.read")]


def test_values_of_one_branch_may_be_given_branches_of_their_own(findings: Findings) -> None:
    merged = one_of(action(["read", "list"], "id", id=S), WRITE)
    split = one_of(READ, action("list", "id", id=S), WRITE)
    assert findings(merged, split) == [REWRITE]
    assert findings(split, merged) == [REWRITE]
    assert findings(merged, one_of(READ, action("list", "id", id=I), WRITE)) == [
        (
            "type-narrowed", "BREAKING", "t.list", "/inputSchema/oneOf/0/properties/id",
            "id no longer takes string; takes integer now",
        )
    ]  # fmt: skip


def test_a_definition_that_every_action_uses_is_one_finding_on_the_tool(findings: Findings) -> None:
    def tool(leaf: Any) -> Any:
        shared = {"$ref": "#/$defs/Id"}
        branches = action("read", "id", id=shared), action("write", "id", id=shared)
        return one_of(*branches, **{"$defs": {"Id": leaf}})

    assert findings(tool(S), tool(I)) == [
        (
            "type-narrowed", "BREAKING", None, "/inputSchema/$defs/Id",
            "(action=read).id, (action=write).id no longer takes string; takes integer now",
        )
    ]  # fmt: skip


def test_an_edit_that_breaks_some_actions_and_stands_in_all_is_one_finding(
    report: Callable[[Any, Any], Report],
) -> None:
    old = one_of(action("read"), {**action("write", "q"), "additionalProperties": True}, properties={"q": S})
    (found,) = report(old, {**old, "properties": {"q": {**S, "minLength": 3}}}).findings
    assert (found.rule, found.level.name, found.action, found.has_witness) == (
        "min-length-raised",
        "BREAKING",
        None,
        True,
    )


def test_nothing_is_said_of_what_stands_in_neither_document(findings: Findings) -> None:
    old = one_of(action(["read", "list"], "id", id=S), WRITE)
    assert findings(old, one_of(READ, WRITE)) == [
        ("action-removed", "BREAKING", "t.list", "/inputSchema", "action list removed")
    ]


def test_another_kind_of_union_is_one_finding_on_the_tool(report: Callable[[Any, Any], Report]) -> None:
    old, new = one_of(READ, WRITE), {"type": "object", "anyOf": [WRITE, READ]}
    (found,) = report(old, new).findings
    assert (found.rule, found.level.name, found.action) == ("schema-replaced", "SAFE", None)
    assert (found.before, found.after) == (old["oneOf"], new["anyOf"])


def test_a_grouped_tool_without_its_schema_leaves_agents_blind(findings: Findings) -> None:
    assert [found[:2] for found in findings(one_of(READ, WRITE), {"type": "object"})] == [
        ("input-schema-emptied", "RISKY")
    ]


def test_arguments_that_moved_into_branches_are_not_said_to_be_gone(findings: Findings) -> None:
    flat = {"type": "object", "properties": {"a": S, "b": I}, "required": ["a"]}
    found = findings(flat, {"type": "object", "anyOf": [flat, {**flat, "required": ["a", "b"]}]})
    assert {level for _, level, _, _, _ in found} == {"SAFE"}
    assert ("schema-replaced", "SAFE", "t", "/inputSchema/properties/b", "b is described elsewhere now") in found


def test_the_same_change_at_two_uses_has_one_fingerprint_and_one_finding(findings: Findings) -> None:
    uses = {name: {"$ref": "#/$defs/D"} for name in "abc"}
    old = {"type": "object", "properties": uses, "$defs": {"D": S}}
    new = {"type": "object", "properties": {**uses, "a": I}, "$defs": {"D": I}}
    assert findings(old, new) == [
        ("type-narrowed", "BREAKING", "t", "/inputSchema/$defs/D", "a, b, c no longer takes string; takes integer now")
    ]


def test_an_edit_of_every_action_of_a_flat_tool_is_asked_about_once(report: Callable[[Any, Any], Report]) -> None:
    names = [f"a{i}" for i in range(40)]

    def tool(leaf: Any) -> Any:
        told = {f"p{i}": {**leaf, "description": f"It. Required for: a{i}"} for i in range(40)}
        return {"type": "object", "properties": {"action": {"enum": names}, **told}, "required": ["action"]}

    found = report(tool(S), tool(I)).findings
    assert len(found) == 40
    assert {(each.rule, each.level.name, each.action, each.has_witness) for each in found} == {
        ("type-narrowed", "BREAKING", None, True)
    }


def test_a_type_that_is_widened_does_not_break_for_a_bound_that_is_new(findings: Findings) -> None:
    old, new = ({"type": "object", "properties": {"n": n}} for n in (I, {"type": "number", "maximum": 50}))
    place = "/inputSchema/properties/n"
    assert findings(old, new) == [
        ("maximum-lowered", "BREAKING", "t", place, "n maximum added (50)"),
        ("type-widened", "SAFE", "t", place, "n takes number too"),
    ]


def test_an_item_is_needed_again_where_min_contains_is_gone(findings: Findings) -> None:
    old, new = (
        {"type": "object", "properties": {"l": {"type": "array", "contains": S, **more}}}
        for more in ({"minContains": 0}, {})
    )
    place = "/inputSchema/properties/l/minContains"
    assert findings(old, new) == [("contains-tightened", "BREAKING", "t", place, "l minContains removed (was 0)")]
    assert findings(new, old) == [("constraint-loosened", "SAFE", "t", place, "l minContains added (0)")]


def test_a_new_branch_that_overlaps_says_what_to_do(report: Callable[[Any, Any], Report]) -> None:
    parts = [I, *({"type": "object", "properties": {"a": S, "b": S}, "required": [name]} for name in "ab")]
    old, new = ({"type": "object", "properties": {"to": {"oneOf": parts[:count]}}} for count in (2, 3))
    (found,) = report(old, new).findings
    assert (found.rule, found.level.name, found.witness) == (
        "union-branch-added",
        "BREAKING",
        {"to": {"a": "x", "b": "x"}},
    )
    assert found.hint == "Where branches overlap, tell them apart by a constant, so that no value fits two of them."


def test_a_new_branch_is_not_blamed_for_what_a_lost_one_took(findings: Findings) -> None:
    kinds = [{"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]} for kind in "ab"]
    old = {"anyOf": [{"enum": ["a", "b"]}, {**kinds[0], "properties": {"kind": {"enum": ["a", "b"]}}}]}
    before, after = (
        {"type": "object", "properties": {"to": {"type": "array", "items": side}}} for side in (old, {"oneOf": kinds})
    )
    assert [(rule, level) for rule, level, _, _, _ in findings(before, after)] == [
        ("union-branch-removed", "BREAKING"),
        ("union-branch-removed", "BREAKING"),
        ("schema-replaced", "SAFE"),
        ("union-branch-added", "SAFE"),
        ("union-branch-added", "SAFE"),
    ]


def test_an_argument_is_not_blamed_for_what_another_one_breaks(findings: Findings) -> None:
    kinds = [
        {"type": "object", "properties": {"kind": {"enum": list(kind)}}, "required": ["kind"]}
        for kind in ("a", "b", "c", "ab")
    ]
    old: Any = {"type": "object", "properties": {"to": {"anyOf": kinds[:3]}, "n": S}}
    new: Any = {"type": "object", "properties": {"to": {"anyOf": kinds[2:]}, "n": I}}
    for before, after in ((old, new), [{"type": "object", "properties": {"l": {"items": s}}} for s in (old, new)]):
        assert [(rule, level) for rule, level, _, _, _ in findings(before, after)] == [
            ("type-narrowed", "BREAKING"),
            ("union-branch-removed", "SAFE"),
            ("union-branch-added", "SAFE"),
            ("union-branch-removed", "SAFE"),
        ]


def test_one_more_branch_of_a_type_is_one_branch_more(findings: Findings) -> None:
    first, second = ({"type": "object", "properties": {name: S}, "required": [name]} for name in "ab")
    old, new = [first, {"type": "null"}], [first, second, {"type": "null"}]
    for union in ("anyOf", "oneOf"):
        before, after = ({"type": "object", "properties": {"to": {union: side}}} for side in (old, new))
        place = f"/inputSchema/properties/to/{union}/1"
        assert findings(before, after) == [
            ("union-branch-added", "SAFE", "t", place, f"to gained a branch of {union}")
        ]
        assert findings(after, before) == [
            ("union-branch-removed", "BREAKING", "t", place, f"to lost a branch of {union}")
        ]
