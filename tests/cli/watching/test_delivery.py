"""Events on their way: what a queue of many costs, and when a sink is tried again."""

from __future__ import annotations

import time
from pathlib import Path
from queue import SimpleQueue

import pytest

from fusion_contracts.cli.watching.delivery import Delivery, Outcome
from fusion_contracts.cli.watching.inbox import Inbox
from fusion_contracts.cli.watching.ledger import Ledger, Pending, Standing
from fusion_contracts.cli.watching.recipient import handful
from fusion_contracts.cli.watching.sinks import NotTakenError
from fusion_contracts.model import JsonObject

EVENTS = 30


class Desk:
    """A sink that refuses what it is told to, and counts how often it is asked for its name."""

    def __init__(self, *refused: str) -> None:
        self.asked, self.refused = 0, refused
        self.took: list[str] = []

    @property
    def name(self) -> str:
        self.asked += 1
        return "desk"

    def put(self, one: JsonObject) -> None:
        if one["id"] in self.refused:
            raise NotTakenError("it is full", wait=40.0, alone=True)
        self.took.append(one["id"])


def delivered(desk: Desk, place: Path) -> tuple[Delivery, Ledger]:
    """A delivery that handed everything on, at the time 0."""
    ledger = Ledger(place)
    ids = [str(number) for number in range(EVENTS)]
    ledger.change([(Standing(one, "pages", {}, "then", ""), {"id": one}) for one in ids], {})
    outcomes: SimpleQueue[Outcome] = SimpleQueue()
    delivery = Delivery([desk], ledger, outcomes.put, lambda _: None)
    assert delivery.wait(0.0) == 0
    delivery.push(0.0)
    while delivery.is_busy:
        assert delivery.wait(0.0) is None
        delivery.came([outcomes.get(timeout=60)], 0.0)
    return delivery, ledger


def test_a_sink_is_asked_once_what_it_is_called_however_many_events_wait(tmp_path: Path) -> None:
    desk = Desk()
    delivery, ledger = delivered(desk, tmp_path / "state")
    assert (len(desk.took), ledger.pending(), delivery.wait(0.0)) == (EVENTS, {}, None)
    assert desk.asked == 1
    ledger.close()


def test_what_was_taken_meanwhile_is_noted_in_one_go(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    ids = [str(number) for number in range(EVENTS)]
    ledger.change([(Standing(one, "pages", {}, "then", ""), {"id": one}) for one in ids], {})
    inbox = Inbox()
    desk = Desk()
    delivery = Delivery([desk], ledger, inbox.put, lambda _: None)
    said: list[str] = []
    ledger._db.set_trace_callback(said.append)
    delivery.push(0.0)
    while len(desk.took) < EVENTS or inbox._queue.qsize() < EVENTS:
        time.sleep(0.01)
    outcomes = inbox.get(60)
    assert isinstance(outcomes, list)
    delivery.came(outcomes, 0.0)
    assert said.count("COMMIT") == 2  # that they are being posted, and that they were
    assert (ledger.pending(), delivery.is_busy) == ({}, False)
    ledger.close()


def test_what_ends_the_watch_keeps_nothing_from_being_noted(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "state")
    ledger.change([(Standing(one, "pages", {}, "then", ""), {"id": one}) for one in "ab"], {})
    delivery = Delivery([Desk()], ledger, lambda _: None, lambda _: None)
    delivery.push(0.0)
    with pytest.raises(BrokenPipeError):
        delivery.came([Outcome(0, 1), Outcome(0, 2, BrokenPipeError(), last=True)], 0.0)
    assert list(ledger.pending()) == [2]
    ledger.close()


@pytest.mark.parametrize(
    ("sizes", "first"), [([10] * 150, 100), ([2**18, 2**18, 1], 2), ([2**20, 1], 1), ([1, 2**20], 1), ([], 0)]
)
def test_a_sink_has_so_many_events_in_hand_and_so_many_bytes(sizes: list[int], first: int) -> None:
    waiting = [Pending(number, "", True, size, frozenset()) for number, size in enumerate(sizes)]
    assert handful(waiting) == list(range(first))


def test_what_was_refused_alone_is_due_when_its_own_time_is_over(tmp_path: Path) -> None:
    desk = Desk("3", "7")
    delivery, ledger = delivered(desk, tmp_path / "state")
    assert (len(desk.took), delivery.wait(0.0), delivery.wait(39.0), delivery.wait(41.0)) == (EVENTS - 2, 40, 1, 0)
    ledger.close()
