"""What the project's own files declare: its name, its version, its programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import Any

from fusion_contracts.errors import FusionError
from fusion_contracts.record import record

__all__ = ["PYTHON", "Declared", "Manifests", "manifests"]

PYTHON, _NODE = "pyproject.toml", "package.json"


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
        for place, found in ((PYTHON, self.python), (_NODE, self.node)):
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

    return Manifests(_table(read, PYTHON, _toml), _table(read, _NODE, _json))


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
