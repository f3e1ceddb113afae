"""The error log: told of every call, it writes what became of it, and never gets in its way."""

from __future__ import annotations

import logging
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal, Protocol, Self, TypeAlias
from uuid import uuid4

from fusion_contracts.loop.log.arguments import digests, values
from fusion_contracts.loop.log.entry import OUTCOMES, Entry
from fusion_contracts.loop.log.place import DEFAULT, Target, sink_of
from fusion_contracts.loop.log.said import NO_CODE, SUCCESS, named, of_error, places
from fusion_contracts.loop.log.writer import Writer, attempt
from fusion_contracts.loop.outcome import FAILED, OutcomeKind
from fusion_contracts.loop.stores.per_process import PerProcess
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.codes import IN_PLACE
from fusion_contracts.runtime.fault import ToolFault

__all__ = ["ErrorLog"]

Keep: TypeAlias = Literal["digests", "values", "nothing"]
"""What is kept of a failed call's arguments."""

_log = logging.getLogger("fusion_contracts.loop")
_COUNTED = 10_000  # actions of runs whose failures in a row are counted at a time
_NO_ACTION = "UNKNOWN_ACTION"  # what failed is the action's name, and no argument
_MOST_SPENT = 1_000_000_000  # tokens, or calls of a model, for one call of a tool


class Call(Protocol):
    """A call, as hooks of an integration see it."""

    @property
    def tool(self) -> str:
        """The tool's name."""

    @property
    def action(self) -> str:
        """The action's key, "" for the tool's name."""

    @property
    def arguments(self) -> JsonValue:
        """What was sent."""

    @property
    def run(self) -> str:
        """The run's id, "" for none."""


class Ending(Protocol):
    """What became of a call, as hooks see it.

    `kind` (an outcome's word), `deltas` and `refused` (a guard answered in the tool's place) are read where they are
    there.
    """

    @property
    def fault(self) -> ToolFault | None:
        """The failure or warning, None for none."""

    @property
    def failing(self) -> tuple[str, ...]:
        """The names of the arguments concerned."""


class ErrorLog:
    """What became of every call, under its run.

    `targets` name where it goes: a file for SQLite (default `.fusion/log.sqlite`), a `.jsonl` file for JSON lines,
    `postgresql://...`, `otel`; or a sink of one's own. `run`, `server`, `release` (its version) and `contract` (the
    digest of what it offers) stand in every entry that names no other: a program that serves one run alone gives its
    `run` here. `keep` says what is kept of a failed call's arguments:
    types and digests, values, or nothing. `clock` gives seconds since 1970.

    Entries are written by a thread, in order; `flush` waits for it, and the end of the process does. Where something
    goes wrong no call is touched by it: one warning is logged, by the logger `fusion_contracts.loop`.

    Raises FusionError where a target is none, or needs a library that is not installed.
    """

    def __init__(  # noqa: PLR0913 - what every entry has in common
        self,
        *targets: Target,
        run: str = "",
        server: str = "",
        release: str | None = None,
        contract: str | None = None,
        keep: Keep = "digests",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.run, self.server, self.release, self.contract = run, server, release, contract
        self._keep, self._clock = keep, clock
        sinks = [(sink_of(target), partial(sink_of, target)) for target in targets or (DEFAULT,)]
        self._direct = [sink for sink, _ in sinks if sink.direct]
        self._writers = [Writer(sink, again) for sink, again in sinks if not sink.direct]
        self._warned = False
        self._locks = PerProcess(threading.Lock)  # one may be held by a thread that a fork leaves behind
        self._process = 0
        self._number = self._last = 0
        self._failures: OrderedDict[tuple[str, str, str], int] = OrderedDict()

    def record(  # noqa: PLR0913 - what is known of a call
        self,
        error: Any = None,
        *,
        run: str,
        action: str,
        tool: str | None = None,
        server: str | None = None,
        arguments: JsonValue = None,
        outcome: OutcomeKind | None = None,
        fields: Iterable[str] | None = None,
        deltas: int | None = None,
        attempt: int | None = None,
        stopped: bool | None = None,
        release: str | None = None,
        contract: str | None = None,
        model_calls: int | None = None,
        tokens: int | None = None,
    ) -> None:
        """Tell of one call. Never raises.

        `error` is what came instead of a success: a ToolFault, a ValidationReport, the text of either, an exception, a
        JSON-RPC error; or whatever came, as a result or an `Outcome`. None for a success. How the call ended, code,
        severity, failing fields and the number of changes told are read from it, and can be given: `outcome` is for
        what nothing else says, such as a success that is `empty` or `partial`. A call whose run is not known stands
        alone. `stopped` says that a guard answered in the tool's place (default: the code is RETRY_LIMIT or
        CONTRACT_CHANGED). `attempt` is counted where it is not given.
        `model_calls` and `tokens` are what the model spent on making this call.
        """
        try:
            said = SUCCESS if error is None else of_error(error)
            ended = outcome or said.outcome
            if ended not in OUTCOMES:
                raise ValueError(f"outcome is one of {', '.join(OUTCOMES)}, not {ended!r:.40}")  # noqa: TRY301
            failed = ended in FAILED
            run = named(run or self.run) or uuid4().hex
            server = named(self.server if server is None else server)
            self._write(
                run=run,
                server=server,
                tool=named(action if tool is None else tool),
                action=named(action),
                outcome=ended,
                code=said.code or (NO_CODE if failed else None),
                severity=said.severity or ("error" if failed else None),
                fields=said.fields if fields is None else places(fields),
                release=_named(self.release if release is None else release),
                contract=_named(self.contract if contract is None else contract),
                deltas=said.deltas if deltas is None else _counted(deltas),
                attempt=self._attempt((run, server, named(action)), attempt, failed=failed),
                stopped=failed and (said.code in IN_PLACE if stopped is None else bool(stopped)),
                model_calls=_spent(model_calls),
                tokens=_spent(tokens),
                arguments=self._kept(arguments, run) if failed else None,
            )
        except Exception as problem:  # noqa: BLE001 - a log must not break what it tells of
            self._warn(f"{type(problem).__name__}: {problem}")

    def __call__(self, call: Call, ending: Ending | None, /) -> None:
        """Tell of one call, as a hook: a sink of an integration's `on_error`, or the `after` of a guard.

        Never raises. A call that was cancelled before it ran has no ending, and was none.
        """
        if ending is None:
            return
        try:
            fault = ending.fault
            said = SUCCESS if fault is None else of_error(fault)
            deltas = getattr(ending, "deltas", None)
            if deltas is None and fault is not None:  # an outcome of the loop, which says what the model is told
                deltas = of_error(getattr(ending, "result", None)).deltas
            self.record(
                fault,
                run=call.run,
                action=call.action or call.tool,
                tool=call.tool,
                arguments=call.arguments,
                outcome=getattr(ending, "kind", None),
                fields=() if said.code == _NO_ACTION else said.fields or ending.failing or None,
                deltas=deltas,
                stopped=getattr(ending, "refused", None),
            )
        except Exception as problem:  # noqa: BLE001 - a log must not break what it tells of
            self._warn(f"{type(problem).__name__}: {problem}")

    after = __call__

    def before(self, _call: Call, /) -> None:
        """Let every call run: with `after` this makes a log a guard, where a program has no other."""

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until what was recorded is written, or was tried; at most `timeout` seconds each. Whether it is so."""
        return all(writer.flush(timeout) for writer in self._writers)

    def close(self) -> None:
        """Write what waits, and close the sinks. A later entry opens them again."""
        for writer in self._writers:
            writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, **known: Any) -> None:
        number, moment = self._next()
        entry = Entry(id=number, time_us=moment, **known)
        for writer in self._writers:
            writer.put(entry)
        for sink in self._direct:
            problem = attempt(sink, [entry])
            if problem is not None:
                self._warn(problem)

    def _next(self) -> tuple[int, int]:
        """A number that no other entry has, and microseconds since 1970, later than the last.

        So the order of one process's entries is that of its calls. A process counts from a random number: to draw one
        for each entry would cost more than all the rest.
        """
        with self._locks.here():
            if self._process != os.getpid():
                self._process, self._number = os.getpid(), secrets.randbits(62)
            self._number += 1
            self._last = max(self._last + 1, int(self._clock() * 1_000_000))
            return self._number, self._last

    def _attempt(self, key: tuple[str, str, str], given: int | None, *, failed: bool) -> int:
        """Failures of the action in the run since its last success, this call included."""
        with self._locks.here():
            before = self._failures.pop(key, 0)
            if not failed:
                return 0
            number = before + 1 if given is None else _counted(given)
            self._failures[key] = number
            if len(self._failures) > _COUNTED:
                self._failures.popitem(last=False)
            return number

    def _kept(self, arguments: JsonValue, run: str) -> JsonObject | None:
        if self._keep == "nothing" or arguments is None:
            return None
        return values(arguments) if self._keep == "values" else digests(arguments, run)

    def _warn(self, problem: str) -> None:
        if not self._warned:
            self._warned = True
            _log.warning("A call could not be logged, which changes nothing for the call: %.300s", problem)


def _named(text: str | None) -> str | None:
    return None if text is None else named(text)


def _counted(number: int) -> int:
    return min(max(int(number), 0), _MOST_SPENT)


def _spent(number: int | None) -> int | None:
    """What the model spent; not known where it cannot be: sums of any log stay numbers that a database has."""
    return int(number) if number is not None and 0 <= number <= _MOST_SPENT else None
