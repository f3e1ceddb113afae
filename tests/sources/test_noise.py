"""The table of noise, row by row, and that nothing else is touched."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.sources.noise import (
    capabilities_without_noise,
    entry_without_noise,
    info_without_noise,
    tool_without_noise,
)

CLEAN = {
    "name": "get_weather",
    "title": "Weather for a city",
    "description": "Tells the weather",
    "inputSchema": {
        "type": "object",
        "title": "A request",
        "properties": {"title": {"type": "string"}, "max_length": {"type": "integer", "title": "Longest answer"}},
        "$defs": {"City": {"type": "string", "title": "A city"}},
    },
    "outputSchema": {"type": "object", "title": "Weather"},
    "annotations": {"title": "Get Weather", "readOnlyHint": True, "x": None},
    "execution": {"taskSupport": "optional"},
    "_meta": {"ui": {"fastmcp": 1}},
    "icons": [{"src": "a", "mimeType": "image/png"}],
    "x-vendor": None,
    "meta": {"kept": True},
}


def test_a_tool_without_noise_stays_as_it_is() -> None:
    assert tool_without_noise(CLEAN) == CLEAN


@pytest.mark.parametrize(
    "noise",
    [
        {"_meta": {"ui": {"fastmcp": 1}, "fastmcp": {"tags": []}, "_fastmcp": {"tags": []}}},
        {"annotations": {"title": "Get Weather", "read_only_hint": True, "destructiveHint": None, "x": None}},
        {"execution": {"task_support": "optional"}},
        {"icons": [{"src": "a", "mime_type": "image/png"}]},
    ],
)
def test_noise_in_a_tool_is_removed(noise: dict[str, Any]) -> None:
    assert tool_without_noise({**CLEAN, **noise}) == CLEAN


@pytest.mark.parametrize(
    "noise",
    [
        {"title": "Get Weather"},
        {"title": "get_weather"},
        {
            "title": None,
            "description": None,
            "outputSchema": None,
            "annotations": None,
            "execution": None,
            "_meta": None,
        },
        {"icons": None, "annotations": [], "execution": [], "_meta": []},
        {"execution": {}},
        {"execution": {"taskSupport": "forbidden"}},
        {"execution": {"task_support": "forbidden"}},
        {"_meta": {"fastmcp": {}}},
        {"_meta": {}},
    ],
)
def test_a_tool_of_noise_alone_is_bare(noise: dict[str, Any]) -> None:
    bare = {"name": "get_weather", "inputSchema": {"type": "object"}}
    assert tool_without_noise({**bare, **noise}) == bare


def test_a_dump_by_field_name_is_spelled_as_on_the_wire() -> None:
    dumped = {
        "name": "a",
        "input_schema": {"type": "object"},
        "output_schema": None,
        "annotations": {
            "read_only_hint": True,
            "destructive_hint": None,
            "open_world_hint": False,
            "idempotent_hint": None,
        },
        "meta": {"k": 1},
    }
    assert tool_without_noise(dumped) == {
        "name": "a",
        "inputSchema": {"type": "object"},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
        "_meta": {"k": 1},
    }


def test_both_spellings_are_kept_apart() -> None:
    both = {"name": "a", "inputSchema": {"type": "object"}, "input_schema": {"type": "string"}}
    assert tool_without_noise(both) == both


@pytest.mark.parametrize(
    ("name", "title", "is_noise"),
    [
        ("max_length", "Max Length", True),
        ("pageIdx", "Pageidx", True),
        ("url", "Url", True),
        ("_private", "Private", True),
        ("api-key", "Api-Key", True),
        ("api-key", "Api Key", True),
        ("city", "city", True),
        ("max_length", "Max length", False),
        ("url", "URL", False),
        ("a", "B", False),
        ("a", 5, False),
    ],
)
def test_a_title_generated_from_a_property(name: str, title: Any, is_noise: bool) -> None:
    schema = {"type": "object", "properties": {name: {"type": "string", "title": title}}}
    found = tool_without_noise({"name": "t", "inputSchema": schema})["inputSchema"]
    assert ("title" not in found["properties"][name]) is is_noise


@pytest.mark.parametrize(
    ("tool", "title", "is_noise"),
    [
        ("fetch", "Fetch", True),
        ("fetch", "fetchArguments", True),
        ("get-issue", "get_issueArguments", True),
        ("fetch", "fetchOutput", True),
        ("fetch", "fetchDictOutput", True),
        ("fetch", "_WrappedResult", True),
        ("fetch", "FetchRequest", False),
        ("fetch", "Arguments", False),
    ],
)
def test_a_root_title_made_of_the_tools_name(tool: str, title: str, is_noise: bool) -> None:
    for key in ("inputSchema", "outputSchema"):
        raw = {"name": tool, "inputSchema": {}, key: {"title": title, "type": "object"}}
        assert ("title" not in tool_without_noise(raw)[key]) is is_noise


def test_titles_are_found_wherever_a_schema_may_stand() -> None:
    titled = {"properties": {"b_c": {"title": "B C"}}}
    clean: dict[str, Any] = {"properties": {"b_c": {}}}
    for place in ("additionalProperties", "items", "not", "if", "then", "else", "contains", "propertyNames"):
        assert tool_without_noise({"name": "t", "inputSchema": {place: titled}})["inputSchema"] == {place: clean}
    for place in ("anyOf", "oneOf", "allOf", "prefixItems", "items"):
        assert tool_without_noise({"name": "t", "inputSchema": {place: [titled, True]}})["inputSchema"] == {
            place: [clean, True]
        }
    for place in ("$defs", "definitions", "patternProperties", "dependentSchemas"):
        raw = {place: {"K": {**titled, "title": "K"}}}
        kept = {**clean, **({} if place in ("$defs", "definitions") else {"title": "K"})}
        assert tool_without_noise({"name": "t", "inputSchema": raw})["inputSchema"] == {place: {"K": kept}}


def test_a_title_that_is_data_is_left_alone() -> None:
    schema = {
        "properties": {
            "title": {"default": {"title": "Title"}, "enum": [{"title": "Title"}], "examples": [{"title": "A"}]}
        },
        "const": {"properties": {"a": {"title": "A"}}},
    }
    assert tool_without_noise({"name": "t", "inputSchema": schema})["inputSchema"] == schema


def test_entries_info_and_capabilities() -> None:
    assert entry_without_noise(
        {"name": "a_b", "title": "A B", "uri": "x:y", "mime_type": "t", "description": None, "_meta": {"fastmcp": {}}}
    ) == {"name": "a_b", "uri": "x:y", "mimeType": "t"}
    assert info_without_noise({"name": "a", "version": "1", "title": None, "website_url": "u", "icons": None}) == {
        "name": "a", "version": "1", "websiteUrl": "u",
    }  # fmt: skip
    assert capabilities_without_noise(
        {
            "tools": {"list_changed": None},
            "prompts": None,
            "logging": {},
            "resources": {"subscribe": None, "listChanged": True},
        }
    ) == {"tools": {}, "logging": {}, "resources": {"listChanged": True}}


KEYS = ["title", "properties", "$defs", "items", "anyOf", "a_b", "A B", "type", "not", "default"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from([*CLEAN, "input_schema", "outputSchema"]), JSON, max_size=6))
def test_whatever_a_server_sends_noise_is_removed_once_and_nothing_is_changed_in_place(raw: dict[str, Any]) -> None:
    before = copy.deepcopy(raw)
    once = tool_without_noise(raw)
    assert raw == before
    assert tool_without_noise(once) == once
    assert entry_without_noise(entry_without_noise(raw)) == entry_without_noise(raw)
