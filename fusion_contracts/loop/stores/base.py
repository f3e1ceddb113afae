"""What a store is: values by key, changed only by whoever knows the value that stands there."""

from __future__ import annotations

import math
from typing import Protocol

from fusion_contracts.errors import FusionError

__all__ = ["Store", "StoreError", "checked_ttl", "key_bytes"]


class Store(Protocol):
    """Values by key, shared by all who open the same store: threads, processes, machines.

    A key is any text, a value any bytes. A value written with a `ttl` is absent once that many seconds have passed on
    the store's own clock: the one that all who share the store have in common, so that clocks that differ between
    machines do not matter. That is the server's clock for Redis and PostgreSQL, this machine's for SQLite, this
    process's for memory; the last two take another one when they are made. Nothing else in a store depends on time.

    Every method may be called from any thread. It raises StoreError when the store cannot be asked; then a `replace`
    may have been made or not, and only a `get` tells. A store that is `blocking` waits for a disk or a network: from
    a coroutine it is used through `OffLoop`.
    """

    @property
    def blocking(self) -> bool:
        """Whether a call may wait for something outside this process."""

    def get(self, key: str) -> bytes | None:
        """The value that stands there now; None for none."""

    def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        """Write `new` where `old` stands, in one step that no other call comes between; whether `old` stood there.

        None is absence: `old=None` creates, `new=None` deletes. `ttl` is in seconds, and counts anew with each write;
        None keeps the value until it is replaced. Raises ValueError on a `ttl` that is not a finite number above zero.
        """

    def close(self) -> None:
        """Give back what is open. A closed store is asked no more; closing twice is no error."""


class StoreError(FusionError):
    """The store could not be asked: its address is wrong, its library is missing, or it does not answer.

    The sentence holds no password.
    """


def checked_ttl(ttl: float | None) -> float | None:
    """The seconds, or None. Raises ValueError where they are not a finite number above zero."""
    if ttl is not None and not (ttl > 0 and math.isfinite(ttl)):
        raise ValueError(f"ttl must be a finite number of seconds above zero, not {ttl!r:.40}")
    return ttl


def key_bytes(key: str) -> bytes:
    """A key as every database can hold it, whatever a model wrote into it: NUL and lone surrogates too."""
    return key.encode("utf-8", "surrogatepass")
