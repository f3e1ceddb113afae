"""A decorated tool: what a repeated call gets, and what is never done twice."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from repeating import DAY, Clock, Effect, Tool, outcome, tools, ways

from fusion_contracts import ToolFault, error, tool_error
from fusion_contracts.loop.idempotency import Ledger, idempotent, no_effect
from fusion_contracts.loop.stores import MemoryStore


@ways
def test_a_repeated_call_gets_the_first_result(ledger: Ledger, way: int) -> None:
    effect = Effect()
    pay = tools(ledger, effect)[way]
    assert outcome(pay, "a", 5) == {"paid": 5, "number": 1}
    assert outcome(pay, ref="a", amount=5) == {"paid": 5, "number": 1}
    assert outcome(pay, "b", 5) == {"paid": 5, "number": 2}
    assert effect.done == [5, 5]


@ways
def test_other_arguments_under_the_same_key_are_a_conflict(ledger: Ledger, way: int) -> None:
    effect = Effect()
    pay = tools(ledger, effect)[way]
    outcome(pay, "a", 5)
    assert outcome(pay, "a", 6).to_xml() == (
        '<tool_error code="CONFLICT" severity="error">\n'
        "  <message>The idempotency key a was used before with other arguments; nothing was done.</message>\n"
        "  <recovery>Send the first call's arguments to get its result, or a new key for a new operation.</recovery>\n"
        "</tool_error>"
    )
    assert effect.done == [5]


@ways
def test_a_call_beside_a_running_one_is_a_conflict_with_a_delay(ledger: Ledger, way: int) -> None:
    beside: list[Any] = []

    def effect(amount: int) -> str:
        done = threading.Thread(target=lambda: beside.append(outcome(pay, "a", amount)))
        done.start()
        done.join()
        return "paid"

    pay = tools(ledger, effect)[way]
    assert outcome(pay, "a", 5) == "paid"
    assert beside[0].to_xml() == (
        '<tool_error code="CONFLICT" severity="error">\n'
        "  <message>A call with the idempotency key a is still running; nothing was done beside it.</message>\n"
        "  <recovery>Wait, then call again with the same key and arguments: you get the result of the running call."
        "</recovery>\n"
        "  <retry_after>2 seconds</retry_after>\n"
        "</tool_error>"
    )
    assert outcome(pay, "a", 5) == "paid"


def test_a_result_is_kept_for_a_day_and_longer_where_asked(ledger: Ledger, clock: Clock) -> None:
    effect = Effect()
    (pay, *_) = tools(ledger, effect)
    outcome(pay, "a", 5)
    clock.now += DAY - 1
    assert outcome(pay, "a", 5) == {"paid": 5, "number": 1}
    clock.now += 2
    assert outcome(pay, "a", 6) == {"paid": 6, "number": 2}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"keep": 3600}, "keep must be 86400 seconds (a day) or more, not 3600"),
        ({"keep": float("nan")}, "keep must be 86400 seconds (a day) or more, not nan"),
        ({"lease": 0}, "lease must be a finite number of seconds above zero, not 0"),
    ],
)
def test_times_that_promise_too_little_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match="^" + sentence.replace("(", r"\(").replace(")", r"\)") + "$"):
        Ledger(MemoryStore(), **options)


BEFORE = [
    tool_error("VALIDATION_ERROR", "amount is missing"),
    tool_error("RATE_LIMITED", "too often", retry_after=3),
    error("FORBIDDEN", "not yours"),
    no_effect(tool_error("NOT_FOUND", "no such account")),
    no_effect(tool_error("TIMEOUT", "no connection could be made")),
    no_effect(error("NOT_FOUND", "no such account")),
]


@ways
@pytest.mark.parametrize("fault", BEFORE, ids=lambda fault: fault.code)
@pytest.mark.parametrize("returned", [False, True])
def test_nothing_is_stored_of_a_call_whose_effect_never_began(
    ledger: Ledger, way: int, fault: ToolFault, returned: bool
) -> None:
    fault.__dict__["returned"] = returned
    effect = Effect(fault)
    pay = tools(ledger, effect)[way]
    assert outcome(pay, "a", 5) == fault
    assert outcome(pay, "a", 6) == {"paid": 6, "number": 2}


@ways
@pytest.mark.parametrize("returned", [False, True])
@pytest.mark.parametrize(
    "fault",
    [
        tool_error("NOT_FOUND", "m", suggestion="s", available_actions=["x"], details={"a": 1}),
        tool_error("CARD_DECLINED", "m", retry_after=1.5),
        tool_error("DEPRECATED", "done, but old", severity="warning"),
    ],
    ids=lambda fault: fault.code,
)
def test_a_fault_that_is_the_tools_last_word_is_replayed_as_it_came(
    ledger: Ledger, way: int, fault: ToolFault, returned: bool
) -> None:
    fault.__dict__["returned"] = returned
    effect = Effect(fault)
    pay = tools(ledger, effect)[way]
    ends = {"returned" if not _raises(pay, "a", 5) else "raised" for _ in range(2)}
    assert ends == {"returned" if returned else "raised"}
    assert outcome(pay, "a", 5) == fault
    assert effect.done == [5]


def _raises(tool: Tool, *arguments: Any) -> bool:
    try:
        value = tool(*arguments)
        if inspect.iscoroutine(value):
            asyncio.run(value)
    except ToolFault:
        return True
    return False


@ways
@pytest.mark.parametrize(
    ("failure", "how"),
    [
        (RuntimeError("password=hunter2"), "failed (RuntimeError)"),
        (asyncio.CancelledError(), "failed (cancelled)"),
        (ConnectionResetError(), "failed (ConnectionResetError)"),
        (tool_error("TIMEOUT", "no answer"), "failed (TIMEOUT)"),
        (tool_error("CHARGED_TWICE", "bad", severity="critical"), "failed (CHARGED_TWICE)"),
    ],
    ids=["foreign", "cancelled", "lost", "timeout", "critical"],
)
def test_a_failure_that_leaves_the_effect_open_is_never_repeated(
    ledger: Ledger, way: int, failure: BaseException, how: str
) -> None:
    effect = Effect(failure)
    pay = tools(ledger, effect)[way]
    with pytest.raises(type(failure)):
        raise outcome(pay, "a", 5) if isinstance(failure, Exception) else _cancelled(pay)
    again = outcome(pay, "a", 5)
    assert (again.code, again.severity) == ("OUTCOME_UNKNOWN", "critical")
    assert again.message == (
        f"Outcome unknown: an earlier call with the idempotency key a began and {how}; it may have taken effect."
    )
    assert effect.done == [5]


def _cancelled(pay: Tool) -> BaseException:
    try:
        value = pay("a", 5)
        if inspect.iscoroutine(value):
            asyncio.run(value)
    except asyncio.CancelledError as raised:
        return raised
    raise AssertionError("it was not cancelled")


def test_an_exception_that_steers_a_framework_comes_before_the_effect(ledger: Ledger) -> None:
    kind = type("ApprovalRequired", (Exception,), {"__module__": "pydantic_ai.exceptions"})
    (pay, *_) = tools(ledger, Effect(kind()))
    assert type(outcome(pay, "a", 5)) is kind
    assert outcome(pay, "a", 5) == {"paid": 5, "number": 2}


def test_the_record_stands_before_the_effect(ledger: Ledger) -> None:
    seen: list[bytes | None] = []

    def effect(amount: int) -> None:
        seen.append(ledger.store.get("idempotency:3:pay:a"))

    (pay, *_) = tools(ledger, effect, scope="pay")
    outcome(pay, "a", 5)
    assert seen[0] is not None
    assert b'"state":"begun"' in seen[0]
    stored = ledger.store.get("idempotency:3:pay:a")
    assert stored is not None
    assert b'"state":"ended"' in stored


def test_arguments_are_stored_as_a_digest_alone(ledger: Ledger) -> None:
    @idempotent("ref", ledger=ledger, scope="pay")
    def pay(ref: str, card: str) -> None: ...

    pay("a", "4111-1111")
    assert b"4111" not in (ledger.store.get("idempotency:3:pay:a") or b"")


def test_a_read_only_tool_is_left_as_it_is(ledger: Ledger) -> None:
    def read() -> None: ...

    assert idempotent(ledger=ledger, annotations={"readOnlyHint": True})(read) is read


def test_what_cannot_hold_is_refused_when_it_is_decorated(ledger: Ledger) -> None:
    def items(ref: str) -> Iterator[int]:
        yield 1

    with pytest.raises(TypeError, match=r"^idempotent does not hold for generators: decorate a function that returns"):
        idempotent("ref", ledger=ledger)(items)
    with pytest.raises(ValueError, match=r"^pay has no argument reference$"):
        idempotent("reference", ledger=ledger)(lambda_named("pay"))
    with pytest.raises(ValueError, match=r"^pay has no argument note$"):
        idempotent("ref", ledger=ledger, ignore=["note"])(lambda_named("pay"))
    with pytest.raises(ValueError, match=r"^unkeyed must be refuse or warn, not 'ignore'$"):
        idempotent("ref", ledger=ledger, unkeyed="ignore")  # type: ignore[arg-type]  # the point


def lambda_named(name: str) -> Callable[[str], str]:
    def function(ref: str) -> str:
        return ref

    function.__name__ = name
    return function


def test_callers_with_scopes_of_their_own_do_not_see_each_others_results(ledger: Ledger) -> None:
    caller = ["ann"]

    @idempotent("ref", ledger=ledger, scope=lambda: f"pay:{caller[0]}")
    def pay(ref: str) -> str:
        return caller[0]

    assert pay("a") == "ann"
    caller[0] = "bob"
    assert pay("a") == "bob"
    caller[0] = "ann"
    assert pay("a") == "ann"


def test_methods_are_tools_as_well(ledger: Ledger) -> None:
    class Bank:
        def __init__(self, name: str) -> None:
            self.name = name

        @idempotent("ref", ledger=ledger)
        def pay(self, ref: str) -> str:
            return f"{self.name} paid {ref}"

    assert Bank("first").pay("a") == Bank("second").pay("a") == "first paid a"
