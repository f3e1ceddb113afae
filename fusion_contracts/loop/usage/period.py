"""What `--since` and `--compare` say, as a filter."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.loop.usage.queries import Filter

__all__ = ["micros", "side", "since"]

_SECOND = 1_000_000
_UNITS = {"m": 60 * _SECOND, "h": 3_600 * _SECOND, "d": 86_400 * _SECOND, "w": 7 * 86_400 * _SECOND}
_AGO = re.compile(r"([1-9][0-9]{0,5})([mhdw])")
_LONGEST = 200  # characters of a release, as a log holds it


def since(word: str, now: float) -> int:
    """Microseconds since 1970 of `7d` (also m, h, w), of a date, or of a date and time; UTC where no zone is said.

    `now` is in seconds since 1970. Raises FusionError.
    """
    ago = _AGO.fullmatch(word)
    if ago:
        return int(now * _SECOND) - int(ago[1]) * _UNITS[ago[2]]
    try:
        moment = datetime.fromisoformat(word)
    except ValueError:
        message = f"{printable(word)} is no time"
        raise FusionError(message, "write 7d, 24h, 2026-11-01 or 2026-11-01T08:00", stage="usage") from None
    return micros(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def micros(moment: datetime) -> int:
    """Microseconds since 1970."""
    passed = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return (passed.days * 86_400 + passed.seconds) * _SECOND + passed.microseconds


def side(word: str, base: Filter, now: float) -> Filter:
    """One side of a comparison: `A..B` is a period (either end may be left out), anything else a release.

    The end of a period is not in it. What `base` filters by counts as well. Raises FusionError.
    """
    begin, sign, end = word.partition("..")
    if not sign:
        return replace(base, release=printable(word[:_LONGEST]))
    if not begin and not end:
        raise FusionError(".. is no period", "write A..B, A.. or ..B", stage="usage")
    found = replace(
        base,
        since=max(base.since or 0, since(begin, now)) if begin else base.since,
        until=since(end, now) if end else None,
    )
    if found.since is not None and found.until is not None and found.since >= found.until:
        raise FusionError(f"{printable(word)} is no period: it ends before it begins", "correct it", stage="usage")
    return found
