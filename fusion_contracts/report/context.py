"""What a format may say beside the findings: what was compared, where it stands, and how the run ends."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from fusion_contracts.model import Lock
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.diff.moved import Moved

__all__ = ["Compared", "Context"]


@record
class Compared:
    """One lock of the run, or the two sources that `fusion diff` was given.

    `old` and `new` are the two sides. `path` is the lock's, from the repository's top with forward slashes, and `text`
    what stands in it: where findings are shown; None where no lock took part. Of a lock that is one file a server,
    `path` is the folder's and `parts` holds path and text of each server's file. `fusion check` fills `title`, which
    says of which lock, and `answers` (`intact`, `fresh`, `compatible`, where it was asked `version`, where the change
    changes them `settings`): a sentence each, then lines with what is wrong. `versions` are those of the old side by
    server, where something better than its serverInfo says them; `moved` says how far versions moved, where
    `--expect-bump` asked.
    `failing` holds the fingerprints of the findings that fail the run; None: those that are BREAKING. `options` are
    those with which other commands meet the same project and judge alike: `-C packages/a --world open`.
    """

    old: Lock = field(default_factory=Lock)
    new: Lock = field(default_factory=Lock)
    path: str | None = None
    text: str | None = None
    title: str = ""
    answers: Mapping[str, Sequence[str]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    moved: Sequence[Moved] | None = None
    failing: Collection[str] | None = None
    options: tuple[str, ...] = ()
    parts: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def file_of(self, server: str) -> tuple[str | None, str | None]:
        """The path and the text of the file that holds a server, or would; a single one has it whatever its name."""
        if not self.parts:
            return self.path, self.text
        from fusion_contracts.lockfile.files import file_name  # not needed where no lock took part

        only = next(iter(self.parts.values())) if len(self.parts) == 1 else None
        return self.parts.get(server) or only or (f"{self.path}/{file_name(server)}", "")


@record
class Context:
    """What surrounds a report. Every format takes one, and uses of it what it can show.

    `compared` holds the locks of the run by the `lockfile` of their findings: None for the only one. `width`, `colour`
    and `show` are a terminal's; `wraps` says that it is one. `ending` is the last line, and `code` the exit code that
    it states. `again` are the words with which `fusion waive` and `fusion explain` look at the same comparison: `--base
    main`; `servers` are the globs of `-s`. `version` is this release's.
    """

    command: str = "fusion diff"
    compared: Mapping[str | None, Compared] = field(default_factory=dict)
    code: int = 0
    ending: str = ""
    again: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()
    width: int = 100
    wraps: bool = False
    colour: bool = False
    show: frozenset[str] = frozenset()
    version: str = ""

    def of(self, finding: Finding) -> Compared:
        """What the finding was found in."""
        return self.compared.get(finding.lockfile, _NOTHING)

    def fails(self, finding: Finding) -> bool:
        """Whether the finding alone fails the run."""
        failing = self.of(finding).failing
        if failing is None:
            return finding.level.name == "BREAKING" and not finding.waived
        return finding.fingerprint in failing


_NOTHING = Compared()
