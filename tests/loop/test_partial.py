"""What a partial and an empty result say to a model, to a program, and to a framework that holds them to a schema."""

from __future__ import annotations

import datetime as dt
import json
import math
from dataclasses import FrozenInstanceError, dataclass
from typing import Any, TypeVar
from xml.etree import ElementTree as ET

import jsonschema
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_jsonable_python

from fusion_contracts import ToolFault, tool_error
from fusion_contracts.loop import FailedItem, Outcome, PartialResult, empty, partial

MISSING = tool_error("NOT_FOUND", "No file of that name.")
SLOW = tool_error("TIMEOUT", "The service did not answer.", retry_after=30)


class Line(pydantic.BaseModel):
    number: int


class Invoice(pydantic.BaseModel):
    id: str = pydantic.Field(alias="invoiceId")
    lines: list[Line]


@dataclass
class Day:
    date: dt.date


INVOICE = Invoice(invoiceId="a", lines=[Line(number=1)])


def test_what_a_model_reads_of_a_partial_result() -> None:
    result = partial(["a.txt", "b.txt"], failed=[("c & d", MISSING), ("e.txt", SLOW)], cursor="4", total=7)
    assert result.to_text() == """\
<tool_result status="partial" done="2" failed="2" total="7" cursor="4">
  <items>["a.txt","b.txt"]</items>
  <failed item="c &amp; d" code="NOT_FOUND">No file of that name.</failed>
  <failed item="e.txt" code="TIMEOUT" retry_after="30 seconds">The service did not answer.</failed>
  <next>2 of 7 done, 2 failed, 3 more not done. Call the tool again after 30 seconds with the same arguments and \
cursor "4". Trying c &amp; d again cannot help. Do not report the task as done while anything is missing.</next>
</tool_result>"""


def test_without_a_cursor_the_items_that_may_succeed_are_named() -> None:
    busy = tool_error("SERVER_BUSY", "Full.", retry_after=2)
    result: PartialResult[int] = partial([1], failed=[(2, SLOW), (3, busy)])
    assert result.following == (
        "1 done, 2 failed. Call the tool again after 30 seconds with 2, 3 alone. "
        "Do not report the task as done while anything is missing."
    )


def test_many_failures_are_counted_in_the_text_and_listed_in_the_structure() -> None:
    result: PartialResult[int] = partial([], failed=[(index, MISSING) for index in range(12)])
    assert result.to_text().count("<failed ") == 10
    assert "  ... and 2 more failed\n" in result.to_text()
    assert "Trying 0, 1, 2, 3, 4 and 7 more again cannot help." in result.following
    assert len(result.to_structured()["failed"]) == 12


def test_the_structured_form_says_the_same_and_holds_no_null() -> None:
    result = partial(["a"], failed=[("b", SLOW)], cursor="2", total=3, earlier=1)
    assert result.to_structured() == {
        "items": ["a"],
        "status": "partial",
        "failed": [
            {
                "item": "b",
                "code": "TIMEOUT",
                "message": "The service did not answer.",
                "retryable": True,
                "retry_after": 30,
            }
        ],
        "next": result.following,
        "cursor": "2",
        "total": 3,
        "earlier": 1,
    }
    assert partial([]).to_structured() == {
        "items": [],
        "status": "empty",
        "failed": [],
        "next": "Nothing found. That is the complete answer, not an error; the same search finds nothing again.",
    }


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (partial([1]), "complete"),
        (partial([1], total=1), "complete"),
        (partial([1], total=2), "partial"),
        (partial([1], cursor="c"), "partial"),
        (partial([1], failed=[(2, MISSING)]), "partial"),
        (partial([9, 10], total=10, earlier=8), "complete"),
        (partial([], total=8, earlier=8), "complete"),
        (partial([]), "empty"),
        (empty(searched="x"), "empty"),
    ],
)
def test_a_status_is_what_is_missing(result: PartialResult[Any], status: str) -> None:
    assert result.status == status
    assert Outcome.of(result).kind == {"complete": "ok"}.get(status, status)


def test_nothing_found_is_an_answer() -> None:
    result = empty(searched="invoices of 2026 <open>")
    assert result.to_text() == """\
<tool_result status="empty" searched="invoices of 2026 &lt;open&gt;">
  <next>Nothing found in: invoices of 2026 &lt;open>. That is the complete answer, not an error; the same search finds \
nothing again.</next>
</tool_result>"""
    assert result.to_mcp()["isError"] is False
    assert result.to_structured()["searched"] == "invoices of 2026 <open>"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: empty(searched=" "), "searched must not be an empty text"),
        (lambda: empty(searched=None), "searched must be a text, not NoneType"),  # type: ignore[arg-type]
        (lambda: partial("abc"), "items must be a list of items, not str"),
        (lambda: partial([], cursor=""), "cursor must not be an empty text"),
        (lambda: partial([], cursor=5), "cursor must be a text, not int"),  # type: ignore[arg-type]
        (lambda: partial([], total=-1), "total must be a number of items, not -1"),
        (lambda: partial([], earlier=True), "earlier must be a number of items, not True"),
        (lambda: partial([], ["a"]), "failed must hold pairs of an item and its fault, not str"),  # type: ignore[list-item]
        (lambda: partial([], [("a", None)]),  # type: ignore[list-item]
         "the reason of a failed item must be a fault or an exception, not NoneType"),
    ],
)  # fmt: skip
def test_what_says_nothing_is_refused(make: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    assert str(caught.value) == message


def test_of_a_long_search_the_beginning_is_said() -> None:
    result = empty(searched="invoices " * 20_000)
    assert len(result.to_text()) < 1_500
    assert result.to_structured()["searched"] == ("invoices " * 100)[:497] + "..."
    assert len(str(result.to_mcp())) < 4_000


@dataclass(frozen=True)
class Weight:
    grams: float


def test_numbers_that_json_does_not_have_are_null() -> None:
    unknown = float("nan")
    items = [1.5, unknown, -math.inf, {"at": [unknown]}, Weight(math.inf)]
    wanted = [1.5, None, None, {"at": [None]}, {"grams": None}]
    result = partial(items, failed=[("b", "It could not be read.")])
    assert result.to_structured()["items"] == wanted
    assert f"<items>{json.dumps(wanted, separators=(',', ':'))}</items>" in result.to_text()
    json.dumps(result.to_mcp(), allow_nan=False)


def test_why_an_item_failed() -> None:
    reasons: list[Any] = [("a", TimeoutError("secret")), ("b", "The row has no date."), ("c", SLOW)]
    failed = partial([], [*reasons, FailedItem("d", MISSING)]).failed
    assert [(each.item, each.fault.code, each.fault.message, each.retryable) for each in failed] == [
        ("a", "TIMEOUT", "The call took too long and was given up.", True),
        ("b", "UNKNOWN", "The row has no date.", True),
        ("c", "TIMEOUT", "The service did not answer.", True),
        ("d", "NOT_FOUND", "No file of that name.", False),
    ]


def test_a_result_is_a_value() -> None:
    assert partial([1], [("a", MISSING)]) == partial([1], [("a", MISSING)])
    with pytest.raises(FrozenInstanceError):
        partial([1]).cursor = "x"  # type: ignore[misc]
    assert str(partial([1])) == partial([1]).to_text()


@pytest.mark.parametrize("wait", [1, 2.5, 30, 0.125])
def test_the_wait_is_read_from_the_text_as_it_was_given(wait: float) -> None:
    result = partial(["a"], failed=[("b", tool_error("TIMEOUT", "Slow.", retry_after=wait))])
    assert Outcome.of(result.to_text()).retry_after == wait == Outcome.of(result.to_mcp()).retry_after


@pytest.mark.parametrize("said", ["soon", "2,5 seconds", "-1 seconds", "0 seconds", f"{2**53} seconds", "1e9 seconds"])
def test_what_is_no_wait_is_none(said: str) -> None:
    failed = f'<failed item="b" code="TIMEOUT" retry_after="{said}">Slow.</failed>'
    text = f'<tool_result status="partial" done="0" failed="1">{failed}</tool_result>'
    outcome = Outcome.of(text)
    assert (outcome.kind, outcome.retryable, outcome.retry_after) == ("partial", True, None)


# The schema that a tool declares


@pytest.mark.parametrize(
    ("item", "items"),
    [
        (Any, ["x", 1, None, {"a": [1]}]),
        (str, ["x"]),
        (Invoice, [INVOICE]),
        (Day, [Day(dt.date(2026, 1, 31))]),
        (dict[str, int], [{"a": 1}]),
        (int | None, [1, None]),
    ],
)
def test_every_result_is_valid_under_the_schema_of_its_items(item: Any, items: list[Any]) -> None:
    schema = PartialResult[item].output_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    results: list[PartialResult[Any]] = [
        partial(items),
        empty(searched="x"),
        partial(items, [("b", SLOW), ("c", MISSING)], cursor="1", total=9, earlier=1),
    ]
    for result in results:
        validator.validate(result.to_structured())
    assert not validator.is_valid({"items": items})
    assert schema["type"] == "object"
    assert "$ref" not in schema


def test_a_schema_holds_its_items_to_their_type() -> None:
    schema = PartialResult[Invoice].output_schema()
    assert schema["properties"]["items"]["items"] == {"$ref": "#/$defs/Invoice"}
    assert schema["$defs"]["Invoice"]["required"] == ["invoiceId", "lines"]
    assert set(schema["$defs"]) == {"Invoice", "Line"}
    assert partial([INVOICE]).to_structured()["items"] == [{"invoiceId": "a", "lines": [{"number": 1}]}]
    bad = partial([{"id": "a"}]).to_structured()
    assert not jsonschema.Draft202012Validator(schema).is_valid(bad)


def test_as_an_annotation_it_is_what_it_says() -> None:
    adapter: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(PartialResult[Invoice])
    result = partial([INVOICE], [("b", SLOW)])
    assert adapter.json_schema(mode="serialization") == PartialResult[Invoice].output_schema()
    assert adapter.validate_python(result) is result
    assert adapter.dump_python(result, mode="json", by_alias=True) == result.to_structured()
    plain: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(PartialResult)
    assert plain.json_schema(mode="serialization") == PartialResult.output_schema()
    assert plain.dump_python(result, mode="json", by_alias=True) == result.to_structured()
    with pytest.raises(pydantic.ValidationError):
        adapter.validate_python({"items": []})


def test_as_a_model_it_takes_what_is_written() -> None:
    model = PartialResult[Invoice].model()
    result = partial([INVOICE], [("b", SLOW)], cursor="c", total=3)
    assert model.model_json_schema(mode="serialization") == PartialResult[Invoice].output_schema()
    assert model.model_validate(result.to_structured()).model_dump(by_alias=True) == result.to_structured()
    with pytest.raises(pydantic.ValidationError):
        model.model_validate(partial([{"id": 5}]).to_structured())


def test_whoever_does_not_know_its_class_writes_it_the_same() -> None:
    result = partial([INVOICE], [("b", SLOW)])
    assert to_jsonable_python({"given": [result]}) == {"given": [result.to_structured()]}


def test_a_class_of_results_is_one_class() -> None:
    classes: Any = PartialResult  # a generic class to a type checker
    assert classes[Invoice] is classes[Invoice]
    assert PartialResult[Invoice].__name__ == "PartialResult[Invoice]"
    assert isinstance(PartialResult[Invoice]((INVOICE,)), PartialResult)
    assert classes[TypeVar("Item")] is PartialResult
    assert PartialResult.output_schema() == PartialResult[Any].output_schema()


# Reading back

TEXTS = st.text(max_size=40)
NAMES = st.text(min_size=1, max_size=40).map(str.strip).filter(bool)
FAULTS = st.builds(
    lambda code, message, wait: ToolFault(code, message, retry_after=wait),
    st.sampled_from(["TIMEOUT", "NOT_FOUND", "OWN <&>"]), TEXTS, st.none() | st.integers(1, 1000),
)  # fmt: skip
RESULTS = st.builds(
    partial,
    st.lists(TEXTS | st.integers() | st.lists(TEXTS, max_size=2), max_size=4),
    st.lists(st.tuples(TEXTS, FAULTS), max_size=4),
    cursor=st.none() | NAMES.filter(lambda text: text.isprintable()),
    total=st.none() | st.integers(0, 100),
    earlier=st.integers(0, 10),
)


@given(RESULTS)
def test_what_is_written_is_read_back(result: PartialResult[Any]) -> None:
    for answer in (result, result.to_mcp(), result.to_structured()):
        outcome = Outcome.of(answer)
        assert outcome.partial is not None
        assert outcome.partial.to_structured() == result.to_structured()
        assert outcome.retryable is any(each.retryable for each in result.failed)


@given(RESULTS)
def test_the_text_is_well_formed_and_keeps_the_status(result: PartialResult[Any]) -> None:
    root = ET.fromstring(result.to_text())
    assert root.attrib["status"] == result.status
    read = Outcome.of(result.to_text())
    assert read.partial is not None
    assert (read.partial.status, read.partial.cursor) == (result.status, result.cursor)
    assert [each.fault.code for each in read.partial.failed] == [each.fault.code for each in result.failed]
