"""Kill each command that writes at every step of its writing, and look at what is left. A script of its own: it forks.

    python killed.py FOLDER [NAME ...]

A command runs up to where it begins to write. From there a child goes on and is killed before its first step, another
before its second, and so on, until one comes to its end. A step is a call of C that changes files, or may: what is
between two of them changes nothing. Then children of which the system ends each in the middle of a write, at another
byte. Prints how often each was killed; an assertion names what was left half done.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

from writing import COMMANDS, Writing, is_leftover, quietly, state

from fusion_contracts.lockfile.disk import present_files

State = Mapping[str, bytes | None]
STEPS = {
    "posix": {
        "chmod", "close", "fsync", "ftruncate", "mkdir", "open", "remove", "rename", "replace", "rmdir", "truncate",
        "unlink", "write",
    },
    "fcntl": {"flock"},
    "_io": {"__exit__", "close", "flush", "open", "truncate", "write"},
}  # fmt: skip
BEGINS = ("fusion_contracts.step", "os.mkdir", "open")
ALL, SOME = 12, 6  # of so many states the next run is tried, and of each so-manieth behind them
BYTES = 997  # between two ends in the middle of a write


class Killing:
    """One command, killed at each of its steps."""

    def __init__(self, writing: Writing, folder: Path) -> None:
        self.writing = writing
        self.folder = folder
        self.before: State = {}
        self.after: State = {}
        self.seen: set[Any] = set()
        self.kills = 0
        self.armed = False
        self.is_child = self.ended = False
        self.failure: BaseException | None = None

    def run(self) -> int:
        """How often it was killed."""
        self._empty()
        self.writing.prepare()
        self.before = state(self.folder)
        assert quietly(*self.writing.words) == self.writing.code
        self.after = state(self.folder)
        assert self.after != self.before
        self._restore()
        self.armed = True
        code = quietly(*self.writing.words)
        if self.is_child:
            sys.setprofile(None)
            os._exit(0 if code == self.writing.code else 70)
        if self.failure:
            raise self.failure
        assert (code, self.armed) == (self.writing.code, False), self.writing.name
        return self.kills

    # -- the children ---------------------------------------------------------------------------------------------

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take an event of the interpreter: at the first that is a write, the killing begins."""
        if self.armed and event in BEGINS and self._writes(event, arguments):
            self.armed = False
            self._kill()

    def _writes(self, event: str, arguments: tuple[Any, ...]) -> bool:
        if event == "fusion_contracts.step":
            return bool(arguments[0] == "writes files")
        opened = event == "open" and not isinstance(arguments[0], int) and arguments[0] != os.devnull
        return event == "os.mkdir" or (opened and bool((arguments[2] or 0) & os.O_CREAT))

    def _kill(self) -> None:
        """Returns in the parent when all is done, and in each child, which goes on with the command."""
        try:
            for step in count():
                self._child(partial(_until, step))
                if self.is_child or self.ended:
                    break
            largest = 0 if self.is_child else max(len(data or b"") for data in self.after.values())
            for size in range(1, largest, max(BYTES, largest // 40)):
                self._child(partial(_full_at, size))
                if self.is_child or self.ended:
                    break
        except BaseException as error:  # noqa: BLE001 - raised where the command ends, which would swallow it
            self.failure = error

    def _child(self, prepare: Callable[[], None]) -> None:
        """Let a child go on and look at what it leaves; `ended` where it came to its end."""
        child = os.fork()
        if not child:
            self.is_child = True
            signal.alarm(60)
            prepare()
            return
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.ended = status == 0
        if not self.ended:
            assert status in {-signal.SIGKILL, -signal.SIGXFSZ}, (self.writing.name, self.kills, status)
            self.kills += 1
            self._look()
        self._restore()

    # -- what is left ---------------------------------------------------------------------------------------------

    def _look(self) -> None:
        left = state(self.folder)
        known = (*((name, data) for name, data in left.items() if not is_leftover(name)), any(map(is_leftover, left)))
        if known in self.seen:  # what comes of it was seen
            return
        self.seen.add(known)
        where = (self.writing.name, self.kills)
        self._require_whole(left, where)
        if len(self.seen) > ALL and len(self.seen) % SOME:
            return
        again = self._again()
        assert again in {self.writing.code, self.writing.again}, (where, again)
        now = state(self.folder)
        assert not [name for name in now if is_leftover(name) or ".journal" in name], where
        assert now == self.after or self.writing.again, (where, sorted(now.keys() ^ self.after.keys()))

    def _require_whole(self, left: State, where: object) -> None:
        for name, data in left.items():
            if is_leftover(name) or ".journal" in name:
                continue
            if name == "fusion.lock" and "fusion.lock.d" in {**self.before, **self.after}:
                continue  # beside its folder it may say what that says
            assert data in {self.before.get(name, b"(none)"), self.after.get(name, b"(none)")}, (where, name)
        lock = present_files(self.folder / "fusion.lock")
        lock.open()  # no half lock: raises otherwise
        for name in self.before.keys() & self.after.keys():
            assert name in left or name.startswith("fusion.lock"), (where, name)
        assert lock.there or "fusion.lock" not in self.before or self.writing.again, where

    def _again(self) -> int:
        child = os.fork()
        if not child:
            code = 99
            try:
                code = quietly(*self.writing.words)
            finally:
                os._exit(code)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    # -- the folder -----------------------------------------------------------------------------------------------

    def _empty(self) -> None:
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()

    def _restore(self) -> None:
        now = state(self.folder)
        for name in now.keys() - self.before.keys():
            path = self.folder / name
            if now[name] is None:
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        for name, data in self.before.items():
            if name not in now or now[name] != data:
                path = self.folder / name
                if data is None:
                    path.mkdir(parents=True)
                else:
                    path.write_bytes(data)


def _until(left: int) -> None:
    """Kill this process before its step of this number from here on."""

    def profile(_: FrameType, event: str, function: Any) -> None:
        nonlocal left
        if event != "c_call":
            return
        owner = getattr(function, "__module__", None) or type(getattr(function, "__self__", None)).__module__
        if function.__name__ in STEPS.get(owner, ()):
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left -= 1

    sys.setprofile(profile)


def _full_at(size: int) -> None:
    """Let the system end this process when it writes behind this many bytes of a file."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def main() -> None:
    """Kill the commands of these names, or all."""
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    os.chdir(folder)
    current: list[Killing] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if current:
            current[-1].hear(event, arguments)

    sys.addaudithook(hook)
    found = {}
    for writing in COMMANDS:
        if not names or writing.name in names:
            current.append(Killing(writing, folder))
            found[writing.name] = current[-1].run()
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
