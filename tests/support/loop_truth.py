"""What a scripted loop knows of its own calls: counted as each is answered, to hold a report of the log against."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from scripted_runs import Truth

from fusion_contracts import ValidationReport


@dataclass(frozen=True)
class Answer:
    """What the script made a call end with, and whether its error told of changes of the contract."""

    ending: Literal["ok", "empty", "partial", "error", "refused"]
    code: str = ""
    fields: frozenset[str] = frozenset()
    told: bool = False

    @classmethod
    def of_report(cls, report: ValidationReport) -> Answer:
        """Of a call that did not fit the live contract."""
        told = "<change " in report.to_xml()
        if report.fault is not None:  # no argument's doing: there is no such tool any more
            return cls("error", report.fault.code, told=told)
        names = frozenset(re.sub(r"\[\d+\]", "[]", issue.name) for issue in report.issues)
        return cls("error", "VALIDATION_ERROR", names, told=told)


@dataclass
class _Loop:
    """An error and what followed it, while nobody knows how it will end.

    Where nothing followed, nothing more was spent, as long as anybody counted: the error's own tokens say that.
    """

    tokens: int | None
    model_calls: int = 0

    @classmethod
    def begun(cls, tokens: int | None) -> _Loop:
        return cls(None if tokens is None else 0)

    def spend(self, tokens: int | None) -> None:
        if not self.model_calls:
            self.tokens = 0
        self.model_calls += 1
        self.tokens = None if tokens is None or self.tokens is None else self.tokens + tokens


@dataclass
class Tally:
    """The truth by server and action, counted in step with the calls."""

    truth: dict[tuple[str, str], Truth] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)
    _loops: dict[tuple[str, str, str], _Loop] = field(default_factory=dict)
    _last: dict[tuple[str, str, str], Answer] = field(default_factory=dict)  # where the last call was an error

    def count(self, run: str, server: str, action: str, answer: Answer, tokens: int | None) -> None:
        """Count one call."""
        self.runs.add(run)
        truth = self.truth.setdefault((server, action), Truth())
        truth.calls += answer.ending != "refused"
        truth.refused += answer.ending == "refused"
        truth.partial += answer.ending == "partial"
        truth.empty += answer.ending == "empty"
        key = (run, server, action)
        failed_before = self._last.pop(key, None)
        if key in self._loops:
            self._loops[key].spend(tokens)
        if answer.ending == "error":
            self._error(truth, key, answer, tokens)
            return
        if answer.ending != "refused" and failed_before is not None:
            truth.healed_codes[failed_before.code] += 1
            (truth.told if failed_before.told else truth.untold)[1] += 1
        if key in self._loops:
            _ended(truth, "stopped" if answer.ending == "refused" else "healed", self._loops.pop(key))

    def end(self) -> None:
        """What is still open stays so."""
        for (_, server, action), loop in self._loops.items():
            _ended(self.truth[server, action], "open", loop)
        self._loops.clear()

    def _error(self, truth: Truth, key: tuple[str, str, str], answer: Answer, tokens: int | None) -> None:
        truth.errors += 1
        truth.codes[answer.code] += 1
        truth.fields.update(answer.fields)
        (truth.told if answer.told else truth.untold)[0] += 1
        self._last[key] = answer
        self._loops.setdefault(key, _Loop.begun(tokens))


def _ended(truth: Truth, ending: str, loop: _Loop) -> None:
    numbers = truth.loops.setdefault(ending, [0, 0, 0, 0])
    known = loop.tokens is not None
    for index, more in enumerate((1, loop.model_calls, int(known), loop.tokens or 0)):
        numbers[index] += more


def figures(document: dict[str, Any]) -> dict[tuple[str, str], Truth]:
    """What the JSON of a report says of each action, as the script counts it."""
    (period,) = document["periods"]
    return {(one["server"], one["action"]): _read(one) for one in period["actions"]}


def _read(one: dict[str, Any]) -> Truth:
    found = Truth(one["calls"], one["errors"], one["partial"], one["empty"], one["refused"])
    found.codes.update({each["code"]: each["errors"] for each in one["codes"]})
    found.healed_codes.update({each["code"]: each["healed"] for each in one["codes"] if each["healed"]})
    found.fields.update({each["field"]: each["errors"] for each in one["fields"]})
    found.told, found.untold = ([one[name]["errors"], one[name]["healed"]] for name in ("told", "untold"))
    found.loops = {ending: list(loop.values()) for ending, loop in one["loops"].items() if loop["number"]}
    return found
