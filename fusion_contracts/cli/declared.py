"""The version that is declared for a server: in the project's own files, where it is a server of the project.

The version of a project says something about its own servers alone. What is foreign speaks for itself, by serverInfo.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract, SourceRecord
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.lockfile.files import LockFiles

__all__ = ["Declared", "Manifests", "declared", "is_committed", "is_ours", "manifests", "said"]

_PYTHON, _NODE = "pyproject.toml", "package.json"
_FOREIGN = frozenset({"node_modules", "site-packages", "venv", "env"})  # folders whose programs are not ours
_RUNNERS = frozenset({"npx", "bunx", "uvx", "pipx", "docker", "podman"})  # these start what lies elsewhere
_SERVER = "serverInfo"


@record
class Declared:
    """A version, not checked for being one, and where it stands: a file, a tag, `serverInfo`."""

    version: str
    place: str


@record
class Manifests:
    """What pyproject.toml (`[project]`) and package.json say; empty where there is none, or none that can be read."""

    python: dict[str, Any] = field(default_factory=dict)
    node: dict[str, Any] = field(default_factory=dict)

    @property
    def declared(self) -> Declared | None:
        """The project's version, pyproject.toml first."""
        for place, found in ((_PYTHON, self.python), (_NODE, self.node)):
            if isinstance(version := found.get("version"), str):
                return Declared(version, place)
        return None

    @property
    def names(self) -> set[str]:
        """What the project is called."""
        return {name for found in (self.python, self.node) if isinstance(name := found.get("name"), str)}

    @property
    def programs(self) -> set[str]:
        """What its programs are called: by the project's name, or as it lists them."""
        return {*self.names, *_listed(self.python, "scripts"), *_listed(self.node, "bin")}


def manifests(root: Path, revision: str | None = None) -> Manifests:
    """The project's files, as they are in a folder, or were at a revision. What cannot be read says nothing."""

    def read(name: str) -> bytes | None:
        if revision is None:
            return (root / name).read_bytes()
        from fusion_contracts.sources.git import show

        return show(revision, name, root)

    return Manifests(_table(read, _PYTHON, _toml), _table(read, _NODE, _json))


def declared(root: Path, contract: ServerContract, files: Manifests) -> Declared | None:
    """The version that counts for a server: the project's, where it is ours; else what the server says of itself.

    That may be the version of the library that it is made with.
    """
    return (files.declared if is_ours(root, contract, files) else None) or said(contract)


def said(contract: ServerContract) -> Declared | None:
    """What a server calls its version."""
    from fusion_contracts.runtime.deltas import version_of

    version = version_of(contract)
    return Declared(version, _SERVER) if version else None


def is_ours(root: Path, contract: ServerContract, files: Manifests) -> bool:
    """Whether a server's command runs what lies in the project: a file, a module, a program that it declares."""
    return contract.source is not None and _runs_ours(root, contract.source, files.programs)


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


def _table(read: Callable[[str], bytes | None], name: str, parse: Callable[[bytes], Any]) -> dict[str, Any]:
    with suppress(OSError, ValueError, FusionError):
        found = parse(read(name) or b"")
        return found if isinstance(found, dict) else {}
    return {}


def _toml(data: bytes) -> Any:
    import tomli

    return tomli.loads(data.decode()).get("project")


def _json(data: bytes) -> Any:
    from fusion_contracts.canonical import loads

    return loads(data, _NODE)


def _listed(found: dict[str, Any], key: str) -> Iterator[str]:
    if isinstance(found.get(key), dict):
        yield from found[key]


def _runs_ours(root: Path, source: SourceRecord, programs: set[str]) -> bool:
    words = source.command
    if words and words[0] in _RUNNERS:  # a file among their words is a setting of somebody's program
        return not programs.isdisjoint(words)
    modules = (words[index + 1].partition(".")[0] for index, word in enumerate(words[:-1]) if word == "-m")
    places = (root / folder / f"{module}{end}" for module in modules for folder in (".", "src") for end in ("", ".py"))
    return any(word in programs or _is_file_of(root, word) for word in words) or any(map(Path.exists, places))


def _is_file_of(root: Path, word: str) -> bool:
    if word.startswith("-"):
        return False
    home = root.resolve()
    try:
        path = (home / word).resolve()
        inside = path.is_file() and path.is_relative_to(home)
    except (OSError, ValueError):
        return False
    return inside and not any(part in _FOREIGN or part.startswith(".") for part in path.relative_to(home).parts)
