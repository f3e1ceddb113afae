"""A store by its URL."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast
from urllib.parse import parse_qsl

from fusion_contracts.canonical import shortened
from fusion_contracts.loop.stores.base import Store, StoreError

__all__ = ["DEFAULT_FOLDER", "open_store"]

DEFAULT_FOLDER = Path(".fusion") / "state"
"""Where the default store is: below the folder in which the process was started. It ignores itself in git."""

_FORMS = "write memory:, sqlite:///PATH, redis://HOST or postgresql://HOST/DATABASE"


def open_store(url: str | None = None, *, clock: Callable[[], float] | None = None) -> Store:
    """The store at that URL. Nothing is connected to before its first use.

    | URL | store |
    |---|---|
    | `memory:` | this process's memory, a new one each time |
    | `sqlite:///path`, `sqlite:////absolute/path` | a file, with `?synchronous=normal` one that may lose the last \
writes when the power fails |
    | `redis://`, `rediss://`, `unix://` | Redis, as redis-py reads the URL (extra `redis`) |
    | `postgresql://`, `postgres://` | PostgreSQL, as libpq reads the URL (extra `postgres`) |

    Without one, `FUSION_STORE` in the environment, else `.fusion/state/store.sqlite` in the current folder. `clock`
    gives the seconds of memory and SQLite (default: monotonic time, and the machine's); servers have their own.

    Raises StoreError, naming no password, on a URL that is none of these and on a driver that is not installed.
    """
    given = url or os.environ.get("FUSION_STORE") or _default()
    scheme, colon, rest = given.partition(":")
    if given == "memory:":
        from fusion_contracts.loop.stores.memory import MemoryStore

        return MemoryStore(clock=clock or time.monotonic)
    if scheme == "sqlite" and rest.startswith("///"):
        return _sqlite(rest.removeprefix("///"), clock or time.time)
    if scheme in ("redis", "rediss", "unix") and rest.startswith("//"):
        from fusion_contracts.loop.stores.redis import RedisStore

        return RedisStore(given)
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        from fusion_contracts.loop.stores.postgres import PostgresStore

        return PostgresStore(given)
    named = f"no store is opened by {shortened(scheme)}:" if colon else "a store's URL begins with its kind and a colon"
    raise StoreError(named, _FORMS, stage="usage")


def _sqlite(rest: str, clock: Callable[[], float]) -> Store:
    from fusion_contracts.loop.stores.sqlite import SQLiteStore, Synchronous

    path, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    synchronous = options.pop("synchronous", "full").lower()
    if not path or options or synchronous not in ("full", "normal"):
        raise StoreError(
            f"sqlite:///{shortened(rest)} is no file of SQLite",
            "write sqlite:///PATH, or sqlite:///PATH?synchronous=normal",
            stage="usage",
        )
    return SQLiteStore(path, synchronous=cast("Synchronous", synchronous), clock=clock)


def _default() -> str:
    """The default file's URL. Its folder is made, with a line by which git ignores it."""
    try:
        DEFAULT_FOLDER.mkdir(parents=True, exist_ok=True)
        (DEFAULT_FOLDER / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the folder {DEFAULT_FOLDER} cannot be made here ({error.strerror})",
            "set FUSION_STORE to the URL of a store",
        ) from error
    return f"sqlite:///{DEFAULT_FOLDER / 'store.sqlite'}"
