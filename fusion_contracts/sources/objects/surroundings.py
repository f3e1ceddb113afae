"""What code that is imported finds around it: the project's folder, its modules, and nobody to talk to."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager, suppress
from pathlib import Path
from typing import NoReturn

__all__ = ["surroundings"]


@contextmanager
def surroundings(root: Path, first: Path | None = None) -> Iterator[None]:
    """Work in the folder `root` as a server that is started there would, and put everything back afterwards.

    `first`, the root and its `src` come first among the places of modules. The time zone is UTC, as a server's is.
    Standard input is at its end, and what is printed is dropped, by whatever way it is printed: standard output is a
    report. Warnings are quiet.
    """
    top = root.resolve()
    folders = [str(folder) for folder in (first, top, top / "src") if folder is not None and folder.is_dir()]
    with ExitStack() as stack:
        stack.enter_context(chdir(top))
        stack.enter_context(_path(list(dict.fromkeys(folders))))
        stack.enter_context(_utc())
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(_silence())
        stack.enter_context(_kept_alive())
        yield


@contextmanager
def _path(folders: list[str]) -> Iterator[None]:
    before = list(sys.path)
    sys.path[:0] = folders
    try:
        yield
    finally:
        sys.path[:] = before


@contextmanager
def _utc() -> Iterator[None]:
    before = os.environ.get("TZ")
    _set_zone("UTC")
    try:
        yield
    finally:
        _set_zone(before)


def _set_zone(zone: str | None) -> None:
    if zone is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = zone
    if hasattr(time, "tzset"):
        time.tzset()


@contextmanager
def _kept_alive() -> Iterator[None]:
    """Turn what would end this process at once into SystemExit: a check that ends without a word would pass."""
    before = os._exit

    def leave(status: int) -> NoReturn:
        raise SystemExit(status)

    os._exit = leave
    try:
        yield
    finally:
        os._exit = before


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing to read, and nowhere to print: for Python's own streams and for the descriptors below them."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    streams = sys.stdin, sys.stdout, sys.stderr
    with ExitStack() as stack:
        for number, flags in ((0, os.O_RDONLY), (1, os.O_WRONLY), (2, os.O_WRONLY)):
            stack.enter_context(_diverted(number, flags))
        # Not closed: what was imported may hold them, and print once more when it ends.
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - a name that is no path everywhere
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        _KEPT.extend((sys.stdin, sys.stdout, sys.stderr))
        try:
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams


_KEPT: list[object] = []


@contextmanager
def _diverted(number: int, flags: int) -> Iterator[None]:
    """A descriptor that leads nowhere. Where it is not open there is nothing to divert."""
    try:
        kept = os.dup(number)
    except OSError:
        yield
        return
    try:
        nowhere = os.open(os.devnull, flags)
        os.dup2(nowhere, number)
        os.close(nowhere)
        yield
    finally:
        os.dup2(kept, number)
        os.close(kept)
