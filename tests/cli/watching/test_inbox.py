"""What the threads of a watch tell: outcomes together, all else one by one and in its order."""

from __future__ import annotations

from fusion_contracts.cli.watching.delivery import Outcome
from fusion_contracts.cli.watching.inbox import Inbox, Stopped
from fusion_contracts.cli.watching.readers import Ended
from fusion_contracts.sources.unit import Answer

ONE, TWO, LAST = Outcome(0, 1), Outcome(1, 2), Outcome(0, 3, last=True)
ENDED = Ended("pages", Answer(), None)


def filled(*events: Outcome | Ended | Stopped) -> Inbox:
    inbox = Inbox()
    for one in events:
        inbox.put(one)
    return inbox


def test_outcomes_are_given_together_and_what_came_between_them_after_them() -> None:
    inbox = filled(ONE, ENDED, TWO, Stopped(15), LAST)
    assert [inbox.get(0) for _ in range(4)] == [[ONE, TWO, LAST], ENDED, Stopped(15), None]


def test_what_came_before_them_is_given_before_them() -> None:
    inbox = filled(ENDED, Stopped(2), ONE, TWO)
    assert [inbox.get(0) for _ in range(4)] == [ENDED, Stopped(2), [ONE, TWO], None]


def test_at_the_end_outcomes_alone_are_kept_and_signals_counted() -> None:
    inbox = filled(ONE, Stopped(2), TWO, ENDED, Stopped(15))
    assert inbox.get(0) == [ONE, TWO]
    inbox.put(LAST)
    assert inbox.only_outcomes() == 2
    assert [inbox.get(0), inbox.get(0)] == [[LAST], None]
