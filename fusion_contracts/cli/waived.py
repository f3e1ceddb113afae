"""What the waivers at the base accepted, and what follows for those of now."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusion_contracts.cli.output import tell
from fusion_contracts.config import FILES, ConfigFile, common_form, table_in
from fusion_contracts.errors import FusionError
from fusion_contracts.report.counts import count

if TYPE_CHECKING:
    from fusion_contracts.cli.judging import Judging
    from fusion_contracts.cli.project import Project
    from fusion_contracts.diff import Report

__all__ = ["known_at", "places", "since_base", "since_releases"]


def since_base(report: Report, project: Project, judging: Judging) -> Report:
    """The report on a whole lock since its base, with findings about waivers; spent ones are a line on standard error.

    What a waiver names between a kept release and the lock it is needed for as well. Where the settings at the base
    cannot be read, nothing is said of waivers that accept nothing.
    """
    from fusion_contracts.diff.waivers import spent

    known = known_at(project, report.base.revision or "")
    if known is None:
        return report
    used = judging.uses(report)
    idle = [use for use in used if not use.found and not use.expired]
    needed = _needed(project, judging) if idle else frozenset()
    over = [use for use in spent(used, known) if use.waiver.what not in needed]
    if over:
        accept, drops = ("accepts", "drops it") if len(over) == 1 else ("accept", "drops them")
        tell(f"note: {count(len(over), 'waiver')} {accept} nothing any more: fusion waive --prune {drops}")
    return judging.settle(report, known | needed)


def _needed(project: Project, judging: Judging) -> frozenset[Any]:
    """What waivers accept that releases need; all of them where a release cannot be read."""
    try:
        report = since_releases(project, judging)
    except FusionError:
        return frozenset(waiver.what for waiver in judging.waivers)
    return frozenset(use.waiver.what for use in judging.uses(report) if use.found)


def since_releases(project: Project, judging: Judging) -> Report:
    """What changed in the lock since the newest release of each server. Raises FusionError where one cannot be read."""
    from fusion_contracts.cli.against import newest_here, of_releases
    from fusion_contracts.lockfile.disk import read_lock
    from fusion_contracts.model import Lock

    releases = newest_here(project)
    return of_releases(releases, read_lock(project.lock_path) if releases else Lock()).report(project, judging)


def known_at(project: Project, commit: str) -> frozenset[Any] | None:
    """What the waivers of the settings at a commit accept, by `Waiver.what`; None where that cannot be read.

    Both files are looked at, for settings may have moved from one to the other since.
    """
    from fusion_contracts.sources.git import show

    found: set[Any] = set()
    try:
        for path in places(project):
            data = show(commit, path, project.root)
            if data is not None:
                found.update(_accepted(data.decode(), ConfigFile.named(Path(path))))
    except (FusionError, UnicodeDecodeError):
        return None
    return frozenset(found)


def places(project: Project) -> list[str]:
    """Where settings may have stood, from the project's folder: where they are now, if that is below, and as usual."""
    try:
        now = Path(os.path.relpath(project.home.path, project.root)).as_posix()
    except ValueError:  # another drive on Windows
        return [*FILES]
    return list(dict.fromkeys([now, *FILES])) if not now.startswith("../") else [*FILES]


def _accepted(text: str, place: ConfigFile) -> Iterator[Any]:
    """What the entries accept; one that is wrong accepts nothing."""
    entries = table_in(text, place).get("waivers")
    for entry in entries if isinstance(entries, list) else ():
        config = common_form({"waivers": [entry]})
        if config is not None:
            yield config.waivers[0].what
