"""The name of a release: given, else the tag of HEAD, else the version that is declared."""

from __future__ import annotations

import re

from fusion_contracts.canonical import printable
from fusion_contracts.cli.declared import declared, is_committed
from fusion_contracts.cli.manifests import manifests
from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract

__all__ = ["checked_name", "default_name"]

_LONGEST = 100
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+@-]*[A-Za-z0-9])?")  # a file name on every system, and no option
_VERSION = re.compile(r"v?(\d.*)")
_STEP = "name it: fusion release NAME"


def checked_name(name: str) -> str:
    """The name itself. Raises FusionError where it is none for a file, or an option gone astray."""
    from fusion_contracts.lockfile.file import is_device

    if len(name) <= _LONGEST and _NAME.fullmatch(name) and not is_device(name):
        return name
    message = f'"{printable(name[:_LONGEST])}" is no name for a release'
    step = f"take letters and digits, with . _ + - @ between them, at most {_LONGEST}, and no device of Windows"
    raise FusionError(message, step, stage="usage")


def default_name(project: Project, contract: ServerContract) -> str:
    """The name of a release of this server where nobody gave one. Raises FusionError where nothing says one.

    The tag of HEAD counts where the lock is as it was committed there. Declared is the version of the project, in
    pyproject.toml or package.json, where the server is of it; else what the server says of
    itself, which may be the version of the library that it is made with.
    """
    name = _tag(project)
    if name is None and (found := declared(project.root, contract, manifests(project.root))):
        name = found.version
    if name:
        return checked_name(name)
    message = "there is no name for the release: HEAD has no tag for this lock, and no version is declared"
    raise FusionError(message, _STEP, server=printable(contract.name), stage="usage")


def _tag(project: Project) -> str | None:
    """The one tag of HEAD, `v1.2.0` without its v; of several, the one that is a version."""
    from fusion_contracts.sources.git import tags_at_head

    tags = tags_at_head(project.root)
    if not tags or not is_committed(project):
        return None
    versions = sorted({found[1] for tag in tags if (found := _VERSION.fullmatch(tag))})
    candidates = versions or list(tags)
    if len(candidates) > 1:
        raise FusionError(f"HEAD has several tags: {', '.join(map(printable, candidates))}", _STEP, stage="usage")
    return candidates[0]
