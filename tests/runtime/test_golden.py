"""What the TypeScript original prints and reads, recorded by running it: ours is the same, except where it is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import ToolFault, error, fault_boundary, parse_tool_error, tool_error

KEYWORDS = {"availableActions": "available_actions", "retryAfter": "retry_after"}
STEPS = {"retryAfter": "retry_after"}
SHORTHANDS = {"critical", "warning"}

UNLIKE = {
    # What ours refuses at construction, where the original prints it or fails.
    "severity-unknown", "severity-empty", "severity-special", "severity-uppercase-warning", "message-number",
    "message-undefined", "retry-nan", "retry-inf", "retry-string-number", "retry-string-words", "b-retry-string",
    "b-retry-nan", "b-details-object-null",
    # What ours accepts as text, where the original fails.
    "details-number-value", "details-null-value",
    # What ours cleans or escapes, where the original prints what no XML reader gets back.
    "code-space-newline", "details-special", "message-newline-tab", "message-control", "message-lone-surrogate",
    "message-cdata", "b-details-coerce",
}  # fmt: skip


def vectors(shared: Path, name: str) -> Iterator[dict[str, Any]]:
    with (shared / "golden" / name).open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def by_id(shared: Path, name: str) -> dict[str, dict[str, Any]]:
    return {case["id"]: case for case in vectors(shared, name)}


def made(case: dict[str, Any]) -> ToolFault:
    if case["via"] == "toolError":
        options: dict[str, Any] = dict(case["options"])
        message = options.pop("message")
        return tool_error(case["code"], message, **{KEYWORDS.get(key, key): options[key] for key in options})
    built = error(case["code"], case["message"])
    for name, *arguments in case["chain"]:
        built = built.severity(name) if name in SHORTHANDS else getattr(built, STEPS.get(name, name))(*arguments)
    return built


def test_envelopes_are_byte_for_byte_the_originals(shared: Path) -> None:
    compared = 0
    for case in vectors(shared, "tool_error.jsonl"):
        if case["via"] not in ("toolError", "builder") or case["id"] in UNLIKE:
            continue
        fault = made(case)
        assert fault.to_xml(compact=True) == case["output"]["text"], case["id"]
        assert fault.is_error == case["output"]["isError"], case["id"]
        compared += 1
    assert compared >= 60


def test_the_original_prints_what_it_cannot_read_back_and_ours_does_not(shared: Path) -> None:
    cases = by_id(shared, "tool_error.jsonl")
    for name in ("code-space-newline", "details-special", "message-newline-tab", "message-control", "message-cdata"):
        fault = made(cases[name])
        assert fault.to_xml(compact=True) != cases[name]["output"]["text"]
        assert parse_tool_error(fault.to_xml(compact=True)) == fault


def test_the_originals_answers_are_read_as_its_client_reads_them(shared: Path) -> None:
    unlike = {
        "numeric-entity",  # a character reference is a character
        "details-with-action-tag", "detail-message-first",  # a section's elements are not another's
        "actions-all-empty", "actions-empty-element", "message-whitespace", "recovery-whitespace",  # nothing is trimmed
        "empty-code",  # an empty code is one
        "two-text-blocks",  # two envelopes are not mixed
        "single-quoted-attrs", "message-attr",  # XML has more than one spelling
        "message-without-envelope",  # a message alone is no envelope
        "validation-error", "validation-error-enriched",  # is a failure with a code
        "tool-error-enriched", "tool-error-actions-enriched",  # the awareness offers no action
        "empty-text", "no-content", "image-only",  # wording
    }  # fmt: skip
    compared = 0
    for case in vectors(shared, "client_parse.jsonl"):
        expected = case["output"].get("error")
        if expected is None or case["id"] in unlike:
            continue
        parsed = parse_tool_error(case["response"])
        assert parsed is not None
        assert (parsed.code, parsed.message, parsed.recovery, list(parsed.available_actions)) == (
            expected["code"],
            expected["message"],
            expected["recovery"],
            expected["availableActions"],
        ), case["id"]
        compared += 1
    assert compared >= 25


def test_what_the_original_reads_wrongly_ours_reads_right(shared: Path) -> None:
    cases = by_id(shared, "client_parse.jsonl")

    def read(name: str) -> ToolFault:
        fault = parse_tool_error(cases[name]["response"])
        assert fault is not None
        return fault

    assert read("numeric-entity").message == "<b> A"
    assert read("details-with-action-tag").available_actions == ()
    assert read("detail-message-first").message == "outer"
    assert read("two-text-blocks") == tool_error("A", "first")
    assert read("single-quoted-attrs") == tool_error("X", "m", severity="critical")
    assert read("message-attr") == tool_error("X", "m")
    assert read("message-whitespace").message == "  padded \n "
    assert read("full").details == {"requestedId": "inv_1"}
    assert read("full").retry_after == 30
    assert read("validation-error").code == "VALIDATION_ERROR"
    assert read("validation-error-enriched").available_actions == ()
    assert read("tool-error-enriched").available_actions == ()
    assert read("tool-error-actions-enriched").available_actions == ("a.b",)


def test_every_validation_error_of_the_original_is_read(shared: Path) -> None:
    compared = 0
    for case in vectors(shared, "validation_error.jsonl"):
        text = case["output"].get("text")
        if not text or not text.startswith("<validation_error"):
            continue
        fault = parse_tool_error(text)
        assert fault is not None, case["id"]
        assert fault.code == "VALIDATION_ERROR"
        assert fault.available_actions == ()
        assert fault.recovery, case["id"]
        compared += 1
    assert compared >= 100


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("throw-toolError", "[object Object]"), ("throw-warning", "[object Object]"),
        ("mw-throw-toolError", "[object Object]"), ("throw-builder", "[object Object]"),
        ("return-builder-grouped", '"_code"'), ("return-builder-fluent", '"_code"'),
        ("throw-error", "db &lt;down>"), ("throw-string", "plain string"), ("throw-error", "Retry the same call"),
    ],
)  # fmt: skip
def test_what_the_original_loses_or_leaks_ours_does_not(name: str, wrong: str, shared: Path) -> None:
    assert wrong in by_id(shared, "pipeline.jsonl")[name]["output"]["blocks"][0]
    whole = tool_error("NOT_FOUND", "m", suggestion="s", details={"a": 1}, retry_after=3, severity="critical")
    builder = error("NOT_FOUND", "Invoice missing").suggest("list")

    @fault_boundary(answer="text")
    def handler() -> ToolFault | str:
        if "builder" in name:
            if name.startswith("return"):
                return builder
            raise builder
        if "toolError" in name or name == "throw-warning":
            raise whole
        raise RuntimeError('db <down> & "out"')

    expected = builder if "builder" in name else whole
    answer = str(handler())
    if name in ("throw-error", "throw-string"):
        assert re.search(r"db|plain|Retry the same", answer) is None
        assert "do not blindly retry" in answer
    else:
        assert answer == expected.to_xml()


def test_the_originals_busy_and_rate_answers_are_read(shared: Path) -> None:
    cases = by_id(shared, "pipeline.jsonl")
    codes = {"busy-1-0": "SERVER_BUSY", "rate-limit": "RATE_LIMITED"}
    for name, code in codes.items():
        fault = parse_tool_error(cases[name]["output"][-1]["blocks"][0])
        assert fault is not None
        assert fault.code == code
    assert parse_tool_error(cases["rate-limit"]["output"][-1]["blocks"][0]).retry_after == 10  # type: ignore[union-attr]
