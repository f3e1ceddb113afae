"""The name of a release: given, else the tag of HEAD, else the version that is declared."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract, SourceRecord

__all__ = ["checked_name", "default_name"]

_LONGEST = 100
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+@-]*[A-Za-z0-9])?")  # a file name on every system, and no option
_VERSION = re.compile(r"v?(\d.*)")
_FOREIGN = frozenset({"node_modules", "site-packages", "venv", "env"})  # folders whose programs are not ours
_STEP = "name it: fusion release NAME"


def checked_name(name: str) -> str:
    """The name itself. Raises FusionError where it is none for a file, or an option gone astray."""
    if len(name) <= _LONGEST and _NAME.fullmatch(name):
        return name
    message = f'"{printable(name[:_LONGEST])}" is no name for a release'
    step = f"take letters and digits, with . _ + - @ between them, at most {_LONGEST}"
    raise FusionError(message, step, stage="usage")


def default_name(project: Project, contract: ServerContract) -> str:
    """The name of a release of this server where nobody gave one. Raises FusionError where nothing says one.

    The tag of HEAD counts where the lock is as it was committed there. Declared is the version of the project, in
    pyproject.toml or package.json, where the server's command runs what lies in it; else what the server says of
    itself, which may be the version of the library that it is made with.
    """
    name = _tag(project) or _declared(project, contract)
    if name:
        return checked_name(name)
    message = "there is no name for the release: HEAD has no tag for this lock, and no version is declared"
    raise FusionError(message, _STEP, server=printable(contract.name), stage="usage")


def _tag(project: Project) -> str | None:
    """The one tag of HEAD, `v1.2.0` without its v; of several, the one that is a version."""
    from fusion_contracts.sources.git import tags_at_head

    tags = tags_at_head(project.root)
    if not tags or not _is_committed(project):
        return None
    versions = sorted({found[1] for tag in tags if (found := _VERSION.fullmatch(tag))})
    candidates = versions or list(tags)
    if len(candidates) > 1:
        raise FusionError(f"HEAD has several tags: {', '.join(map(printable, candidates))}", _STEP, stage="usage")
    return candidates[0]


def _is_committed(project: Project) -> bool:
    """Whether the lock is as HEAD has it: a tag says nothing of what was changed since."""
    from fusion_contracts.lockfile.file import read_text
    from fusion_contracts.sources.git import show

    try:
        data = show("HEAD", project.lockfile, project.root)
    except FusionError:
        return False
    return data is not None and data.splitlines() == read_text(project.lock_path).encode().splitlines()


def _declared(project: Project, contract: ServerContract) -> str:
    from fusion_contracts.runtime.deltas import version_of

    python, node = _pyproject(project.root), _package_json(project.root)
    programs = {*_programs(python, "scripts"), *_programs(node, "bin")}
    if contract.source is not None and _is_ours(project.root, contract.source, programs):
        for declared in (python, node):
            if isinstance(version := declared.get("version"), str):
                return version
    return version_of(contract)


def _pyproject(root: Path) -> dict[str, Any]:
    import tomli

    with suppress(OSError, ValueError):
        project = tomli.loads((root / "pyproject.toml").read_bytes().decode()).get("project")
        return project if isinstance(project, dict) else {}
    return {}


def _package_json(root: Path) -> dict[str, Any]:
    from fusion_contracts.canonical import loads

    with suppress(OSError, FusionError):
        document = loads((root / "package.json").read_bytes(), "package.json")
        return document if isinstance(document, dict) else {}
    return {}


def _programs(declared: dict[str, Any], key: str) -> Iterator[str]:
    """What a project's programs are called: by the project's name, or as it lists them under a key."""
    if isinstance(declared.get("name"), str):
        yield declared["name"]
    if isinstance(declared.get(key), dict):
        yield from declared[key]


def _is_ours(root: Path, source: SourceRecord, programs: set[str]) -> bool:
    """Whether a command runs what lies in the project: a file of it, a module of it, a program that it declares."""
    words = source.command
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
