"""The page about the loop: its examples print what it says, and its tables are the code's."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from page_blocks import blocks

from fusion_contracts import ToolFault
from fusion_contracts.loop import Limits
from fusion_contracts.loop.retrying import can_help
from fusion_contracts.runtime.codes import CODES


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "loop.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_shows(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    printed = []
    for block in blocks(page, "python"):
        exec(compile(block, "loop.md", "exec"), names)
        printed.append(capsys.readouterr().out)
    told = [
        "execution_error TIMEOUT True\n",
        "('A.TXT', 'B.TXT') ['c.txt'] 3:0:2:4bcbeed9\n",
    ]
    assert [printed[0], printed[2]] == told
    assert all(f"# {line.strip()}" in page for line in told)
    assert [printed[1], printed[3]] == blocks(page, "xml")


def test_the_table_of_limits_is_the_codes(page: str) -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([\w,]+)[^|]* \|", page.partition("| limit |")[2], re.MULTILINE)
    shown = {name: default.replace(",", "") for name, default in rows}
    assert shown == {
        each.name: "none" if each.default is None else str(each.default).removesuffix(".0") for each in fields(Limits)
    }


def test_the_table_of_codes_is_the_codes(page: str) -> None:
    rows = dict(re.findall(r"^\| (no|yes|with `retry_after`) \| (.*) \|$", page, re.MULTILINE))
    shown = {kind: set(re.findall(r"`(\w+)`", codes)) for kind, codes in rows.items()}
    at_once = {code for code in (*CODES, "UNKNOWN") if can_help(ToolFault(code, "m"))}
    waiting = {code for code in (*CODES, "UNKNOWN") if can_help(ToolFault(code, "m", retry_after=1))} - at_once
    assert shown == {"no": set(CODES) - at_once - waiting, "yes": at_once, "with `retry_after`": waiting}
