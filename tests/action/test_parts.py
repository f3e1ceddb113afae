"""What the Action's script hands to GitHub cannot be left by a text that a stranger chose."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

FOLDER = Path(__file__).resolve().parents[2] / ".github" / "actions" / "check"
TEXT = st.text(st.sampled_from("`~ \na<>/!-#"), max_size=80)


@pytest.fixture(scope="module")
def parts() -> Iterator[Any]:
    """The two modules that write."""
    sys.path.insert(0, str(FOLDER))
    yield import_module("publish"), import_module("comment")
    sys.path.remove(str(FOLDER))


@given(text=TEXT)
def test_a_block_of_text_is_one_block(parts: Any, text: str) -> None:
    publish, _ = parts
    (token,) = MarkdownIt().parse(publish.fenced(text))
    assert (token.type, token.info) == ("fence", "text")
    assert token.content.rstrip("\n") == text.rstrip()


@given(text=TEXT, room=st.integers(320, 600), times=st.integers(1, 40))
def test_what_is_cut_fits_and_closes_its_blocks(parts: Any, text: str, room: int, times: int) -> None:
    publish, _ = parts
    cut = publish.cut(publish.fenced(text * times) + "\nafter\n", room)
    assert len(cut) <= room
    assert "fence" not in {token.type for token in MarkdownIt().parse(cut)[1:]}


@given(key=st.text())
def test_the_first_line_of_a_comment_is_one_html_comment(parts: Any, key: str) -> None:
    _, comment = parts
    assert re.fullmatch(r"<!-- fusion check: [\w./ ]+ -->", comment.marker(key))


@given(value=st.text(st.sampled_from("ab\n<=_%: "), max_size=40))
def test_an_output_is_what_was_given(parts: Any, tmp_path_factory: pytest.TempPathFactory, value: str) -> None:
    publish, _ = parts
    file = tmp_path_factory.mktemp("output") / "output"
    publish.output(str(file), {"one": value, "two": "2"})
    lines = file.read_text(encoding="utf-8").split("\n")
    name, _, end = lines[0].partition("<<")
    assert name == "one"
    assert "\n".join(lines[1 : lines.index(end, 1)]) == value


def test_a_summary_is_added_to_and_never_too_large(parts: Any, tmp_path: Path) -> None:
    publish, _ = parts
    file = tmp_path / "summary"
    file.write_text("there\n", encoding="utf-8")
    publish.summary(str(file), "ü line\n" * 300_000)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("there\nü line\n")
    assert text.endswith("(cut here: the whole report is in the log and in the step's outputs)\n\n")
    assert 1_000_000 < len(text.encode()) <= 1024 * 1024
