"""Tools as providers' requests hold them: told apart by shape, and the same contract from each."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract, Tool
from fusion_contracts.sources.base import Options, Reading
from fusion_contracts.sources.catalog import CatalogSource, read_catalog

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "description": "Where"}, "days": {"type": "integer", "minimum": 1}},
    "required": ["city"],
}
ABOUT = {"name": "forecast", "description": "The weather to come."}
CAPITALS = {
    "type": "OBJECT",
    "properties": {"city": {"type": "STRING", "description": "Where"}, "days": {"type": "INTEGER", "minimum": 1}},
    "required": ["city"],
    "propertyOrdering": ["city", "days"],
}
EVERY_FORM = {
    "mcp": [{**ABOUT, "inputSchema": SCHEMA}],
    "openai chat": [{"type": "function", "function": {**ABOUT, "parameters": SCHEMA}}],
    "openai chat, not strict": [{"type": "function", "function": {**ABOUT, "parameters": SCHEMA, "strict": False}}],
    "openai functions": {"model": "m", "functions": [{**ABOUT, "parameters": SCHEMA}]},
    "openai responses": [{"type": "function", **ABOUT, "parameters": SCHEMA, "strict": None}],
    "openai responses, one": {"type": "function", **ABOUT, "parameters": SCHEMA},
    "a request of openai": {"model": "m", "input": "x", "tools": [{"type": "function", **ABOUT, "parameters": SCHEMA}]},
    "anthropic": [{**ABOUT, "input_schema": SCHEMA}],
    "anthropic, cached": [{**ABOUT, "input_schema": SCHEMA, "type": "custom", "cache_control": {"type": "ephemeral"}}],
    "gemini": {"tools": [{"functionDeclarations": [{**ABOUT, "parameters": CAPITALS}]}]},
    "gemini, json schema": [{"functionDeclarations": [{**ABOUT, "parametersJsonSchema": SCHEMA}]}],
    "gemini, snake case": [{"function_declarations": [{**ABOUT, "parameters_json_schema": SCHEMA}]}],
    "gemini, one group": {"functionDeclarations": [{**ABOUT, "parameters": CAPITALS}]},
    "gemini, bare": [{**ABOUT, "parameters": CAPITALS}],
}


def read(value: Any, options: Options, name: str = "weather.json") -> Reading:
    (options.root / name).write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return CatalogSource(Path(name)).read(options)


def contract(value: Any, options: Options, name: str = "weather.json") -> ServerContract:
    reading = read(value, options, name)
    assert (reading.problems, reading.notes) == ((), ())
    (one,) = reading.contracts
    return one


@pytest.mark.parametrize("form", EVERY_FORM)
def test_every_form_gives_the_same_contract(options: Options, form: str) -> None:
    assert dict(contract(EVERY_FORM[form], options).tools) == {
        "forecast": Tool("forecast", SCHEMA, description="The weather to come.")
    }


NAMES = st.text(min_size=1, max_size=8)
ARGUMENT = st.sampled_from([{"type": "string"}, {"type": ["integer", "null"]}, {"enum": ["a", 1, None]}, True, {}])
SCHEMAS = st.dictionaries(NAMES, ARGUMENT, max_size=3).map(
    lambda properties: {"type": "object", "properties": properties, "additionalProperties": False}
)


@settings(deadline=None)  # the first example loads the formats
@given(st.dictionaries(NAMES, st.tuples(st.text(max_size=8), SCHEMAS), min_size=1, max_size=4))
def test_any_tools_are_the_same_in_every_form_of_json_schema(described: dict[str, tuple[str, Any]]) -> None:
    tools = [{"name": name, "description": told, "schema": schema} for name, (told, schema) in described.items()]

    def listed(form: Callable[[dict[str, Any], Any], Any]) -> Any:
        entries = [form({"name": one["name"], "description": one["description"]}, one["schema"]) for one in tools]
        (contract,) = read_catalog(entries, origin="it", path="it.json", options=Options()).contracts
        return contract.tools

    plain = listed(lambda about, schema: {**about, "inputSchema": schema})
    assert plain == listed(lambda about, schema: {"type": "function", "function": {**about, "parameters": schema}})
    assert plain == listed(lambda about, schema: {"type": "function", **about, "parameters": schema})
    assert plain == listed(lambda about, schema: {**about, "input_schema": schema})
    assert plain == listed(lambda about, schema: {"functionDeclarations": [{**about, "parametersJsonSchema": schema}]})


def test_what_says_more_than_mcp_does_is_kept(options: Options) -> None:
    strict = {"type": "function", "function": {**ABOUT, "parameters": SCHEMA, "strict": True}}
    assert contract([strict], options).tools["forecast"].extra == {"strict": True}
    deferred = {**ABOUT, "input_schema": SCHEMA, "strict": True, "defer_loading": True}
    assert contract([deferred], options).tools["forecast"].extra == {"strict": True, "defer_loading": True}
    answer = {"type": "object", "properties": {"degrees": {"type": "number"}}}
    responses = {"type": "function", **ABOUT, "parameters": SCHEMA, "output_schema": answer}
    assert contract([responses], options).tools["forecast"].output_schema == answer
    gemini = {
        **ABOUT,
        "parameters": CAPITALS,
        "response": {"type": "OBJECT", "properties": {"degrees": {"type": "NUMBER"}}},
    }
    assert contract([gemini], options).tools["forecast"].output_schema == answer


def test_no_parameters_are_no_arguments(options: Options) -> None:
    empty = {"type": "object", "properties": {}}
    for entry in (
        {"type": "function", "function": {"name": "ping"}},
        {"type": "function", "name": "ping", "parameters": None},
        {"functionDeclarations": [{"name": "ping"}]},
    ):
        assert contract([entry], options).tools["ping"].input_schema == empty


def test_what_the_subset_of_openapi_says(options: Options) -> None:
    schema = {
        "type": "OBJECT",
        "properties": {
            "type": {"type": "STRING", "nullable": True},
            "all": {"type": "ARRAY", "minItems": "1", "items": {"anyOf": [{"type": "NUMBER"}, {"type": "BOOLEAN"}]}},
        },
    }
    assert contract([{"name": "a", "parameters": schema}], options).tools["a"].input_schema == {
        "type": "object",
        "properties": {
            "type": {"type": ["string", "null"]},
            "all": {"type": "array", "minItems": 1, "items": {"anyOf": [{"type": "number"}, {"type": "boolean"}]}},
        },
    }


def test_tools_that_the_provider_defines_are_noted(options: Options) -> None:
    chat = {"type": "function", "name": "a", "parameters": SCHEMA}
    for hosted, name in (
        ({"type": "web_search"}, "web_search"),
        ({"type": "web_search_20250305", "name": "web"}, "web"),
        ({"googleSearch": {}}, "googleSearch"),
    ):
        reading = read([chat, hosted], options)
        assert list(reading.contracts[0].tools) == ["a"]
        assert reading.notes == (f"weather: not part of the contract, since the provider defines them: {name}",)


def test_a_mixed_list_is_refused_by_name(options: Options) -> None:
    mixed = [{**ABOUT, "input_schema": SCHEMA}, {"type": "function", "name": "b\x1b", "parameters": SCHEMA}]
    with pytest.raises(FusionError) as caught:
        read(mixed, options)
    assert str(caught.value) == (
        "weather.json mixes forms of tools: forecast is an Anthropic tool, b\\u{1b} an OpenAI responses tool; "
        "keep one form in a file"
    )


def test_a_tool_without_a_name_is_refused_as_anywhere(options: Options) -> None:
    reading = read(
        [{"type": "function", "function": {"parameters": {}}}, {"type": "function", "function": ABOUT}], options
    )
    assert [problem.message for problem in reading.problems] == ["tool 1 of 2 is refused: it has no name"]
    assert list(reading.contracts[0].tools) == ["forecast"]
