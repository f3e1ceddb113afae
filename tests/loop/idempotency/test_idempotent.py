"""A decorated tool: which calls are the same, what a repeated one gets, and what is never done twice."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from fusion_contracts import ToolFault, error, fault_boundary, tool_error
from fusion_contracts.loop.idempotency import META_KEY, Ledger, derived, idempotent, key_of, keyed, no_effect
from fusion_contracts.loop.idempotency.keys import digest_of
from fusion_contracts.loop.idempotency.ledger import Claim
from fusion_contracts.loop.idempotency.record import Ending
from fusion_contracts.loop.stores import MemoryStore, Store

NOW = 1_800_000_000.0
DAY = 86_400.0


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> Iterator[Ledger]:
    made = Ledger(MemoryStore(clock=clock), clock=clock)
    yield made
    made.close()


Tool = Callable[..., Any]


def tools(ledger: Ledger, effect: Callable[[int], Any], **options: Any) -> list[Tool]:
    """The same tool as a function, as a coroutine function, and as a function that gives a coroutine."""

    def plain(ref: str | None, amount: int) -> Any:
        return effect(amount)

    async def asynchronous(ref: str | None, amount: int) -> Any:
        return effect(amount)

    def late(ref: str | None, amount: int) -> Any:
        return asynchronous(ref, amount)

    return [idempotent("ref", ledger=ledger, **options)(function) for function in (plain, asynchronous, late)]


def outcome(tool: Tool, *arguments: Any, **named: Any) -> Any:
    """What the tool gave: its result, or what it raised."""
    try:
        value = tool(*arguments, **named)
        return asyncio.run(value) if inspect.iscoroutine(value) else value
    except Exception as raised:  # noqa: BLE001 - an outcome
        return raised


class Effect:
    """Counts what was done, and then ends as it is told."""

    def __init__(self, *endings: Any) -> None:
        self.done: list[int] = []
        self._endings = list(endings)

    def __call__(self, amount: int) -> Any:
        self.done.append(amount)
        ending = self._endings.pop(0) if self._endings else {"paid": amount, "number": len(self.done)}
        if isinstance(ending, BaseException) and not getattr(ending, "returned", False):
            raise ending
        return ending


ways = pytest.mark.parametrize("way", [0, 1, 2])


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


def test_a_holder_that_gave_no_sign_of_life_has_an_unknown_outcome_and_a_slow_one_ends_all_the_same(
    ledger: Ledger, clock: Clock
) -> None:
    effect = Effect()
    (pay, *_) = tools(ledger, effect, scope="pay")
    crashed = Ledger(ledger.store, clock=clock, lease=30)
    claim = crashed.begin("pay", "a", digest_of({"ref": "a", "amount": 5}))
    crashed.heartbeat.stop()
    clock.now += 29
    assert outcome(pay, "a", 5).message == (
        "A call with the idempotency key a is still running; nothing was done beside it."
    )
    crashed.heartbeat.beat()
    clock.now += 29
    assert outcome(pay, "a", 5).code == "CONFLICT"
    clock.now += 2
    assert outcome(pay, "a", 5).to_xml() == (
        '<tool_error code="OUTCOME_UNKNOWN" severity="critical">\n'
        "  <message>Outcome unknown: an earlier call with the idempotency key a began and never reported its end; "
        "it may have taken effect.</message>\n"
        "  <recovery>Verify before you retry: look whether the effect is there. Only if it is not, call again with a "
        "new key.</recovery>\n"
        "  <details>\n"
        '    <detail key="begun">2027-01-15T08:00:00+00:00</detail>\n'
        "  </details>\n"
        "</tool_error>"
    )
    clock.now += 400 * DAY
    assert outcome(pay, "a", 5).code == "OUTCOME_UNKNOWN"
    assert isinstance(claim, Claim)
    crashed.heartbeat.beat()  # it was only stopped, and is back
    assert outcome(pay, "a", 5).code == "CONFLICT"
    crashed.end(claim, Ending("ended", {"value": "slow"}))
    assert outcome(pay, "a", 5) == "slow"
    assert effect.done == []


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


def test_a_verified_call_is_settled_or_forgotten(ledger: Ledger) -> None:
    effect = Effect(RuntimeError(), RuntimeError(), "paid at last")
    (pay, *_) = tools(ledger, effect, scope="pay")
    assert not ledger.settle("pay", "a", "x")
    assert not ledger.forget("pay", "a")
    outcome(pay, "a", 5)
    assert ledger.settle("pay", "a", {"seen": True})
    assert outcome(pay, "a", 5) == {"seen": True}
    assert not ledger.settle("pay", "a", "x")
    outcome(pay, "b", 5)
    assert ledger.forget("pay", "b")
    assert outcome(pay, "b", 5) == "paid at last"
    assert ledger.forget("pay", "b")
    assert effect.done == [5, 5, 5]


def test_a_call_that_was_forgotten_while_it_ran_says_so_in_the_log(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
) -> None:
    def effect(amount: int) -> str:
        ledger.forget("pay", "a")
        return "paid"

    (pay, *_) = tools(ledger, effect, scope="pay")
    assert outcome(pay, "a", 5) == "paid"
    assert [record.getMessage() for record in caplog.records] == [
        "The record of a call was settled or forgotten while it ran; its own end was not written"
    ]


def test_a_call_that_is_cancelled_before_its_effect_gives_its_key_back(store: Store, kind: str, tmp_path: Any) -> None:
    if kind == "memory":
        pytest.skip("it never waits, so that nothing can be cancelled")
    reached, go = threading.Event(), threading.Event()
    scope = f"test:{tmp_path}"

    class Slow:
        blocking = True

        def get(self, key: str) -> bytes | None:
            return store.get(key)

        def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
            done = store.replace(key, old, new, ttl=ttl)
            if key.startswith("idempotency:"):
                reached.set()
                go.wait()
            return done

        def close(self) -> None: ...

    ledger = Ledger(Slow())
    effects: list[str] = []

    @idempotent("ref", ledger=ledger, scope=scope)
    async def pay(ref: str) -> str:
        effects.append(ref)
        return "paid"

    async def cancel() -> None:
        task = asyncio.ensure_future(pay("a"))
        await asyncio.to_thread(reached.wait)
        task.cancel()
        await asyncio.sleep(0)
        go.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert effects == []
    assert asyncio.run(pay("a")) == "paid"
    assert asyncio.run(pay("a")) == "paid"
    assert effects == ["a"]
    ledger.forget(scope, "a")
    ledger.close()


def test_a_running_call_is_renewed_until_it_ends_and_no_thread_stays() -> None:
    renewed = threading.Event()
    beats: list[str] = []

    class Watched(MemoryStore):
        def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
            if key.startswith("lease:") and old is not None and new is not None:
                beats.append(key)
                if len(beats) == 3:
                    renewed.set()
            return super().replace(key, old, new, ttl=ttl)

    ledger = Ledger(Watched(), lease=0.03)

    @idempotent("ref", ledger=ledger)
    def pay(ref: str) -> str:
        renewed.wait()
        return "paid"

    assert pay("a") == "paid"
    thread = ledger.heartbeat._here.here().thread
    if thread is not None:
        thread.join()
    assert len(set(beats)) == 1
    assert ledger.heartbeat._here.here().thread is None
