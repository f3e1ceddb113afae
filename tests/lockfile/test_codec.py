"""Contracts survive the lock without loss. First of all: null, CR, depth."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import tomli
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import decode, encode, encode_server
from fusion_contracts.model import (
    Lock,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)

Same = Callable[[Any, Any], bool]


def lock_of(schema: dict[str, Any], output: Any = None) -> Lock:
    return Lock({"s": ServerContract("s", tools={"t": Tool("t", schema, output_schema=output)})})


def schema_of(lock: Lock) -> dict[str, Any]:
    return lock.servers["s"].tools["t"].input_schema


def objects(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(levels - 1):
        value = {"not": value}
    return value


def arrays(levels: int) -> dict[str, Any]:
    value: Any = []
    for _ in range(levels - 2):
        value = [value]
    return {"enum": value}


def mixed(levels: int) -> dict[str, Any]:
    value: Any = {"$null": True}  # an object that needs the escape, and then escapes around it
    for level in range(levels - 2):
        value = [value] if level % 3 else {"$literal": value}
    return {"anyOf": value}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, 'default = { "$null" = true }\n'),
        ([None, "a"], 'default = [\n  { "$null" = true },\n  "a",\n]\n'),
        ({"$null": True}, 'default = { "$literal" = { "$null" = true } }\n'),
        ({"$null": None}, 'default = { "$literal" = { "$null" = { "$null" = true } } }\n'),
        ({"$literal": {}}, 'default = { "$literal" = { "$literal" = {} } }\n'),
        ({"$integer": "5"}, 'default = { "$literal" = { "$integer" = "5" } }\n'),
        (2**63 - 1, "default = 9223372036854775807\n"),
        (2**63, 'default = { "$integer" = "9223372036854775808" }\n'),
        (-(2**63) - 1, 'default = { "$integer" = "-9223372036854775809" }\n'),
        ("a\rb", 'default = "a\\rb"\n'),
        ("a\r\nb", 'default = "a\\r\\nb"\n'),
        ("a\nb", 'default = """\na\nb"""\n'),
        ("\na\n", 'default = """\n\na\n"""\n'),
        ('a\n"""b"', 'default = """\na\n\\"""b\\""""\n'),
        ("a\\\nb", 'default = """\na\\\\\nb"""\n'),
        ("a \nb\t\n\tc ", 'default = """\na\\u0020\nb\\t\n\tc """\n'),
        ("a\n=======\n", 'default = """\na\n\\u003D======\n"""\n'),
        ("a\n<<<<<<< b\n========\n", 'default = """\na\n\\u003C<<<<<< b\n========\n"""\n'),
        ("\x00\x1b\x7f\t", 'default = "\\u0000\\u001B\\u007F\\t"\n'),
        ("a\u202e\U000e0041", 'default = "a\\u202E\\U000E0041"\n'),
        (["a\nb", []], 'default = [\n  "a\\nb",\n  [],\n]\n'),
        ([[1, [2]], {"b": [], "a": {}}], "default = [\n  [1, [2]],\n  { a = {}, b = [] },\n]\n"),
        ([], "default = []\n"),
        (1, "default = 1\n"),
        (1.0, "default = 1.0\n"),
        (-0.0, "default = -0.0\n"),
        (1e300, "default = 1e+300\n"),
        (False, "default = false\n"),
    ],
)
def test_a_value_is_written_like_this_and_read_back(value: Any, written: str, same: Same) -> None:
    lock = lock_of({"default": value})
    text = encode(lock)
    assert f"\n[servers.s.tools.t.input]\n{written}" in text
    assert same(decode(text, origin="fusion.lock"), lock)


@pytest.mark.parametrize("build", [objects, arrays, mixed])
def test_sixty_four_levels_are_kept(build: Callable[[int], dict[str, Any]], same: Same) -> None:
    lock = lock_of(build(64), build(64))
    text = encode(lock)
    assert tomllib.loads(text) == tomli.loads(text)
    assert same(decode(text, origin="fusion.lock"), lock)


@pytest.mark.parametrize("build", [objects, arrays, mixed])
def test_one_level_more_is_refused_by_tool_and_pointer(build: Callable[[int], dict[str, Any]]) -> None:
    with pytest.raises(FusionError) as caught:
        encode(lock_of({}, build(65)))
    sentence = str(caught.value)
    assert sentence.startswith("s: tool t cannot be locked: /outputSchema/")
    assert sentence.endswith(" is nested deeper than 64 levels; leave it out of the lock")
    assert sentence.count("/") == 65


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("\ud800", "/inputSchema/x holds a lone surrogate"),
        (float("nan"), "/inputSchema/x is not a finite number"),
        (float("-inf"), "/inputSchema/x is not a finite number"),
        ([{"a/b~": "\udfff"}], "/inputSchema/x/0/a~1b~0 holds a lone surrogate"),
        ({"\ud800": 1}, "/inputSchema/x/\\u{d800} is a key that holds a lone surrogate"),
        ([10**4400], "/inputSchema/x/0 is an integer of more than 4,300 digits"),
    ],
)
def test_what_toml_cannot_hold_is_refused_by_tool_and_pointer(value: Any, reason: str) -> None:
    with pytest.raises(FusionError) as caught:
        encode(lock_of({"x": value}))
    assert str(caught.value) == f"s: tool t cannot be locked: {reason}; leave it out of the lock"


@pytest.mark.parametrize(
    "name", ["", "a.b", "x y", 'q"', "\n", "[x]", "ключ", "a/b~c", "$filter", "filter[id]", "$null", "#"]
)
def test_any_name_can_be_a_server_a_tool_and_a_property(name: str, same: Same) -> None:
    tool = Tool(name, {"properties": {name: {"type": "string"}, "A": {}, "a": True}}, description=name)
    lock = Lock({name: ServerContract(name, tools={name: tool})})
    assert same(decode(encode(lock), origin="fusion.lock"), lock)


@pytest.mark.parametrize(
    "output", [None, True, False, {}, {"type": "object"}, [], [1], "text", 0, 1.5, {"$null": True}]
)
def test_an_output_schema_may_be_anything_and_none_is_absent(output: Any, same: Same) -> None:
    lock = lock_of({}, output)
    text = encode(lock)
    assert ("output" in text) == (output is not None)
    assert same(decode(text, origin="fusion.lock"), lock)


@pytest.mark.parametrize(
    "schema", [{}, {"properties": {}}, {"$null": True}, {"$literal": {"a": None}}, {"a": {"b": {"c": {}}}}]
)
def test_an_input_schema_may_be_any_object(schema: dict[str, Any], same: Same) -> None:
    lock = lock_of(schema)
    assert same(decode(encode(lock), origin="fusion.lock"), lock)


def test_every_field_is_kept(same: Same) -> None:
    anything: dict[str, Any] = {"n": None, "list": [1, 1.0, True, "x"], "deep": {"er": {}}}
    argument = PromptArgument("a", required=True, description="", extra=anything)
    server = ServerContract(
        name="s",
        protocol_version="2025-11-25",
        info={"name": "S", "version": "1"} | anything,
        capabilities={"tools": {"listChanged": True}, "logging": {}},
        instructions="one\ntwo",
        tools={"t": Tool("t", {"type": "object"}, "", "", {}, anything, anything, anything, anything)},
        prompts={"p": Prompt("p", "T", "D", (argument, PromptArgument("a"), argument), anything, anything)},
        resources={"file:///x": Resource("file:///x", anything)},
        resource_templates={"x://{y}": ResourceTemplate("x://{y}", anything)},
        source=SourceRecord("stdio", ("npx", "-y"), "u", "p", {"A": "${A}"}, {"H": ""}, ("HOME",)),
    )
    assert same(decode(encode(Lock({"s": server})), origin="fusion.lock"), Lock({"s": server}))


def test_an_empty_lock_is_a_lock() -> None:
    assert decode(encode(Lock({})), origin="fusion.lock") == Lock({})


def test_the_order_of_keys_and_entries_does_not_change_a_byte() -> None:
    one = ServerContract("s", info={"a": 1, "b": {"c": 2, "d": 3}}, tools={"x": Tool("x", {}), "y": Tool("y", {})})
    two = ServerContract("s", info={"b": {"d": 3, "c": 2}, "a": 1}, tools={"y": Tool("y", {}), "x": Tool("x", {})})
    assert encode(Lock({"s": one, "r": ServerContract("r")})) == encode(Lock({"r": ServerContract("r"), "s": two}))


@settings(max_examples=120, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_decode_undoes_encode(arbitrary: SimpleNamespace, same: Same, data: st.DataObject) -> None:
    lock = data.draw(arbitrary.lock)
    text = encode(lock)
    again = decode(text, origin="fusion.lock")
    assert same(again, lock)
    assert encode(again) == text


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_the_text_is_toml_1_0_to_both_readers_and_has_no_stray_bytes(
    arbitrary: SimpleNamespace, data: st.DataObject
) -> None:
    text = encode(Lock({"s": data.draw(arbitrary.server)}))
    assert repr(tomllib.loads(text)) == repr(tomli.loads(text))
    assert "\r" not in text
    assert not [line for line in text.split("\n") if line != line.rstrip(" \t")]
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_checkout_with_windows_line_ends_reads_the_same(
    arbitrary: SimpleNamespace, same: Same, data: st.DataObject
) -> None:
    lock = data.draw(arbitrary.lock)
    assert same(decode(encode(lock).replace("\n", "\r\n"), origin="fusion.lock"), lock)


@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_the_lock_is_its_header_and_its_blocks(arbitrary: SimpleNamespace, data: st.DataObject) -> None:
    lock = data.draw(arbitrary.lock)
    blocks = [encode_server(lock.servers[name]) for name in sorted(lock.servers)]
    assert encode(lock) == "\n".join([encode(Lock({})), *blocks])
