"""What a run has listed so far, on disk beside the lock, so that a run that was killed goes on where it ended.

A folder of two files: `servers.jsonl`, a line for each server that was read, and a `.gitignore` that keeps both out of
git. A line is on the disk before the next is written; one that was cut short does not count, nor does what follows it.
The first line says which release wrote it, and beside which lock. Contracts stand in it as in a lock, each by a digest
of what its source says: another command, URL, NAME or volatile rule is another entry. Values of variables are in
neither. Nothing in it is code, and it is trusted as a lock is, no more: what comes of it shows in the lock's diff.
"""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from fusion_contracts.canonical import canonical_json, printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.answer_json import from_json, to_json
from fusion_contracts.sources.environment import Beside
from fusion_contracts.sources.installed import release
from fusion_contracts.sources.offered import Filter
from fusion_contracts.sources.unit import Answer, Task

if sys.platform != "win32":
    import fcntl

__all__ = ["Journal", "key_of"]

_FORMAT = 1
_FILE, _IGNORED = "servers.jsonl", ".gitignore"


@dataclass(slots=True)
class Journal:
    """The journal of one lock. `answers` are those of the run before, by key; `note` says why there are none, if asked.

    `since` is when that run began, for people; `kept` counts the servers in the file.
    """

    folder: Path
    answers: dict[str, Answer] = field(default_factory=dict)
    since: str = ""
    note: str = ""
    kept: int = 0
    _file: IO[bytes] | None = None

    @classmethod
    def opened(cls, lock: Path, state: str | None, *, resume: bool) -> Journal:
        """The journal beside a lock, `state` being what it is now. With `resume` it goes on, else it begins anew.

        Raises FusionError where another run has it, or it cannot be written.
        """
        journal = cls(lock.with_name(f"{lock.name}.journal"))
        shown = printable(str(journal.folder))
        try:
            file = _opened(journal.folder)
        except OSError as error:
            reason = error.strerror or "the system refused"
            full = error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
            step = "make room, then run again" if full else "remove it, or make its folder writable"
            raise FusionError(f"cannot keep {shown}: {reason}", step, stage="lock") from None
        journal._file = file
        if not (_locked(file) and _is_at(file, journal.folder / _FILE)):
            file.close()
            step = "wait for it, or end it"
            raise FusionError(f"another run keeps {shown}", step, stage="lock")
        good = journal._take(file, state) if resume else _told(journal, file)
        file.truncate(good)
        file.seek(good)
        if not good:
            now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
            journal._write({"journal": _FORMAT, "release": release(), "lock": state, "since": now})
        return journal

    def _take(self, file: IO[bytes], lock: str | None) -> int:
        """Take over what a run before wrote; the number of bytes that count."""
        good = 0
        for line in file:
            try:
                said: Any = json.loads(line) if line.endswith(b"\n") else None
                if good:
                    self.answers[said["key"]] = from_json(said, "the journal")
                    self.kept += 1
                else:
                    self.note = _unfit(said, lock)
                    self.since = printable(str(said["since"]))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError, FusionError):
                break
            if self.note:
                break
            good += len(line)
        if self.note:
            self.note = f"{printable(self.folder.name)} {self.note}, and is ignored"
            return 0
        return good

    def add(self, key: str, answer: Answer) -> None:
        """Put an answer on the disk, if it is a contract: what could not be read is asked again."""
        if self._file is None or answer.reading is None or not answer.reading.contracts:
            return
        with suppress(FusionError, ValueError, RecursionError):  # what no lock can hold is listed again
            line = {"key": key, **to_json(answer)}
            self.kept += 1  # first: an interrupt may come between the two
            if not self._write(line):
                self.kept -= 1

    def _write(self, line: Mapping[str, Any]) -> bool:
        """Whether a line is on the disk now. Where it cannot be, the rest of the journal is lost, and not the run."""
        if self._file is None:
            return False
        try:
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError:  # a full disk
            self.close()
            return False
        return True

    def close(self) -> int:
        """Leave it for another run; the number of servers that this one will find."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None
        return self.kept

    def drop(self) -> None:
        """Remove it: the lock is written."""
        for name in (_FILE, _IGNORED):
            with suppress(OSError):
                (self.folder / name).unlink()
        with suppress(OSError):
            self.folder.rmdir()
        self.close()


def key_of(task: Task) -> str:
    """What an answer belongs to: all that its source and the settings say about the listing, but no value of theirs."""
    source, options = task.source, task.options
    environ = options.environ
    tools = getattr(source, "tools", Filter())
    facts = {
        "name": options.name,
        "source": source.label if source.record is None else asdict(source.record),
        "place": [getattr(source, "cwd", None), getattr(source, "env_file", None)],
        "tools": [tools.only if tools.only is None else sorted(tools.only), sorted(tools.without)],
        "protocol": options.protocol_version,
        "volatile": [asdict(rule) for rule in options.volatile],
        "inputs": sorted(environ.variables) if isinstance(environ, Beside) else [],
        "twice": task.twice,
    }
    return sha256(canonical_json(json.loads(json.dumps(facts)))).hexdigest()


def _opened(folder: Path) -> IO[bytes]:
    """The file of entries, made where it is missing. A link is refused: it may lead anywhere."""
    if folder.is_symlink():
        raise OSError(0, "it is a symbolic link")
    folder.mkdir(exist_ok=True)
    with suppress(FileExistsError):
        _ignore(folder)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return open(os.open(folder / _FILE, flags, 0o666), "r+b")  # noqa: PTH123 - a descriptor


def _ignore(folder: Path) -> None:
    """Keep the folder out of git. Raises OSError; then neither is there, if the folder held nothing."""
    try:
        with (folder / _IGNORED).open("xb", buffering=0) as ignored:  # never through a link that is there
            ignored.write(b"*\n")
    except FileExistsError:
        raise
    except OSError:
        with suppress(OSError):
            (folder / _IGNORED).unlink(missing_ok=True)
            folder.rmdir()
        raise


def _locked(file: IO[bytes]) -> bool:
    """Whether no other run has it, where the system can tell; what a killed run had, the system lets go."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without it
        return True
    return True


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Whether it is there still: a run that ended between our opening it and our having it took it away."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def _told(journal: Journal, file: IO[bytes]) -> int:
    """Nothing of what a run before wrote counts; but it is said."""
    servers = sum(1 for _ in file) - 1
    if servers > 0:
        what = f"what {printable(journal.folder.name)} holds of a run that was cut short"
        journal.note = f"{what} is listed again: --resume would have gone on with it"
    return 0


def _unfit(said: Any, lock: str | None) -> str:
    """Why a journal with this first line does not count; "" where it does."""
    if said["journal"] != _FORMAT or said["release"] != release():
        return "is of another release"
    return "" if said["lock"] == lock else "is of another state of the lock"
