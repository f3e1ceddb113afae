"""Events on their way: what a queue of many costs, and when a sink is tried again."""

from __future__ import annotations

from pathlib import Path
from queue import SimpleQueue

from fusion_contracts.cli.watching.delivery import Delivery, Outcome
from fusion_contracts.cli.watching.ledger import Ledger, Standing
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
        delivery.came(outcomes.get(timeout=60), 0.0)
    return delivery, ledger


def test_a_sink_is_asked_once_what_it_is_called_however_many_events_wait(tmp_path: Path) -> None:
    desk = Desk()
    delivery, ledger = delivered(desk, tmp_path / "state")
    assert (len(desk.took), ledger.pending(), delivery.wait(0.0)) == (EVENTS, [], None)
    assert desk.asked == 1
    ledger.close()


def test_what_was_refused_alone_is_due_when_its_own_time_is_over(tmp_path: Path) -> None:
    desk = Desk("3", "7")
    delivery, ledger = delivered(desk, tmp_path / "state")
    assert (len(desk.took), delivery.wait(0.0), delivery.wait(39.0), delivery.wait(41.0)) == (EVENTS - 2, 40, 1, 0)
    ledger.close()
