"""Editing waivers in a settings file: every byte stays but for those of the entries concerned."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts.config import ConfigFile, Waiver
from fusion_contracts.config.waiving import waiver_lines, with_waiver, with_waiver_renewed, without_waivers
from fusion_contracts.errors import FusionError

FUSION = ConfigFile(Path("fusion.toml"), nested=False)
PYPROJECT = ConfigFile(Path("pyproject.toml"), nested=True)
NEW = Waiver(fingerprints=("4f2a91c",), reason='said "yes"', until=date(2026, 12, 31))
LINES = 'fingerprints = ["4f2a91c"]\nreason = "said \\"yes\\""\nuntil = 2026-12-31\n'

# Everything that an editor of TOML tends to lose: comments anywhere, odd spacing, inline tables, dotted keys, text that
# looks like an entry, tables out of order, and entries in the middle of another tool's settings.
ODD = '''\
# top
[project]   # mine
name = "x"  # the name
keywords = [ "a",   # first
  'b' ]

[tool.fusion]
fail-on   =  "any"   # strict
levels = {tool-added = "safe"}   # inline
sources.pages = { path = "a.json" }
world = """open"""

# about the first
[[tool.fusion.waivers]]   # one
# inside
fingerprints = ["aaaaaaa",   # a
  "bbbbbbb"]
reason = """
[[tool.fusion.waivers]]
# no comment
"""

# about the second

[[ tool . fusion . "waivers" ]]
rule = 'tool-removed'
until = 2026-01-01  # a day
reason = "b"
# behind the second

[tool.other]
x = 1  # one
[tool.fusion.servers.a]
fail-on = "never"
[tool.ruff]
line-length = 120
'''
FIRST = '''[[tool.fusion.waivers]]   # one
# inside
fingerprints = ["aaaaaaa",   # a
  "bbbbbbb"]
reason = """
[[tool.fusion.waivers]]
# no comment
"""
'''
SECOND = """[[ tool . fusion . "waivers" ]]
rule = 'tool-removed'
until = 2026-01-01  # a day
reason = "b"
"""


def both_line_ends(text: str) -> list[str]:
    return [text, text.replace("\n", "\r\n"), "\ufeff" + text]


def plain(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


@pytest.mark.parametrize("text", both_line_ends(ODD))
def test_an_entry_is_added_behind_the_last_and_nothing_else_changes(text: str) -> None:
    result = with_waiver(text, NEW, PYPROJECT)
    behind = f"{SECOND}# behind the second\n"
    assert plain(result) == ODD.replace(behind, f"{behind}\n[[tool.fusion.waivers]]\n{LINES}")
    assert result.startswith("\ufeff") == text.startswith("\ufeff")
    assert result.count("\r\n") == (result.count("\n") if "\r\n" in text else 0)


@pytest.mark.parametrize("text", both_line_ends(ODD))
@pytest.mark.parametrize(
    ("indexes", "expected"),
    [
        ({0}, ODD.replace(FIRST, "")),
        ({1}, ODD.replace(SECOND, "")),
        ({0, 1}, ODD.replace(FIRST, "").replace(SECOND, "")),
    ],
)
def test_an_entry_is_removed_and_comments_stay(text: str, indexes: set[int], expected: str) -> None:
    assert plain(without_waivers(text, indexes, PYPROJECT)) == expected


@pytest.mark.parametrize("text", both_line_ends(ODD))
def test_an_expired_entry_gets_its_new_day_and_reason(text: str) -> None:
    waiver = Waiver(rule="tool-removed", reason="c", until=date(2027, 1, 1))
    renewed = SECOND.replace("2026-01-01", "2027-01-01").replace('"b"', '"c"')
    assert plain(with_waiver_renewed(text, 1, waiver, PYPROJECT)) == ODD.replace(SECOND, renewed)


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        (FUSION, "", f"[[waivers]]\n{LINES}"),
        (FUSION, "fail-on = 'any'", f"fail-on = 'any'\n\n[[waivers]]\n{LINES}"),
        (FUSION, "[sources.a]\npath = 'b'\n\n", f"[sources.a]\npath = 'b'\n\n[[waivers]]\n{LINES}"),
        (PYPROJECT, "[project]\nname = 'x'\n", f"[project]\nname = 'x'\n\n[[tool.fusion.waivers]]\n{LINES}"),
        (PYPROJECT, "[tool.fusion]\n[tool.a]\n", f"[tool.fusion]\n[tool.a]\n\n[[tool.fusion.waivers]]\n{LINES}"),
    ],
)
def test_the_first_entry_stands_at_the_end(place: ConfigFile, text: str, expected: str) -> None:
    assert with_waiver(text, NEW, place) == expected


@pytest.mark.parametrize(
    "text",
    [
        "waivers = []  # none yet\nfail-on = 'any'\n",
        "waivers = [{ fingerprints = ['aaaaaaa'], reason = 'a' }]  # one\n",
        "waivers = [\n  # why\n  { fingerprints = ['aaaaaaa'], reason = 'a' },  # a\n]\nfail-on = 'any'\n",
    ],
)
def test_a_list_of_inline_tables_takes_one_more_and_gives_it_back(text: str) -> None:
    result = with_waiver(text, NEW, FUSION)
    assert tomli.loads(result)["waivers"][-1] == tomli.loads(LINES)
    for comment in ("# none yet", "# one", "# why", "# a\n"):
        assert (comment in result) == (comment in text)
    last = len(tomli.loads(result)["waivers"]) - 1
    assert tomli.loads(without_waivers(result, {last}, FUSION)) == tomli.loads(text)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (PYPROJECT, "tool = { fusion = { fail-on = 'any' } }\n"),
        (PYPROJECT, "[tool]\nfusion = { fail-on = 'any' }\n"),
    ],
)
def test_what_cannot_be_done_safely_is_refused_with_what_to_write(place: ConfigFile, text: str) -> None:
    with pytest.raises(FusionError) as caught:
        with_waiver(text, NEW, place)
    assert str(caught.value) == (
        "pyproject.toml cannot be edited without disturbing what else is in it; write this into its list of waivers "
        'yourself: { fingerprints = ["4f2a91c"], reason = "said \\"yes\\"", until = 2026-12-31 }'
    )


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: bool(text.strip()))
days = st.dates()
waivers = st.builds(
    Waiver, fingerprints=st.lists(st.from_regex("[0-9a-f]{7,16}", fullmatch=True), min_size=1).map(tuple), reason=texts,
    until=st.none() | days,
) | st.builds(Waiver, rule=texts, server=texts, tool=st.just("") | texts, reason=texts, until=days)  # fmt: skip


@given(waiver=waivers, nested=st.booleans())
def test_what_is_written_is_read_again(waiver: Waiver, nested: bool) -> None:
    place = PYPROJECT if nested else FUSION
    (entry,) = _entries(waiver_lines(waiver, place), place)
    assert Waiver(**{**entry, "fingerprints": tuple(entry.get("fingerprints", ()))}) == waiver


comments = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=20).map(lambda text: f"# {text}\n")
pieces = st.one_of(
    comments,
    st.just("\n"),
    st.builds(lambda waiver, note: waiver_lines(waiver, PYPROJECT) + note, waivers, comments),
    st.just('[[tool.other]]\nx = """\n[[tool.fusion.waivers]]\n"""\n'),
)


@settings(max_examples=60)
@given(st.lists(pieces, max_size=6), waivers, st.sampled_from(["\n", "\r\n"]))
def test_every_line_stays_in_its_order(parts: list[str], waiver: Waiver, newline: str) -> None:
    text = "".join(parts).replace("\n", newline)
    before = _entries(text, PYPROJECT)
    try:
        added = with_waiver(text, waiver, PYPROJECT)
    except FusionError:
        assert _apart(parts)
        return
    assert _entries(added, PYPROJECT)[:-1] == before
    rest = iter(added.split("\n"))
    assert all(line in rest for line in text.split("\n")[:-1])
    again = without_waivers(added, {len(before)}, PYPROJECT)
    assert [line for line in again.split("\n") if line.strip()] == [line for line in text.split("\n") if line.strip()]


def _entries(text: str, place: ConfigFile) -> list[dict[str, Any]]:
    document = tomli.loads(text)
    table = document.get("tool", {}).get("fusion", {}) if place.nested else document
    found: list[dict[str, Any]] = table.get("waivers", [])
    return found


def _apart(parts: list[str]) -> bool:
    """Whether other tables stand between two waivers, which tomlkit may not take."""
    kinds = [part[:14] for part in parts if part.startswith("[[")]
    return any(one != two for one, two in pairwise(kinds))


def test_a_comment_that_leads_over_to_a_header_stays_with_it() -> None:
    text = f"[[waivers]]\n{LINES}# about a\n[sources.a]\npath = 'b'\n"
    added = with_waiver(text, NEW, FUSION)
    assert added == f"[[waivers]]\n{LINES}\n[[waivers]]\n{LINES}\n# about a\n[sources.a]\npath = 'b'\n"
