"""The version that is declared for a server: in the project's own files, where it is a server of the project.

The version of a project says something about its own servers alone. What is foreign speaks for itself, by serverInfo.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts.cli.manifests import Declared, Manifests
from fusion_contracts.cli.ours import is_ours
from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract

if TYPE_CHECKING:
    from fusion_contracts.lockfile.files import LockFiles

__all__ = ["SPOKEN", "declared", "is_committed", "said"]

SPOKEN = "serverInfo"


def declared(root: Path, contract: ServerContract, files: Manifests) -> Declared | None:
    """The version that counts for a server: the project's, where it is ours; else what the server says of itself.

    That may be the version of the library that it is made with.
    """
    return (files.declared if is_ours(root, contract, files) else None) or said(contract)


def said(contract: ServerContract) -> Declared | None:
    """What a server calls its version."""
    from fusion_contracts.runtime.deltas import version_of

    version = version_of(contract)
    return Declared(version, SPOKEN) if version else None


def is_committed(project: Project) -> bool:
    """Whether the lock is as HEAD has it: a tag says nothing of what was changed since."""
    from fusion_contracts.lockfile.disk import read_files
    from fusion_contracts.sources.lock_at import files_at

    try:
        committed = files_at("HEAD", project.lockfile, project.root, " at HEAD")
    except FusionError:
        return False
    return committed.there and _lines(committed) == _lines(read_files(project.lock_path))


def _lines(files: LockFiles) -> dict[str, list[str]]:
    """What stands in a lock's files, whatever their line ends."""
    texts = {**files.parts, "": files.whole or ""}
    return {file: text.splitlines() for file, text in texts.items()}
