"""For the tests of `fusion watch`: a running watch, what it prints, and receivers on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from http_site import Exchange, Site

PATIENCE = 60.0  # seconds for a slow machine: no test waits for this to pass
TOOL = {
    "name": "close_page",
    "description": "Close a page.",
    "inputSchema": {"type": "object", "properties": {"when": {"enum": ["now", "later"]}}},
}
BROKEN = {**TOOL, "inputSchema": {"type": "object", "properties": {"when": {"enum": ["now"]}}}}
SAID = "pages close_page: when no longer accepts 'later'"


def plain(text: str) -> str:
    """Without what differs from run to run: times, and where Python is."""
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME", text).replace(sys.executable, "python")


class Watching:
    """`fusion watch` as a process of its own."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        command = [sys.executable, "-m", "fusion_contracts", "watch", *arguments]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
            env={**os.environ, "PYTHONWARNINGS": "error", "NO_PROXY": "127.0.0.1", **environment},
        )  # fmt: skip
        self.out: SimpleQueue[str] = SimpleQueue()
        self.told: SimpleQueue[str] = SimpleQueue()
        self.err: list[str] = []
        self._threads = [threading.Thread(target=one, daemon=True) for one in (self._read_out, self._read_err)]
        for thread in self._threads:
            thread.start()

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            self.out.put(text)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        for text in self.process.stderr:
            self.err.append(plain(text.rstrip("\n")))
            self.told.put(self.err[-1])

    def event(self) -> Any:
        """The next event of `--format json`."""
        return json.loads(self.line())

    def line(self) -> str:
        """The next line of standard output."""
        try:
            return self.out.get(timeout=PATIENCE)
        except Empty:
            raise AssertionError(f"nothing was posted; it said: {self.err}") from None

    def until(self, pattern: str) -> str:
        """Wait for a line on standard error."""
        while True:
            try:
                said = self.told.get(timeout=PATIENCE)
            except Empty:
                raise AssertionError(f"it never said {pattern!r}: {self.err}") from None
            if re.search(pattern, said):
                return said

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal, and give the exit code."""
        self.process.send_signal(number)
        return self.wait()

    def wait(self) -> int:
        """The exit code."""
        code = self.process.wait(PATIENCE)
        for thread in self._threads:
            thread.join(PATIENCE)
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def rest(self) -> list[str]:
        """What else is on standard output of a watch that has ended."""
        found = []
        while not self.out.empty():
            found.append(self.out.get())
        return found


class Receiver:
    """Takes events; `status` says how the next ones are answered, the last one for all that follow."""

    def __init__(self, serve: Callable[..., Site], *statuses: int, **headers: str) -> None:
        self.statuses, self.headers = list(statuses) or [204], headers
        self.came: SimpleQueue[Exchange] = SimpleQueue()
        self.site = serve(self.answer)

    def answer(self, exchange: Exchange) -> None:
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        self.came.put(exchange)
        exchange.status(status, **self.headers)

    @property
    def url(self) -> str:
        return f"{self.site.origin}/hook"

    def next(self) -> Exchange:
        """The next request, waited for."""
        return self.came.get(timeout=PATIENCE)

    @property
    def seen(self) -> list[Any]:
        """The events so far."""
        return [exchange.message for exchange in list(self.site.seen)]
