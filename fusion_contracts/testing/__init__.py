"""Tests of one's own server: whether it still offers what its lock says.

`assert_contract` works in any test, with or without pytest; under pytest the plugin that comes with this package adds
the option `--fusion-update` and a fixture of the same name. Nothing is loaded before it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fusion_contracts.config import FailOn

__all__ = ["assert_contract"]


@dataclass(frozen=True, slots=True)  # no record: pytest loads this file wherever it runs, and nothing else of ours
class Session:
    """What a test run says for all its tests: where relative paths start, and whether differences are accepted."""

    folder: str = "."
    update: bool = False


sessions: list[Session] = []
"""The runs of pytest in this process, the innermost last: the plugin keeps it."""


def assert_contract(  # noqa: PLR0913 - how a test says what it compares
    server: Any,
    *,
    name: str | None = None,
    lockfile: str | PathLike[str] | None = None,
    fail_on: FailOn = "any",
    folder: str | PathLike[str] | None = None,
    timeout: float = 60.0,
) -> None:
    """Fail where a server, or any other object that offers tools, differs from its lock.

    `server` is what `fusion lock FILE.py:ATTR` takes: a server object, a toolset, tools, a list of them; it is listed
    in this process, also where an event loop runs. `name` is its NAME in the lock; it may be left out where the lock
    holds one server. `lockfile` is the settings' lock unless given, and `folder` where it and the settings stand:
    pytest's root, else the current one. `fail_on` is the level from which on a difference fails: `any` (the lock is a
    snapshot), `risky`, `breaking`; what is below is let pass, and `fusion check` tells of it.

    Raises AssertionError with the findings, and FusionError where the two cannot be compared. Under
    `pytest --fusion-update` the difference is written into the lock instead.
    """
    __tracebackhide__ = True  # the failure is the test's
    from fusion_contracts.errors import FusionError
    from fusion_contracts.testing.snapshot import Snapshot

    session = sessions[-1] if sessions else Session()
    place = session.folder if folder is None else fspath(folder)
    try:
        snapshot = Snapshot.open(place, None if lockfile is None else fspath(lockfile), name, fail_on)
        failure = snapshot.settle(server, update=session.update, timeout=timeout)
    except FusionError as error:
        raise error.with_traceback(None) from error.__cause__  # it says what to do: how we found out is no news
    if failure is not None:
        raise AssertionError(failure)
