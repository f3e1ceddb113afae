"""From a listing to a contract: what is kept, what is refused, and by which words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.model import Prompt, PromptArgument, ServerContract, SourceRecord, Tool
from fusion_contracts.sources.base import Listing, Reading, keep_unread
from fusion_contracts.sources.contract import contract_of


def read(**sections: Any) -> Reading:
    entries: dict[str, Any] = {key: tuple(value) for key, value in sections.items()}
    return contract_of(Listing(**entries), name="s")


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def test_every_field_has_its_place() -> None:
    raw = tool(
        "a", title="T", description="D", outputSchema={"type": "object"},
        annotations={"readOnlyHint": True, "category": 1}, execution={"taskSupport": "required"},
        _meta={"ui": 1}, icons=[{"src": "x"}], vendor=None,
    )  # fmt: skip
    reading = read(tools=[raw])
    assert reading.contracts[0].tools == {
        "a": Tool(
            name="a", input_schema={"type": "object"}, title="T", description="D", output_schema={"type": "object"},
            annotations={"readOnlyHint": True, "category": 1}, execution={"taskSupport": "required"}, meta={"ui": 1},
            extra={"icons": [{"src": "x"}], "vendor": None},
        )
    }  # fmt: skip
    assert reading == Reading(contracts=reading.contracts)


def test_what_the_server_says_of_itself_is_kept() -> None:
    record = SourceRecord(kind="file", path="a.json")
    listing = Listing(
        protocol_version="2025-06-18", info={"name": "n"}, capabilities={"x": {}}, instructions="I", notes=("N",)
    )
    assert contract_of(listing, name="s", source=record) == Reading(
        contracts=(
            ServerContract(
                name="s", protocol_version="2025-06-18", info={"name": "n"}, capabilities={"x": {}}, instructions="I",
                source=record,
            ),
        ),
        notes=("s: N",),
    )  # fmt: skip


def test_tools_are_sorted_and_the_schema_true_is_an_output() -> None:
    contract = read(tools=[tool("b"), tool("a", outputSchema=True)]).contracts[0]
    assert list(contract.tools) == ["a", "b"]
    assert contract.tools["a"].output_schema is True


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (tool("a", inputSchema=True), "its input schema is true, neither a JSON object nor null"),
        (tool("a", outputSchema="x"), "its output schema is a text, neither a JSON object nor null"),
        (tool("a", description=["x"]), "its description is a list, not a text"),
        (tool("a", title=1.5), "its title is a number, not a text"),
        (tool("a", annotations="x"), "its annotations is a text, not a JSON object"),
        (tool("a", _meta=[1]), "its _meta is a list, not a JSON object"),
        (tool("a", execution=False), "its execution is false, not a JSON object"),
    ],
)
def test_a_malformed_tool(raw: dict[str, Any], sentence: str) -> None:
    reading = read(tools=[raw, tool("b")])
    assert list(reading.contracts[0].tools) == ["b"]
    assert reading.refused == {"s": frozenset({"a"})}
    (problem,) = reading.problems
    assert problem.message == f"tool a is refused: {sentence}"
    assert problem.next == "correct it in the server; its old entry stays in the lock and the rest is read"


def test_a_name_three_times() -> None:
    reading = read(tools=[tool("a"), tool("a"), tool("b"), tool("a", description="x")])
    assert list(reading.contracts[0].tools) == ["b"]
    assert [problem.message for problem in reading.problems] == ["tool a is refused: it is listed 3 times"]


def test_odd_types_of_an_input_schema_are_kept_with_a_note() -> None:
    kinds: list[Any] = [["string", "null"], 5, ["object", "null"], "object", None]
    reading = read(tools=[tool(f"t{number}", inputSchema={"type": kind}) for number, kind in enumerate(kinds)])
    assert reading.problems == ()
    assert reading.notes == (
        's: tool t0: its input schema has the type "string" or "null", not "object"; kept as it is',
        's: tool t1: its input schema has the type "5", not "object"; kept as it is',
    )


def test_prompts_resources_and_templates() -> None:
    reading = read(
        prompts=[
            {
                "name": "p",
                "arguments": [{"name": "x", "required": True, "title": "X"}, {"name": "y", "description": None}],
            },
            {"name": "bare", "arguments": None},
        ],
        resources=[{"uri": "a:b", "name": "n", "mimeType": None}, {"uri": "a:b", "name": "n"}],
        resource_templates=[{"uri_template": "a:{b}", "name": "n"}],
    )
    contract = reading.contracts[0]
    assert contract.prompts == {
        "bare": Prompt("bare"),
        "p": Prompt("p", arguments=(PromptArgument("x", True, None, {"title": "X"}), PromptArgument("y"))),
    }
    assert contract.resources["a:b"].fields == {"name": "n"}
    assert contract.resource_templates["a:{b}"].fields == {"name": "n"}
    assert reading.problems == ()


def test_malformed_prompts_and_resources_are_reported() -> None:
    reading = read(
        prompts=[
            {"arguments": []},
            {"name": "a", "arguments": {}},
            {"name": "b", "arguments": [{}]},
            {"name": "c", "arguments": [{"name": "x", "required": "yes"}]},
            {"name": "good"},
        ],
        resources=[{"uri": 5}, {"uri": "x:y", "name": "1"}, {"uri": "x:y", "name": "2"}, None],
    )
    assert list(reading.contracts[0].prompts) == ["good"]
    assert reading.contracts[0].resources == {}
    assert [problem.message for problem in reading.problems] == [
        "prompt 1 of 5 is refused: it has no name",
        "resource 1 of 4 is refused: its uri is a number, not a text",
        "resource 4 of 4 is refused: it is null, not a JSON object",
        "resource x:y is refused: it is listed twice, each time otherwise",
        "prompt a is refused: its arguments are a JSON object, not a list",
        "prompt b is refused: one of its arguments has no name",
        "prompt c is refused: the argument x has a text for required, not true or false",
    ]
    assert {problem.next for problem in reading.problems} == {"correct it in the server; the rest is read"}


def test_a_section_that_failed_is_a_problem_and_unread() -> None:
    listing = Listing(unlisted={"resource_templates": "answers resources/templates/list with error -1: x"})
    reading = contract_of(listing, name="s")
    assert reading.unread == {"s": frozenset({"resource_templates"})}
    (problem,) = reading.problems
    assert problem.message == (
        "its resource templates could not be listed: answers resources/templates/list with error -1: x"
    )
    assert (problem.stage, problem.next) == ("list", "their old entries stay in the lock; run it again")


def test_what_could_not_be_read_keeps_its_old_entries() -> None:
    old = contract_of(
        Listing(tools=(tool("a"), tool("b"), tool("gone")), prompts=({"name": "p"},), resources=({"uri": "r:1"},)),
        name="s",
    ).contracts[0]
    reading = contract_of(Listing(tools=(tool("a", title=1), tool("c")), unlisted={"prompts": "down"}), name="s")
    kept = keep_unread(reading.contracts[0], old, reading)
    assert list(kept.tools) == ["a", "c"]
    assert kept.tools["a"] == old.tools["a"]
    assert kept.prompts == old.prompts
    assert kept.resources == {}
    assert keep_unread(reading.contracts[0], None, reading) == reading.contracts[0]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "uri", "inputSchema", "title", "arguments", "type", "x"]), inner, max_size=4
        )
    ),
    max_leaves=15,
)


@given(st.lists(ANYTHING, max_size=5), st.lists(ANYTHING, max_size=5), st.lists(ANYTHING, max_size=5))
def test_whatever_is_listed_is_kept_or_reported(tools: list[Any], prompts: list[Any], resources: list[Any]) -> None:
    reading = read(tools=tools, prompts=prompts, resources=resources)
    (contract,) = reading.contracts
    refused = sum("tool " in problem.message for problem in reading.problems)
    names = [one["name"] for one in tools if isinstance(one, dict) and isinstance(one.get("name"), str) and one["name"]]
    nameless = len(tools) - len(names)
    assert len(contract.tools) + refused == len(set(names)) + nameless
    assert set(contract.tools) | reading.refused.get("s", frozenset()) == set(names)
