"""What a contract holds, for people."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.model import (
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)
from fusion_contracts.report.listing import render, signature


def of(**properties: Any) -> dict[str, Any]:
    """An input schema with these properties, none required."""
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "shown"),
    [
        ({}, "t()"),
        (of(), "t()"),
        ({**of(pageIdx={"type": "number"}), "required": ["pageIdx"]}, "t(pageIdx: number)"),
        ({**of(a={"type": "string"}, b={"type": "integer"}), "required": ["b"]}, "t(b: integer, a?: string)"),
        (of(a={"enum": ["x", 1, None]}), "t(a?: 'x'|1|null)"),
        (of(a={"enum": list("abcdef")}), "t(a?: 'a'|'b'|'c'|'d'|...)"),
        (of(a={"const": True}), "t(a?: true)"),
        (of(a={"type": ["string", "null"]}), "t(a?: string|null)"),
        (of(a={"anyOf": [{"type": "string"}, {"type": "null"}]}), "t(a?: string|null)"),
        (of(a={"type": "array", "items": {"type": "string"}}), "t(a?: string[])"),
        (of(a={"type": "array", "items": {"type": ["string", "null"]}}), "t(a?: (string|null)[])"),
        (of(a={"type": "array"}), "t(a?: any[])"),
        (of(a={"type": "array", "prefixItems": [{}], "items": {"type": "string"}}), "t(a?: any[])"),
        (of(a=True), "t(a?: any)"),
        ({**of(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"type": "boolean"}}}, "t(a?: boolean)"),
        (of(a={"$ref": "#/$defs/none"}), "t(a?: any)"),
        (of(a={"$ref": "https://example.com/a.json"}), "t(a?: any)"),
        ({**of(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"$ref": "#/$defs/A"}}}, "t(a?: any)"),
        ({"anyOf": [of(a={})]}, "t(...)"),
        ({**of(a={"type": "string"}), "required": ["a", "ghost", 3]}, "t(a: string)"),
        ({"properties": 5, "required": 5}, "t()"),
        (of(**{"a\x1b[31m": {"type": "string"}}), "t(a\\u{1b}[31m?: string)"),
    ],
)
def test_signatures(schema: dict[str, Any], shown: str) -> None:
    assert signature("t", schema) == shown


def test_a_whole_server() -> None:
    contract = ServerContract(
        name="all",
        protocol_version="2025-11-25",
        info={"version": "1.2"},
        tools={"t": Tool("t", of(a={"type": "string"}), description="  Does it.\nAnd more.")},
        prompts={"p": Prompt("p", arguments=(PromptArgument("x", required=True), PromptArgument("y")))},
        resources={"a://b": Resource("a://b", {"description": "A thing."})},
        resource_templates={"a://{c}": ResourceTemplate("a://{c}")},
        source=SourceRecord(kind="stdio", command=("npx", "all")),
    )
    assert render([contract], width=80) == (
        "all 1.2: 1 tool, 1 prompt, 1 resource and 1 resource template\n"
        "  protocol 2025-11-25\n"
        "  source   npx all\n"
        "  cost     27 tokens to the model (estimate)\n"
        "  t(a?: string)                                                        27 tokens\n"
        "      Does it.\n"
        "  prompt p(x, y?)\n"
        "  resource a://b\n"
        "      A thing.\n"
        "  resource template a://{c}\n"
    )


def test_a_long_signature_is_wrapped_and_on_a_terminal_a_long_description_cut() -> None:
    properties = {f"argument_{number}": {"type": "string"} for number in range(9)}
    contract = ServerContract(name="x", tools={"t": Tool("t", of(**properties), description="word " * 30)})
    lines = render([contract], width=60, wraps=True).splitlines()
    assert all(len(line) <= 60 for line in lines)
    assert lines[2] == "  t(argument_0?: string, argument_1?: string,     113 tokens"
    assert lines[3].startswith("    argument_2?: string")
    assert lines[-1].endswith("…")
    whole = render([contract], width=60).splitlines()
    assert whole == [*lines[:-1], f"      {('word ' * 30).strip()}"]


def test_a_command_is_shown_as_a_shell_takes_it() -> None:
    record = SourceRecord(kind="stdio", command=("python3", "my server.py", "--header", "Authorization: Bearer abc"))
    text = render([ServerContract(name="x", source=record)], width=80)
    assert "  source   python3 'my server.py' --header 'Authorization: (hidden)'\n" in text


def test_nothing() -> None:
    assert render([], width=80) == "no servers\n"
