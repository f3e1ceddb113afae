"""Dask's executor for the unit of work: the one file that knows `distributed`."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources.interrupt import interruptible
from fusion_contracts.sources.parcel import end_run, packed, read_server, secrets_in
from fusion_contracts.sources.secrets import shown_url
from fusion_contracts.sources.unit import Answer, Task

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cluster", "cluster"]

_ADDRESS = re.compile(r"(?:tcp|tls|wss?)://[^/\s@]+:\d{1,5}")
"""What a scheduler's address looks like."""
_LOCAL = re.compile(r"(?:inproc://.*|\w+://(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?(?:/.*)?)")
_ENCRYPTED = ("tls://", "wss://")
_CONNECT = 10.0  # seconds in which a scheduler answers
_PATIENCE = 60.0  # seconds without any worker after which what is left is given up
_LOOK = 0.5  # seconds between two looks at which workers there are
_SAME = ("fusion-contracts", "distributed", "python")
_CONNECTION = "check the address, and that the scheduler runs"


class Cluster(Executor):
    """Runs `work` on the workers of a cluster, and nothing else. A unit that is lost is an answer, as any other.

    When a worker dies Dask gives what it held to others, as often as the scheduler's `allowed-failures` says (3, unless
    set). It cannot know which of several units was the cause, so whatever it gives up is tried once more when all else
    is done, one at a time: then it is the cause, or it is read.
    """

    def __init__(self, client: Client, address: str, patience: float = _PATIENCE) -> None:
        self.run = os.urandom(8).hex()
        self._client, self._address, self._patience = client, address, patience
        self._dask = client.get_executor(pure=False)  # a name of its own for every unit, made of nothing in it
        self._sent: dict[Future[Answer], tuple[Task, Future[Any] | None]] = {}
        self._busy = 0
        self._suspects: deque[Future[Answer]] = deque()
        self._suspected: dict[Future[Answer], int] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._open = sorted(one for one in (address, *client.nthreads()) if not _is_private(one))
        threading.Thread(target=self._watch, name="fusion-workers", daemon=True).start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Send a task to the cluster. The future gives an Answer, and raises for nothing that happens there."""
        del fn, kwargs
        (task,) = args
        outer: Future[Any] = Future()
        if self._open and (names := secrets_in(task)):
            outer.set_result(Answer(problem=_in_the_open(task, names, self._open[0])))
            return outer
        self._send(outer, task)
        outer.add_done_callback(self._cancelled)
        return outer

    def _send(self, outer: Future[Answer], task: Task) -> None:
        inner = self._dask.submit(read_server, packed(task, self.run))
        with self._lock:
            self._sent[outer] = (task, inner)
            self._busy += 1
        inner.add_done_callback(lambda done: self._arrived(outer, done))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - Executor's
        """Stop looking after workers."""
        del wait, cancel_futures
        self._closed.set()

    def end(self) -> None:
        """End what the workers read for this run, and wait for it: called where not everything has been awaited."""
        with suppress(Exception):  # a worker that cannot be told is gone, or ends by the limits of what it reads
            self._client.run(end_run, self.run, on_error="ignore")

    def _claimed(self, outer: Future[Answer]) -> tuple[Task, Future[Any] | None] | None:
        with self._lock:
            return self._sent.pop(outer, None)

    def _cancelled(self, outer: Future[Answer]) -> None:
        if outer.cancelled() and (sent := self._claimed(outer)):
            outer.set_running_or_notify_cancel()  # wakes who waits for it
            if sent[1] is not None:
                sent[1].cancel()

    def _arrived(self, outer: Future[Answer], inner: Future[Any]) -> None:
        deaths = _deaths(inner)
        with self._lock:
            self._busy -= 1
            deaths += self._suspected.get(outer, 0)
            if deaths and outer in self._sent and outer not in self._suspected:
                self._suspected[outer] = deaths
                self._sent[outer] = (self._sent[outer][0], None)
                self._suspects.append(outer)
                return
        if (sent := self._claimed(outer)) and outer.set_running_or_notify_cancel():
            outer.set_result(_answer(sent[0], inner, self._address, deaths))

    def _give_up(self, message: str, step: str) -> None:
        with self._lock:
            left = list(self._sent)
        for outer in left:
            if (sent := self._claimed(outer)) and outer.set_running_or_notify_cancel():
                if sent[1] is not None:
                    sent[1].cancel()
                outer.set_result(Answer(problem=Problem(sent[0].options.name, "start", message, step)))

    def _try_alone(self) -> None:
        """Send one of those that were given up once more, if nothing else is on its way."""
        with self._lock:
            if self._busy or not self._suspects:
                return
            outer = self._suspects.popleft()
            sent = self._sent.get(outer)
        if sent is not None:
            self._send(outer, sent[0])

    def _watch(self) -> None:
        """Try again what was given up, and give up all that is left once there has been no worker for a while.

        Of what waits to be tried again Dask knows nothing: where the scheduler went away, it is answered here.
        """
        without = 0.0
        while not self._closed.wait(_LOOK):
            workers = {}
            with suppress(Exception):  # no scheduler: Dask tries to connect again, and closes when it gives up
                workers = self._client.nthreads()
                self._try_alone()
            if self._client.status == "closed":
                self._give_up(*_went_away(self._address))
            without = 0.0 if workers else without + _LOOK
            if without >= self._patience:
                message = f"was not read: {self._address} has had no worker for {self._patience:g} s"
                self._give_up(message, "start workers, and run it again")


@contextmanager
def cluster(address: str, say: Callable[[str], None], *, patience: float = _PATIENCE) -> Iterator[Cluster]:
    """Connect to the scheduler at `address`; leaving ends what its workers still read for us, and nothing else there.

    Raises FusionError: no `distributed` here, no scheduler there, other versions than here, on one of them.
    """
    shown = printable(shown_url(address))
    if not _ADDRESS.fullmatch(address):
        message = f"{shown} is no address of a scheduler"
        raise FusionError(message, "write tcp://HOST:PORT or tls://HOST:PORT", stage="usage")
    with interruptible():
        client = _connected(address, shown)
        found = None
        try:
            _require_same(client, shown)
            threads = client.nthreads()
            there = f"{len(threads)} workers, {sum(threads.values())} threads"
            say(f"connected to the scheduler {shown}: {there if threads else 'no worker yet'}")
            found = Cluster(client, shown, patience)
            yield found
        except BaseException:
            _until_done(found)
            raise
        finally:
            if found is not None:
                found.shutdown()
            client.close(timeout=_CONNECT)


def _until_done(found: Cluster | None) -> None:
    """End what the workers read; another signal does not cut that short."""
    ended = found is None
    while not ended:
        try:
            if found is not None:
                found.end()
            ended = True
        except (KeyboardInterrupt, SystemExit):
            continue


def _connected(address: str, shown: str) -> Client:
    try:
        from distributed import Client
    except ImportError:
        step = "install fusion-contracts[cluster]"
        raise FusionError("--scheduler needs the package distributed, which is not here", step, stage="usage") from None
    for name in ("distributed", *(name for name in logging.root.manager.loggerDict if name.startswith("distributed."))):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what concerns people is said by us
    try:
        asyncio.run(asyncio.wait_for(_require_scheduler(address, shown), _CONNECT + 1))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about versions, which are compared below
            return Client(address, timeout=_CONNECT, set_as_default=False, name="fusion")
    except FusionError:
        raise
    except MemoryError:  # what another service says first, taken for the size of a message
        raise _no_scheduler(shown) from None
    except (OSError, TimeoutError):
        message = f"the scheduler {shown} does not answer"
        raise FusionError(message, _CONNECTION, stage="start") from None
    except Exception as error:  # noqa: BLE001 - settings of Dask's own, such as certificates
        message = f"the scheduler {shown} cannot be spoken to: {type(error).__name__}"
        step = "check the address and Dask's settings: tls:// takes its certificates from distributed.comm.tls"
        raise FusionError(message, step, stage="start") from None


def _no_scheduler(shown: str) -> FusionError:
    return FusionError(f"what listens at {shown} is no scheduler", _CONNECTION, stage="start")


async def _require_scheduler(address: str, shown: str) -> None:
    """Raise FusionError where another service of Dask listens, and one of many errors where it is none of Dask's.

    Asked before there is a Client: one that cannot connect waits without a limit for a service that says nothing, and
    prints tracebacks of its own when it is given up.
    """
    from distributed.comm import connect
    from distributed.security import Security

    comm = await connect(address, timeout=_CONNECT, **Security().get_connection_args("client"))
    try:
        await comm.write({"op": "identity", "reply": True})
        said = await comm.read()
    finally:
        comm.abort()
    if not isinstance(said, dict) or said.get("type") != "Scheduler":
        raise _no_scheduler(shown)


def _require_same(client: Client, shown: str) -> None:
    """Raise FusionError where the scheduler or a worker runs other versions than this process."""
    try:
        versions = client.get_versions(packages=["fusion-contracts"])
    except Exception:  # noqa: BLE001 - the scheduler went, or is none
        raise FusionError(f"the scheduler {shown} does not say its versions", _CONNECTION, stage="start") from None
    here = _versions(versions["client"])
    others = {f"the scheduler {shown}": versions["scheduler"]}
    others |= {f"the worker {printable(where)}": one for where, one in sorted(versions["workers"].items())}
    for where, one in others.items():
        there = _versions(one)
        for package in _SAME:
            if there[package] != here[package]:
                message = f"{where} has {package} {printable(there[package])}, and this is {here[package]}"
                step = "install the same on the scheduler and every worker"
                raise FusionError(message, step, stage="usage")


def _versions(said: Any) -> dict[str, str]:
    """The versions that matter, of Python the first two numbers."""
    packages = dict((said or {}).get("packages") or {})
    found = {package: str(packages.get(package) or "(none)") for package in _SAME}
    return found | {"python": ".".join(found["python"].split(".")[:2])}


def _is_private(address: str) -> bool:
    return address.startswith(_ENCRYPTED) or _LOCAL.fullmatch(address) is not None


def _in_the_open(task: Task, names: tuple[str, ...], where: str) -> Problem:
    shown = printable(", ".join(names))
    message = f"was not read: the value of {shown} would travel unencrypted to {printable(where)}"
    step = f"use a tls:// scheduler, or write ${{{printable(names[0])}}} in its place and set it where the workers run"
    return Problem(task.options.name, "usage", message, step)


def _deaths(inner: Future[Any]) -> int:
    """How many workers died over a unit that Dask gave up; 0 for any other end."""
    error = None if inner.cancelled() else inner.exception()
    return getattr(error, "allowed_failures", 0) + 1 if type(error).__name__ == "KilledWorker" else 0


def _went_away(address: str) -> tuple[str, str]:
    return f"was not read: the scheduler {address} went away", "run it again"


def _answer(task: Task, inner: Future[Any], address: str, deaths: int) -> Answer:
    """What came of a unit. Dask says by an exception that it was lost; the text of none is shown: it may hold anything.

    `deaths` is how many workers have died over it.
    """
    step = "check that every worker has the same packages"
    try:
        answer = inner.result()
    except CancelledError:
        message, step = _went_away(address)
    except Exception as error:  # noqa: BLE001
        message = f"was not read: the cluster refused it with {printable(type(error).__name__)}"
        if _deaths(inner):
            message = f"was not read: {deaths} workers ended while they read it"
            step = "look at the workers' own logs: a lack of memory is the usual reason"
    else:
        if isinstance(answer, Answer):
            return answer
        message = "was not read: the cluster gave no answer"
    return Answer(problem=Problem(task.options.name, "start", message, step))
