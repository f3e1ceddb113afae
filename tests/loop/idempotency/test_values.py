"""The values of idempotent tools: results that are replayed as they were, and arguments that are compared."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel
from repeating import outcome

from fusion_contracts import fault_boundary
from fusion_contracts.loop.idempotency import Ledger, idempotent


class Receipt(BaseModel):
    number: int
    day: date


@dataclass
class Paid:
    amount: float


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (None, Any), ("", str), ({"b": [1, 2.5, None, True, "\ud800"], "a": {}}, dict[str, Any]), ([], list[int]),
        (Receipt(number=1, day=date(2026, 1, 2)), Receipt), ([Paid(1.5)], list[Paid]), ((1, "a"), tuple[int, str]),
        ({"a", "b"}, set[str]), (date(2026, 1, 2), date | None), (b"\xc3\xa9", bytes),
    ],
)  # fmt: skip
def test_a_result_is_replayed_as_the_value_that_it_was(ledger: Ledger, value: Any, annotation: Any) -> None:
    def make(ref: str) -> Any:
        calls.append(ref)
        return value

    calls: list[str] = []
    make.__annotations__["return"] = annotation
    tool = idempotent("ref", ledger=ledger)(make)
    first, second = tool("a"), tool("a")
    assert (first, type(first)) == (second, type(second))
    assert isinstance(first, set) or repr(first) == repr(second)  # names in their order
    assert first == value
    assert calls == ["a"]


class Handle:
    """A thing that no JSON can hold."""


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (Handle(), "a Handle cannot be written as JSON and read again"),
        ({"a": float("nan")}, "a dict cannot be written as JSON and read again"),
        ((1, 2), "a tuple cannot be written as JSON and read again"),
        ("x" * 1_000_000, "it has more than 1000000 bytes"),
    ],
    ids=["object", "nan", "tuple", "long"],
)
def test_a_result_that_cannot_be_kept_is_said(
    ledger: Ledger, caplog: pytest.LogCaptureFixture, value: Any, why: str
) -> None:
    @fault_boundary
    @idempotent("ref", ledger=ledger)
    def make(ref: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - nothing is declared
        return value

    assert make("a") is value
    assert [record.getMessage() for record in caplog.records] == [f"The result of make cannot be replayed: {why}"]
    assert make("a") == (
        '<tool_error code="RESULT_NOT_KEPT" severity="warning">\n'
        "  <message>The call with the idempotency key a was already made and succeeded; its result could not be kept: "
        f"{why}.</message>\n"
        "  <recovery>Do not repeat it. Read the state with another tool if you need what it returned.</recovery>\n"
        "</tool_error>"
    )


def test_arguments_that_cannot_be_compared_are_refused_and_models_are_compared_by_content(ledger: Ledger) -> None:
    calls: list[Any] = []

    @idempotent("ref", ledger=ledger)
    def pay(ref: str, what: Any) -> int:
        calls.append(what)
        return len(calls)

    for bad in (float("nan"), Handle()):
        fault = outcome(pay, "a", bad)
        assert (fault.code, fault.message) == (
            "VALIDATION_ERROR",
            "The argument what cannot be compared with that of another call; nothing was done.",
        )
    receipt = Receipt(number=1, day=date(2026, 1, 2))
    assert pay("a", receipt) == pay("a", receipt.model_copy()) == 1
    assert outcome(pay, "a", Receipt(number=2, day=date(2026, 1, 2))).code == "CONFLICT"
    with pytest.raises(TypeError, match="missing a required argument: 'what'"):
        pay("a")  # type: ignore[call-arg]  # the point
    assert len(calls) == 1
