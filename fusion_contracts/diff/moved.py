"""How far the version of a server moved, and the finding where that is too little."""

from __future__ import annotations

from fusion_contracts.diff.changes import Fact, VersionBumpMissing
from fusion_contracts.diff.classify import classify
from fusion_contracts.diff.findings import Finding
from fusion_contracts.diff.version import Bump, Version
from fusion_contracts.model import JsonObject
from fusion_contracts.record import record

__all__ = ["Moved"]

_POINTER = "/serverInfo/version"  # where a lock shows a version, wherever it is declared


@record
class Moved:
    """The version of one server before and after, and the bump that what changed in between needs.

    `since` is what it is compared with, for people; `place` where the version is declared.
    """

    server: str
    since: str
    bump: Bump
    before: Version
    after: Version
    place: str

    @property
    def suffices(self) -> bool:
        """Whether it moved far enough."""
        return self.after.suffices(self.before, self.bump)

    @property
    def least(self) -> str:
        """The least that would do, for people."""
        if self.bump is Bump.NONE:
            return f"{self.before} or later"
        return f"{self.before.raised(self.bump)} or later" if self.before.is_release else f"one after {self.before}"

    @property
    def step(self) -> str:
        """What kind of bump that is: `a major bump`; "" where nothing changed."""
        needed = self.before.needs(self.bump)
        if not self.before.is_release:
            return "any bump" if needed else ""
        return f"a {needed.word} bump" if needed else ""

    def findings(self) -> list[Finding]:
        """The one finding where it moved too little, at the level of its rule."""
        if self.suffices:
            return []
        change = VersionBumpMissing(
            pointer=_POINTER,
            name=self.place,
            before=str(self.before),
            after=str(self.after),
            since=self.since,
            least=self.least,
            bump=self.step if self.after >= self.before else "",
        )
        return classify([Fact(change, "server", _POINTER)], self.server)

    def to_dict(self) -> JsonObject:
        """The entry of the JSON report's `bumps`."""
        return {
            "server": self.server,
            "since": self.since,
            "bump": self.bump.word,
            "before": str(self.before),
            "after": str(self.after),
            "least": str(self.before if self.bump is Bump.NONE else self.before.raised(self.bump)),
            "place": self.place,
            "enough": self.suffices,
        }
