"""What providers refuse of a contract: every limit is exceeded once, and what is within all of them is not told of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.model import ServerContract, Tool
from fusion_contracts.report.lint import lint, render, to_dict
from fusion_contracts.report.lint_limits import LIMITS
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.catalog import CatalogSource

FINE = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "note": {"type": ["string", "null"]}},
    "required": ["query", "note"],
    "additionalProperties": False,
}


def contract(*tools: Tool, name: str = "shop") -> ServerContract:
    return ServerContract(name, tools={tool.name: tool for tool in tools})


def breaches(*tools: Tool) -> list[tuple[str, str | None, str]]:
    return [(one.limit.id, one.tool, one.pointer) for one in lint(contract(*tools))]


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    return schema


def wide(count: int) -> dict[str, Any]:
    names = [f"p{number}" for number in range(count)]
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}


def listed(count: int) -> dict[str, Any]:
    return {**FINE, "properties": {"query": {"enum": list(range(count))}, "note": {}}}


def within(tool: dict[str, Any]) -> dict[str, Any]:
    return {**FINE, "properties": {**FINE["properties"], "query": tool}}  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("tool", "found"),
    [
        (Tool("find", FINE, description="a" * 1024), []),
        (Tool("find", FINE, description="a" * 1025), [("openai-description", "/description")]),
        (Tool("a" * 64, FINE), []),
        (Tool("a" * 65, FINE), [("openai-name", "/name"), ("gemini-name", "/name")]),
        (Tool("a.b", FINE), [("openai-name", "/name"), ("anthropic-name", "/name")]),
        (Tool("1a", FINE), [("gemini-name", "/name")]),
        (
            Tool("a b", FINE),
            [("mcp-name", "/name"), ("openai-name", "/name"), ("anthropic-name", "/name"), ("gemini-name", "/name")],
        ),
        (Tool("find", {}), [("mcp-input-object", "/inputSchema")]),
        (Tool("find", {**FINE, "type": ["object", "null"]}), [("mcp-input-object", "/inputSchema")]),
        (
            Tool("find", {**FINE, "anyOf": [{}]}),
            [("openai-strict-root", "/inputSchema/anyOf"), ("anthropic-root", "/inputSchema/anyOf")],
        ),
        (
            Tool("find", {"type": "object"}),
            [("openai-strict-closed", "/inputSchema")],
        ),
        (
            Tool("find", within({"type": "array", "items": {"type": "object", "additionalProperties": {}}})),
            [("openai-strict-closed", "/inputSchema/properties/query/items")],
        ),
        (
            Tool("find", {**FINE, "required": ["note"]}),
            [("openai-strict-required", "/inputSchema/properties/query")],
        ),
        (
            Tool("find", within({"not": {}, "oneOf": [{"if": {}}]})),
            [
                ("openai-strict-keywords", "/inputSchema/properties/query/not"),
                ("openai-strict-keywords", "/inputSchema/properties/query/oneOf"),
                ("openai-strict-keywords", "/inputSchema/properties/query/oneOf/0/if"),
            ],
        ),
        (Tool("find", within({"anyOf": [{"type": "string"}, {"type": "null"}]})), []),
        (Tool("find", nested(10)), []),
        (Tool("find", nested(11)), [("openai-strict-size", f"/inputSchema{'/properties/a' * 10}")]),
        (Tool("find", wide(5000)), []),
        (Tool("find", wide(5001)), [("openai-strict-size", "/inputSchema")]),
        (Tool("find", listed(1000)), []),
        (Tool("find", listed(1001)), [("openai-strict-size", "/inputSchema")]),
        (
            Tool("find", {**FINE, "properties": {"filter[a/b]": {}, "x.y": {}}, "required": ["filter[a/b]", "x.y"]}),
            [("anthropic-keys", "/inputSchema/properties/filter[a~1b]")],
        ),
        (
            Tool("find", within({**FINE, "properties": {"x y": {}}, "required": ["x y"]})),
            [],
        ),  # further in: not looked at
    ],
)
def test_a_limit(tool: Tool, found: list[tuple[str, str]]) -> None:
    assert breaches(tool) == [(limit, tool.name, pointer) for limit, pointer in found]


@pytest.mark.parametrize(
    ("number", "found"), [(128, []), (129, ["openai-tools"]), (513, ["openai-tools", "gemini-tools"])]
)
def test_the_number_of_tools(number: int, found: list[str]) -> None:
    tools = [Tool(f"t{count}", FINE) for count in range(number)]
    assert breaches(*tools) == [(limit, None, "") for limit in found]


def test_every_limit_has_a_case() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [limit.id for limit in LIMITS if f'"{limit.id}"' not in source] == []


def test_a_line_for_each_tool_and_limit() -> None:
    loose = {"type": "object", "properties": {"a": {}, "b": {}, "c\x1b": {}}, "additionalProperties": False}
    text = render([contract(Tool("find", loose), Tool("a\x1bb", FINE)), contract(Tool("ping", FINE), name="net")])
    assert text == (
        "shop: 2 tools; refused by MCP (1), OpenAI (1), OpenAI strict (3), Anthropic (2) and Gemini (1)\n"
        "  MCP            a\\u{1b}b /name: a name is 1 to 128 of A-Z a-z 0-9 _ . -\n"
        "  OpenAI         a\\u{1b}b /name: a name is 1 to 64 of A-Z a-z 0-9 _ -\n"
        "  OpenAI strict  find /inputSchema/properties/a and 2 more: "
        "every property must be required; an optional one takes null\n"
        "  Anthropic      a\\u{1b}b /name: a name is 1 to 128 of A-Z a-z 0-9 _ -\n"
        "  Anthropic      find /inputSchema/properties/c\\u{1b}: a key at the root is 1 to 64 of A-Z a-z 0-9 _ . -\n"
        "  Gemini         a\\u{1b}b /name: a name is 1 to 64 of A-Z a-z 0-9 _ . : -, a letter or _ first\n"
        "\n"
        "net: 1 tool, within every limit that is known here\n"
    )
    many = render([contract(*(Tool(f"t{count}", FINE) for count in range(129)))])
    assert many == "shop: 129 tools; refused by OpenAI (1)\n  OpenAI         129 tools, and a request takes 128\n"


def test_for_programs_nothing_is_left_out() -> None:
    found = to_dict([contract(Tool("find", {**FINE, "required": []}))])
    assert found == {
        "schema_version": 1,
        "breaches": [
            {
                "server": "shop",
                "tool": "find",
                "pointer": f"/inputSchema/properties/{name}",
                "provider": "OpenAI strict",
                "limit": "openai-strict-required",
                "message": "every property must be required; an optional one takes null",
                "source": "OpenAI, guide to structured outputs, supported schemas: all fields are required",
            }
            for name in ("query", "note")
        ],
    }


def test_the_page_names_every_limit(root: Path) -> None:
    page = (root / "docs" / "sources.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| ([A-Za-z ]+) \|", page, re.MULTILINE)
    assert rows == [(limit.id, limit.provider) for limit in LIMITS]


HOSTILE = [
    {"properties": None, "required": "x", "type": 5},
    {"$ref": "#"},
    {"properties": {"a": True, "b": {"$ref": "#/nowhere"}}, "required": [1, None]},
    {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "object"}]},
    {"$schema": "urn:unknown", "allOf": {}, "enum": 3},
]


@pytest.mark.parametrize("schema", HOSTILE)
def test_schemas_that_make_no_sense_are_read_all_the_same(schema: dict[str, Any]) -> None:
    assert render([contract(Tool("find", schema))])


def test_real_catalogs_are_read(shared: Path) -> None:
    files = sorted((shared / "catalogs").glob("*/*.json"))[::7]
    assert files
    for file in files:
        reading = CatalogSource(file).read(Options())
        assert render(reading.contracts).startswith(reading.contracts[0].name)
