"""When servers are due: only numbers, no clock."""

from __future__ import annotations

import pytest

from fusion_contracts.cli.watching.schedule import Schedule, seconds_of


def schedule(every: float = 100.0, spread: float = 0.5) -> Schedule:
    """In the middle of the spread an interval is what was asked for."""
    return Schedule(every, lambda: spread)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("1s", 1.0), ("30s", 30.0), ("5m", 300.0), ("2h", 7200.0), ("1d", 86_400.0)],
)
def test_a_time_is_read(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "0m", "-5m", "5 m", "1.5h", "5M", "5m\n", "999999s", "\u0665m"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert seconds_of(text) is None


def test_all_are_due_at_first_and_at_most_so_many_are_taken() -> None:
    one = schedule()
    one.keep(["a", "b", "c"], 10.0)
    assert one.take(9.9, 5) == []
    assert one.take(10.0, 2) == ["a", "b"]
    assert one.take(10.0, 0) == []
    assert one.take(10.0, 5) == ["c"]
    assert one.wait(10.0) is None


def test_the_next_time_counts_from_the_end_of_the_one_before() -> None:
    one = schedule()
    one.keep(["a"], 0.0)
    one.take(0.0, 1)
    one.read("a", 70.0)
    assert one.wait(70.0) == 100.0
    assert one.take(169.9, 1) == []
    assert one.take(170.0, 1) == ["a"]


def test_what_was_kept_open_until_its_time_is_due_at_once() -> None:
    one = schedule()
    one.keep(["a"], 0.0)
    one.take(0.0, 1)
    one.read("a", 100.0, kept=True)
    assert one.wait(100.0) == 0.0


def test_servers_that_were_read_together_drift_apart() -> None:
    assert (schedule(spread=0.0).interval, schedule(spread=1.0).interval) == (95.0, 105.0)


def test_a_leap_of_the_clock_asks_each_server_once_and_stalls_none() -> None:
    one = schedule()
    one.keep(["a", "b"], 0.0)
    for name in one.take(0.0, 2):
        one.read(name, 1.0)
    late = 1e9
    assert sorted(one.take(late, 16)) == ["a", "b"]
    for name in ("a", "b"):
        one.read(name, late)
    assert one.take(late, 16) == []
    assert one.wait(late) == 100.0


def test_one_that_cannot_be_read_is_tried_again_ever_later() -> None:
    one = schedule(every=600.0)
    one.keep(["a"], 0.0)
    waits = []
    for _ in range(40):
        one.take(1e12, 1)
        one.failed("a", 0.0)
        waits.append(one.wait(0.0))
    assert waits[:5] == [600.0, 1200.0, 2400.0, 3600.0, 3600.0]
    assert set(waits[5:]) == {3600.0}
    one.take(1e12, 1)
    one.read("a", 0.0)
    one.take(1e12, 1)
    one.failed("a", 0.0)
    assert one.wait(0.0) == 600.0


def test_a_long_interval_is_not_made_shorter_by_a_failure() -> None:
    one = schedule(every=86_400.0)
    one.keep(["a"], 0.0)
    one.take(0.0, 1)
    one.failed("a", 0.0)
    assert one.wait(0.0) == 86_400.0


def test_one_that_ended_while_it_was_listened_to_is_started_again_before_its_time() -> None:
    one = schedule(every=100.0)
    one.keep(["a"], 0.0)
    waits = []
    for _ in range(3):
        one.take(1e12, 1)
        one.cut("a", 0.0)
        waits.append(one.wait(0.0))
    assert waits == [30.0, 60.0, 100.0]


def test_what_is_named_no_more_is_forgotten_also_while_it_is_read() -> None:
    one = schedule()
    one.keep(["a", "b"], 0.0)
    one.take(0.0, 1)
    one.keep(["c"], 5.0)
    one.read("a", 5.0)
    one.failed("a", 5.0)
    assert one.take(1e9, 5) == ["c"]
