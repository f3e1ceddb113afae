"""Volatile rules: what they replace, and what they leave alone."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.base import Listing, VolatileRule
from fusion_contracts.sources.contract import contract_of

TOOL = {
    "name": "now at host-7",
    "description": "Runs on host-7, says host-7",
    "inputSchema": {
        "properties": {"filter[id]": {"description": "on host-7", "default": "host-7", "enum": ["host-7"]}}
    },
}


def scrubbed(*rules: VolatileRule, server: str = "s", instructions: str | None = None) -> Any:
    reading = contract_of(Listing(tools=(TOOL,), instructions=instructions), name=server, volatile=rules)
    contract = reading.contracts[0]
    return contract.tools["now at host-7"], contract.instructions


def rule(pointer: str, *, server: str = "*", tool: str = "*") -> VolatileRule:
    return VolatileRule(server, tool, pointer, r"host-\d+", "differs by machine")


def test_an_exact_pointer_replaces_there_alone() -> None:
    tool, _ = scrubbed(rule("/inputSchema/properties/filter[id]/default"))
    assert tool.input_schema["properties"]["filter[id]"] == {
        "description": "on host-7", "default": "{volatile}", "enum": ["host-7"],
    }  # fmt: skip
    assert tool.description == "Runs on host-7, says host-7"


def test_a_pattern_of_pointers_replaces_prose_alone_and_never_the_name() -> None:
    tool, instructions = scrubbed(rule("*"), instructions="from host-7")
    assert tool.name == "now at host-7"
    assert tool.description == "Runs on {volatile}, says {volatile}"
    assert tool.input_schema["properties"]["filter[id]"] == {
        "description": "on {volatile}", "default": "host-7", "enum": ["host-7"],
    }  # fmt: skip
    assert instructions == "from {volatile}"
    assert scrubbed(rule("/name"))[0].name == "now at host-7"


def test_server_and_tool_are_globs() -> None:
    assert (
        scrubbed(rule("/description", server="s*", tool="now*"))[0].description == "Runs on {volatile}, says {volatile}"
    )
    for other in (rule("/description", server="t"), rule("/description", tool="later*")):
        assert scrubbed(other)[0].description == TOOL["description"]
    assert scrubbed(rule("/instructions", tool=""), instructions="host-1")[1] == "{volatile}"


def test_texts_of_prompts_and_resources() -> None:
    listing = Listing(
        prompts=({"name": "p", "description": "host-1", "arguments": [{"name": "x", "description": "host-2"}]},),
        resources=({"uri": "a:host-3", "description": "host-3"},),
    )
    contract = contract_of(listing, name="s", volatile=(rule("*", tool=""),)).contracts[0]
    assert contract.prompts["p"].description == "{volatile}"
    assert contract.prompts["p"].arguments[0].description == "{volatile}"
    assert contract.resources["a:host-3"].fields == {"description": "{volatile}"}


def test_a_pattern_that_is_none() -> None:
    with pytest.raises(FusionError) as caught:
        scrubbed(VolatileRule("*", "*", "*", "(", "broken"))
    assert str(caught.value) == (
        "the volatile pattern '(' is not a regular expression: missing ), unterminated subpattern at position 0; "
        "correct its entry below volatile in the settings"
    )


@pytest.mark.parametrize(("pattern", "text"), [(".*", "{volatile}"), (".+", "{volatile}"), ("x*", "Runs on host-7")])
def test_an_empty_match_is_no_match(pattern: str, text: str) -> None:
    listing = Listing(tools=({**TOOL, "description": "Runs on host-7"},))
    contract = contract_of(listing, name="s", volatile=(VolatileRule("*", "*", "*", pattern, "x"),)).contracts[0]
    assert contract.tools["now at host-7"].description == text
