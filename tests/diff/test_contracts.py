"""What differs beside schemas: tools, hints, the server, prompts, resources."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.diff import diff
from fusion_contracts.diff.fields import same
from fusion_contracts.model import ServerContract, Tool

Found = Callable[[dict[str, Any], dict[str, Any]], list[tuple[str, str, str]]]
INFO = {"serverInfo": {"name": "pages", "version": "1"}}


def tools(*listed: dict[str, Any]) -> dict[str, Any]:
    return {"tools": list(listed)}


def test_what_is_said_of_an_output_names_it(found: Found) -> None:
    def giving(schema: dict[str, Any]) -> dict[str, Any]:
        return tools({"name": "a", "outputSchema": {"type": "object", **schema}})

    url = {"properties": {"url": {"type": "string"}}}
    assert found(giving({"properties": {}}), giving(url)) == [("output-field-added", "SAFE", "output url added")]
    assert found(giving({**url, "required": ["url"]}), giving(url)) == [
        ("output-field-now-optional", "BREAKING", "output url may be missing now")
    ]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"readOnlyHint": True}, {}, ("read-only-lost", "BREAKING")),
        ({"readOnlyHint": True}, {"readOnlyHint": None}, ("read-only-lost", "BREAKING")),
        ({}, {"readOnlyHint": False}, ("hint-without-effect", "SAFE")),
        ({}, {"readOnlyHint": None}, ("hint-without-effect", "SAFE")),
        ({}, {"readOnlyHint": True}, ("hint-towards-safety", "RISKY")),
        ({"destructiveHint": False}, {}, ("destructive-gained", "BREAKING")),
        ({"destructiveHint": False}, {"destructiveHint": True}, ("destructive-gained", "BREAKING")),
        ({}, {"destructiveHint": True}, ("hint-without-effect", "SAFE")),
        ({}, {"destructiveHint": False}, ("hint-towards-safety", "RISKY")),
        ({"idempotentHint": True}, {}, ("idempotent-lost", "RISKY")),
        ({}, {"idempotentHint": True}, ("hint-towards-safety", "RISKY")),
        ({}, {"idempotentHint": False}, ("hint-without-effect", "SAFE")),
        ({"openWorldHint": False}, {}, ("open-world-gained", "RISKY")),
        ({}, {"openWorldHint": True}, ("hint-without-effect", "SAFE")),
        ({}, {"openWorldHint": False}, ("hint-towards-safety", "RISKY")),
    ],
)
def test_a_hint_is_judged_with_the_defaults_counted(
    found: Found, old: dict[str, Any], new: dict[str, Any], expected: tuple[str, str]
) -> None:
    rows = found(tools({"name": "a", "annotations": old}), tools({"name": "a", "annotations": new}))
    assert [(rule, level) for rule, level, _ in rows] == [expected]


@pytest.mark.parametrize("hint", ["destructiveHint", "idempotentHint"])
@pytest.mark.parametrize("value", [True, False])
def test_hints_on_writing_say_nothing_of_a_tool_that_only_reads(found: Found, hint: str, *, value: bool) -> None:
    old, new = {"readOnlyHint": True, hint: not value}, {"readOnlyHint": True, hint: value}
    rows = found(tools({"name": "a", "annotations": old}), tools({"name": "a", "annotations": new}))
    assert [(rule, level) for rule, level, _ in rows] == [("hint-without-effect", "SAFE")]


def test_a_tool_that_stops_to_read_only_and_destroys_is_told_both(found: Found) -> None:
    old, new = {"readOnlyHint": True, "destructiveHint": False}, {"destructiveHint": True}
    rows = found(tools({"name": "a", "annotations": old}), tools({"name": "a", "annotations": new}))
    assert [rule for rule, _, _ in rows] == ["destructive-gained", "read-only-lost"]


def test_what_no_rule_knows_is_described_as_deep_as_it_goes(found: Found) -> None:
    old = {"name": "a", "_meta": {"ui": {"a": 1, "gone": True}}, "x-list": [{"b": 1}, 2, 3]}
    new = {"name": "a", "_meta": {"ui": {"a": 2}, "new": None}, "x-list": [{"b": 1, "c": 4}, 5]}
    assert found(tools(old), tools(new)) == [
        ("unclassified-change", "RISKY", "_meta.new added (null)"),
        ("unclassified-change", "RISKY", "_meta.ui.a changed (1 -> 2)"),
        ("unclassified-change", "RISKY", "_meta.ui.gone removed (was true)"),
        ("unclassified-change", "RISKY", "x-list changed: [0].c added (4); [1] changed (2 -> 5); [2] removed (was 3)"),
    ]


def test_the_spelling_of_a_number_is_a_change(found: Found) -> None:
    old, new = {"name": "a", "x": [1, True]}, {"name": "a", "x": [1.0, 1]}
    assert found(tools(old), tools(new)) == [
        ("unclassified-change", "RISKY", "x changed ([1, true] -> [1.0, 1])"),
    ]


def test_names_that_a_server_chose_are_escaped(found: Found) -> None:
    old, new = {"name": "a", "x\x1b[2J": "\x1b"}, {"name": "a", "x\x1b[2J": "b\n" * 60}
    ((_, _, message),) = found(tools(old), tools(new))
    assert message.startswith('x\\u{1b}[2J changed ("\\u{1b}" -> "b\\nb\\nb\\n')
    assert message.endswith('...")')
    assert len(message) < 130


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"logging": {}}, {}, [("capability-removed", "BREAKING", "capability logging removed")]),
        ({}, {"logging": {}}, [("capability-added", "SAFE", "capability logging added")]),
        (
            {"tools": {"listChanged": True}},
            {"tools": {"listChanged": False}},
            [("capability-removed", "RISKY", "capability tools/listChanged removed")],
        ),
        (
            {"resources": {"subscribe": True, "listChanged": True}},
            {"resources": {}},
            [
                ("capability-removed", "BREAKING", "capability resources/subscribe removed"),
                ("capability-removed", "RISKY", "capability resources/listChanged removed"),
            ],
        ),
        (
            {"tools": {"listChanged": True}},
            {},
            [("capability-removed", "BREAKING", "capability tools removed")],
        ),
        (
            {"tools": {"listChanged": False}},
            {"tools": {}},
            [("capability-removed", "SAFE", "capability tools/listChanged removed")],
        ),
        (
            {"tools": {}},
            {"tools": {"listChanged": False}},
            [("capability-added", "SAFE", "capability tools/listChanged added")],
        ),
        ({"experimental": {}}, {}, [("capability-removed", "SAFE", "capability experimental removed")]),
        (
            {"experimental": {"tasks": {"list": {}}}},
            {"experimental": {}},
            [
                ("capability-removed", "BREAKING", "capability experimental/tasks removed"),
                ("capability-added", "SAFE", "capability experimental added"),
            ],
        ),
        (
            {"x": {"limit": 10}},
            {"x": {"limit": 5}},
            [("unclassified-change", "RISKY", "capabilities.x.limit changed (10 -> 5)")],
        ),
        ({"tools": True}, {"tools": {}}, []),
        ({"instructions": "Be kind."}, {}, [("capability-removed", "RISKY", "capability instructions removed")]),
    ],
)
def test_capabilities(
    found: Found, old: dict[str, Any], new: dict[str, Any], expected: list[tuple[str, str, str]]
) -> None:
    assert found({**INFO, "capabilities": old}, {**INFO, "capabilities": new}) == expected


@pytest.mark.parametrize(
    ("field", "old", "new", "expected"),
    [
        ("name", "pages", "page", ("server-name-changed", "RISKY")),
        ("version", "1", "2", ("server-version-changed", "SAFE")),
        ("title", None, "Pages", ("server-info-changed", "SAFE")),
        ("icons", [], [{"src": "a"}], ("server-info-changed", "SAFE")),
        ("websiteUrl", "https://a.example", "https://b.example", ("server-info-changed", "SAFE")),
        ("description", "Opens pages.", "Closes pages.", ("description-changed", "RISKY")),
        ("x-vendor", 1, 2, ("unclassified-change", "RISKY")),
    ],
)
def test_what_the_server_says_of_itself(
    found: Found, field: str, old: object, new: object, expected: tuple[str, str]
) -> None:
    sides = [{"serverInfo": {"name": "pages", **({field: value} if value is not None else {})}} for value in (old, new)]
    assert [(row[0], row[1]) for row in found(*sides)] == [expected]


def test_what_a_source_cannot_tell_is_not_compared(found: Found) -> None:
    whole = {
        **INFO,
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "instructions": "Open first.",
        "prompts": [{"name": "plan"}],
        "resources": [{"uri": "file:///a"}],
        "resourceTemplates": [{"uriTemplate": "file:///{a}"}],
        **tools({"name": "a"}),
    }
    alone = tools({"name": "a"})
    assert found(whole, alone) == found(alone, whole) == []


def test_prompts(found: Found) -> None:
    old = {"name": "plan", "arguments": [{"name": "to", "required": True, "description": "Where."}, {"name": "days"}]}
    new = {
        "name": "plan",
        "title": "Plan",
        "arguments": [{"name": "to", "description": "Where to."}, {"name": "by", "required": True}],
    }
    assert found({**INFO, "prompts": [old]}, {**INFO, "prompts": [new]}) == [
        ("prompt-argument-now-required", "BREAKING", "prompt plan.by is new and required"),
        ("prompt-argument-removed", "RISKY", "prompt plan.days removed"),
        ("description-changed", "RISKY", "prompt plan.to: description reworded"),
        ("prompt-argument-added", "SAFE", "prompt plan.to is now optional"),
        ("title-changed", "SAFE", 'prompt plan: title added ("Plan")'),
    ]


def test_resource_templates_are_paired_by_what_stands_between_the_variables_or_by_name(found: Found) -> None:
    def templates(*listed: tuple[str, str]) -> dict[str, Any]:
        return {**INFO, "resourceTemplates": [{"uriTemplate": uri, "name": name} for uri, name in listed]}

    old = templates(("a://{x}", "a"), ("b://{x}/end", "b"), ("c://{x}", "c"), ("d://{x}", "d"))
    new = templates(("a://{y}", "other"), ("b2://{x}/{y}", "b"), ("c2://{x}", "c"), ("d://{x}", "d"))
    assert found(old, new) == [
        ("resource-template-variables-changed", "BREAKING", "resource template a://{x} is now a://{y}"),
        ("resource-template-variables-changed", "BREAKING", "resource template b://{x}/end is now b2://{x}/{y}"),
        ("resource-template-removed", "BREAKING", "resource template c://{x} removed"),
        ("resource-changed", "RISKY", 'resource a://{x} name changed ("a" -> "other")'),
        ("resource-template-added", "SAFE", "resource template c2://{x} added"),
    ]


@pytest.mark.parametrize(("required", "level"), [(["f"], "SAFE"), ([], "RISKY")])
def test_a_default_matters_to_calls_that_left_the_argument_out(found: Found, required: list[str], level: str) -> None:
    before = {"type": "object", "properties": {"f": {"type": "string"}}, "required": required}
    after = {"type": "object", "properties": {"f": {"type": "string", "default": "a"}}}
    sides = (tools({"name": "t", "inputSchema": schema}) for schema in (before, after))
    assert ("default-changed", level, 'f default added ("a")') in found(*sides)


@pytest.mark.parametrize(
    ("old", "new", "taken", "answered"),
    [
        ({}, "number", "takes only a number now", "is always a number now"),
        ("number", {}, "takes null, boolean, string and 2 more too", "may be of any type now"),
        ("string", ["string", "null"], "takes null too", "may be null now"),
        ("array", "object", "no longer takes array; takes object now", "may be an object now"),
        ("integer", ["integer", "string", "null"], "takes null, string too", "may be a string or null now"),
        (["integer", "string"], "string", "no longer takes integer", "is no longer an integer"),
    ],
)
def test_types_are_told_in_words(found: Found, old: Any, new: Any, taken: str, answered: str) -> None:
    sides = [{"type": "object", "properties": {"f": one if one == {} else {"type": one}}} for one in (old, new)]
    before, after = (tools({"name": "t", "inputSchema": side, "outputSchema": side}) for side in sides)
    assert sorted(message for _, _, message in found(before, after)) == sorted([f"f {taken}", f"output f {answered}"])


@pytest.mark.parametrize(
    ("old", "new", "how"), [("a", ["a"], "reworded"), ({"en": "a"}, "a", "reworded"), (True, None, "removed")]
)
def test_a_description_that_is_no_text_is_compared_too(found: Found, old: Any, new: Any, how: str) -> None:
    sides = ({"type": "object", "properties": {"f": {"description": one}}} for one in (old, new))
    assert found(*(tools({"name": "t", "inputSchema": side}) for side in sides)) == [
        ("parameter-description-changed", "RISKY", f"f description {how}")
    ]


def test_a_bound_that_is_no_number_is_told_as_it_is(found: Found) -> None:
    sides = ({"type": "object", "properties": {"f": {"type": "string", "minLength": least}}} for least in (1, [2]))
    assert found(*(tools({"name": "t", "inputSchema": side}) for side in sides)) == [
        ("undecided", "RISKY", "f minLength changed (1 -> [2]); could not be decided: cannot read minLength [2]")
    ]


def test_what_only_a_list_of_values_allows_is_not_of_any_type(found: Found) -> None:
    sides = ({"type": "object", "properties": {"f": part}} for part in ({"type": "string"}, {"enum": ["a", 1]}))
    assert found(*(tools({"name": "t", "outputSchema": side}) for side in sides))[0] == (
        "output-type-widened", "BREAKING", "output f may be an integer now",
    )  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, -0.0, 1.0, 2.5]) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, JSON)
def test_same_is_the_equality_of_canonical_json(a: Any, b: Any) -> None:
    from fusion_contracts.canonical import canonical_json

    assert same(a, b) == (canonical_json(a) == canonical_json(b))


FIELDS = st.dictionaries(st.text(max_size=4), JSON, max_size=3)
TEXT = st.none() | st.text(max_size=4)
TOOL = st.builds(
    Tool,
    name=st.just("a"),
    input_schema=st.just({"type": "object"}),
    title=TEXT,
    description=TEXT,
    annotations=FIELDS,
    execution=FIELDS,
    meta=FIELDS,
    extra=FIELDS,
)
CONTRACT = st.builds(
    ServerContract,
    name=st.just("s"),
    protocol_version=st.just("2025-06-18"),
    info=FIELDS,
    instructions=TEXT,
    tools=TOOL.map(lambda tool: {"a": tool}),
)


@given(CONTRACT)
def test_a_contract_does_not_differ_from_itself(contract: ServerContract) -> None:
    assert diff(contract, contract).findings == ()
    assert diff(contract, replace(contract, tools=dict(contract.tools))).findings == ()


@given(CONTRACT, CONTRACT)
def test_nothing_is_ever_dropped(old: ServerContract, new: ServerContract) -> None:
    """Two contracts that differ in any field of their tools or of the server have a finding."""

    def text(value: str | None) -> str:
        return value or ""  # null and "" both say nothing

    def told(contract: ServerContract) -> list[Any]:
        tool = contract.tools["a"]
        prose = [text(tool.title), text(tool.description), text(contract.instructions)]
        return [*prose, tool.annotations, tool.execution, tool.meta, tool.extra, contract.info]

    if not same(told(old), told(new)):
        assert diff(old, new).findings
    report = diff(old, new).to_dict()
    assert report == diff(old, new).to_dict()
