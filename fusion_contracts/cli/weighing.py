"""Whether a change also changes the settings by which it is judged: it may, and whoever reviews it should see so."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from fusion_contracts.cli.project import Project
from fusion_contracts.cli.waived import places
from fusion_contracts.config import ConfigFile, locate, table_in
from fusion_contracts.errors import FusionError

__all__ = ["changed_settings"]

_WEIGHTS = (
    "base", "check", "fail-on", "levels", "lockfile", "servers", "token-growth-percent", "volatile", "waivers", "world",
)  # fmt: skip


def changed_settings(project: Project, commit: str | None) -> list[str]:
    """The keys that decide what is found, waived and counted, and are not as they were at the base, sorted.

    The base is the `commit` that the report names, and that of the CI as well: `base` itself is such a key. One whose
    settings cannot be read says nothing.
    """
    now = _now(project)
    found: set[str] = set()
    for revision in {commit, *_of_the_ci(project)} - {None}:
        with suppress(FusionError, UnicodeDecodeError):
            then = _then(project, str(revision))
            found.update(key for key in _WEIGHTS if now.get(key) != then.get(key))
    return sorted(found)


def _of_the_ci(project: Project) -> Iterator[str]:
    from fusion_contracts.sources.git import merge_base, of_a_ci

    named = of_a_ci(os.environ)
    if named is not None:
        with suppress(FusionError):
            yield merge_base(named, project.root)


def _now(project: Project) -> dict[str, Any]:
    return {} if project.place is None else locate(project.root, project.place.path)[1]


def _then(project: Project, commit: str) -> dict[str, Any]:
    """The table at a commit, in whichever file it stood. Raises FusionError and UnicodeDecodeError."""
    from fusion_contracts.sources.git import show

    for path in places(project):
        data = show(commit, path, project.root)
        table = {} if data is None else table_in(data.decode(), ConfigFile.named(Path(path)))
        if table:
            return table
    return {}
