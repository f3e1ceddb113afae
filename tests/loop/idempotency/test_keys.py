"""The key of an idempotent call: where it is read, how it is derived, and a write without one."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel
from repeating import Effect, outcome, tools, ways

from fusion_contracts.loop.idempotency import META_KEY, Ledger, derived, idempotent, key_of, keyed


def test_a_key_is_the_one_that_the_call_carries_before_the_arguments(ledger: Ledger) -> None:
    effect = Effect()
    for pay in tools(ledger, effect, scope="pay"):
        with keyed("m"), keyed(None):
            assert outcome(pay, None, 5) == {"paid": 5, "number": 1}
            assert outcome(pay, "other", 5).code == "CONFLICT"
    assert outcome(tools(ledger, effect, scope="pay")[0], "m", 5).code == "CONFLICT"  # its ref is another argument


def test_a_key_is_read_from_meta_of_any_form() -> None:
    class Meta(BaseModel, extra="allow"):
        progress: int = 0

    assert key_of({META_KEY: "a"}) == "a"
    assert key_of(Meta.model_validate({META_KEY: "a"})) == "a"
    assert [key_of(meta) for meta in (None, {}, Meta(), object())] == [None] * 4


def test_a_frameworks_context_carries_meta_and_is_no_argument(ledger: Ledger) -> None:
    context_type = type("Context", (), {"__module__": "mcp.server.fastmcp.server"})

    def context(meta: Mapping[str, str] | None) -> Any:
        made = context_type()
        made.request_context = SimpleNamespace(meta=meta)
        return made

    calls: list[int] = []

    @idempotent(ledger=ledger)
    def pay(ctx: Any, amount: int) -> str:
        calls.append(amount)
        return "paid"

    assert outcome(pay, context({META_KEY: "a"}), 5) == "paid"
    assert outcome(pay, context({META_KEY: "a"}), 5) == "paid"
    assert outcome(pay, context(None), 5).code == "MISSING_REQUIRED_FIELD"
    assert outcome(pay, context_type(), 5).code == "MISSING_REQUIRED_FIELD"
    assert calls == [5]


def test_a_derived_key_makes_equal_arguments_one_operation(ledger: Ledger) -> None:
    calls: list[int] = []

    @idempotent(derived(), ledger=ledger, ignore=["note"])
    def pay(amount: int, note: str = "") -> int:
        calls.append(amount)
        return len(calls)

    assert [pay(5), pay(5, "again"), pay(amount=5), pay(6)] == [1, 1, 1, 2]


def test_a_derived_key_of_some_arguments_holds_the_others_fast(ledger: Ledger) -> None:
    @idempotent(derived("order"), ledger=ledger)
    def pay(order: int, amount: int) -> int:
        return amount

    assert pay(1, 5) == 5
    assert outcome(pay, 1, 6).code == "CONFLICT"
    assert pay(2, 6) == 6


def test_nobody_is_told_to_choose_a_new_key_where_it_is_derived(ledger: Ledger) -> None:
    @idempotent(derived(), ledger=ledger)
    def pay(amount: int) -> None:
        raise RuntimeError

    outcome(pay, 5)
    assert outcome(pay, 5).recovery == (
        "Verify before you retry: look whether the effect is there. Report what you find; do not repeat it."
    )


@pytest.mark.parametrize(
    ("key", "what"),
    [("", "one of 0"), ("x" * 256, "one of 256"), (True, "a bool"), (1.5, "a float"), (["a"], "a list")],
)
def test_a_key_that_is_none_is_refused_before_anything_is_done(ledger: Ledger, key: Any, what: str) -> None:
    effect = Effect()
    (pay, *_) = tools(ledger, effect)
    fault = outcome(pay, key, 5)
    assert fault.code == "VALIDATION_ERROR"
    assert fault.message == f"An idempotency key is a text of 1 to 255 characters, not {what}; nothing was done."
    assert effect.done == []


@pytest.mark.parametrize("key", ["x" * 255, "\0", "\ud800", "ключ", 7])
def test_any_text_and_any_whole_number_is_a_key(ledger: Ledger, key: Any) -> None:
    effect = Effect()
    (pay, *_) = tools(ledger, effect)
    assert outcome(pay, key, 5) == outcome(pay, key, 5) == {"paid": 5, "number": 1}


@ways
def test_a_write_without_a_key_is_refused(ledger: Ledger, way: int) -> None:
    effect = Effect()
    pay = tools(ledger, effect, annotations={"readOnlyHint": False, "idempotentHint": False})[way]
    assert outcome(pay, None, 5).to_xml() == (
        '<tool_error code="MISSING_REQUIRED_FIELD" severity="error">\n'
        f"  <message>{pay.__name__} changes something, and this call has no idempotency key; nothing was done."
        "</message>\n"
        "  <recovery>Send one as the argument ref: a new one for each new operation, the same one when you repeat a "
        "call.</recovery>\n"
        "</tool_error>"
    )
    assert effect.done == []


def test_where_only_meta_can_carry_a_key_that_is_what_a_refusal_says(ledger: Ledger) -> None:
    @idempotent(ledger=ledger)
    def pay() -> None: ...

    assert outcome(pay).recovery == (
        "Send one in _meta as io.github.fusion-contracts/idempotency-key: a new one for each new operation, the same "
        "one when you repeat a call."
    )


@ways
def test_a_write_without_a_key_may_be_warned_of_instead(
    ledger: Ledger, caplog: pytest.LogCaptureFixture, way: int
) -> None:
    effect = Effect()
    pay = tools(ledger, effect, unkeyed="warn")[way]
    for _ in range(2):
        outcome(pay, None, 5)
    assert effect.done == [5, 5]
    assert {(record.levelno, record.getMessage()) for record in caplog.records} == {
        (logging.WARNING, f"{pay.__name__} was called without an idempotency key: repeated, it has its effect again")
    }


@ways
@pytest.mark.parametrize("hints", [{"idempotentHint": True}, SimpleNamespace(idempotentHint=True, readOnlyHint=None)])
def test_a_tool_that_is_declared_idempotent_needs_no_key_and_may_have_one(
    ledger: Ledger, caplog: pytest.LogCaptureFixture, way: int, hints: Any
) -> None:
    effect = Effect()
    put = tools(ledger, effect, annotations=hints)[way]
    for key in (None, None, "a", "a"):
        outcome(put, key, 5)
    assert effect.done == [5, 5, 5]
    assert caplog.records == []
