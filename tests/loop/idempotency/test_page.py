"""The page about idempotency shows what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fusion_contracts.loop.idempotency import META_KEY
from fusion_contracts.loop.idempotency.results import BEFORE_EFFECT


@pytest.mark.parametrize("number", [0, 1])
def test_an_example_prints_what_stands_below_it(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "idempotency.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert [language for language, _ in blocks] == ["python", "text"] * 2
    exec(compile(blocks[2 * number][1], "idempotency.md", "exec"), {})
    assert capsys.readouterr().out == blocks[2 * number + 1][1]


def test_the_codes_and_the_key_of_meta_are_named_as_they_are(root: Path) -> None:
    page = (root / "docs" / "idempotency.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| a fault whose code says so: (.*) \| nothing \|$", page, re.MULTILINE)
    assert set(row.split(", ")) == BEFORE_EFFECT
    assert f"`{META_KEY}`" in page
