"""Versions, as far as two of them can be compared: which is later, and what a bump makes of one.

Taken are semantic versions (semver.org 2.0.0), with or without a leading `v`, and those of PEP 440 that mean the same:
one repository holds `2.0.0-rc.1` in package.json and `2.0.0rc1` in pyproject.toml. No library knows both forms, and the
one for semantic versions takes longer to import than a whole comparison takes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import IntEnum

__all__ = ["Bump", "Version"]

_NUMBER = r"(0|[1-9][0-9]{0,17})"
_VERSION = re.compile(
    rf"""v?{_NUMBER}\.{_NUMBER}(?:\.{_NUMBER})?
    (?: -(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)
      | (?P<phase>a|b|rc)(?P<round>[0-9]{{1,18}})
      | \.dev(?P<dev>[0-9]{{1,18}})
      | \.post(?P<post>[0-9]{{1,18}})
    )?
    (?:\+[0-9A-Za-z.-]+)?""",
    re.VERBOSE,
)
_DESCRIBED = re.compile(r"-[0-9]+-g[0-9a-f]{4,40}(?:-dirty)?$")
_YEARS = range(1990, 2100)
_PHASES = {"a": "alpha", "b": "beta", "rc": "rc"}
_LONGEST = 256

_Rank = tuple[int, tuple[tuple[int, int, str], ...]]
_FINAL: _Rank = (1, ())


class Bump(IntEnum):
    """How far a version has to move."""

    NONE = 0
    PATCH = 1
    MINOR = 2
    MAJOR = 3

    @property
    def word(self) -> str:
        """`major`, `minor`, `patch`, `none`."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A version that can be compared; its order is that of semver.org, section 11. Build metadata counts for nothing.

    `rank` tells a pre-release (0) from the release (1) and what PEP 440 calls a post-release of it (2).
    """

    core: tuple[int, int, int]
    rank: _Rank = _FINAL
    text: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read a version. Raises ValueError, saying what the text is instead: `is a calendar version`."""
        if _DESCRIBED.search(text):
            raise ValueError("is what git describe says of a commit between two releases")
        found = _VERSION.fullmatch(text) if len(text) <= _LONGEST else None
        if found is None:
            raise ValueError("is no semantic version")
        major, minor, patch = (int(number or 0) for number in found.groups()[:3])
        if major in _YEARS:
            raise ValueError("is a calendar version, which says nothing of what breaks")
        return cls((major, minor, patch), _rank(found), text.removeprefix("v"))

    @property
    def is_release(self) -> bool:
        """Whether it promises anything: a pre-release does not (semver.org, section 9)."""
        return self.rank >= _FINAL

    def needs(self, bump: Bump) -> Bump:
        """Which number has to move for it. Below 1.0.0 that is one further right; at 0.0.z always the last.

        That is how the caret of npm and Cargo reads such versions; semver.org promises nothing there (section 4).
        """
        if bump is Bump.NONE or self.core[0] > 0:
            return bump
        return Bump.MINOR if bump is Bump.MAJOR and self.core[1] > 0 else Bump.PATCH

    def raised(self, bump: Bump) -> Version:
        """The least release that such a change may have. From a pre-release on that is the release it leads to."""
        major, minor, patch = self.core
        step = self.needs(bump) if self.is_release else Bump.NONE
        core = {
            Bump.NONE: self.core,
            Bump.PATCH: (major, minor, patch + 1),
            Bump.MINOR: (major, minor + 1, 0),
            Bump.MAJOR: (major + 1, 0, 0),
        }[step]
        return Version(core, text=".".join(map(str, core)))

    def suffices(self, before: Version, bump: Bump) -> bool:
        """Whether it is far enough from the version before. After a pre-release anything later is."""
        if bump is Bump.NONE:
            return self >= before
        return self.core >= before.raised(bump).core if before.is_release else self > before

    def __str__(self) -> str:
        return self.text


def _rank(found: re.Match[str]) -> _Rank:
    if found["pre"] is not None:
        return 0, tuple(_identifier(one) for one in found["pre"].split("."))
    if found["phase"] is not None:
        return 0, (_identifier(_PHASES[found["phase"]]), _identifier(found["round"]))
    if found["dev"] is not None:  # before every other pre-release, as a number is before every word
        return 0, (_identifier("0"), _identifier(found["dev"]))
    return (2, (_identifier(found["post"]),)) if found["post"] is not None else _FINAL


def _identifier(text: str) -> tuple[int, int, str]:
    """Numbers by their size and before words; words by their letters."""
    return (0, int(text), "") if text.isdecimal() else (1, 0, text)
