"""Which name was meant: words decide, and not how much text two names share."""

from __future__ import annotations

import pytest

from fusion_contracts import explain_validation, unknown_action
from fusion_contracts.runtime.near import apart, likely, nearest, slip


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("find_book", "find_books"),
        ("find_bok", "find_books"),
        ("get_entry", "getEntries"),
        ("tga", "tag"),
        ("ticket_close", "close_ticket"),
        ("closePage", "close-page"),
        ("closepage", "close_page"),
        ("tickeid", "ticket_id"),
        ("pageIdx", "pageId"),
        ("desk_close_ticket", "close_ticket"),
        ("get_invoice", "billing.get_invoice"),
        ("synchronize", "synchronise"),
    ],
)
def test_a_name_that_is_misspelt_is_the_other(name: str, other: str) -> None:
    assert (slip(name, other), slip(other, name), apart(name, other)) == (True, True, False)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("find_book", "return_book"),
        ("create_ticket_comment", "delete_ticket_comment"),
        ("get_state", "set_state"),
        ("lock_door", "unlock_door"),
        ("close_page", "clone_page"),
        ("check_book", "checkout_book"),
        ("min_price", "max_price"),
        ("start_date", "end_date"),
        ("pageId", "page_number"),
    ],
)
def test_names_that_each_have_a_word_of_their_own_are_two_things(name: str, other: str) -> None:
    assert (apart(name, other), apart(other, name), slip(name, other)) == (True, True, False)


@pytest.mark.parametrize(("name", "other"), [("book", "delete_book"), ("ticketId", "ticket"), ("", "x"), ("_", "x")])
def test_one_word_in_common_may_be_meant_and_is_no_slip(name: str, other: str) -> None:
    assert (apart(name, other), slip(name, other), slip(other, name)) == (False, False, False)


def test_a_misspelt_tool_is_the_one_that_was_meant_alone() -> None:
    assert unknown_action("find_book", ["find_books", "return_book"]).to_xml() == (
        '<tool_error code="UNKNOWN_ACTION" severity="error">\n'
        "  <message>No tool find_book.</message>\n"
        "  <recovery>Call one of the available actions. Do not explain the error.</recovery>\n"
        "  <available_actions>\n"
        "    <action>find_books</action>\n"
        "  </available_actions>\n"
        "</tool_error>"
    )


def test_what_only_shares_a_noun_is_not_told_to_be_called() -> None:
    assert unknown_action("find_book", ["return_book", "ping"]).to_xml() == (
        '<tool_error code="UNKNOWN_ACTION" severity="error">\n'
        "  <message>No tool find_book.</message>\n"
        "  <recovery>Do not call find_book again; call one of the available actions if it does the job. "
        "Do not explain the error.</recovery>\n"
        "  <available_actions>\n"
        "    <action>return_book</action>\n"
        "  </available_actions>\n"
        "</tool_error>"
    )


def test_the_name_that_was_meant_is_found_among_thousands() -> None:
    verbs, things = ("get", "list", "send", "close"), ("page", "book", "ticket", "invoice", "folder")
    names = [f"{verb}_{thing}_{number}" for number in range(150) for verb in verbs for thing in things]
    assert nearest("archive_mesage", [*names, "archive_message"]) == "archive_message"
    assert nearest("archiveMessage", [*names, "archive_message"]) == "archive_message"
    assert likely("archive_mesage", ["restore_message", *names, "archive_message"]) == "archive_message"
    offered = unknown_action("archive_mesage", [*names, "archive_message"]).to_xml()
    assert "  <available_actions>\n    <action>archive_message</action>\n  </available_actions>\n" in offered
    options = {"type": "object", "properties": {"of": {"enum": [*names, "archive_message"]}}}
    (issue,) = explain_validation(options, {"of": "Archive-Message"}, action="find").issues
    assert issue.line() == (
        "Not an allowed value: wrong spelling. You sent: 'Archive-Message'. Expected 'archive_message'."
    )


NUMBER = {"type": "number"}
HIDDEN = "Unknown argument. You sent: a value that is not shown."


@pytest.mark.parametrize(
    ("sent", "line"),
    [
        ({"max_prices": 5}, "Unknown argument. You sent: 5. Expected max_price instead, a number."),
        ({"min_price": 5}, "Unknown argument. You sent: 5. Expected only max_price, password_hint."),
        ({"password_hints": "x"}, f"{HIDDEN} Expected password_hint instead, a string."),
        ({"passwork_hint": "x"}, f"{HIDDEN} Expected password_hint instead, a string."),
        ({"crossword_hint": "x"}, f"{HIDDEN} Expected only max_price, password_hint."),
    ],
)
def test_an_argument_of_another_meaning_is_not_offered(sent: dict[str, object], line: str) -> None:
    hint = {"type": "string", "writeOnly": True}
    properties = {"max_price": NUMBER, "password_hint": hint}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    (issue,) = explain_validation(schema, sent, action="find_books").issues
    assert issue.line() == line
