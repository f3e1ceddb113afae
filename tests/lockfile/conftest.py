"""Contracts to try the lockfile on: arbitrary ones for property tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import strategies as st

from fusion_contracts.canonical import canonical_json
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

Json = st.SearchStrategy[Any]

TRICKY = (
    "", " ", "\n", "\r", "\r\n", "a\nb", "a\r\nb", "\na\n", "a\n\n", '"""', '\n"', '\n""""""', "\n\\", "\\\n", "'''\n",
    "a \n\tb\t\n", "\n<<<<<<< HEAD\n=======\n>>>>>>> x\n", "\n=======", "\n[servers.x]\n", "# no comment\n",
    "\x00\x1b\x7f\n", "\u2028\n", "\ufeff", "\U000e0041\n", "\u26a0\ufe0f", "\x85\n", "a.b", "a b", "$null",
    "$integer", "$literal", "=", "{volatile}", "1979-05-27", "inf", "true",
)  # fmt: skip
TEXT = (
    st.sampled_from(TRICKY)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.text('"\\\n\r\t <=>|a', max_size=12)
)
NAMES = st.sampled_from(["a", "b", "get_page", "", "a.b", "x y", 'q"', "\n", "$null", "ключ", "[", "input"]) | TEXT
NUMBERS = (
    st.integers()
    | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 2**64, 10**40, 0, 1])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([0.0, -0.0, 1.0, 5e-324, 1e16, 1e22, 1e-7, 1.7976931348623157e308])
)
LEAVES: Json = st.none() | st.booleans() | NUMBERS | TEXT | st.just({}) | st.just([])
VALUES: Json = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(NAMES, inner, max_size=3)
        | inner.map(lambda value: {"$literal": value})
        | inner.map(lambda value: {"properties": {"x": value}, "anyOf": [value]})
    ),
    max_leaves=8,
)
OBJECTS: Json = st.just({}) | st.dictionaries(NAMES, VALUES, max_size=3)
MAYBE_TEXT = st.none() | TEXT


def named(names: st.SearchStrategy[str], make: Any) -> st.SearchStrategy[dict[str, Any]]:
    """A mapping by name of what `make` builds from a name."""
    return st.lists(names, unique=True, max_size=3).flatmap(
        lambda chosen: st.fixed_dictionaries({name: make(name) for name in sorted(chosen)})
    )


def tools(name: str) -> st.SearchStrategy[Tool]:
    return st.builds(
        Tool, name=st.just(name), input_schema=OBJECTS, title=MAYBE_TEXT, description=MAYBE_TEXT, output_schema=VALUES,
        annotations=OBJECTS, execution=OBJECTS, meta=OBJECTS, extra=OBJECTS,
    )  # fmt: skip


ARGUMENTS = st.builds(PromptArgument, name=NAMES, required=st.booleans(), description=MAYBE_TEXT, extra=OBJECTS)


def prompts(name: str) -> st.SearchStrategy[Prompt]:
    return st.builds(
        Prompt, name=st.just(name), title=MAYBE_TEXT, description=MAYBE_TEXT, meta=OBJECTS, extra=OBJECTS,
        arguments=st.lists(ARGUMENTS, max_size=2).map(tuple),
    )  # fmt: skip


SOURCES = st.builds(
    SourceRecord, kind=st.sampled_from(["stdio", "http", "file"]), command=st.lists(TEXT, max_size=3).map(tuple),
    url=MAYBE_TEXT, path=MAYBE_TEXT, env=st.dictionaries(NAMES, TEXT, max_size=2),
    headers=st.dictionaries(NAMES, TEXT, max_size=2), pass_env=st.lists(NAMES, max_size=2).map(tuple),
)  # fmt: skip


def servers(name: str) -> st.SearchStrategy[ServerContract]:
    return st.builds(
        ServerContract, name=st.just(name), protocol_version=MAYBE_TEXT, info=OBJECTS, capabilities=OBJECTS,
        instructions=MAYBE_TEXT, tools=named(NAMES, tools), prompts=named(NAMES, prompts),
        resources=named(NAMES, lambda uri: st.builds(Resource, st.just(uri), OBJECTS)),
        resource_templates=named(NAMES, lambda uri: st.builds(ResourceTemplate, st.just(uri), OBJECTS)),
        source=st.none() | SOURCES,
    )  # fmt: skip


class Arbitrary(SimpleNamespace):
    """The strategies, under a name short enough for Hypothesis to print."""

    def __repr__(self) -> str:
        return "arbitrary"


@pytest.fixture(scope="session")
def arbitrary() -> Arbitrary:
    """Strategies: a JSON `value`, `tools` by name, a `server` called s, a `lock`."""
    return Arbitrary(value=VALUES, tools=named(NAMES, tools), server=servers("s"), lock=named(NAMES, servers).map(Lock))


@pytest.fixture(scope="session")
def same() -> Callable[[Any, Any], bool]:
    """Whether two contracts or locks are the same to the last bit: `==` takes true for 1, and 1 for 1.0."""

    def compare(a: Any, b: Any) -> bool:
        return bool(a == b) and canonical_json(asdict(a)) == canonical_json(asdict(b))

    return compare
