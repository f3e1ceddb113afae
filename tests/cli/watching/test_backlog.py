"""What waits for a webhook that takes nothing has a limit, and nothing is lost in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from watching import BROKEN, TOOL, Receiver, plain

from fusion_contracts.cli.watching.backlog import excess, notice
from fusion_contracts.cli.watching.delivery import Delivery, Outcome
from fusion_contracts.cli.watching.events import told
from fusion_contracts.cli.watching.inbox import Inbox
from fusion_contracts.cli.watching.ledger import Dropped, Ledger, Pending, Standing
from fusion_contracts.cli.watching.sinks import NotTakenError
from fusion_contracts.model import JsonObject

Receivers = Callable[..., Receiver]
FOUND, OVER = True, False


@pytest.fixture
def at_most(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Set other limits, and let tries follow each other at once."""
    monkeypatch.setattr("fusion_contracts.cli.watching.delivery._FIRST", 0.01)

    def limits(number: int, size: int = 2**20) -> None:
        monkeypatch.setattr("fusion_contracts.cli.watching.backlog._MOST", number)
        monkeypatch.setattr("fusion_contracts.cli.watching.backlog._BYTES", size)

    return limits


def waiting(*events: tuple[str, bool], size: int = 10) -> list[Pending]:
    """Events of these keys, numbered from 1."""
    return [Pending(seq, key, opens, size, frozenset()) for seq, (key, opens) in enumerate(events, 1)]


ABC = waiting(("a", FOUND), ("b", FOUND), ("c", FOUND))
PAIRED = waiting(("z", OVER), ("a", FOUND), ("b", FOUND), ("a", OVER), ("c", FOUND), ("b", OVER), ("a", FOUND))


@pytest.mark.parametrize(
    ("events", "number", "gone"),
    [
        (ABC, 3, []),
        (ABC, 2, [1]),
        (ABC, 0, [1, 2, 3]),
        (PAIRED, 6, [2, 4]),
        (PAIRED, 5, [2, 4]),
        (PAIRED, 4, [2, 3, 4, 6]),
        (PAIRED, 2, [1, 2, 3, 4, 6]),
        (PAIRED, 1, [1, 2, 3, 4, 5, 6]),
    ],
)
def test_what_began_and_is_over_goes_first_and_then_the_oldest(
    at_most: Callable[..., None], events: list[Pending], number: int, gone: list[int]
) -> None:
    at_most(number)
    assert excess(events) == gone


def test_bytes_count_as_well(at_most: Callable[..., None]) -> None:
    at_most(100, 30)
    assert excess(ABC) == []
    at_most(100, 29)
    assert excess(ABC) == [1]


DROPPED = Dropped("webhook:x", 2, "2026-11-30T03:12:00Z", "2026-11-30T04:12:00Z", "fusion.lock")


def test_the_limit_is_said_as_it_is() -> None:
    assert told(notice(DROPPED)) == (
        "2026-11-30T04:12:00Z  DROPPED   2 events could not be posted here and were dropped: at most 50,000 events or"
        " 256 MiB are kept; run fusion check: it says how things stand\n"
    )


def test_what_was_dropped_is_counted_and_told_with_an_id_of_its_own(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    for word, time in (("a", "1"), ("b", "2"), ("c", "3")):
        event = {"id": word, "time": time, "lockfile": f"{word}.lock"}
        ledger.change([(Standing(word, "pages", {}, "then", ""), event)], {})
    ledger.drop([1, 2], "hook", {"hook", "stdout"})
    first = ledger.dropped("hook")
    assert first == Dropped("hook", 2, "1", "2", "b.lock")
    assert [(one.seq, one.taken) for one in ledger.pending().values()] == [
        (1, frozenset({"hook"})), (2, frozenset({"hook"})), (3, frozenset())
    ]  # fmt: skip
    ledger.drop([3], "hook", {"hook"})
    second = ledger.dropped("hook")
    assert second == Dropped("hook", 3, "1", "3", "c.lock")
    ledger.told(first)  # it had that in hand while more was dropped
    rest = ledger.dropped("hook")
    assert rest == Dropped("hook", 1, "3", "3", "c.lock")
    assert len({notice(one)["id"] for one in (first, first, second, rest)}) == 3
    ledger.told(rest)
    assert (ledger.dropped("hook"), ledger.dropped("stdout")) == (None, None)
    assert list(ledger.pending()) == [1, 2]
    ledger.close()


def runs(pages: Any, hook: Receiver, *tools: Any) -> Any:
    """A run beside a release of these tools."""
    pages.serve("pages", *tools)
    return pages.run("watch", "--once", "--webhook", hook.url, "--format", "json")


def said(result: Any) -> list[str]:
    return [line for line in result.err.splitlines() if line.startswith("fusion: ") and "HTTP status" not in line]


def names(events: list[Any]) -> list[Any]:
    return [(one["event"], one["finding"]["tool"]) if "finding" in one else one["dropped"] for one in events]


def tool(name: str) -> JsonObject:
    return {"name": name, "inputSchema": {}}


def test_the_oldest_are_dropped_once_it_is_too_much_and_counted_in_what_gets_through(
    pages: Any, receiver: Receivers, at_most: Callable[..., None], validator: Any
) -> None:
    at_most(2)
    hook = receiver(500)
    assert said(runs(pages, hook, TOOL, tool("a"), tool("b"))) == []
    second = runs(pages, hook, BROKEN, tool("a"), tool("b"), tool("c"))
    (line,) = said(second)
    assert line == (
        f"fusion: the webhook at {hook.site.authority}: no more than 2 events or 1 MiB are kept for it; what is over"
        " again is dropped first, then the oldest, and it will be told how many"
    )
    assert [json.loads(line)["finding"]["tool"] for line in second.out.splitlines()] == ["close_page", "c"]
    assert second.err.splitlines()[-1] == (
        f"exit 1: breaking findings; 3 events not taken by the webhook at {hook.site.authority} (2 dropped)"
    )
    third = runs(pages, hook, BROKEN, tool("a"), tool("b"), tool("c"), tool("d"))
    assert said(third) == []  # it was said
    hook.statuses = [204]
    hook.site.seen.clear()
    last = runs(pages, hook, BROKEN, tool("a"), tool("b"), tool("c"), tool("d"))
    assert (last.out, last.err.splitlines()[-1]) == ("", "exit 1: breaking findings")
    assert names(hook.seen) == [3, ("finding", "c"), ("finding", "d")]
    assert list(hook.seen[0]) == [
        "schema_version", "id", "event", "time", "server", "lockfile", "since", "dropped", "error"
    ]  # fmt: skip
    assert [error.message for one in hook.seen for error in validator.iter_errors(one)] == []
    assert plain(told(hook.seen[0])) == (
        "TIME  DROPPED   3 events could not be posted here and were dropped: at most 2 events or 1 MiB are kept;"
        " run fusion check: it says how things stand\n"
    )
    runs(pages, hook, BROKEN, tool("a"), tool("b"), tool("c"), tool("d"))
    assert len(hook.seen) == 3


def test_what_came_and_went_meanwhile_makes_room_for_what_stands(
    pages: Any, receiver: Receivers, at_most: Callable[..., None]
) -> None:
    at_most(3)
    hook = receiver(500)
    runs(pages, hook, TOOL, tool("a"))
    runs(pages, hook, TOOL, tool("a"), tool("b"))
    runs(pages, hook, TOOL, tool("a"))
    runs(pages, hook, TOOL, tool("a"), tool("c"))
    hook.statuses = [204]
    hook.site.seen.clear()
    runs(pages, hook, TOOL, tool("a"), tool("c"))
    assert names(hook.seen) == [2, ("finding", "a"), ("finding", "c")]


class Dead:
    """A sink that takes nothing before it is told to."""

    name = "dead"

    def __init__(self) -> None:
        self.takes = False
        self.took: list[JsonObject] = []

    def put(self, one: JsonObject) -> None:
        if not self.takes:
            raise NotTakenError("it is full")
        self.took.append(one)


def test_what_is_dropped_while_the_count_is_being_posted_is_told_by_the_next(
    tmp_path: Path, at_most: Callable[..., None]
) -> None:
    at_most(1)
    ledger, inbox, dead = Ledger(tmp_path / "state"), Inbox(), Dead()
    delivery = Delivery([dead], ledger, inbox.put, lambda _: None)

    def add(word: str) -> None:
        event = {"id": word, "time": f"time of {word}", "lockfile": "fusion.lock"}
        ledger.change([(Standing(word, "pages", {}, "then", ""), event)], {})
        delivery.reload()

    def hand_on(now: float) -> None:
        delivery.push(now)
        while delivery.is_busy:
            outcomes = inbox.get(60)
            assert isinstance(outcomes, list)
            delivery.came(outcomes, now)

    add("a")
    add("b")
    dead.takes = True
    delivery.push(0.0)  # in hand: that one was dropped, and `b`
    add("c")  # goes when it is known that `b` was taken
    add("d")
    outcomes: list[Outcome] = []
    while not (outcomes and outcomes[-1].last):
        found = inbox.get(60)
        assert isinstance(found, list)
        outcomes += found
    delivery.came(outcomes, 0.0)
    hand_on(0.0)
    assert [one.get("dropped", one["id"]) for one in dead.took] == [1, "b", 1, "d"]
    assert [one["since"] for one in dead.took if "dropped" in one] == ["time of a", "time of c"]
    assert (ledger.pending(), ledger.dropped("dead"), delivery.owed()) == ({}, None, [])
    ledger.close()
