"""The seam of all integrations: what becomes of a call, whatever the framework."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from handling import RENAMED, Ran, Refused, Way, call, handler, tool

from fusion_contracts import tool_error
from fusion_contracts.integrations import Options, ToolCall, warn
from fusion_contracts.integrations.framework import NOT_JUDGED, Handled

RECORD = {
    "code": "VALIDATION_ERROR",
    "severity": "error",
    "message": "The arguments of close_ticket are not valid: ticket_id.",
    "details": {"ticket_id": 'Missing. You sent: id 7. Expected an integer: "The ticket\'s number."'},
    "action": "close_ticket",
    "fields": [{"name": "ticket_id", "problem": "Missing.", "sent": "id 7", "expected": "an integer"}],
    "suggested_arguments": {"ticket_id": 7},
    "deltas": [
        {"severity": "BREAKING", "field": "ticket_id", "change": "renamed from id; same value", "since": "1.0.0"}
    ],
}
CRASH = """<tool_error code="INTERNAL_ERROR" severity="critical">
  <message>The tool failed with an internal error (RuntimeError).</message>
  <recovery>The call may have taken effect: do not blindly retry. Check first, or report the failure.</recovery>
</tool_error>"""


def test_a_call_that_succeeds_gives_the_very_result(way: Way) -> None:
    ran, made = Ran(), call(ticket_id=7, other=1)
    handled = way(handler(), made, ran)
    assert (handled.result is ran.result, handled.answer, handled.warnings) == (True, None, ())
    assert ran.sent[0] is made.arguments


def test_a_renamed_argument_is_refused_before_the_tool_runs(way: Way) -> None:
    ran = Ran()
    answer = way(handler(), call(id=7), ran).answer
    assert answer is not None
    assert (answer.text, answer.is_error, ran.sent) == (RENAMED, True, [])
    assert answer.meta == {"io.github.fusion-contracts/error": RECORD}
    assert (answer.failing, answer.deltas) == (("ticket_id", "id"), 1)


def test_compact_leaves_the_top_level_unindented(way: Way) -> None:
    answer = way(handler(Options(compact=True)), call(id=7), Ran()).answer
    assert answer is not None
    assert answer.text == RENAMED.replace("\n  ", "\n")


def test_a_near_miss_runs_as_it_was_meant_where_coercion_is_on(way: Way) -> None:
    ran = Ran()
    handled = way(handler(Options(coerce=True)), call(id="7"), ran)
    assert (ran.sent, handled.answer, handled.result) == ([{"ticket_id": 7}], None, {"closed": 7})


def test_what_coercion_cannot_mend_is_left_to_the_framework(way: Way) -> None:
    ran = Ran()
    assert way(handler(Options(coerce=True)), call(ticket_id="seven"), ran).answer is None
    assert ran.sent == [{"ticket_id": "seven"}]


def test_a_value_of_a_redacted_name_is_not_shown(way: Way) -> None:
    answer = way(handler(Options(redact=("note",)), judges=False), call(ticket_id=7, note=11), Ran()).answer
    assert answer is not None
    assert answer.text.splitlines()[1] == (
        '  <field name="note">Wrong type. You sent: a value that is not shown. Expected a string.</field>'
    )


@pytest.mark.parametrize("name", ["Note_Of", "noteOf", "note-of"])
def test_a_redacted_name_is_one_in_any_spelling(way: Way, name: str) -> None:
    made = handler(Options(unknown="reject", redact=("note_of",)))
    answer = way(made, ToolCall("close_ticket", {"ticket_id": 7, name: "hunter2"}), Ran()).answer
    assert answer is not None
    assert "hunter2" not in answer.text + str(answer.record)


def test_an_unknown_argument_of_a_call_that_runs_is_a_warning_beside_the_result(way: Way) -> None:
    handled = way(handler(Options(unknown="warn")), call(ticket_id=7, nota="x"), Ran())
    assert (handled.result, handled.answer) == ({"closed": 7}, None)
    (warning,) = handled.warnings
    assert not warning.is_error
    assert warning.text.splitlines()[:2] == [
        '<tool_error code="VALIDATION_ERROR" severity="warning">',
        "  <message>close_ticket was called with unknown arguments: nota.</message>",
    ]


def test_an_unknown_argument_is_refused_where_that_is_asked(way: Way) -> None:
    ran = Ran()
    answer = way(handler(Options(unknown="reject")), call(ticket_id=7, other="x"), ran).answer
    assert answer is not None
    assert (answer.text.splitlines()[1], ran.sent) == (
        "  <field name=\"other\">Unknown argument. You sent: 'x'. Expected only ticket_id, note.</field>",
        [],
    )


def test_what_a_change_removed_may_come_back(way: Way) -> None:
    made, ran = handler(tools=iter([[tool("ticket_id")], [tool("id")]]).__next__), Ran()
    assert way(made, call(id=7), ran).answer is None  # the listing that is asked anew has it
    assert ran.sent == [{"id": 7}]


def test_arguments_that_the_framework_refuses_are_explained_by_the_schema(way: Way) -> None:
    made = handler(failed=lambda error: "arguments" if isinstance(error, Refused) else "failure")
    answer = way(made, call(ticket_id=[1]), Ran(raises=Refused("secret"))).answer
    assert answer is not None
    assert answer.text == (
        '<validation_error action="close_ticket">\n'
        '  <field name="ticket_id">Wrong type. You sent: a list of 1 item. Expected an integer.</field>\n'
        '  <contract_awareness since="1.0.0">\n'
        '    <change severity="BREAKING" field="ticket_id">renamed from id; same value</change>\n'
        "  </contract_awareness>\n"
        "  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>\n"
        "</validation_error>"
    )


def test_where_the_framework_judges_nothing_the_schema_does(way: Way) -> None:
    ran = Ran()
    answer = way(handler(judges=False), call(), ran).answer
    assert answer is not None
    assert (answer.fault.code, answer.failing, ran.sent) == ("VALIDATION_ERROR", ("ticket_id",), [])


def test_tools_that_change_at_run_time_count_once_they_are_listed_anew(way: Way) -> None:
    now = [tool("ticket_id")]
    made = handler(tools=lambda: list(now), judges=False, lists_all=True)
    assert way(made, call(ticket_id=7), Ran()).answer is None
    now[:] = [tool("number")]
    made.listings.forget()
    ran = Ran()
    answer = way(made, call(ticket_id=7), ran).answer
    assert answer is not None
    assert (answer.fault.code, "number" in answer.failing, ran.sent) == ("VALIDATION_ERROR", True, [])
    now.clear()
    made.listings.forget()
    answer = way(made, call(number=7), ran).answer
    assert answer is not None
    assert (answer.fault.code, ran.sent) == ("UNKNOWN_ACTION", [])


def test_a_tool_that_is_another_object_now_is_listed_anew(way: Way) -> None:
    now = {"close_ticket": object()}
    listed = [tool("id")]
    made = handler(tools=lambda: list(listed), found=now.get)
    ran = Ran()
    assert way(made, call(id=7), ran).answer is None
    listed[:] = [tool("ticket_id")]
    assert way(made, call(id=8), ran).answer is None  # nobody could know: the object is the same
    now["close_ticket"] = object()
    answer = way(made, call(id=9), ran).answer
    assert answer is not None
    assert (answer.text, ran.sent) == (RENAMED.replace("id 7", "id 9").replace(":7}", ":9}"), [{"id": 7}, {"id": 8}])


def test_tools_that_cannot_be_listed_anew_are_what_they_were(way: Way) -> None:
    down: list[int] = []

    def tools() -> list[dict[str, Any]]:
        if down:
            raise ConnectionError
        return [tool("ticket_id")]

    made = handler(tools=tools, judges=False, lists_all=True)
    assert way(made, call(ticket_id=7), Ran()).answer is None
    down.append(1)
    made.listings.forget()
    assert way(made, call(ticket_id=7), Ran()).answer is None


@pytest.mark.parametrize("framework", [{"lists_all": True}, {"failed": lambda _error: "unknown"}])
def test_a_tool_that_is_not_there(way: Way, framework: dict[str, Any]) -> None:
    answer = way(handler(**framework), call("whoami"), Ran(raises=Refused())).answer
    assert answer is not None
    assert answer.text == (
        '<tool_error code="UNKNOWN_ACTION" severity="error">\n'
        "  <message>No tool whoami. Removed since 1.0.0.</message>\n"
        "  <recovery>Do not call whoami again. Go on without it. Do not explain the error.</recovery>\n"
        "</tool_error>"
    )


def test_a_fault_is_told_raised_wrapped_or_returned(way: Way) -> None:
    fault = tool_error("NOT_FOUND", "No ticket 7", details={"id": 7})
    wrapped = Refused("masked")
    wrapped.__cause__ = fault
    for ran in (Ran(raises=fault), Ran(raises=wrapped), Ran(result=fault)):
        answer = way(handler(failed=lambda _error: "own"), call(ticket_id=7), ran).answer
        assert answer is not None
        assert (answer.fault, answer.text, answer.is_error) == (fault, fault.to_xml(), True)
        record = {"code": "NOT_FOUND", "severity": "error", "message": "No ticket 7", "details": {"id": "7"}}
        assert answer.meta == {"io.github.fusion-contracts/error": record}


def test_a_crash_tells_nothing_and_is_logged(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    crash = RuntimeError("password is hunter2")
    answer = way(handler(), call(ticket_id=7), Ran(raises=crash)).answer
    assert answer is not None
    assert (answer.text, answer.cause) == (CRASH, crash)
    assert "hunter2" not in str(answer.meta)
    (line,) = [line for line in caplog.records if line.levelno >= logging.ERROR]
    assert line.exc_info is not None
    assert line.exc_info[1] is crash


def test_what_the_frameworks_author_meant_for_the_model_goes_through(way: Way) -> None:
    with pytest.raises(Refused, match="say this"):
        way(handler(failed=lambda _error: "own"), call(ticket_id=7), Ran(raises=Refused("say this")))


def test_a_tool_that_is_listed_is_not_said_to_be_unknown(way: Way) -> None:
    with pytest.raises(Refused, match="disabled"):
        way(handler(failed=lambda _error: "unknown"), call(ticket_id=7), Ran(raises=Refused("disabled")))


def test_a_warning_in_place_of_a_result_that_must_be_there_is_flagged(way: Way) -> None:
    warning = tool_error("DEPRECATED", "m", severity="warning")
    for name, flagged in (("close_ticket", True), ("plain", False)):
        plain = {"name": "plain", "inputSchema": {"type": "object"}}
        made = handler(tools=lambda plain=plain: [tool("ticket_id"), plain])
        answer = way(made, call(name, ticket_id=7), Ran(raises=warning)).answer
        assert answer is not None
        assert (answer.text, answer.is_error) == (warning.to_xml(), flagged)


@pytest.mark.parametrize("end", [asyncio.CancelledError, KeyboardInterrupt, SystemExit])
def test_cancellation_and_exit_go_through(way: Way, end: type[BaseException]) -> None:
    with pytest.raises(end):
        way(handler(), call(ticket_id=7), Ran(raises=end()))


def test_a_result_that_violates_its_schema(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    answer = way(handler(), call(ticket_id=7), Ran(result={"closed": "hunter2"})).answer
    assert answer is not None
    assert answer.text == CRASH.replace("(RuntimeError)", "(its result violates its own output schema)")
    assert caplog.messages == ["The result of close_ticket violates its output schema: closed (type)"]


def test_a_result_that_is_not_judged(way: Way) -> None:
    made = handler(structured=lambda _result: NOT_JUDGED)
    assert way(made, call(ticket_id=7), Ran(result={"closed": "x"})).result == {"closed": "x"}


def test_a_tool_warns_beside_its_result(way: Way) -> None:
    class Warns(Ran):
        def __call__(self, arguments: Any) -> Any:
            warn(tool_error("DEPRECATED", "Use close_many.", severity="warning"))
            return super().__call__(arguments)

    handled = way(handler(), call(ticket_id=7), Warns())
    assert (handled.result, [warning.fault.code for warning in handled.warnings]) == ({"closed": 7}, ["DEPRECATED"])
    with pytest.raises(ValueError, match="only a warning stands beside a result: raise GONE instead"):
        warn(tool_error("GONE", "m"))
    warn(tool_error("DEPRECATED", "nobody listens", severity="warning"))


def test_tools_that_cannot_be_listed_stop_nothing(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> list[dict[str, Any]]:
        raise OSError("no listing")

    assert way(handler(tools=broken), call(id=7), Ran()).result == {"closed": 7}
    assert caplog.messages == ["The tools cannot be listed: errors are not explained"]


def test_concurrent_calls_do_not_mix() -> None:
    made = handler()

    async def proceed(arguments: Any) -> Any:
        await asyncio.sleep(0)
        if arguments["ticket_id"] % 2:
            warn(tool_error("ODD", str(arguments["ticket_id"]), severity="warning"))
        await asyncio.sleep(0)
        return {"closed": arguments["ticket_id"]}

    async def together() -> list[Handled]:
        name = {True: "id", False: "ticket_id"}
        calls = [call(**{name[number % 3 == 0]: number}) for number in range(60)]
        return await asyncio.gather(*(made.around(one, proceed) for one in calls))

    for number, handled in enumerate(asyncio.run(together())):
        if number % 3 == 0:
            assert handled.answer is not None
            assert handled.answer.text == RENAMED.replace("id 7", f"id {number}").replace(":7}", f":{number}}}")
        else:
            assert handled.result == {"closed": number}
            assert [warning.fault.message for warning in handled.warnings] == [str(number)] * (number % 2)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"cap": 0}, "cap is a whole number from 1, not 0"),
        ({"unknown": "maybe"}, "unknown must be one of auto, warn, reject, ignore, not 'maybe'"),
        ({"redact": "pin"}, "redact is a tuple, not str"),
        ({"on_error": print}, "on_error is a tuple, not builtin_function_or_method"),
    ],
)
def test_options_that_there_are_not(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        Options(**wrong)
    assert str(caught.value) == sentence
