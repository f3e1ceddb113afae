"""The fluent builder: each step a fault, none changes another."""

from __future__ import annotations

import pickle

import pytest

from fusion_contracts import ToolFault, error, fault_boundary, parse_tool_error, to_fault, tool_error

WHOLE = (
    error("NOT_FOUND", "Invoice missing")
    .suggest("list first")
    .actions("billing.list_invoices")
    .severity("warning")
    .details({"requestedId": "inv_1"})
    .retry_after(30)
)
SAME = tool_error(
    "NOT_FOUND",
    "Invoice missing",
    suggestion="list first",
    available_actions=["billing.list_invoices"],
    severity="warning",
    details={"requestedId": "inv_1"},
    retry_after=30,
)


def test_a_builder_is_the_fault_that_it_describes() -> None:
    assert isinstance(WHOLE, ToolFault)
    assert WHOLE == SAME
    assert hash(WHOLE) == hash(SAME)
    assert WHOLE.to_xml() == SAME.to_xml()
    assert str(WHOLE) == str(SAME)
    assert (WHOLE.code, WHOLE.message, WHOLE.recovery) == ("NOT_FOUND", "Invoice missing", "list first")
    assert WHOLE.available_actions == ("billing.list_invoices",)
    assert not WHOLE.is_error


def test_the_plain_fault_has_the_three_names_that_are_steps_here() -> None:
    fault = WHOLE.fault
    assert type(fault) is ToolFault
    assert (fault.severity, dict(fault.details), fault.retry_after) == ("warning", {"requestedId": "inv_1"}, 30)
    assert fault.fault is fault


def test_no_step_changes_the_one_before() -> None:
    start = error("X", "m")
    start.suggest("s").actions("a").severity("critical").details(k="v").retry_after(1)
    assert start == tool_error("X", "m")


def test_actions_add_up_and_details_merge() -> None:
    built = error("X", "m").actions("a", "b").actions().actions("c").details({"a": 1, "b": 2}).details({"a": 9}, c=True)
    assert built.available_actions == ("a", "b", "c")
    assert list(built.fault.details.items()) == [("a", "9"), ("b", "2"), ("c", "true")]


def test_the_last_suggestion_and_time_win_and_can_be_taken_back() -> None:
    assert error("X", "m").suggest("a").suggest("b").recovery == "b"
    assert error("X", "m").suggest("a").suggest("").recovery is None
    assert error("X", "m").retry_after(3).retry_after(None).fault.retry_after is None


def test_a_detail_may_have_any_name() -> None:
    built = error("X", "m").details({"constructor": "y", "__class__": "z", "self": "s", "details": "d"})
    assert dict(built.fault.details) == {"constructor": "y", "__class__": "z", "self": "s", "details": "d"}
    assert dict(error("X", "m").details(details="d", self="s").fault.details) == {"details": "d", "self": "s"}


def test_each_step_refuses_what_the_constructor_refuses() -> None:
    with pytest.raises(TypeError, match=r"^message must be a text, not int$"):
        error("X", 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^severity must be one of error, critical, warning, not 'fatal'$"):
        error("X", "m").severity("fatal")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^an available action must be a text, not list$"):
        error("X", "m").actions(["a"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^retry_after must be a number of seconds, not str$"):
        error("X", "m").retry_after("30")  # type: ignore[arg-type]


def test_a_raised_builder_is_caught_as_a_fault() -> None:
    with pytest.raises(ToolFault) as caught:
        raise WHOLE
    assert to_fault(caught.value) == SAME
    assert type(to_fault(caught.value)) is ToolFault


def test_a_returned_builder_needs_no_build() -> None:
    @fault_boundary(answer="text")
    def tool() -> str | ToolFault:
        return WHOLE

    assert tool() == SAME.to_xml()


def test_the_client_reads_a_builder_as_it_stands() -> None:
    parsed = parse_tool_error(WHOLE)
    assert parsed == SAME
    assert type(parsed) is ToolFault


def test_a_builder_survives_pickling_and_builds_on() -> None:
    again = pickle.loads(pickle.dumps(error("X", "m").suggest("s")))
    assert again.actions("a") == tool_error("X", "m", suggestion="s", available_actions=["a"])
