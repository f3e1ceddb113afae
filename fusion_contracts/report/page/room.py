"""What a page holds of long texts, and what comparing them may cost: no browser opens a page of any size."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Room"]

_CHARACTERS = 1_200_000
_STEPS = 300_000  # of a microsecond or two each; 500 reworded descriptions of 150 words take half
_AT_ONCE = 20_000  # for two texts, which are then compared in some tens of milliseconds


@dataclass(slots=True)
class Room:
    """Room for schemas and texts, given to who comes first: the worst findings do. Calls are never counted, or cut."""

    characters: int = _CHARACTERS
    steps: int = _STEPS
    at_once: int = _AT_ONCE

    def takes(self, text: str) -> bool:
        """Whether a text still fits; its room is then gone."""
        size = len(text) if text.isascii() else len(text.encode("ascii", "xmlcharrefreplace"))
        if size > self.characters:
            return False
        self.characters -= size
        return True

    def compares(self, steps: int) -> bool:
        """Whether two texts may still be compared word by word, at so many steps; they are then gone."""
        if steps > min(self.steps, self.at_once):
            return False
        self.steps -= steps
        return True
