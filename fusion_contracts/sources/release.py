"""A release: a lock kept under `.fusion/releases/SERVER/NAME.lock`, which agents in the field have learned."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from fusion_contracts.canonical import first_few, printable
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.file import RELEASES
from fusion_contracts.record import record
from fusion_contracts.sources.base import Options, Reading, joined
from fusion_contracts.sources.lock import LockSource

__all__ = ["ReleaseSource"]

_PART = re.compile(r"[^/\\\x00-\x1f]+")


@record
class ReleaseSource:
    """`release:[SERVER/]NAME`: of one server, or of every server that has a release of that name."""

    kind: ClassVar[str] = "release"
    live: ClassVar[bool] = False
    record: ClassVar[None] = None

    name: str
    server: str | None = None

    @classmethod
    def parse(cls, argument: str) -> ReleaseSource:
        """From `release:[SERVER/]NAME`. Raises FusionError for a name that is none."""
        text = argument.removeprefix("release:")
        server, _, name = text.rpartition("/")
        parts = [server, name] if "/" in text else [name]
        if not all(_PART.fullmatch(part) and part.strip(".") for part in parts):
            message = f"{printable(argument)} names no release"
            raise FusionError(message, "write release:NAME or release:SERVER/NAME", stage="usage")
        return cls(name, server or None)

    @property
    def label(self) -> str:
        """For people."""
        return printable(f"release:{self.server}/{self.name}" if self.server else f"release:{self.name}")

    def read(self, options: Options) -> Reading:
        """Read the lock of the release. Raises FusionError where there is none, naming what there is."""
        folder = options.root / RELEASES
        found = sorted(path for path in self._candidates(folder) if path.is_file())
        if not found:
            raise FusionError(f"there is no {self.label} under {RELEASES}", _there_is(folder))
        return joined(LockSource(path.relative_to(options.root)).read(options) for path in found)

    def _candidates(self, folder: Path) -> list[Path]:
        servers = [folder / self.server] if self.server else [one for one in _listed(folder) if one.is_dir()]
        return [server / f"{self.name}.lock" for server in servers]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _there_is(folder: Path) -> str:
    files = [file for server in _listed(folder) for file in _listed(server) if file.suffix == ".lock"]
    known = [f"{file.parent.name}/{file.stem}" for file in files]
    if not known:
        return "make one with fusion release"
    return f"there are: {first_few([*map(printable, known)], 10)}"  # as many as a line holds
