"""Schemas made to hurt: each comparison ends, never raises, and is right or undecided with a reason for people."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from fusion_contracts.schema import compare, explain
from fusion_contracts.schema.compare import Pair, Side
from fusion_contracts.schema.solve import Solver

S = {"type": "string"}
I = {"type": "integer"}  # noqa: E741 - stands beside S


def wide(count: int, kind: str = "string", **more: Any) -> Any:
    return {"type": "object", "properties": {f"p{i}": {"type": kind} for i in range(count)}, **more}


def deep(levels: int, leaf: Any, wrap: Callable[[Any], Any]) -> Any:
    for _ in range(levels):
        leaf = wrap(leaf)
    return leaf


below = partial(deep, wrap=lambda part: {"type": "object", "properties": {"a": part}})
optional = partial(deep, wrap=lambda part: {"anyOf": [part, {"type": "null"}]})
negated = partial(deep, wrap=lambda part: {"not": part})


def overlapping(union: str, count: int, slack: int) -> Any:
    """Branches that share most of their names, with lengths that differ by a little."""
    branches = [
        {
            "type": "object",
            "properties": {f"p{j}": {"type": "string", "minLength": j + slack} for j in range(i, i + 4)},
            "required": [f"p{i}"],
        }
        for i in range(count)
    ]
    return {union: branches}


def clauses(count: int) -> Any:
    return {"allOf": [{"anyOf": [{"required": [f"a{i}"]}, {"required": [f"b{i}"]}]} for i in range(count)]}


def json_of(*leaves: Any) -> Any:
    parts = [*leaves, {"items": {"$ref": "#/$defs/j"}, "type": "array"}]
    return {"$defs": {"j": {"anyOf": parts}}, "$ref": "#/$defs/j"}


BIG = int("9" * 4000)
CYCLE = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}
ENDLESS = {"$defs": {"n": {"type": "object", "properties": {"l": {"$ref": "#/$defs/n"}}, "required": ["l"]}},
           "$ref": "#/$defs/n"}  # fmt: skip
SEATS = {"type": "array", "minItems": 60, "items": {"enum": list(range(59))}, "uniqueItems": True}

# old, new, the answers that may be given (declared world)
CASES: dict[str, tuple[Any, Any, str]] = {
    "ten thousand properties, one more": (wide(10_000), wide(10_001), "compatible"),
    "ten thousand properties, one changed": (
        wide(10_000), {**wide(10_000), "properties": {**wide(10_000)["properties"], "p7": I}}, "incompatible",
    ),
    "two thousand properties, all changed": (wide(2_000), wide(2_000, "integer"), "incompatible"),
    "ten thousand properties, one required": (wide(10_000), wide(10_000, required=["p7"]), "incompatible"),
    "a thousand levels": (below(1_000, S), below(1_000, I), "undecided"),
    "five thousand levels": (below(5_000, S), below(5_000, I), "undecided"),
    "a thousand nested unions": (optional(1_000, S), optional(1_000, I), "undecided"),
    "eighty negations": (S, negated(80, I), "incompatible"),
    "eighty-one negations": (S, negated(81, I), "compatible"),
    "the root is a reference to itself": ({"$ref": "#"}, S, "undecided"),
    "two definitions that are each other": (CYCLE, S, "undecided"),
    "a definition that is itself and more": (
        {"$defs": {"x": {"enum": ["x", 0.1], "$ref": "#/$defs/x"}}, "$ref": "#/$defs/x"}, S, "undecided",
    ),
    "a paradox": ({"$defs": {"p": {"not": {"$ref": "#/$defs/p"}}}, "$ref": "#/$defs/p"}, S, "undecided"),
    "a reference to nowhere": ({"properties": {"a": {"$ref": "#/$defs/x"}}}, {"properties": {"a": S}}, "undecided"),
    "a reference that is no URI": ({"$ref": "http://[::1"}, S, "undecided"),
    "an identifier that is no URI": ({"$id": "http://[::1", "$ref": "#/$defs/x", "$defs": {"x": S}}, I, "undecided"),
    "an index of ten thousand digits": ({"allOf": [S], "$ref": "#/allOf/" + "9" * 10_000}, I, "undecided"),
    "a reference into a text": ({"title": "t", "$ref": "#/title/0"}, S, "undecided"),
    "a reference to a list": ({"allOf": [S], "$ref": "#/allOf"}, I, "undecided"),
    "a pattern that backtracks": ({**S, "pattern": "^(a+)+$"}, {**S, "pattern": "^(a|a)*b$"}, "incompatible"),
    "a pattern of a million states": (
        {**S, "pattern": "^(a{0,1000}){0,1000}$"}, {**S, "pattern": "^(a{0,999}){0,1000}$"}, "undecided",
    ),
    "a pattern of two to the twentieth": ({**S, "pattern": "a.{20}$"}, {**S, "pattern": "a.{21}$"}, "undecided"),
    "a pattern that is none": ({**S, "pattern": "("}, {**S, "pattern": "["}, "undecided"),
    "a class of letters": ({**S, "pattern": "^\\p{L}+$"}, {**S, "pattern": "^\\p{Lu}+$"}, "incompatible"),
    "a type that is none": ({"type": "thing"}, S, "undecided"),
    "a type that is a number": ({"type": 5}, S, "undecided"),
    "an enum that is a number": ({**S, "enum": ["a"]}, {"type": ["string", "null"], "enum": 5}, "undecided"),
    "properties that are a list": ({"properties": ["a"]}, S, "undecided"),
    "a schema that is a text": ({"properties": {"a": "string"}}, {"properties": {"a": S}}, "undecided"),
    "required that is a text": ({"required": "a"}, S, "undecided"),
    "required that is a boolean": ({"required": True}, S, "incompatible"),
    "dependencies that are a text": ({"dependentRequired": "a"}, S, "undecided"),
    "twenty overlapping branches": (overlapping("anyOf", 20, 1), overlapping("anyOf", 20, 0), "compatible"),
    "twenty overlapping branches, narrower": (
        overlapping("anyOf", 20, 0), overlapping("anyOf", 20, 1), "incompatible",
    ),
    "twelve exclusive branches": (overlapping("oneOf", 12, 1), overlapping("oneOf", 12, 0), "incompatible"),
    "twelve exclusive branches, narrower": (overlapping("oneOf", 12, 0), overlapping("oneOf", 12, 1), "incompatible"),
    "thirty clauses": (clauses(30), clauses(31), "incompatible"),
    "thirty-one clauses": (clauses(31), clauses(30), "compatible"),
    "a number of four thousand digits": ({**I, "maximum": BIG}, {**I, "maximum": BIG - 1}, "incompatible"),
    "a tiny step": ({"type": "number", "multipleOf": 1e-300}, {"type": "number", "multipleOf": 1e-299}, "incompatible"),
    "two large primes": ({**I, "multipleOf": 7919 * 104_729}, {"not": {"multipleOf": 1_299_709}}, "incompatible"),
    "a million items": ({"type": "array", "minItems": 10**6}, {"type": "array", "items": S}, "undecided"),
    "more items than there may be": ({"type": "array", "minItems": 10**6, "maxItems": 5}, S, "compatible"),
    "one seat too few": (SEATS, S, "compatible"),
    "a thousand million characters": ({**S, "minLength": 10**9}, {**S, "minLength": 10**9 + 1}, "undecided"),
    "five thousand values": ({"enum": list(range(5_000))}, {"enum": list(range(1, 5_000))}, "incompatible"),
    "a definition without an end": (ENDLESS, S, "compatible"),
    "any JSON, wider": (json_of(S), json_of(S, {"type": "null"}), "compatible"),
    "any JSON, narrower": (json_of(S, {"type": "null"}), json_of(S), "incompatible"),
    "a zero byte in a name": ({"properties": {"a\x00b": S}}, {"properties": {"a\x00b": I}}, "incompatible"),
    "half a surrogate in a name": ({"properties": {"a\ud800": S}}, {"properties": {"a\ud800": I}}, "undecided"),
    "no JSON number": ({"minimum": float("nan")}, {"minimum": float("inf")}, "undecided"),
    "an unknown dialect": ({"$schema": "https://example.com/own", **S}, I, "undecided"),
    "a dialect that is a number": ({"$schema": 7, **S}, I, "undecided"),
}  # fmt: skip


def is_sentence(reason: str) -> bool:
    """Words that a person reads, of a length that fits a report."""
    return 10 < len(reason) < 400 and " " in reason and "\n" not in reason and "Traceback" not in reason


@pytest.mark.parametrize("name", CASES)
def test_the_comparison_ends_with_the_right_answer_or_a_reason(name: str) -> None:
    old, new, verdict = CASES[name]
    answer = compare(old, new)
    assert answer.verdict == verdict, answer.reason
    assert answer.has_witness is (verdict == "incompatible")
    assert is_sentence(answer.reason) if verdict == "undecided" else not answer.reason


@pytest.mark.parametrize("name", CASES)
def test_so_does_the_explanation_in_both_directions(name: str) -> None:
    old, new, verdict = CASES[name]
    for output in (False, True):
        explanation = explain(old, new, output=output)
        assert output or explanation.comparison.verdict == verdict
        assert explanation.edits
        assert all(is_sentence(edit.reason) for edit in explanation.edits if edit.effect == "undecided")


def test_three_thousand_names_are_built() -> None:
    answer = compare({"type": "object", "minProperties": 3_000}, {"maxProperties": 10}, world="open")
    assert answer.verdict == "incompatible"
    assert len(answer.witness) == 3_000


def test_more_names_than_are_built() -> None:
    answer = compare({"type": "object", "minProperties": 10**6}, {"maxProperties": 10}, world="open")
    assert (answer.verdict, answer.reason) == ("undecided", "an object of 1000000 names was not built")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2] != "undecided"])
def test_a_careful_search_finds_the_same(name: str) -> None:
    old, new, verdict = CASES[name]
    pair = Pair(Side(old), Side(new))
    value = Solver(pair.space, budget=200_000, careful=True).solve({pair.before, pair.closed, -pair.after})
    assert (repr(value) == "NOTHING") is (verdict == "compatible")


def test_recursion_limit_is_as_before() -> None:
    before = sys.getrecursionlimit()
    compare(below(200, S), below(200, I))
    assert sys.getrecursionlimit() == before


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef", "$schema", "$id"])
def test_nothing_is_ever_fetched(keyword: str) -> None:
    seen: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            try:
                seen.append(server.accept()[0].recv(10))
            except OSError:
                return  # closed: nobody came

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        for schema in ({keyword: url}, {"properties": {"a": {keyword: url}}}, {"$id": url, "$ref": "other.json"}):
            for old, new in ((schema, S), (S, schema), (schema, json.loads(json.dumps(schema)))):
                compare(old, new)
                explain(old, new, output=True)
        server.shutdown(socket.SHUT_RDWR)
    listener.join(timeout=10)
    assert not listener.is_alive()
    assert seen == []


def test_a_reference_to_the_network_says_so() -> None:
    answer = compare({"$ref": "https://example.com/schema.json"}, S)
    assert (answer.verdict, answer.reason) == ("undecided", 'cannot read $ref "https://example.com/schema.json"')
