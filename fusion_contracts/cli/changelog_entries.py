"""What `fusion changelog` compares, says and ends with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fusion_contracts.canonical import printable
from fusion_contracts.cli.changelog_points import Point, Span, points
from fusion_contracts.cli.output import OK, REFUSED, Writer, tell
from fusion_contracts.cli.project import Judging, Project, chosen
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock
from fusion_contracts.record import record
from fusion_contracts.report.changelog import Entry, render_json, render_markdown

__all__ = ["Asked", "write"]


@record
class Asked:
    """What the command line asks of a changelog."""

    span: str | None = None
    servers: tuple[str, ...] = ()
    world: str | None = None
    format: str = "markdown"


def write(project: Project, asked: Asked, writer: Writer) -> int:
    """Write the changelog, and return the exit code: 2 where a lock in it could not be read, which it says.

    Raises FusionError where there is no history to tell.
    """
    found = points(project, Span.parse(asked.span))
    entries = list(_entries(project, asked, found))[::-1]
    text = render_json(entries) if asked.format == "json" else render_markdown(entries)
    writer.text(text)
    unread = [entry for entry in entries if entry.problem is not None]
    for entry in unread:
        tell(f"note: {printable(entry.title)}: {printable(str(entry.problem))}")
    if unread:
        tell(f"exit {REFUSED}: could not read the lock at {len(unread)} of {len(entries)} points")
    return REFUSED if unread else OK


def _entries(project: Project, asked: Asked, found: Sequence[Point]) -> Iterator[Entry]:
    """An entry for each point behind the first, oldest first; for the first as well where nothing was before it.

    What cannot be read is passed over: the next lock that can is compared with the last that could.
    """
    from fusion_contracts.sources.history import blobs

    judging = replace(Judging.of(project, asked.world), waivers=())  # what they accept changed all the same
    data = blobs((blob for point in found for blob in point.blobs.values()), project.root)
    known: Lock | None = None
    since: str | None = None
    for point in found:
        starts = point.commit == found[0].commit and not point.date
        try:
            lock = _lock(point, data, asked.servers)
        except FusionError as error:
            if not starts:
                yield Entry(point.title, point.date, point.commit, point.tag, problem=error.problem)
            continue
        if not starts and (lock is not None or known is not None):
            yield replace(_entry(point, known, lock, judging), since=since)
        if lock is not None:
            known, since = lock, point.version


def _lock(point: Point, data: Mapping[str, bytes], globs: Sequence[str]) -> Lock | None:
    from fusion_contracts.sources.lock import files_in

    if not point.blobs:
        return None
    files = {file: data[blob] for file, blob in point.blobs.items()}
    lock = files_in(files, point.path, f" at {point.title or point.commit[:7]}").open().lock
    return chosen(lock, globs)


def _entry(point: Point, before: Lock | None, after: Lock | None, judging: Judging) -> Entry:
    report = judging.compare(before, after) if before is not None and after is not None else None
    first = after if before is None else None
    gone = before is not None and after is None
    return Entry(point.title, point.date, point.commit, point.tag, before, report, first=first, gone=gone)
