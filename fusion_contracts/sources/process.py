"""A server as a child process: lines in, lines out, a bounded memory of both, and nothing left running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, Full, Queue, SimpleQueue
from typing import IO, Any, Self, TypeAlias

from fusion_contracts.errors import FusionError
from fusion_contracts.sources import strays
from fusion_contracts.sources.guard import new_mark
from fusion_contracts.sources.interrupt import taken
from fusion_contracts.sources.jsonrpc import MAX_BYTES, MAX_MESSAGE, FloodError, SilenceError

__all__ = ["EndedError", "ServerProcess"]

_KEPT_LINES, _KEPT_LINE = 60, 4000  # lines of standard error, and characters of each: a secret is kept whole
_AHEAD = 1000  # lines that are read before they are asked for; a server that floods has to wait
_CHUNK = 65536
_LINGER = 0.2  # seconds between two looks, and for a pipe that a stray holds
_LAST_WORDS = 1.0  # seconds in which the last lines of an ended process may still arrive
_ENDING = 2.0  # seconds in which a process that closed its output ends: the system takes its memory away first
_GRACE_EOF, _GRACE_TERM, _GRACE_KILL = 0.3, 1.0, 2.0  # seconds given after end of input, SIGTERM and SIGKILL
_GRACE_CHILDREN, _GRACE_DEAD, _PAUSE = 0.3, 0.1, 0.005  # for children to follow, to be gone; between two looks
_POSIX = sys.platform != "win32"


class EndedError(Exception):
    """The process ended or closed its output; `status` is its exit status, None while it runs on."""

    def __init__(self, status: int | None) -> None:
        super().__init__(status)
        self.status = status


class _Exited:
    """The process ended; its output may still be open in a child's hands."""

    def __init__(self, status: int) -> None:
        self.status = status


class _Woken:
    """Nothing came, and there is something else to look at."""


_Event: TypeAlias = "bytes | _Exited | FloodError | _Woken | None"  # a line, the end, too much, end of output


class ServerProcess:
    """A started server. Use it as a context manager: leaving ends the process and every child it has."""

    def __init__(self, argv: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> None:
        """Start it. Raises OSError where the system refuses."""
        self._events: Queue[_Event] = Queue(_AHEAD)
        self._outgoing: SimpleQueue[bytes | None] = SimpleQueue()
        self._stderr: deque[str] = deque(maxlen=_KEPT_LINES)
        self._stderr_lock = threading.Lock()
        self._gone, self._stopping = threading.Event(), threading.Event()
        self._mark = new_mark()
        self._status: int | None = None
        self._cut_short: FusionError | None = None
        self._process = subprocess.Popen(
            list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0,
            cwd=cwd, env={**env, strays.MARK: self._mark}, **_own_group(),
        )  # fmt: skip
        work = (self._read_errors, self._read_lines, self._write, self._wait)
        self._threads = [threading.Thread(target=one, daemon=True) for one in work]
        try:
            for thread in self._threads:
                thread.start()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def send(self, line: bytes) -> None:
        """Hand over one line; never blocks, and a process that is gone is noticed by `receive`."""
        self._outgoing.put(line)

    def agree(self, version: str) -> None:
        """Do nothing: a line does not say its version."""

    def stay(self, deadline: float) -> None:
        """Do nothing: a process stays until it is ended."""

    def hear(self) -> bool:
        """What it tells comes as all else does."""
        return True

    def receive(self, deadline: float) -> bytes:
        """The next line on standard output, without its end. `deadline` is on the monotonic clock.

        Raises SilenceError, EndedError, FloodError, and what `cut_short` was given.
        """
        while True:
            if self._cut_short is not None:
                raise self._cut_short
            if time.monotonic() > deadline:  # also where lines keep coming: noise is no answer
                raise EndedError(self._status) if self._status else SilenceError
            if self._status:  # it failed, and a child may hold its output open: wait for its last lines alone
                deadline = min(deadline, time.monotonic() + _LAST_WORDS)
            try:
                event = taken(self._events, deadline)
            except Empty:
                raise (EndedError(self._status) if self._status else SilenceError()) from None
            if isinstance(event, bytes):
                return event
            if isinstance(event, FloodError):
                raise event
            if isinstance(event, _Woken):
                continue
            if event is None:
                raise EndedError(self._exit_status())
            self._status = event.status  # after a good end go on: a launcher may leave its server on the pipe

    def _exit_status(self) -> int | None:
        """The status, waited for briefly: the end of output is often seen first."""
        return self._process.returncode if self._gone.wait(_ENDING) else None

    def last_errors(self) -> list[str]:
        """The last lines of standard error, oldest first, as they came."""
        if self._gone.is_set():
            self._threads[0].join(_LAST_WORDS)  # the last words may still be in the pipe
        with self._stderr_lock:
            return [line for line in self._stderr if line.strip()]

    def _read_lines(self) -> None:
        rest, total = bytearray(), 0
        for chunk in _chunks(self._process.stdout):
            total += len(chunk)
            *lines, tail = (bytes(rest) + chunk).split(b"\n") if b"\n" in chunk else [chunk]
            if lines:
                rest = bytearray(tail)
                for line in filter(None, lines):
                    self._tell(line)
            else:
                rest += tail
            if len(rest) > MAX_MESSAGE or total > MAX_BYTES:
                self._tell(FloodError(_too_much(total)))
                return
        if rest:
            self._tell(bytes(rest))
        self._tell(None)

    def _tell(self, event: _Event) -> None:
        """Queue what `receive` gives; waits while it is far behind, and gives up once nobody will ask any more."""
        waiting = True
        while waiting and not self._stopping.is_set():
            with suppress(Full):
                self._events.put(event, timeout=_LINGER)
                waiting = False

    def _read_errors(self) -> None:
        rest = b""
        for chunk in _chunks(self._process.stderr):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[:_CHUNK]
            with self._stderr_lock:
                self._stderr.extend(_decoded(line) for line in lines[-_KEPT_LINES:])
        with self._stderr_lock:
            self._stderr.append(_decoded(rest))

    def _write(self) -> None:
        pipe = self._process.stdin
        if pipe is None:
            return
        with suppress(OSError, ValueError):  # the process is gone: `receive` says so
            while (line := self._outgoing.get()) is not None:
                view = memoryview(line + b"\n")
                while view:
                    view = view[pipe.write(view) or 0 :]
        with suppress(OSError):
            pipe.close()

    def _wait(self) -> None:
        status = self._process.wait()
        self._gone.set()
        self._tell(_Exited(status))

    def interrupt(self) -> None:
        """Let whoever waits for a line end the process; called again, end it at once."""
        if self._cut_short is not None:
            self.kill()
        self.cut_short(FusionError("was interrupted", "run it again", stage="list"))

    def cut_short(self, error: FusionError) -> None:
        """Wake whoever waits for a line with this error. Any thread may call it."""
        self._cut_short = self._cut_short or error
        with suppress(Full):  # then there is something to wake up for
            self._events.put_nowait(_Woken())

    def kill(self) -> None:
        """SIGKILL for the process and its group, without a wait; `stop` looks after the rest."""
        with suppress(OSError):
            if _POSIX:
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()

    @property
    def pid(self) -> int:
        """The process's id, which is its group's and its session's too."""
        return self._process.pid

    def stop(self) -> None:
        """End the process and its children: end of input, then SIGTERM, then SIGKILL, each with a short wait."""
        self._outgoing.put(None)
        self._stopping.set()
        away = strays.below(self._process.pid) if _POSIX else set()
        try:
            self._gone.wait(_GRACE_EOF)
            if _POSIX:
                self._end_politely()
        finally:  # also when a second interrupt cuts the wait short
            if _POSIX:
                away |= strays.marked(self._mark)
                for end, pid in ((os.killpg, self._process.pid), *((os.kill, pid) for pid in away)):
                    with suppress(OSError):
                        end(pid, signal.SIGKILL)
            else:
                _end_tree(self._process)
            self._gone.wait(_GRACE_KILL)
            self._wait_for_group(_GRACE_DEAD)
        deadline = time.monotonic() + _LINGER  # readers close their pipes; one that a stray holds is left to its reader
        for thread, pipe in zip(self._threads, (self._process.stderr, self._process.stdout), strict=False):
            if thread.ident is None:
                _close(pipe)
            else:
                thread.join(max(0.0, deadline - time.monotonic()))

    def _end_politely(self) -> None:
        """SIGTERM for the process group, and time for the process and then for its children to follow it."""
        with suppress(OSError):  # nothing of the group is left
            os.killpg(self._process.pid, signal.SIGTERM)  # a session of its own: the group has the leader's id
            self._gone.wait(_GRACE_TERM)
            self._wait_for_group(_GRACE_CHILDREN)

    def _wait_for_group(self, seconds: float) -> None:
        """Wait until nothing of the process group is left; ended processes that nobody collects count as left."""
        deadline = time.monotonic() + seconds
        with suppress(OSError, AttributeError):  # no such group; no groups at all
            while time.monotonic() < deadline:
                os.killpg(self._process.pid, 0)
                time.sleep(_PAUSE)


def _own_group() -> dict[str, Any]:
    if _POSIX:
        return {"start_new_session": True}
    return {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}


def _end_tree(process: subprocess.Popen[bytes]) -> None:
    """Windows: end the process with everything below it."""
    if process.poll() is None:
        command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        with suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(command, capture_output=True, check=False, timeout=_GRACE_KILL)
        with suppress(OSError, subprocess.TimeoutExpired):
            process.kill()
            process.wait(timeout=_GRACE_KILL)


def _chunks(pipe: IO[bytes] | None) -> Iterator[bytes]:
    """What comes; the pipe is closed by whoever reads it: a descriptor closed under a reader may soon be another's."""
    try:
        with suppress(OSError):
            while pipe is not None and (chunk := pipe.read(_CHUNK)):
                yield chunk
    finally:
        _close(pipe)


def _close(pipe: IO[bytes] | None) -> None:
    with suppress(OSError):
        if pipe is not None:
            pipe.close()


def _decoded(line: bytes) -> str:
    return line[: 4 * _KEPT_LINE].decode("utf-8", "replace").rstrip("\r")[:_KEPT_LINE]


def _too_much(total: int) -> str:
    if total > MAX_BYTES:
        return f"more than {MAX_BYTES // 2**20} MiB"
    return f"more than {MAX_MESSAGE // 2**20} MiB in one line"
