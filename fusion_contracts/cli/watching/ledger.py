"""What stands and what is still to be posted, in one SQLite file that one watch has at a time.

Each change is one transaction: what is found is kept together with the event that tells of it, before anybody is told.
So a kill at any moment loses nothing; an event whose posting was not noted is posted again, with the same id. The file
is locked as long as it is open, and what a killed watch held the system lets go.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject
from fusion_contracts.record import record

__all__ = ["Dropped", "Ledger", "Pending", "Standing", "default_place"]

_VERSION = 1
_PATIENCE = 2.0  # seconds in which a watch that is ending lets go of its file
_FOLDER = ".fusion/watch"
_TABLES = (
    """CREATE TABLE IF NOT EXISTS standing (
        key TEXT PRIMARY KEY, server TEXT NOT NULL, body TEXT NOT NULL, since TEXT NOT NULL, locked TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, opens INTEGER NOT NULL, body TEXT NOT NULL,
        tried INTEGER NOT NULL DEFAULT 0, taken TEXT NOT NULL DEFAULT '[]'
    ) STRICT""",
    """CREATE TABLE IF NOT EXISTS dropped (
        name TEXT PRIMARY KEY, number INTEGER NOT NULL, since TEXT NOT NULL, until TEXT NOT NULL, lockfile TEXT NOT NULL
    ) STRICT""",
)


@record
class Standing:
    """Something that was found and is not over: a finding or an error of a `server` ("" for none), since when.

    `locked` says what the server's lock was then.
    """

    key: str
    server: str
    body: JsonObject
    since: str
    locked: str


@record
class Pending:
    """An event that not everybody took yet, and the names of those who did. What it says stays in the file.

    It tells that what has this `key` begins where it `opens`, else that it is over; `size` is in bytes.
    """

    seq: int
    key: str
    opens: bool
    size: int
    taken: frozenset[str]


@record
class Dropped:
    """How many events were dropped that waited for somebody (`name`), of which time, and of which lock the last was."""

    name: str
    number: int
    since: str
    until: str
    lockfile: str


def default_place(root: Path, lockfile: str) -> Path:
    """The file for a project's lock, in a folder that keeps itself out of git. Raises FusionError."""
    folder = root / _FOLDER
    shown = printable(str(folder))
    step = "make it writable, or name a file with --state"
    try:
        if any(one.is_symlink() for one in (folder, folder.parent)):
            raise FusionError(f"{shown} is reached by a symbolic link", "name a file with --state", stage="usage")
        folder.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError), (folder / ".gitignore").open("xb") as ignored:
            ignored.write(b"*\n")
    except OSError as error:
        reason = (error.strerror or "the system refused").lower()
        raise FusionError(f"cannot keep what was posted in {shown}: {reason}", step, stage="usage") from None
    return folder / f"{lockfile.replace(os.sep, '-').replace('/', '-')}.sqlite"


class Ledger:
    """The file. Of one thread alone."""

    def __init__(self, path: Path) -> None:
        """Open it, and keep every other watch out. Raises FusionError."""
        self._shown = printable(path.as_posix())
        try:
            if path.is_symlink():
                raise FusionError(f"{self._shown} is a symbolic link", "name the file itself", stage="usage")
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._db = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            reason = (getattr(error, "strerror", None) or "the system refused").lower()
            step = "make its folder, or name another file with --state"
            raise FusionError(f"cannot keep what was posted in {self._shown}: {reason}", step, stage="usage") from None
        try:
            self._open()
        except BaseException:
            self._db.close()
            raise

    def _open(self) -> None:
        try:
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA synchronous = FULL")
            with self._change():
                (version,) = self._db.execute("PRAGMA user_version").fetchone()
                if version == 0:
                    self._require_empty()
                    self._db.execute(f"PRAGMA user_version = {_VERSION}")
                if version in {0, _VERSION}:
                    for table in _TABLES:
                        self._db.execute(table)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise self._unfit() from None
            message = f"another watch keeps {self._shown}"
            raise FusionError(message, "end it, or name another file with --state", stage="usage") from None
        except sqlite3.DatabaseError:
            raise self._unfit() from None
        if version not in {0, _VERSION}:
            message = f"{self._shown} is of a newer release"
            raise FusionError(message, "update fusion-contracts, or name another file with --state", stage="usage")

    def _require_empty(self) -> None:
        if self._db.execute("SELECT 1 FROM sqlite_master").fetchone() is not None:
            message = f"{self._shown} is a database of something else"
            raise FusionError(message, "name another file with --state", stage="usage")

    def _unfit(self) -> FusionError:
        message = f"{self._shown} does not hold what a watch posted"
        step = "name another file with --state, or remove it: then all that stands is posted anew"
        return FusionError(message, step, stage="usage")

    @contextmanager
    def _change(self) -> Iterator[None]:
        """One transaction, exclusive, which holds as a whole or not at all."""
        self._db.execute("BEGIN EXCLUSIVE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What goes wrong with the file, in one sentence."""
        try:
            yield
        except sqlite3.Error as error:
            message = f"cannot keep what was posted in {self._shown}: {printable(str(error))}"
            raise FusionError(message, "look at the disk, then start it again", stage="usage") from None

    def standing(self) -> dict[str, Standing]:
        """All that stands, by key."""
        with self._told():
            rows = self._db.execute("SELECT key, server, body, since, locked FROM standing ORDER BY rowid").fetchall()
        return {row[0]: Standing(row[0], row[1], json.loads(row[2]), row[3], row[4]) for row in rows}

    def pending(self, known: Mapping[int, Pending] = MappingProxyType({})) -> dict[int, Pending]:
        """The events that are still to be posted, by their number, oldest first. Those `known` are not read."""
        with self._told():
            seqs = [row[0] for row in self._db.execute("SELECT seq FROM outbox ORDER BY seq")]
            asked = "SELECT seq, key, opens, length(CAST(body AS BLOB)), taken FROM outbox WHERE seq > ?"
            rows = self._db.execute(asked, (max(known, default=0),)).fetchall()
        fresh = {row[0]: Pending(row[0], row[1], bool(row[2]), row[3], frozenset(json.loads(row[4]))) for row in rows}
        return {seq: known[seq] if seq in known else fresh[seq] for seq in seqs}

    def events(self, seqs: Iterable[int]) -> dict[int, JsonObject]:
        """What these events say, by their number."""
        with self._told():
            found = {seq: self._db.execute("SELECT body FROM outbox WHERE seq = ?", (seq,)).fetchone() for seq in seqs}
        return {seq: json.loads(row[0]) for seq, row in found.items()}

    def change(self, begun: Iterable[tuple[Standing, JsonObject]], over: Mapping[str, JsonObject]) -> None:
        """Keep what begins, each with its event, and let go of what is over, by key, with its event.

        Where nobody was told yet that something began, nobody is told that it is over.
        """
        with self._told(), self._change():
            for one, told in begun:
                row = (one.key, one.server, json.dumps(one.body), one.since, one.locked)
                self._db.execute("INSERT OR REPLACE INTO standing VALUES (?, ?, ?, ?, ?)", row)
                self._post(one.key, told, opens=True)
            for key, told in over.items():
                self._db.execute("DELETE FROM standing WHERE key = ?", (key,))
                untold = self._db.execute("DELETE FROM outbox WHERE key = ? AND opens AND NOT tried", (key,))
                if not untold.rowcount:
                    self._post(key, told, opens=False)

    def relock(self, keys: Collection[str], locked: str) -> None:
        """Note what the lock is beside which these stand now."""
        with self._told(), self._change():
            self._db.executemany("UPDATE standing SET locked = ? WHERE key = ?", [(locked, key) for key in keys])

    def _post(self, key: str, told: JsonObject, *, opens: bool) -> None:
        self._db.execute("INSERT INTO outbox (key, opens, body) VALUES (?, ?, ?)", (key, opens, json.dumps(told)))

    def trying(self, seqs: Collection[int]) -> None:
        """Note that somebody is being told of these, before it happens."""
        with self._told(), self._change():
            self._db.executemany("UPDATE outbox SET tried = 1 WHERE seq = ? AND NOT tried", [(seq,) for seq in seqs])

    def took(self, taken: Iterable[tuple[int, str]], everybody: Collection[str]) -> None:
        """Note, in one go, which events somebody took, and who; one that `everybody` took is done with."""
        with self._told(), self._change():
            for seq, name in taken:
                self._take(seq, name, everybody)

    def _take(self, seq: int, name: str, everybody: Collection[str]) -> None:
        row = self._db.execute("SELECT taken FROM outbox WHERE seq = ?", (seq,)).fetchone()
        taken = {*json.loads(row[0]), name} if row else set()
        if taken.issuperset(everybody):
            self._db.execute("DELETE FROM outbox WHERE seq = ?", (seq,))
        else:
            self._db.execute("UPDATE outbox SET taken = ? WHERE seq = ?", (json.dumps(sorted(taken)), seq))

    def dropped(self, name: str) -> Dropped | None:
        """What was dropped that somebody was not told of yet."""
        with self._told():
            row = self._db.execute("SELECT * FROM dropped WHERE name = ?", (name,)).fetchone()
        return None if row is None else Dropped(*row)

    def drop(self, seqs: Collection[int], name: str, everybody: Collection[str]) -> None:
        """Let events wait for somebody no more, and count them; one for which nobody waits is done with."""
        events = self.events(seqs).values()
        with self._told(), self._change():
            for one in events:
                row = (name, one["time"], one["time"], one["lockfile"])
                self._db.execute(
                    "INSERT INTO dropped VALUES (?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET number = number + 1,"
                    " until = excluded.until, lockfile = excluded.lockfile",
                    row,
                )
            for seq in seqs:
                self._take(seq, name, everybody)

    def told(self, one: Dropped) -> None:
        """Note that somebody was told of what was dropped; what came to it since then stays."""
        with self._told(), self._change():
            counted = "UPDATE dropped SET number = number - ?, since = until WHERE name = ?"
            self._db.execute(counted, (one.number, one.name))
            self._db.execute("DELETE FROM dropped WHERE number <= 0")

    def close(self) -> None:
        """Let another watch have it."""
        self._db.close()
