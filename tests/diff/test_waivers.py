"""Which findings a waiver accepts, and what is said about one that accepts nothing."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from fusion_contracts.config import Waiver
from fusion_contracts.diff import Finding, Level
from fusion_contracts.diff.waivers import accept, complaints, described, spent, uses
from fusion_contracts.errors import FusionError

TODAY = date(2026, 12, 31)


def found(**more: Any) -> Finding:
    fields = {"rule": "tool-removed", "tool": "close_page", "pointer": "", "server": "pages", "side": "tool"} | more
    return Finding(level=Level.BREAKING, action=None, message="gone", hint="", **fields)


def by_rule(**more: Any) -> Waiver:
    return Waiver(**{"rule": "tool-removed", "reason": "agreed", "until": TODAY, **more})


FINDING = found()
ON_SERVER = found(rule="protocol-version-changed", tool=None, side="server", pointer="/protocolVersion")


@pytest.mark.parametrize(
    ("waiver", "finding", "accepted"),
    [
        (Waiver(fingerprints=(FINDING.fingerprint,), reason="a"), FINDING, True),
        (Waiver(fingerprints=(FINDING.fingerprint[:7],), reason="a"), FINDING, True),
        (Waiver(fingerprints=("0000000", FINDING.fingerprint[:7]), reason="a"), FINDING, True),
        (Waiver(fingerprints=(FINDING.group,), reason="a"), FINDING, False),
        (Waiver(fingerprints=(FINDING.fingerprint,), reason="a", until=TODAY), FINDING, True),
        (Waiver(fingerprints=(FINDING.fingerprint,), reason="a", until=date(2026, 12, 30)), FINDING, False),
        (by_rule(), FINDING, True),
        (by_rule(until=date(2026, 12, 30)), FINDING, False),
        (by_rule(rule="tool-renamed"), FINDING, False),
        (by_rule(tool="close_*", server="p?ges"), FINDING, True),
        (by_rule(tool="CLOSE_page"), FINDING, False),
        (by_rule(tool=""), FINDING, False),
        (by_rule(server="mail"), FINDING, False),
        (by_rule(pointer=""), FINDING, True),
        (by_rule(pointer="/inputSchema"), FINDING, False),
        (by_rule(tool="a[b]"), found(tool="a[b]"), True),
        (by_rule(tool="*"), found(tool="line\nend"), True),
        (by_rule(rule="protocol-version-changed"), ON_SERVER, True),
        (by_rule(rule="protocol-version-changed", tool="", pointer="/protocol*"), ON_SERVER, True),
        (by_rule(rule="protocol-version-changed", tool="a"), ON_SERVER, False),
    ],
)
def test_what_a_waiver_accepts(waiver: Waiver, finding: Finding, accepted: bool) -> None:
    (judged,) = accept([finding], uses([finding], [waiver], TODAY))
    assert (judged.waived, judged.accepted) == (accepted, waiver.reason if accepted else "")
    assert judged.fingerprint == finding.fingerprint


def test_the_first_of_two_says_why_and_both_are_in_use() -> None:
    waivers = [by_rule(reason="first"), by_rule(tool="*page", reason="second")]
    used = uses([FINDING], waivers, TODAY)
    assert accept([FINDING], used)[0].accepted == "first"
    assert [len(use.found) for use in used] == [1, 1]


def said(waivers: list[Waiver], known: list[Waiver] | None, *findings: Finding, today: date = TODAY) -> list[str]:
    used = uses(findings, waivers, today)
    told = complaints(used, "fusion.toml", None if known is None else {one.what for one in known})
    assert {(one.server, one.tool, one.side) for one in told} <= {("fusion.toml", None, "server")}
    return [f"{one.rule} {one.level.name} {one.pointer}: {one.message}" for one in told]


def test_a_waiver_that_was_added_and_names_nothing_is_a_finding() -> None:
    new = Waiver(fingerprints=("4f2a91c0",), reason="a")
    told = ["waiver-unmatched RISKY /waivers/1: the waiver for 4f2a91c matches nothing"]
    assert said([by_rule(), new], [], FINDING) == told
    assert said([by_rule(), new], [new], FINDING) == []
    assert said([by_rule(), new], None, FINDING) == []


def test_a_waiver_with_the_id_of_a_group_is_told_those_of_its_findings() -> None:
    rows = [found(tool=f"t{number}") for number in range(4)]
    assert len({one.group for one in rows}) == 1
    ids = ", ".join(one.fingerprint[:7] for one in rows[:3])
    group = Waiver(fingerprints=(rows[0].group[:7],), reason="a")
    (told,) = said([group], [], *rows)
    assert told == (
        f"waiver-unmatched RISKY /waivers/0: the waiver for {rows[0].group[:7]} matches nothing: it has a group's id; "
        f"write those of its findings: {ids} and 1 more"
    )


def test_an_expired_waiver_is_a_finding_where_it_names_something_or_a_base_is_there() -> None:
    old = by_rule(tool="close_page", until=date(2026, 10, 31))
    told = ["waiver-expired RISKY /waivers/0: the waiver for tool-removed on close_page expired on 2026-10-31"]
    assert said([old], None, FINDING) == told
    assert said([old], None) == []
    assert said([old], []) == told
    assert said([old], [old]) == told
    assert said([old], [old], today=date(2026, 10, 31)) == []


def test_another_reason_or_day_makes_no_other_waiver() -> None:
    assert said([by_rule(reason="b", until=date(2027, 1, 1))], [by_rule()]) == []


def test_what_is_spent() -> None:
    over = by_rule(until=date(2026, 1, 1))
    waivers = [by_rule(tool="a"), by_rule(tool="b"), by_rule(tool="close_page"), over]
    known = {one.what for one in waivers if one.tool != "b"}
    assert [use.index for use in spent(uses([FINDING], waivers, TODAY), known)] == [0]


def test_a_finding_about_a_waiver_is_never_accepted() -> None:
    about = found(rule="waiver-expired", tool=None, side="server", pointer="/waivers/0")
    waivers = [by_rule(rule="waiver-expired"), Waiver(fingerprints=(about.fingerprint,), reason="a")]
    used = uses([about], waivers, TODAY)
    assert [use.found for use in used] == [(), ()]
    assert not accept([about], used)[0].waived


def test_a_rule_that_there_is_not() -> None:
    message = r'^there is no rule "tool-remove"; the nearest: tool-removed, tool-renamed, action-removed; '
    with pytest.raises(FusionError, match=message):
        uses([], [by_rule(rule="tool-remove")], TODAY)


@pytest.mark.parametrize(
    ("waiver", "words"),
    [
        (Waiver(fingerprints=("4f2a91c0", "b" * 8, "c" * 8), reason="a"), "4f2a91c, bbbbbbb, ccccccc"),
        (Waiver(fingerprints=("a" * 7, "b" * 7, "c" * 7, "d" * 7), reason="a"), "aaaaaaa, bbbbbbb, ccccccc and 1 more"),
        (by_rule(), "tool-removed"),
        (by_rule(tool="a", pointer="/b", server="c*"), "tool-removed on a at /b of c*"),
        (by_rule(tool=""), "tool-removed on the server"),
    ],
)
def test_a_waiver_in_a_few_words(waiver: Waiver, words: str) -> None:
    assert described(waiver) == words
