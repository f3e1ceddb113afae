"""Files that no report may take the place of: locks, settings, and what a command reads."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError

__all__ = ["real_path", "require_free", "what_is_read"]

_OWN = frozenset({"fusion.lock", "fusion.toml", "pyproject.toml"})
_DATABASES = (b"SQLite format 3\0", b"PAR1")  # the second is Parquet
_OWN_FOLDER = ".lock.d"  # of a lock that is one file a server, where any other file is an error


def require_free(path: Path, read: Collection[str]) -> None:
    """Raise FusionError where a report would take the place of a lock, of settings, or of what the command reads."""
    real = real_path(path)
    if Path(real).parent.name.endswith(_OWN_FOLDER):
        message = f"a report would lie among the files of a lock: {printable(str(path))}"
        raise FusionError(message, "name a file elsewhere for it", stage="usage")
    if real in read or _OWN & {path.name, Path(real).name} or _is_kept(real):
        message = f"a report would take the place of {printable(str(path))}"
        raise FusionError(message, "name a file of its own for it", stage="usage")


def what_is_read(folder: Path, words: Sequence[str], config: str | None) -> set[str]:
    """The files that words of a command line in a folder name, and those that its settings name as sources."""
    named = [*words, *([config] if config else []), *_configured(folder, config)]
    return {real_path(folder / _file_of(word)) for word in named}


def _configured(folder: Path, config: str | None) -> Iterator[str]:
    """Words of the settings that may name files of sources. None where they cannot be read, which the command says."""
    from fusion_contracts.config import locate

    try:
        _, table = locate(folder, None if config is None else folder / config)
    except (FusionError, OSError, ValueError):
        return
    sources = table.get("sources")
    for entry in sources.values() if isinstance(sources, dict) else ():
        values = [entry.get(key) for key in ("path", "object", "command")] if isinstance(entry, dict) else []
        for value in values:
            words = value if isinstance(value, list) else [value]
            yield from (word for word in words if isinstance(word, str))


def _file_of(word: str) -> str:
    """The file in a word that may name a Python object in it: `server.py:mcp`."""
    file, sign, _ = word.partition(".py:")
    return f"{file}.py" if sign else word


def real_path(path: Path) -> str:
    """A path without links, so that one file has one name."""
    try:
        return os.path.realpath(path)
    except ValueError:  # no name for a file, which is said where it is written
        return str(path)


def _is_kept(path: str) -> bool:
    """Whether a file is a lock or a database, such as an error log: no report of an earlier run."""
    from fusion_contracts.sources.sniff import HEAD, Kind, kind_of

    try:
        if not os.path.isfile(path):  # noqa: PTH113 - reading a pipe may never end
            return False
        with open(path, "rb") as file:  # noqa: PTH123 - a name that may be none
            head = file.read(HEAD)
        return head.startswith(_DATABASES) or kind_of(head, "") is Kind.LOCK
    except (OSError, ValueError):
        return False
