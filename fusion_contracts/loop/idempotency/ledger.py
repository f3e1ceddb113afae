"""The record of calls: written before the effect, and never given to a second one."""

from __future__ import annotations

import logging
import math
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fusion_contracts.loop.idempotency.faults import in_flight, other_arguments, outcome_unknown, unreachable
from fusion_contracts.loop.idempotency.heartbeat import Heartbeat, Late
from fusion_contracts.loop.idempotency.record import Ending, Record
from fusion_contracts.loop.stores.base import Store, StoreError

__all__ = ["Claim", "Ledger"]

_DAY = 86_400.0  # seconds
_LEASE = 30.0
_ROUNDS = 16  # in which a record may come and go under a caller's eyes before they are told to wait


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to one effect: its holder wrote the record."""

    place: str
    record: Record

    @property
    def lease(self) -> str:
        """The key of the lease that shows that the holder is alive."""
        return _lease(self.record)


class Ledger:
    """Which calls began and how they ended, in a store that all callers share.

    A call is known by its `scope` (the tool, and whose keys they are) and its key. Nobody ever takes a begun record
    over: a lease that its holder renews only decides what others are told, "still running" or "outcome unknown", so
    that no clock and no pause of a process can lead to a second effect.
    """

    def __init__(
        self, store: Store, *, keep: float = _DAY, lease: float = _LEASE, clock: Callable[[], float] = time.time
    ) -> None:
        """`keep`: seconds for which a result is replayed, a day or more. `lease`: seconds without a sign of life.

        A call whose end is not known is kept until it is settled or forgotten; after `lease` it counts as crashed.
        Both are counted by the store's clock; `clock` (Unix time) only tells people when a call began.

        Raises ValueError where `keep` is shorter than a day or `lease` is no time.
        """
        if not (keep >= _DAY and math.isfinite(keep)):
            raise ValueError(f"keep must be {_DAY:.0f} seconds (a day) or more, not {keep!r:.40}")
        if not (lease > 0 and math.isfinite(lease)):
            raise ValueError(f"lease must be a finite number of seconds above zero, not {lease!r:.40}")
        self.store = store
        self.heartbeat = Heartbeat(store, lease)
        self._keep = keep
        self._clock = clock

    def begin(self, scope: str, key: str, digest: str, *, renewable: bool = True) -> Claim | Record:
        """A claim, where this call is the first: its record stands, and the effect may begin. Else the ended record.

        Raises ToolFault: CONFLICT for other arguments or a running call, OUTCOME_UNKNOWN for one whose end nobody
        knows (`renewable`: whether the caller can choose another key), SERVER_BUSY where the store does not answer.
        """
        place = _place(scope, key)
        try:
            self.heartbeat.catch_up(place)
            for _ in range(_ROUNDS):
                standing = self.store.get(place)
                if standing is None:
                    claim = self._claim(place, digest)
                    if claim is not None:
                        return claim
                    continue
                record = Record.decoded(standing)
                if record.digest != digest:
                    raise other_arguments(key)
                if record.state == "ended":
                    return record
                if record.state == "begun" and self.heartbeat.stands(_lease(record)):
                    raise in_flight(key)
                if self.store.get(place) == standing:  # a lease is given back only after the end is written
                    raise outcome_unknown(key, record, renewable=renewable)
        except StoreError as error:
            raise unreachable() from error
        raise in_flight(key)

    def end(self, claim: Claim, ending: Ending | None) -> None:
        """Write how the claimed call ended; None where the effect never began: then nothing stays, and the key is free.

        Never raises for the store's sake: the effect is made, and its result is the caller's. What cannot be written
        now is logged, and written as soon as the store answers; until then the call counts as running.
        """
        new = None if ending is None else claim.record.ended(ending).encoded()
        ttl = self._keep if ending is not None and ending.state == "ended" else None
        old = claim.record.encoded()
        try:
            written = self._surely(claim.place, old, new, ttl)
        except StoreError as error:
            _log().error("The end of a call could not be written yet: %s", error)
            self.heartbeat.postpone(Late(claim.place, old, new, ttl), claim.lease)
            return
        if not written:
            _log().warning("The record of a call was settled or forgotten while it ran; its own end was not written")
        self.heartbeat.drop(claim.lease)

    def settle(self, scope: str, key: str, result: Any) -> bool:
        """Somebody verified that an unfinished call took effect: its result, a JSON value, is replayed from now on.

        False where there is no unfinished call under that key. Raises StoreError where the store fails.
        """
        place = _place(scope, key)
        standing = self.store.get(place)
        if standing is None or (record := Record.decoded(standing)).state == "ended":
            return False
        settled = record.ended(Ending("ended", {"value": result})).encoded()
        return self._surely(place, standing, settled, self._keep)

    def forget(self, scope: str, key: str) -> bool:
        """Somebody verified that a call did not take effect, or its result must go: the key is free again.

        False where nothing stood under that key, or it changed meanwhile. Raises StoreError where the store fails.
        """
        place = _place(scope, key)
        standing = self.store.get(place)
        return standing is not None and self._surely(place, standing, None, None)

    def close(self) -> None:
        """Close the store, and renew no lease any more: for a process that has no call running."""
        self.heartbeat.stop()
        self.store.close()

    def _claim(self, place: str, digest: str) -> Claim | None:
        """The claim, where the record could be created. The lease stands first: a begun record is never without."""
        claim = Claim(place, Record(uuid.uuid4().hex, digest, self._clock()))
        self.heartbeat.hold(claim.lease)
        record = claim.record.encoded()
        try:
            made = self._surely(place, None, record, None)
        except StoreError:
            self.heartbeat.postpone(Late(place, record, None, None), None)  # it may stand there, and nothing began
            self.heartbeat.drop(claim.lease)
            raise
        if made:
            return claim
        self.heartbeat.drop(claim.lease)
        return None

    def _surely(self, place: str, old: bytes | None, new: bytes | None, ttl: float | None) -> bool:
        """Replace; where the answer was lost, look: every record is its holder's alone, so that it tells.

        Raises StoreError where the store fails again.
        """
        try:
            return self.store.replace(place, old, new, ttl=ttl)
        except StoreError:
            if self.store.get(place) == new:
                return True
            return self.store.replace(place, old, new, ttl=ttl)


def _place(scope: str, key: str) -> str:
    return f"idempotency:{len(scope)}:{scope}:{key}"


def _lease(record: Record) -> str:
    return f"lease:{record.token}"


def _log() -> logging.Logger:
    return logging.getLogger("fusion_contracts.loop")
