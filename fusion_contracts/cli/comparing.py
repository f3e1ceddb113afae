"""What `fusion diff` compares, and how it ends."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import printable
from fusion_contracts.cli.base import short_revision
from fusion_contracts.cli.ending import ending
from fusion_contracts.cli.output import Writer, tell
from fusion_contracts.cli.project import Judging, Project
from fusion_contracts.cli.refresh import Effort
from fusion_contracts.cli.wanted import Access, refuse_headers
from fusion_contracts.diff import Report
from fusion_contracts.errors import Problem
from fusion_contracts.record import record
from fusion_contracts.report.context import Compared, Context

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fusion_contracts.cli.sides import Part

__all__ = ["Named", "compare", "report_on"]


@record
class Named:
    """What the command line names: at most two sources, a command, a base, and the servers of -s.

    `against` is `release` where the kept releases stand for OLD.
    """

    sources: tuple[str, ...]
    command: tuple[str, ...]
    base: str | None
    servers: tuple[str, ...]
    access: Access = field(default_factory=Access)
    against: str | None = None
    effort: Effort = field(default_factory=Effort)

    @property
    def words(self) -> tuple[str, ...]:
        """The same on a command line as it may be shown, the command last."""
        words = [*self.sources]
        words += [] if self.base is None else ["--base", short_revision(self.base)]
        words += [] if self.against is None else ["--against", self.against]
        words += self.access.words
        return (*words, "--", *self.command) if self.command else tuple(words)

    @property
    def nothing(self) -> bool:
        """Whether nothing is named, and so the lock is compared with its live sources."""
        return self.base is None and self.against is None and not self.sources and not self.command


def compare(named: Named, project: Project, judging: Judging, writer: Writer) -> int:
    """Read both sides, report, and return the exit code. Raises FusionError where a side cannot be read."""
    report, compared = _compared(named, project, judging, writer)
    code = judging.code(report)
    found, whence = bool(judging.failing(report)), judging.whence(report)
    said = ending(code, judging.said(report), found=found, whence=whence, unchecked=report.errors)
    context = Context("fusion diff", {None: compared}, code, said, again=named.words, servers=named.servers)
    writer.report(report, context)
    writer.line(said)
    return code


def report_on(named: Named, project: Project, judging: Judging, writer: Writer) -> Report:
    """Read both sides, say what is compared, and compare. Raises FusionError where a side cannot be read."""
    return _compared(named, project, judging, writer)[0]


def _compared(named: Named, project: Project, judging: Judging, writer: Writer) -> tuple[Report, Compared]:
    from fusion_contracts.cli.roster import expanded  # late: `fusion explain NAME` compares nothing
    from fusion_contracts.cli.sides import live, two

    named = replace(named, servers=expanded(project, named.servers))
    if not any("://" in source for source in named.sources):
        refuse_headers(named.access)
    if named.nothing:
        old, new, problems = live(project, named, writer)
    else:
        old, new = two(named, project, writer)
        problems = [problem for part in (old, new) if part.reading for problem in part.reading.problems]
    report = _report(judging, old, new, problems)
    if judging.waivers and old.side.revision and named == Named((), (), named.base, ()):  # the whole lock since a base
        from fusion_contracts.cli.waived import since_base

        report = since_base(report, project, judging)
    shown = _shown(project, new.file or old.file) if writer.machine else {}
    fails = {one.fingerprint for one in judging.failing(report)}
    options = (*project.words, *judging.words)
    return report, Compared(old.lock, new.lock, failing=fails, options=options, **shown)


def _shown(project: Project, file: Path | None) -> dict[str, Any]:
    """Where formats show findings: in the lock, where it is one of the two sides, the new one if both are."""
    if file is None:
        return {}
    from fusion_contracts.cli.place import shown_in
    from fusion_contracts.lockfile.disk import read_files

    return shown_in(project, read_files(file), file)


def _report(judging: Judging, old: Part, new: Part, problems: Sequence[Problem]) -> Report:
    for part in (old, new):
        for note in part.reading.notes if part.reading else ():
            tell(f"note: {printable(note)}")
    return replace(judging.compare(old.lock, new.lock, base=old.side, head=new.side), errors=tuple(problems))
