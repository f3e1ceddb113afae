"""The comparison of two schemas beside other libraries that answer the same question: answers, and speed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from beside.engines import Answer, Case, Peer, cases, installed, labelled, race, ratio, survey
from printed import spread, table

__all__ = ["compared"]

SAMPLE = 200  # cases of a race: those of the other tools take minutes for all
ANSWERS = (
    "pairs", "tool", "right", "missed breaks", "false alarms", "no answer", "wrong, ours right", "right, ours not",
)  # fmt: skip
SPEED = ("pairs", "against", "ours a second", "theirs a second", "times as fast: all", "one pair", "race (least-most)")


def compared(folder: Path | None, runs: int) -> str:
    """The tables of answers to the labelled cases, and of speed where both answer."""
    ours, *theirs = installed(folder)
    texts = []
    for origin, asked in cases().items():
        found = {peer.name: survey(peer, asked) for peer, _ in (ours, *theirs)}
        mine = found[ours[0].name]
        answers = [
            _answers(f"{peer.name} {version}", asked, found[peer.name], mine) for peer, version in (ours, *theirs)
        ]
        speed = [_speed(ours[0], peer, asked, (mine, found[peer.name]), runs) for peer, _ in theirs]
        texts += [f"Answers to {len(asked):,} labelled pairs of {origin}, in the open world:", table(ANSWERS, answers)]
        texts += [f"Speed on those that both answer, races of {runs} runs:", table(SPEED, speed)]
    for peer, _ in (ours, *theirs):
        peer.close()
    return "\n\n".join(texts)


def _answers(
    name: str, asked: Sequence[Case], theirs: Sequence[tuple[Answer, float]], ours: Sequence[tuple[Answer, float]]
) -> tuple[object, ...]:
    tally = labelled(asked, [answer for answer, _ in theirs])
    rows = [(a, b, case.compatible) for (a, _), (b, _), case in zip(theirs, ours, asked, strict=True)]
    worse = sum(a is not None and a is not label and b is label for a, b, label in rows)
    better = sum(a is label and b is not label for a, b, label in rows)
    return len(asked), name, tally.right, tally.missed, tally.alarms, tally.silent, worse, better


def _speed(
    ours: Peer, peer: Peer, asked: Sequence[Case], found: tuple[Sequence[tuple[Answer, float]], ...], runs: int
) -> tuple[object, ...]:
    """First the first answers to all pairs that both answer, then a race over a sample of them."""
    both = list(_both(asked, *found))
    mine, theirs = sum(row[1] for row in both), sum(row[2] for row in both)
    sample = random.Random(1).sample([row[0] for row in both], min(SAMPLE, len(both)))  # noqa: S311 - reproducible
    raced = [b / a for a, b in race(ours, peer, sample, runs)]
    rates = (f"{len(both) / seconds:,.0f}" for seconds in (mine, theirs))
    return (
        len(both),
        peer.name,
        *rates,
        f"{theirs / mine:.0f}",
        f"{ratio([row[1:] for row in both]):.0f}",
        spread(raced, 0),
    )


def _both(
    asked: Sequence[Case], ours: Sequence[tuple[Answer, float]], theirs: Sequence[tuple[Answer, float]]
) -> Iterator[tuple[Case, float, float]]:
    """The cases that both answer, and the seconds of both."""
    for case, mine, other in zip(asked, ours, theirs, strict=True):
        if mine[0] is not None and other[0] is not None:
            yield case, mine[1], other[1]
