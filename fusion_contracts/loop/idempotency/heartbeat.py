"""How others see that a call's process is alive: a lease that it renews until the call has ended."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from fusion_contracts.loop.stores.base import Store, StoreError
from fusion_contracts.loop.stores.per_process import PerProcess

__all__ = ["Heartbeat", "Late"]

_ALIVE = b"1"
_BEATS = 3  # in the time of one lease


@dataclass(frozen=True, slots=True)
class Late:
    """A change of a record that the store could not be told, and that is tried again with each beat."""

    place: str
    old: bytes
    new: bytes | None
    ttl: float | None


@dataclass(slots=True)
class _Held:
    """What one process renews and still has to write. A forked child holds nothing of its parent's."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    leases: set[str] = field(default_factory=set)
    late: dict[str, tuple[Late, str | None]] = field(default_factory=dict)
    thread: threading.Thread | None = None
    stopped: threading.Event = field(default_factory=threading.Event)


class Heartbeat:
    """Leases of this process's running calls. One thread renews them all, and ends when there are none."""

    def __init__(self, store: Store, seconds: float) -> None:
        """`seconds` is how long a lease stands on the store's clock without being renewed."""
        self._store = store
        self._seconds = seconds
        self._here: PerProcess[_Held] = PerProcess(_Held)

    def hold(self, lease: str) -> None:
        """Write a lease, and renew it from now on. Raises StoreError where it could not be written."""
        self._store.replace(lease, None, _ALIVE, ttl=self._seconds)
        held = self._here.here()
        with held.lock:
            held.leases.add(lease)
            self._run(held)

    def drop(self, lease: str) -> None:
        """Renew it no more, and remove it. What cannot be removed now expires."""
        held = self._here.here()
        with held.lock:
            held.leases.discard(lease)
        with suppress(StoreError):
            self._store.replace(lease, _ALIVE, None)

    def stands(self, lease: str) -> bool:
        """Whether its holder renewed it in time."""
        return self._store.get(lease) is not None

    def postpone(self, late: Late, lease: str | None) -> None:
        """Write it when the store answers again, and hold the lease, where there is one, until then."""
        held = self._here.here()
        with held.lock:
            held.late[late.place] = (late, lease)
            self._run(held)

    def catch_up(self, place: str) -> None:
        """Write what is late for that place now. Raises StoreError where the store still fails."""
        held = self._here.here()
        if not held.late:
            return
        with held.lock:
            late, lease = held.late.get(place, (None, None))
        if late is None:
            return
        self._store.replace(late.place, late.old, late.new, ttl=late.ttl)  # made before, or settled: as well
        with held.lock:
            held.late.pop(place, None)
        if lease is not None:
            self.drop(lease)

    def beat(self) -> bool:
        """Renew every lease and write what is late; whether there is anything left to do."""
        held = self._here.here()
        with held.lock:
            leases, places = tuple(held.leases), tuple(held.late)
        for lease in leases:
            with suppress(StoreError):
                self._renew(lease, held)
        for place in places:
            with suppress(StoreError):
                self.catch_up(place)
        with held.lock:
            if held.leases or held.late:
                return True
            held.thread = None
            return False

    def stop(self) -> None:
        """Renew nothing more: whatever still runs here counts as crashed when its lease has passed."""
        self._here.here().stopped.set()

    def _renew(self, lease: str, held: _Held) -> None:
        if self._store.replace(lease, _ALIVE, _ALIVE, ttl=self._seconds):
            return
        with held.lock:
            if lease not in held.leases:  # dropped meanwhile
                return
        self._store.replace(lease, None, _ALIVE, ttl=self._seconds)  # this process was stopped, and is back

    def _run(self, held: _Held) -> None:
        if held.thread is None:
            beat_on = partial(self._beat_on, held.stopped)
            held.thread = threading.Thread(target=beat_on, name="fusion-heartbeat", daemon=True)
            held.thread.start()

    def _beat_on(self, stopped: threading.Event) -> None:
        while not stopped.wait(self._seconds / _BEATS):
            if not self.beat():
                return
