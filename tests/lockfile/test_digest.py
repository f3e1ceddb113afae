"""Three digests an entry: each field moves exactly one of them, and nothing else moves any."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fusion_contracts.canonical import equal
from fusion_contracts.lockfile.digest import (
    KINDS,
    Digests,
    all_digests,
    digests,
    prompt_digests,
    resource_digests,
    server_digests,
)
from fusion_contracts.lockfile.verify import surface_changes
from fusion_contracts.model import (
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)

SCHEMA: dict[str, Any] = {
    "type": "object",
    "title": "Args",
    "properties": {
        "description": {"type": "string", "description": "about", "default": "x", "format": "date"},
        "title": {"items": [{"title": "t"}, {"type": "null"}], "additionalItems": {"description": "d"}},
    },
    "$defs": {"examples": {"enum": [{"title": 1}], "examples": [1]}},
    "required": ["title"],
}
TOOL = Tool("t", SCHEMA, "Title", "Text", {"type": "object"}, {"readOnlyHint": True})


def moved(before: Digests, after: Digests) -> set[str]:
    return {kind for kind in KINDS if getattr(before, kind) != getattr(after, kind)}


def sha256(text: bytes) -> str:
    return f"sha256:{hashlib.sha256(text).hexdigest()}"


def test_a_digest_is_sha_256_over_canonical_json() -> None:
    tool = Tool("t", {"type": "object", "title": "T", "maximum": 1.0}, description="\u20ac", meta={"b": 1, "a": None})
    assert digests(tool) == Digests(
        interface=sha256(b'{"input":{"maximum":1.0,"type":"object"},"name":"t"}'),
        prose=sha256(b'{"/input/title":"T","description":"\xe2\x82\xac"}'),
        hints=sha256(b'{"meta":{"a":null,"b":1}}'),
    )


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"name": "u"}, "interface"),
        ({"title": "Other"}, "prose"),
        ({"title": None}, "prose"),
        ({"description": ""}, "prose"),
        ({"description": None}, "prose"),
        ({"input_schema": {}}, "interface+prose"),
        ({"output_schema": None}, "interface"),
        ({"output_schema": {}}, "interface"),
        ({"output_schema": {"type": "object", "description": "d"}}, "prose"),
        ({"annotations": {"readOnlyHint": False}}, "hints"),
        ({"annotations": {"readOnlyHint": True, "title": "T"}}, "hints"),
        ({"execution": {"taskSupport": "optional"}}, "hints"),
        ({"meta": {"a": 1}}, "hints"),
        ({"meta": {"a": None}}, "hints"),
        ({"extra": {"icons": []}}, "hints"),
    ],
)
def test_each_field_of_a_tool_moves_one_digest(change: dict[str, Any], kind: str) -> None:
    assert moved(digests(TOOL), digests(replace(TOOL, **change))) == set(kind.split("+"))


def with_change(path: str, value: Any) -> Tool:
    def put(node: Any, tokens: list[str]) -> Any:
        if not tokens:
            return value
        first, rest = tokens[0], tokens[1:]
        if isinstance(node, list):
            return [put(item, rest) if str(at) == first else item for at, item in enumerate(node)]
        return {**node, first: put(node.get(first), rest)}

    return replace(TOOL, input_schema=put(SCHEMA, path.split("/")))


@pytest.mark.parametrize(
    ("path", "value", "kind"),
    [
        ("title", "Other", "prose"),
        ("type", "array", "interface"),
        ("required", [], "interface"),
        ("properties/description/description", "other", "prose"),
        ("properties/description/type", "null", "interface"),
        ("properties/description/default", "y", "interface"),
        ("properties/description/format", "time", "interface"),
        ("properties/description/examples", ["y"], "prose"),
        ("properties/description/$comment", "y", "prose"),
        ("properties/description/deprecated", True, "prose"),
        ("properties/description/readOnly", True, "prose"),
        ("properties/description/writeOnly", True, "prose"),
        ("properties/description/x-vendor", {"title": 1}, "interface"),
        ("properties/examples", {}, "interface"),
        ("properties/title/items/0/title", "other", "prose"),
        ("properties/title/items/1/type", "string", "interface"),
        ("properties/title/additionalItems/description", "other", "prose"),
        ("$defs/examples/enum", [{"title": 2}], "interface"),
        ("$defs/examples/examples", [2], "prose"),
        ("anyOf", [{"description": "d"}], "interface+prose"),
        ("dependencies", {"a": ["title"]}, "interface"),
        ("dependencies", {"a": {"title": "t"}}, "interface+prose"),
        ("const", {"description": 1}, "interface"),
        ("description", {"not": "text"}, "prose"),
    ],
)
def test_in_a_schema_only_keywords_are_prose(path: str, value: Any, kind: str) -> None:
    assert moved(digests(TOOL), digests(with_change(path, value))) == set(kind.split("+"))


@pytest.mark.parametrize(
    "keyword",
    ["items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties",
     "propertyNames", "not", "if", "then", "else", "contentSchema", "allOf/0", "anyOf/0", "oneOf/0", "prefixItems/0",
     "items/0", "properties/x", "patternProperties/x", "$defs/x", "definitions/x", "dependentSchemas/x",
     "dependencies/x"],
)  # fmt: skip
def test_a_text_inside_any_subschema_is_prose(keyword: str) -> None:
    def tool(text: str) -> Tool:
        word, _, inner = keyword.partition("/")
        schema: Any = {"description": text}
        return Tool("t", {word: [schema] if inner == "0" else {inner: schema} if inner else schema})

    assert moved(digests(tool("a")), digests(tool("b"))) == {"prose"}


def test_two_texts_swapped_between_properties_are_noticed() -> None:
    def tool(a: str, b: str) -> Tool:
        return Tool("t", {"properties": {"a/b": {"description": a}, "a": {"b": 1, "description": b}}})

    assert moved(digests(tool("x", "y")), digests(tool("y", "x"))) == {"prose"}


@pytest.mark.parametrize("pair", [(1, 1.0), (1, True), (0.0, -0.0), (None, False), (2**64, 2**64 + 1), ("1", 1)])
def test_values_that_python_takes_for_equal_differ(pair: tuple[Any, Any]) -> None:
    first, second = (digests(Tool("t", {"minimum": value})) for value in pair)
    assert moved(first, second) == {"interface"}


ARGUMENT = PromptArgument("a", required=True, description="d", extra={"x": 1})
PROMPT = Prompt("p", "T", "D", (ARGUMENT,), {"m": 1}, {"e": 1})


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"name": "q"}, "interface"),
        ({"title": "U"}, "prose"),
        ({"description": None}, "prose"),
        ({"meta": {}}, "hints"),
        ({"extra": {}}, "hints"),
        ({"arguments": (replace(ARGUMENT, name="b"),)}, "interface"),
        ({"arguments": (replace(ARGUMENT, required=False),)}, "interface"),
        ({"arguments": (replace(ARGUMENT, description="e"),)}, "prose"),
        ({"arguments": (replace(ARGUMENT, extra={}),)}, "hints"),
        ({"arguments": ()}, "interface+prose+hints"),
    ],
)
def test_each_field_of_a_prompt_moves_one_digest(change: dict[str, Any], kind: str) -> None:
    assert moved(prompt_digests(PROMPT), prompt_digests(replace(PROMPT, **change))) == set(kind.split("+"))


@pytest.mark.parametrize(
    ("field", "kind"),
    [("name", "interface"), ("mimeType", "interface"), ("x", "interface"), ("title", "prose"), ("description", "prose"),
     ("annotations", "hints"), ("icons", "hints"), ("size", "hints"), ("_meta", "hints")],
)  # fmt: skip
def test_each_field_of_a_resource_moves_one_digest(field: str, kind: str) -> None:
    assert moved(resource_digests(Resource("u", {})), resource_digests(Resource("u", {field: 1}))) == {kind}
    one, two = ResourceTemplate("u", {field: 1}), ResourceTemplate("u", {field: 2})
    assert moved(resource_digests(one), resource_digests(two)) == {kind}
    assert moved(resource_digests(one), resource_digests(replace(one, uri_template="v"))) == {"interface"}


SERVER = ServerContract("s", "2025-11-25", {"name": "S"}, {"tools": {}}, "text", {"t": TOOL})


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"capabilities": {}}, {"interface"}),
        ({"instructions": None}, {"prose"}),
        ({"info": {"name": "R"}}, {"interface"}),
        ({"info": {"name": "S", "title": "T"}}, {"prose"}),
        ({"info": {"name": "S", "description": "T"}}, {"prose"}),
        ({"info": {"name": "S", "websiteUrl": "u"}}, {"hints"}),
        ({"info": {"name": "S", "version": "2"}}, set()),
        ({"protocol_version": None}, set()),
        ({"source": SourceRecord("stdio")}, set()),
        ({"tools": {}}, set()),
        ({"prompts": {"p": PROMPT}}, set()),
    ],
)
def test_the_server_has_digests_of_its_own_that_no_tool_moves(change: dict[str, Any], kind: set[str]) -> None:
    assert moved(server_digests(SERVER), server_digests(replace(SERVER, **change))) == kind


def test_every_entry_has_digests() -> None:
    server = replace(
        SERVER, prompts={"p": PROMPT}, resources={"u": Resource("u")}, resource_templates={"v": ResourceTemplate("v")}
    )
    assert list(all_digests(server)) == [
        ("server", ""), ("tool", "t"), ("prompt", "p"), ("resource", "u"), ("resource_template", "v"),
    ]  # fmt: skip


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_difference_of_two_schemas_moves_a_digest(arbitrary: SimpleNamespace, data: st.DataObject) -> None:
    old, new = data.draw(arbitrary.value), data.draw(arbitrary.value)
    before, after = digests(Tool("t", {"not": old})), digests(Tool("t", {"not": new}))
    assert (before == after) == equal(old, new)


def test_the_surface_is_the_same_when_only_versions_differ() -> None:
    newer = replace(SERVER, protocol_version="2026-07-28", info={"name": "S", "version": "9"}, source=None)
    assert surface_changes(SERVER, newer) == ()


def test_what_differs_in_the_surface_is_named() -> None:
    old = replace(SERVER, tools={"a": TOOL, "t": TOOL}, resources={"u:\x1b": Resource("u:\x1b")})
    new = replace(SERVER, tools={"t": replace(TOOL, title="U", meta={"a": 1}), "z": TOOL}, instructions="other")
    assert [str(change) for change in surface_changes(old, new)] == [
        "the server's own table (prose)",
        "tool a (removed)",
        "tool t (prose, hints)",
        r"resource u:\u{1b} (removed)",
        "tool z (added)",
    ]
