"""The retry limits as the documentation states them, the texts they end in, and what of a call is remembered."""

from __future__ import annotations

from typing import Any

import pytest
from guarding import MISSING, SLOW, call, ended, scope

from fusion_contracts import explain_validation, tool_error
from fusion_contracts.loop import (
    Limits,
    MemoryStore,
    RetryGuard,
    ToolCall,
    empty,
    partial,
)

REFUSED = tool_error("VALIDATION_ERROR", "The arguments are not valid.", details={"pageId": "Missing."})


# The defaults


def test_the_second_identical_call_after_an_error_that_a_retry_cannot_help() -> None:
    guard = RetryGuard()
    assert ended(guard, call(pageId=1), MISSING) is None
    refused = guard.before(call(pageId=1))
    assert refused is not None
    assert refused.to_xml() == """\
<tool_error code="RETRY_LIMIT" severity="critical">
  <message>close_page was called once with these arguments and failed: NOT_FOUND.</message>
  <recovery>Do not call close_page with these arguments again in this run. Change them, go on without it or report \
what is missing.</recovery>
  <details>
    <detail key="scope">call</detail>
    <detail key="attempt 1">{pageId} NOT_FOUND: No page.</detail>
  </details>
</tool_error>"""
    assert guard.before(call(pageId=2)) is None
    assert guard.before(call("open_page", pageId=1)) is None


def test_the_third_identical_call_after_errors_that_a_retry_can_help() -> None:
    guard = RetryGuard()
    assert [scope(ended(guard, call(pageId=1), SLOW)) for _ in range(4)] == [None, None, "call", "call"]


def test_an_error_that_a_retry_cannot_help_after_one_that_it_can() -> None:
    guard = RetryGuard()
    assert [scope(ended(guard, call(pageId=1), fault)) for fault in (SLOW, MISSING, SLOW)] == [None, None, "call"]


def test_the_fourth_call_of_an_action_that_failed_three_times_in_the_same_way() -> None:
    guard = RetryGuard()
    for arguments in ({"pageIdx": 1}, {"page": 2}, {"pageIdx": "first", "force": True}):
        assert ended(guard, call(**arguments), REFUSED) is None
    refused = guard.before(call(pageId=7))
    assert refused is not None
    assert refused.to_xml() == """\
<tool_error code="RETRY_LIMIT" severity="critical">
  <message>close_page failed 3 times with the same error: VALIDATION_ERROR (pageId). Sent: {pageIdx}, {page}, \
{pageIdx, force}.</message>
  <recovery>Do not call close_page again in this run. Go on without it or report what is missing.</recovery>
  <details>
    <detail key="scope">action</detail>
    <detail key="attempt 1">{pageIdx} VALIDATION_ERROR: The arguments are not valid.</detail>
    <detail key="attempt 2">{page} VALIDATION_ERROR: The arguments are not valid.</detail>
    <detail key="attempt 3">{pageIdx, force} VALIDATION_ERROR: The arguments are not valid.</detail>
  </details>
</tool_error>"""
    assert guard.before(call("open_page")) is None


@pytest.mark.parametrize(
    "third",
    [
        tool_error("CONFLICT", "m"),
        tool_error("VALIDATION_ERROR", "m", details={"pageId": "x", "force": "x"}),
        "a success",
    ],
)
def test_another_code_other_fields_or_a_success_end_a_row(third: Any) -> None:
    guard = RetryGuard()
    given = [REFUSED, REFUSED, third, REFUSED, REFUSED, REFUSED]
    assert [ended(guard, call(pageId=index), fault) for index, fault in enumerate(given)] == [None] * 6
    assert scope(guard.before(call(pageId=9))) == "action"


def test_the_places_of_a_list_are_one_field() -> None:
    guard = RetryGuard()
    schema = {"properties": {"rows": {"items": {"type": "integer"}}}}
    for index in range(3):
        rows: list[Any] = [0] * index + [[]]
        report = explain_validation(schema, {"rows": rows}, action="t")
        assert report.failing == (f"rows[{index}]",)
        assert ended(guard, call("t", rows=rows), report) is None
    refused = guard.before(call("t", rows=[]))
    assert refused is not None
    assert refused.message == (
        "t failed 3 times with the same error: VALIDATION_ERROR (rows[]). Sent: {rows}, {rows}, {rows}."
    )


def test_a_run_has_a_budget_and_ends_with_a_summary() -> None:
    guard = RetryGuard(limits=Limits(failures=3))
    ended(guard, call("a", run="r"), MISSING)
    assert guard.over("r") is None
    assert scope(ended(guard, call("a", run="r"), MISSING)) == "call"  # a refusal counts as well
    ended(guard, call("b", run="r", x=1), SLOW)
    over = guard.over("r")
    assert over is not None
    assert over == guard.before(call("c", run="r"))
    assert over.to_xml() == """\
<tool_error code="RETRY_LIMIT" severity="critical">
  <message>This run has used up its budget: 3 failed or refused calls (a 1, b 1).</message>
  <recovery>Call no more tools. Report what is done, what is missing and why.</recovery>
  <details>
    <detail key="scope">run</detail>
    <detail key="last of a">{} NOT_FOUND: No page.</detail>
    <detail key="last of b">{x} TIMEOUT: Slow.</detail>
  </details>
</tool_error>"""
    assert guard.before(call("c", run="another")) is None
    guard.forget("r")
    assert guard.before(call("c", run="r")) is None


def test_calls_are_counted_where_they_are_bounded() -> None:
    guard = RetryGuard(limits=Limits(calls=2))
    assert [scope(ended(guard, call(n=n), "fine")) for n in range(3)] == [None, None, "run"]


def test_a_success_elsewhere_lets_a_hopeless_call_be_tried_once_more() -> None:
    guard = RetryGuard(read_only={"list"})
    ended(guard, call("read", path="a"), MISSING)
    ended(guard, call("list"), ["b"])
    assert scope(guard.before(call("read", path="a"))) == "call"  # nothing was changed
    ended(guard, call("write", path="a"), "written")
    assert ended(guard, call("read", path="a"), MISSING) is None
    ended(guard, call("write", path="b"), "written")
    assert scope(guard.before(call("read", path="a"))) == "call"


def test_a_success_of_the_call_itself_forgets_its_failures() -> None:
    guard = RetryGuard()
    given = [SLOW, "fine", SLOW, SLOW, "not run"]
    assert [scope(ended(guard, call(pageId=1), each)) for each in given] == [None, None, None, None, "call"]


def test_failures_count_no_more_after_the_window() -> None:
    now = 0.0
    guard = RetryGuard(MemoryStore(clock=lambda: now), limits=Limits(window=60, failures=2), clock=lambda: now)
    ended(guard, call(pageId=1), MISSING)
    assert scope(guard.before(call(pageId=1))) == "call"
    now = 59.9
    assert scope(guard.before(call(pageId=1))) == "run"
    now = 60.0  # since the refusal
    assert guard.before(call(pageId=1)) is None


# Results that did only a part


def test_a_partial_result_that_a_retry_cannot_help_is_not_asked_for_again() -> None:
    guard = RetryGuard()
    assert ended(guard, call("import", rows=5), partial([1, 2], [("3", MISSING)])) is None
    assert scope(guard.before(call("import", rows=5))) == "call"
    assert guard.before(call("import", rows=6)) is None


def test_a_page_of_a_search_is_a_success() -> None:
    guard = RetryGuard()
    given = [partial([1], cursor="2"), empty(searched="x"), partial([1])]
    assert [ended(guard, call("search"), each) for each in given * 3] == [None] * 9


def test_a_batch_of_which_nothing_succeeds_is_a_failure_of_its_action() -> None:
    guard = RetryGuard()
    for index in range(3):
        assert ended(guard, call("import", rows=index), partial([], [("1", SLOW)], cursor="0").to_mcp()) is None
    assert scope(guard.before(call("import", rows=9))) == "action"


# Whose calls


def test_calls_without_a_run_are_this_guards_alone() -> None:
    store = MemoryStore()
    one, other = RetryGuard(store), RetryGuard(store)
    ended(one, call(pageId=1), MISSING)
    assert scope(one.before(call(pageId=1))) == "call"
    assert other.before(call(pageId=1)) is None
    ended(one, call(pageId=1, run="r"), MISSING)
    assert scope(other.before(call(pageId=1, run="r"))) == "call"


def test_an_action_of_a_grouped_tool_is_counted_by_itself() -> None:
    guard = RetryGuard()
    ended(guard, ToolCall("billing", {"action": "get"}, action="billing.get"), MISSING)
    assert scope(guard.before(ToolCall("billing", {"action": "get"}, action="billing.get"))) == "call"
    assert guard.before(ToolCall("billing", {"action": "get"}, action="billing.list")) is None


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ({"a": 1}, {"a": True}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": float("nan")}, {"a": float("nan")}, True),
        ({"a": "\ud800"}, {"a": "\ud800"}, True),
        ({}, None, False),
    ],
)
def test_which_arguments_are_the_same(one: Any, other: Any, alike: bool) -> None:
    guard = RetryGuard()
    ended(guard, ToolCall("t", one), MISSING)
    assert (guard.before(ToolCall("t", other)) is not None) is alike


def test_arguments_that_cannot_be_written_are_still_counted() -> None:
    deep: list[Any] = []
    deep.append(deep)
    guard = RetryGuard()
    ended(guard, ToolCall("t", {"a": deep}), MISSING)
    assert scope(guard.before(ToolCall("t", {"a": deep}))) == "call"


# Limits


@pytest.mark.parametrize("name", ["permanent", "transient", "in_a_row", "failures", "calls"])
@pytest.mark.parametrize("number", [0, -1, True, 1.5, "3"])
def test_a_limit_is_a_whole_number_from_1(name: str, number: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be a whole number from 1, not {number!r}$"):
        Limits(**{name: number})


@pytest.mark.parametrize("window", [0, -1, float("inf"), float("nan")])
def test_a_window_is_a_time(window: float) -> None:
    with pytest.raises(ValueError, match=r"^window must be a finite number of seconds above 0, not "):
        Limits(window=window)


def test_repeats_that_a_retry_can_help_may_run_side_by_side_up_to_their_limit() -> None:
    guard, made = RetryGuard(limits=Limits(permanent=1, transient=3)), call(n=1)
    assert ended(guard, made, SLOW) is None
    assert [scope(guard.before(made)) for _ in range(3)] == [None, None, "call"]


def test_a_window_ends_at_its_last_moment() -> None:
    now = 0.0
    guard = RetryGuard(
        MemoryStore(clock=lambda: 0.0), limits=Limits(in_a_row=1, permanent=1, window=60), clock=lambda: now
    )
    assert ended(guard, call(n=1), MISSING) is None
    now = 59.0
    assert (scope(guard.before(call(n=1))), scope(guard.before(call(n=2)))) == ("action", "action")
    now = 60.0
    assert (scope(guard.before(call(n=2))), scope(guard.before(call(n=1)))) == (None, None)


def test_errors_that_a_retry_cannot_help_are_counted_from_the_last_one_that_it_can() -> None:
    guard, made = RetryGuard(limits=Limits(permanent=2, transient=3)), call(n=1)
    for error in (MISSING, SLOW, MISSING):
        assert ended(guard, made, error) is None
    assert scope(guard.before(made)) is None


def test_a_failure_after_the_window_begins_a_row_anew() -> None:
    now = 0.0
    guard = RetryGuard(MemoryStore(clock=lambda: 0.0), limits=Limits(window=60), clock=lambda: now)
    assert [ended(guard, call(pageId=number), SLOW) for number in range(2)] == [None, None]
    now = 60.0
    assert [scope(ended(guard, call(pageId=number), SLOW)) for number in range(2, 6)] == [None, None, None, "action"]
