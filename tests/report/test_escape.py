"""One escape function a language, each judged by a reader of that language."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fusion_contracts.canonical import printable
from fusion_contracts.report.escape import (
    github_data,
    github_property,
    json_text,
    log_lines,
    sarif_message,
    xml,
)
from fusion_contracts.report.inline import markdown, markdown_code, markdown_of_ours

BITS = st.sampled_from([
    "a", "word", "two words", " ", "  ", "\n", "`", "``", "|", "\\", "\\|", "*", "_", "~~", "<", ">", "&", "&amp;", "#",
    "##[", "::", "@me", "#1", "[x](y)", "![", "](", "{0}", "{{", "-->", "]]>", "$", "%", "%0A", ",", "\x1b[1m",
    "\u202e", "\ud800", "\x00", "\ufffe", "'", '"', "(", ")", "->", "1.", "-", "https://x.y", "www.x.y", "x@y.z",
    "deadbeef1",
])  # fmt: skip
TEXT = st.text() | st.lists(BITS, max_size=8).map("".join) | st.lists(BITS, max_size=8).map(" ".join)


class Page(HTMLParser):
    """The tags of a page, and its text: that of `code` apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.plain = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs == []
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text += data
        if "code" not in self.tags or self.tags[-1] == "/code" or self.tags.count("code") == self.tags.count("/code"):
            self.plain += data

    def handle_comment(self, data: str) -> None:
        assert data == " "


def in_a_cell(markup: str) -> Page:
    return Page(MarkdownIt("commonmark").enable("table").render(f"| a |\n|---|\n| x {markup} x |\n\nend\n"))


TABLE = ["table", "thead", "tr", "th", "/th", "/tr", "/thead", "tbody", "tr", "td", "/td", "/tr", "/tbody", "/table"]


@given(text=TEXT)
def test_a_sentence_in_markdown_reads_as_it_is_and_is_nothing_else(text: str) -> None:
    page = in_a_cell(markdown(text))
    assert [tag for tag in page.tags if tag not in {"code", "/code"}] == [*TABLE, "p", "/p"]
    shown = page.text.replace("→", "->").split()
    assert shown == ["a", "x", *printable(text).replace("→", "->").split(), "x", "end"]
    # what GitHub would link or notify outside of code
    assert not {"@", "#", ":/", "`"} & {bit for bit in ("@", "#", ":/", "`") if bit in page.plain}
    assert "www." not in page.plain


@given(text=TEXT)
def test_code_in_markdown_is_code_whatever_it_holds(text: str) -> None:
    page = in_a_cell(markdown_code(text))
    assert [tag for tag in page.tags if tag not in TABLE] == ["code", "/code", "p", "/p"]
    assert page.text.split() == ["a", "x", *printable(text).split(), "x", "end"]
    assert page.plain.split() == ["a", "x", "x", "end"]


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("id is now ticket_id; the value carries over", "id is now `ticket_id`; the value carries over"),
        ("status no longer accepts 'pending'", "status no longer accepts 'pending'"),
        ('title changed ("a_b" -> "c")', 'title changed ("`a_b`" → "c")'),
        ("no longer read-only: clients now ask", "no longer read-only: clients now ask"),
        ("version 0.8.1 -> 0.13.0", "version 0.8.1 → 0.13.0"),
        ("v2.0.0", "v2.0.0"),
        ("see GH-1 and 1234567 and deadbeef", "see `GH-1` and `1234567` and `deadbeef`"),
        ("a|b", "<code>a&#124;b</code>"),
        ("a@b.c|", "<code>a&#64;<!-- -->b&#46;c&#124;</code>"),
        ("by @everyone.", "by `@everyone`."),
    ],
)
def test_plain_words_stay_plain(text: str, markup: str) -> None:
    assert markdown(text) == markup


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("run `fusion lock SOURCE` to write one", "run `fusion lock SOURCE` to write one"),
        ("fetch it: `git fetch --unshallow`.", "fetch it: `git fetch --unshallow`."),
        ("(`a|b`)", "(<code>a&#124;b</code>)"),
        ("x`y`z and a`", "<code>x&#96;y&#96;z</code> and <code>a&#96;</code>"),
    ],
)
def test_our_own_commands_are_code(text: str, markup: str) -> None:
    assert markdown_of_ours(text) == markup


@given(text=TEXT)
def test_a_sentence_of_ours_is_nothing_but_words_and_code(text: str) -> None:
    page = in_a_cell(markdown_of_ours(text))
    assert [tag for tag in page.tags if tag not in {"code", "/code"}] == [*TABLE, "p", "/p"]
    shown = "".join(page.text.replace("→", "->").split()).replace("`", "")
    assert shown == f"ax{''.join(printable(text).replace('→', '->').split())}xend".replace("`", "")
    assert not {"@", "#", ":/", "`"} & {bit for bit in ("@", "#", ":/", "`") if bit in page.plain}


def test_known_names_are_code() -> None:
    assert markdown("id is now ticket; the value", {"id", "ticket"}) == "`id` is now `ticket`; the value"


@given(text=TEXT)
def test_a_workflow_command_keeps_its_shape(text: str) -> None:
    line = f"::error file={github_property(text)},title={github_property(text)}::{github_data(text)}"
    assert line.splitlines() == [line]
    head, message = line.removeprefix("::error ").split("::", 1)
    pairs = [pair.split("=", 1) for pair in head.split(",")]
    assert [name for name, _ in pairs] == ["file", "title"]
    assert unescaped(pairs[0][1]) == printable(text)
    assert unescaped(message) == "\n".join(map(printable, text.split("\n")))


def unescaped(value: str) -> str:
    """As the runner reads data and properties."""
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        value = value.replace(code, character)
    return value


@given(text=TEXT)
def test_xml_holds_any_text(text: str) -> None:
    element = ET.fromstring(f'<a b="{xml(text)}">{xml(text)}</a>')
    shown = printable(text).replace("\ufffe", "\\u{fffe}").replace("\uffff", "\\u{ffff}")
    assert (element.text or "", element.get("b"), len(element)) == (shown, shown, 0)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", r"\u{3a}:error::x"),
        ("a\n \t::error::x\nb ::c", "a\n \t\\u{3a}:error::x\nb ::c"),
        ("a ##[error]", r"a \u{23}#[error]"),
        ("\u3000::x", "\u3000\\u{3a}:x"),
        ("a: b", "a: b"),
    ],
)
def test_a_line_of_a_log_is_no_command(text: str, shown: str) -> None:
    assert log_lines(text) == shown


@given(text=TEXT)
def test_json_is_the_same_document_and_no_command(text: str) -> None:
    document = json.dumps([text])
    assert json.loads(json_text(document)) == [text]
    assert "##[" not in json_text(document)


def test_a_message_of_sarif_has_no_links_and_no_placeholders() -> None:
    assert sarif_message('[x](1) {0} fields[].ref {"a": 1}') == '[x\\](1) {{0}} fields[].ref {"a": 1}'
