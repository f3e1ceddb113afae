"""Server-sent events as HTML defines them (section 9.2), read from the bytes of a body, with a limit on each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fusion_contracts.sources.jsonrpc import MAX_MESSAGE, FloodError

__all__ = ["Event", "events"]

_END = re.compile(rb"\r\n|\n|\r")


class Event(NamedTuple):
    """One event: its kind (`message` where it names none) and its data, as bytes."""

    kind: str
    data: bytes


def events(chunks: Iterable[bytes], limit: int = MAX_MESSAGE) -> Iterator[Event]:
    """The events of a stream; one that its end cuts short is left out. Raises FloodError for one above `limit`."""
    kind, size = b"", 0
    data: list[bytes] = []
    for line in _lines(chunks, limit):
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if data:
                yield Event(kind.decode("utf-8", "replace") or "message", b"\n".join(data))
            kind, data, size = b"", [], 0
        elif name == b"data":
            data.append(value)
            size += len(value) + 1
            if size > limit:
                raise _flood(limit)
        elif name == b"event":
            kind = value[:100]


def _lines(chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """The lines of a stream, whose end may be any of three; a byte order mark before the first is dropped."""
    rest, first, split = bytearray(), True, False
    for chunk in chunks:
        if not chunk:
            continue
        if split and chunk.startswith(b"\n"):  # the other half of a line end
            chunk = chunk[1:]  # noqa: PLW2901
        split = chunk.endswith(b"\r")
        *whole, tail = _END.split(chunk)
        for part in whole:
            line = bytes(rest) + part if rest else part
            rest.clear()
            yield line.removeprefix(b"\xef\xbb\xbf") if first else line
            first = False
        rest += tail
        if len(rest) > limit:
            raise _flood(limit)


def _flood(limit: int) -> FloodError:
    return FloodError(f"more than {limit // 2**20} MiB in one message")
