"""A record is what a frozen slotted dataclass is, in every way that the package uses one."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest

from fusion_contracts.record import record


@record
class Point:
    """Two numbers, a note that does not count, and what is made anew for each."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False, repr=False)
    tags: list[str] = field(default_factory=list)


@record(kw_only=True)
class Base:
    """What others add to."""

    place: str


@record(kw_only=True)
class Named(Base):
    """A base's field, one of its own, and one that it computes."""

    name: str
    length: int = field(init=False)

    def __post_init__(self) -> None:
        """Compute it."""
        object.__setattr__(self, "length", len(self.name))


class Bare(Named):
    """Adds nothing but its own name."""

    __slots__ = ()


@record
class Empty:
    """Nothing at all."""


@dataclass(frozen=True, slots=True)
class Plain:
    """The same as `Point`, made by `dataclass`."""

    x: int
    y: int = 2
    note: str = field(default="", compare=False, repr=False)
    tags: list[str] = field(default_factory=list)


@pytest.mark.parametrize("kind", [Point, Plain])
def test_it_is_made_compared_and_shown_as_a_dataclass_is(kind: Callable[..., Any]) -> None:
    made = kind(1, tags=["a"], note="x")
    assert made == kind(1, 2, "another note", ["a"])
    assert made != kind(1, 3, "x", ["a"])
    assert made != (1, 2, ["a"])
    assert repr(made).partition("(")[2] == "x=1, y=2, tags=['a'])"
    assert [one.name for one in fields(made)] == ["x", "y", "note", "tags"]
    assert is_dataclass(type(made))
    assert replace(made, x=5) == kind(5, 2, "", ["a"])
    assert kind(1).tags is not kind(1).tags
    assert not hasattr(made, "__dict__")


@pytest.mark.parametrize("kind", [Point, Plain])
def test_nothing_about_it_can_be_changed(kind: Callable[..., Any]) -> None:
    made = kind(1)
    for name in ("x", "tags", "unknown"):
        with pytest.raises((FrozenInstanceError, TypeError, AttributeError)):
            setattr(made, name, 2)
    with pytest.raises(FrozenInstanceError):
        del made.x
    assert (made.x, made.tags) == (1, [])


def test_records_of_two_kinds_are_never_equal() -> None:
    assert Named(place="/", name="a") != Bare(place="/", name="a")
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


def test_equal_records_have_one_hash_and_a_list_in_one_has_none() -> None:
    assert hash(Base(place="/a")) == hash(Base(place="/a"))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_a_base_and_a_field_that_is_computed() -> None:
    made = Bare(place="/", name="four")
    assert repr(made) == "Bare(place='/', name='four', length=4)"
    assert replace(made, name="a").length == 1
    match made:
        case Named(name=name):
            assert name == "four"


@pytest.mark.parametrize("value", [Point(1, tags=["a"]), Bare(place="/", name="four"), Empty()])
def test_it_survives_copies_and_other_processes(value: object) -> None:
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert again == value
        assert repr(again) == repr(value)


@pytest.mark.parametrize(
    ("kind", "given", "named", "said"),
    [
        (Point, (), {}, "Point lacks x"),
        (Point, (1,), {"z": 3, "u": 4}, "Point does not know u, z"),
        (Point, (), {"z": 3}, "Point lacks x and does not know z"),
        (Point, (1,), {"x": 1}, "Point was given x twice"),
        (Point, (1, 2, "", [], 5), {}, "Point takes 4 arguments by position, and was given 5"),
        (Bare, ("/",), {"name": "a"}, "Bare takes 0 arguments by position, and was given 1"),
        (Bare, (), {"place": "/"}, "Bare lacks name"),
    ],
)
def test_arguments_that_do_not_fit_are_named(
    kind: Callable[..., object], given: tuple[object, ...], named: dict[str, object], said: str
) -> None:
    with pytest.raises(TypeError, match=f"^{re.escape(said)}$"):
        kind(*given, **named)
