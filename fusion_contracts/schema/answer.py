"""What a question about values ends in: a value, the proof that there is none, or an open question."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from fusion_contracts.schema.trouble import Exhausted, Undecided

__all__ = ["NOTHING", "Goal", "attempt", "first"]

Goal: TypeAlias = frozenset[int]  # signed formulas that must all hold of one value


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()  # no value: the goal is proved unsatisfiable


def attempt(question: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """The answer of one branch, or the Undecided that it ended in: another branch may still find a value."""
    try:
        return question(*arguments, **named)
    except Exhausted:
        raise
    except Undecided as trouble:
        return trouble


def first(answers: Iterable[Any]) -> Any:
    """The first value of several attempts; else the first open question is raised; else NOTHING."""
    open_question: Undecided | None = None
    for answer in answers:
        if isinstance(answer, Undecided):
            open_question = open_question or answer
        elif answer is not NOTHING:
            return answer
    if open_question is not None:
        raise open_question
    return NOTHING
