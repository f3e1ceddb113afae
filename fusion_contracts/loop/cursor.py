"""Where a batch goes on: the next item, the failed ones that may be tried again, and how many were given up.

As text it is `NEXT:GIVEN_UP:AGAIN:DIGEST`, such as `120:1:17,40:9f86d081`. The digest ties it to the list of items that
it counts in: with another list the same numbers would mean other items.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

from fusion_contracts.runtime.fault import ToolFault, tool_error

__all__ = ["Cursor", "digest_of"]

_FORM = re.compile(r"([0-9]{1,12}):([0-9]{1,12}):((?:[0-9]{1,12},)*[0-9]{1,12})?:([0-9a-f]{8})")


@dataclass(frozen=True, slots=True)
class Cursor:
    """`next` is the index of the first item that no call has tried, `again` are indexes below it."""

    next: int
    given_up: int
    again: tuple[int, ...]
    digest: str

    def __str__(self) -> str:
        return f"{self.next}:{self.given_up}:{','.join(map(str, self.again))}:{self.digest}"

    @property
    def done(self) -> int:
        """How many items succeeded before it."""
        return self.next - self.given_up - len(self.again)

    @classmethod
    def read(cls, text: str | None, names: Sequence[str]) -> Cursor:
        """The cursor that a caller sent for the items of those names; the beginning for None and "".

        Raises the VALIDATION_ERROR fault where it is no cursor, or one of other items.
        """
        digest = digest_of(names)
        if text is None or not text.strip():
            return cls(0, 0, (), digest)
        found = _FORM.fullmatch(text.strip())
        if found is None:
            raise _refusal("it is none that this tool has given")
        again = tuple(int(index) for index in (found[3] or "").split(",") if index)
        cursor = cls(int(found[1]), int(found[2]), again, found[4])
        if cursor.digest != digest:
            raise _refusal("it belongs to another list of items")
        ascending = list(again) == sorted(set(again)) and (not again or again[-1] < cursor.next)
        if not ascending or cursor.next > len(names) or cursor.done < 0:
            raise _refusal("it is none that this tool has given")
        return cursor


def digest_of(names: Sequence[str]) -> str:
    """Eight hexadecimal digits for the names in their order."""
    joined = "".join(f"{len(name)}:{name}" for name in names)
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _refusal(why: str) -> ToolFault:
    return tool_error(
        "VALIDATION_ERROR",
        f"The cursor cannot be used: {why}.",
        suggestion="Send the cursor of the last result with the same arguments, or leave it out to begin anew.",
        details={"cursor": why},
    )
