"""What differs between two listings, and the rule that is offered for it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.sources.base import Listing, Reading, VolatileRule
from fusion_contracts.sources.candidates import Candidate, suggested, volatile_candidates
from fusion_contracts.sources.contract import contract_of
from fusion_contracts.sources.volatile import replaced


def test_candidates_name_the_deepest_place() -> None:
    def reading(**changes: Any) -> Reading:
        tool = {"name": "a", "inputSchema": {"properties": {"x/y": {"enum": [1, 2]}}}, **changes}
        return contract_of(Listing(tools=(tool,), info={"version": str(changes.get("title"))}), name="s")

    assert volatile_candidates(reading(), reading()) == []
    changed = reading(title="T", inputSchema={"properties": {"x/y": {"enum": [1, 2.0]}, "z": {}}})
    assert [one.sentence.split(" differs")[0] for one in volatile_candidates(reading(), changed)] == [
        "s: tool a /inputSchema/properties/x~1y/enum/1",
        "s: tool a /inputSchema/properties/z",
        "s: tool a /title",
        "s: /serverInfo/version",
    ]
    other = contract_of(Listing(tools=({"name": "b"},), info={"version": "None"}), name="s")
    assert volatile_candidates(reading(), other) == [
        Candidate("s: tool a is in one of two listings only"),
        Candidate("s: tool b is in one of two listings only"),
    ]


def test_tools_that_differ_alike_are_one_candidate() -> None:
    def reading(port: int, *names: str) -> Reading:
        tools = [{"name": name, "description": f"Asks port {port}.", "inputSchema": {}} for name in names]
        return contract_of(Listing(tools=tuple(tools)), name="s[1]")

    reason = "differs from one listing to the next"
    (several,) = volatile_candidates(reading(1, "a", "b"), reading(2, "a", "b"))
    assert several == Candidate(
        "s[1]: 2 tools /description differ between two listings",
        VolatileRule("s[[]1]", "*", "/description", "(?<=Asks port )[0-9]+", reason),
    )
    (one,) = volatile_candidates(reading(1, "a*"), reading(2, "a*"))
    assert one.rule == VolatileRule("s[[]1]", "a[*]", "/description", "(?<=Asks port )[0-9]+", reason)


@pytest.mark.parametrize(
    ("old", "new", "pattern"),
    [
        ("Runs as process 123.", "Runs as process 124.", "(?<=Runs as process )[0-9]+"),
        ("(pid=10) ok", "(pid=99) ok", r"(?<=\(pid=)[0-9]+"),
        ("now 10:00:01", "now 10:00:02", r"(?<=now )\S+"),
        ("id 9f3a, for this run", "id 77bc, for this run", "(?<=id )[0-9A-Za-z]+"),
        ("at one two (utc)", "at three (utc)", r"(?<=at )(?s:.+?)(?= \(utc\))"),
        ("at one two", "at three", "(?<=at )(?s:.+)"),
        ("1 left", "2 left", r"\A[0-9]+"),
        ("All:\n1 left", "All:\n2 left", "(?m:^)[0-9]+"),
        (
            "A very long sentence that ends with 1",
            "A very long sentence that ends with 2",
            "(?<=that ends with )[0-9]+",
        ),
        ("x", "x y", r"\A(?s:.+)"),
        ("", "x", None),
        (1, 2, None),
    ],
)
def test_the_pattern_takes_the_words_that_differ(old: Any, new: Any, pattern: str | None) -> None:
    assert suggested(old, new) == pattern


words = st.text("ab1 \n.:(=", min_size=1, max_size=12) | st.text(min_size=1, max_size=8)


@given(words, words)
def test_the_pattern_makes_two_texts_equal(old: str, new: str) -> None:
    pattern = suggested(old, new)
    assert pattern is not None
    assert replaced(re.compile(pattern), old) == replaced(re.compile(pattern), new)
