"""What hostile and unlucky schemas may cost, in counted steps: reading, searching, judging. A step takes 3 to 10 us."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from fusion_contracts.schema import Explanation
from fusion_contracts.schema.alike import Texts
from fusion_contracts.schema.by_action import explain_by_action
from fusion_contracts.schema.compare import Pair, Side, deep_recursion
from fusion_contracts.schema.explain import MOST_WORK, explain_pair
from fusion_contracts.schema.rename import Named, renames

S, I = {"type": "string"}, {"type": "integer"}  # noqa: E741 - beside S
SECOND = 200_000  # steps


def clauses(count: int, seed: int) -> Any:
    """Random clauses of three literals over properties that are 0 or 1: four clauses for each property."""
    source = Random(seed)
    names = [f"x{number}" for number in range(count // 4)]

    def clause() -> Any:
        chosen = source.sample(names, 3)
        return {"anyOf": [{"properties": {n: {"const": source.randrange(2)}}, "required": [n]} for n in chosen]}

    every = {"type": "object", "properties": {name: {"enum": [0, 1]} for name in names}}
    return every | {"allOf": [clause() for _ in range(count)]}


def grouped(count: int, changed: int = 0) -> Any:
    """So many actions, in the first of which `id` is a number."""
    branches = [
        {
            "properties": {"action": {"const": f"a{n}"}, "id": I if n < changed else S, f"f{n}": S},
            "required": ["action"],
        }
        for n in range(count)
    ]
    return {"type": "object", "oneOf": branches}


def wide(count: int, changed: int = 0) -> Any:
    return {"type": "object", "properties": {f"p{n}": I if n < changed else S for n in range(count)}}


def exclusive(count: int) -> Any:
    """Branches that overlap, and that no discriminator tells apart."""
    return {"oneOf": [{"properties": {f"x{n}": I, f"x{n + 1}": S}, "required": [f"x{n}"]} for n in range(count)]}


def explained(old: Any, new: Any) -> tuple[Explanation, int]:
    """The explanation, and the work that it took."""
    with deep_recursion():
        pair = Pair(Side(old), Side(new), focused=True)  # as `explain` asks
        return explain_pair(pair), pair.work


@pytest.mark.parametrize("seed", range(3))
def test_clauses_are_given_up_within_a_second(seed: int) -> None:
    old = clauses(120, seed)
    found, work = explained(old, {**old, "allOf": [*old["allOf"], *clauses(120, seed + 3)["allOf"]]})
    assert found.comparison.verdict in {"incompatible", "undecided"}
    assert work < SECOND


def test_a_clause_less_is_seen_at_once() -> None:
    old = clauses(120, 1)
    found, work = explained(old, {**old, "allOf": old["allOf"][1:]})
    assert found.comparison.verdict == "compatible"
    assert work < SECOND / 20


def test_each_edit_in_an_output_of_three_hundred_actions_is_decided() -> None:
    found, work = explained(grouped(300, 30), grouped(300))  # an output asks from new to old
    assert (found.comparison.verdict, found.comparison.witness) == ("incompatible", {"action": "a0", "id": 1})
    assert [edit.effect for edit in found.edits] == ["breaks"] * 30
    assert work < SECOND


def test_three_hundred_actions_one_by_one() -> None:
    actions = explain_by_action(grouped(300), grouped(300, 30))
    assert actions is not None
    broken = {key for key, found in actions.common.items() if found.comparison.verdict == "incompatible"}
    assert broken == {f"a{number}" for number in range(30)}


def test_reading_all_actions_for_each_of_them_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fusion_contracts.schema.by_action.MOST_STEPS", 20_000)
    assert explain_by_action(grouped(100), grouped(100, 1)) is not None
    assert explain_by_action(grouped(300), grouped(300, 1)) is None


def test_many_edits_of_a_wide_object_that_says_more_are_asked_about_as_far_as_a_second_goes() -> None:
    found, work = explained(*({**wide(2_000, changed), "maxProperties": 3_000} for changed in (0, 300)))
    effects = [edit.effect for edit in found.edits]
    asked = effects.count("breaks")
    assert effects == ["breaks"] * asked + ["undecided"] * (300 - asked)
    assert asked > 20
    assert {edit.reason for edit in found.edits[asked:]} == {"300 edits in one schema: too many to ask about each"}
    assert work < 1.2 * MOST_WORK


@pytest.mark.parametrize("changed", [20, 300])
def test_each_edit_of_a_wide_object_that_only_lists_its_properties_is_decided(changed: int) -> None:
    found, work = explained(wide(2_000), wide(2_000, changed))
    assert [edit.effect for edit in found.edits] == ["breaks"] * changed
    assert [edit.witness for edit in found.edits] == [{f"p{number}": "x"} for number in range(changed)]
    assert work < SECOND / 2


def test_exclusive_branches_without_a_discriminator_are_given_up_within_a_second() -> None:
    found, work = explained(exclusive(300), exclusive(299))
    assert found.comparison.verdict == "undecided"
    assert work < SECOND


def every(count: int, one: Callable[[int], Any], **more: Any) -> Any:
    return {"type": "object", "properties": {f"p{number}": one(number) for number in range(count)}, **more}


def doubling(levels: int, leaf: Any) -> Any:
    """Definitions of which each holds the next one twice: a value has two to the power of `levels` leaves."""
    def both(part: Any) -> Any:
        return {"type": "object", "properties": {"a": part, "b": part}, "required": ["a", "b"]}

    parts = {f"d{number}": both({"$ref": f"#/$defs/d{number + 1}"}) for number in range(levels)}
    return {"$defs": {**parts, f"d{levels}": leaf}, "$ref": "#/$defs/d0"}


NAMES = [f"p{number}" for number in range(1_000)]
NESTED = {"type": "array", "uniqueItems": True, "items": {"type": "array", "uniqueItems": True}}
LARGE = [[{f"k{place}": [place, number] for place in range(200)} for number in range(5)]]
TWICE = [{"contains": {"multipleOf": prime}, "minContains": 2} for prime in (2, 3, 5, 7, 11, 13, 17, 19)]
SPREAD = {"allOf": [every(1, lambda _: {}), *({"properties": {f"q{n}": S}} for n in range(100))]}
# old, new, the answer, how many of the edits are decided at least
COSTLY: dict[str, tuple[Any, Any, str, int]] = {
    "patterns that explode, one in each argument": (
        every(300, lambda n: {**S, "pattern": f"^(a{{0,{n + 1_000}}}){{0,1000}}$"}),
        every(300, lambda n: {**S, "pattern": f"^(a{{0,{n + 999}}}){{0,1000}}$"}),
        "undecided", 0,
    ),
    "the same in arguments that every call holds": (
        every(300, lambda n: {**S, "pattern": f"^(a{{0,{n + 999}}}){{0,1000}}$"}),
        every(300, lambda n: {**S, "pattern": f"^(a{{0,{n + 1_000}}}){{0,1000}}$"}, required=NAMES[:300]),
        "undecided", 0,
    ),
    "long texts": (
        every(50, lambda n: {**S, "minLength": 900_000 + n}), every(50, lambda n: {**S, "minLength": 900_001 + n}),
        "incompatible", 5,
    ),
    "a thousand required arguments beside one that nobody can read": (
        every(1_000, lambda _: S, required=[*NAMES, "odd"], dependentSchemas={"odd": {"type": "thing"}}),
        every(1_000, lambda _: I, required=[*NAMES, "odd"], dependentSchemas={"odd": {"type": "thing"}}),
        "undecided", 0,
    ),
    "large defaults": (
        every(400, lambda _: {**NESTED, "default": LARGE}),
        every(400, lambda _: {**NESTED, "default": LARGE, "maxItems": 0}),
        "incompatible", 400,
    ),
    "a value of a thousand million parts": (doubling(30, S), doubling(30, I), "undecided", 0),
    "four hundred different items": (
        {"type": "array", "uniqueItems": True, "minItems": 400, "items": I}, {"type": "array", "maxItems": 399},
        "incompatible", 4,
    ),
    "items that are counted eight times": (
        {"type": "array", "allOf": TWICE, "maxItems": 3}, {"type": "array", "items": I, "maxItems": 2},
        "incompatible", 9,
    ),
    "conditions for what is evaluated": (
        {**SPREAD, "anyOf": [{"properties": {f"r{n}": S}, "required": [f"r{n}"]} for n in range(30)],
         "unevaluatedProperties": False},
        {**SPREAD, "anyOf": [{"properties": {f"r{n}": S}, "required": [f"r{n}"]} for n in range(29)],
         "unevaluatedProperties": False},
        "undecided", 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COSTLY)
def test_what_costs_more_than_it_looks_ends_too(name: str) -> None:
    old, new, verdict, decided = COSTLY[name]
    found, work = explained(old, new)
    assert found.comparison.verdict == verdict
    assert sum(edit.effect != "undecided" for edit in found.edits) >= decided
    assert work < 2 * SECOND


def test_plain_patterns_are_answered_beside_those_that_explode() -> None:
    def patterned(plain: str) -> Any:
        exploding = every(300, lambda n: {**S, "pattern": f"^(a{{0,{n + 1_000}}}){{0,1000}}$"})
        return {**exploding, "properties": {**exploding["properties"], "id": {**S, "pattern": plain}}}

    found, work = explained(patterned("^[a-z]+$"), patterned("^[a-z]{2,}$"))
    assert (found.comparison.verdict, found.comparison.witness) == ("incompatible", {"id": "x"})
    assert work < SECOND / 20


@pytest.mark.parametrize("count", [50, 100, 200])
def test_a_wide_object_takes_work_in_proportion(count: int) -> None:
    _, work = explained(wide(count), wide(count, 1))
    _, double = explained(wide(2 * count), wide(2 * count, 1))
    assert double < 2.1 * work


def test_an_edit_of_a_definition_that_many_arguments_use_is_asked_about_once_for_each() -> None:
    def used(value: Any, count: int) -> Any:
        uses = {f"a{number}": {"$ref": "#/$defs/d"} for number in range(count)}
        properties = {**uses, "z": S if value == S else I}
        return {"type": "object", "properties": properties, "$defs": {"d": {"properties": {"x": value, "y": value}}}}

    found, work = explained(used(S, 300), used({"type": ["string", "null"]}, 300))
    assert sorted(edit.effect for edit in found.edits) == ["breaks", "safe", "safe"]
    assert work < SECOND / 20


def test_texts_that_meet_in_many_places_are_compared_the_less() -> None:
    def compared(left: str, right: str) -> int:
        texts = Texts()
        for count in range(1_000):
            if texts.too_many:
                return count
            texts.alike(left, right, 0.5)
        return 1_000

    assert compared("xxa" * 130, "xxb" * 130) < 5
    plain = "Give the {} of the customer whose orders are to be listed, as the shop knows it."
    assert compared(plain.format("name"), plain.format("number")) == 1_000


def test_long_prose_that_was_kept_tells_a_rename() -> None:
    kept, long = "The customer whose orders are listed.", "Orders come by the page, the newest first. " * 1_000
    for before, after in ((kept, f"{kept} {long}"), (long, long)):
        sides = {"buyer": Named(before, None)}, {"client": Named(after, None)}
        assert renames(*sides, lambda *_: True, lambda *_: False) == [("buyer", "client")]


def test_what_stayed_is_looked_at_for_a_while() -> None:
    looks = 0

    def fits(*_: Any) -> bool:
        nonlocal looks
        looks += 1
        return True

    def sides(word: str, said: str, count: int) -> dict[str, Named]:
        return {f"{word}{n}": Named(said.format(n), None) for n in range(count)}

    gone, come = sides("alpha", "The {} thing of the shop.", 60), sides("omega", "The {} things of the shop.", 60)
    assert not renames(gone, come, fits, lambda *_: False, stayed=lambda: sides("keep", "Kept.", 3_000))
    assert looks < 100_000
