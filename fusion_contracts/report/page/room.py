"""How much of what is long a page holds: a browser opens no page of any size, and nobody sends one."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Room"]

_CHARACTERS = 1_200_000


@dataclass(slots=True)
class Room:
    """Room for schemas and texts, given to who comes first: the worst findings do. Calls are never counted, or cut."""

    left: int = _CHARACTERS

    def takes(self, text: str) -> bool:
        """Whether a text still fits; its room is then gone."""
        size = len(text) if text.isascii() else len(text.encode("ascii", "xmlcharrefreplace"))
        if size > self.left:
            return False
        self.left -= size
        return True
