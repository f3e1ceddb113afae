"""Where settings stand: which file, and its text and raw table."""

from __future__ import annotations

import os
import stat
from functools import lru_cache
from pathlib import Path
from typing import Any

from fusion_contracts.errors import FusionError
from fusion_contracts.record import record

__all__ = ["FILES", "MARK", "ConfigFile", "dig", "locate", "table_in", "text_of"]

FILES = ("fusion.toml", "pyproject.toml")
"""The files of a folder that may hold its settings."""
MARK = "\ufeff"
"""The byte order mark that some editors write."""
_MAX_BYTES = 4 * 2**20


@record
class ConfigFile:
    """Where settings stand: the file, and whether under `[tool.fusion]` (else at the top level)."""

    path: Path
    nested: bool

    @classmethod
    def named(cls, path: Path) -> ConfigFile:
        """The settings in a file of this name: pyproject.toml has them at `[tool.fusion]`, any other at its top."""
        return cls(path, nested=path.name == "pyproject.toml")

    @property
    def prefix(self) -> str:
        """What comes before a key in a table header of this file."""
        return "tool.fusion." if self.nested else ""


def locate(
    root: Path, explicit: Path | None = None, *, create: bool = False
) -> tuple[ConfigFile | None, dict[str, Any]]:
    """Find the settings of the folder `root` and return their place and their raw table, which is not to be changed.

    `explicit` (`--config FILE`) wins: pyproject.toml is read at `[tool.fusion]`, any other name at its top level; with
    `create` it may be missing, for commands that write it. Without settings the place is None. Raises FusionError for
    an unreadable file, or settings in two files.
    """
    if explicit is not None:
        place = ConfigFile.named(explicit)
        return place, {} if create and not explicit.exists() else _table(place)
    fusion, pyproject = (ConfigFile.named(root / name) for name in FILES)
    found = [(place, _table(place)) for place in (fusion, pyproject) if os.path.lexists(place.path)]
    found = [(place, table) for place, table in found if table or not place.nested]
    if len(found) == 2:  # noqa: PLR2004 - the two files
        message = f"{fusion.path} and [tool.fusion] in {pyproject.path} both hold settings"
        raise FusionError(message, "keep one of the two", stage="usage")
    return found[0] if found else (None, {})


def text_of(place: ConfigFile) -> str | None:
    """The text of a settings file, None where there is no file. Raises FusionError for all that is no readable text."""
    try:
        found = place.path.stat()
        if not stat.S_ISREG(found.st_mode):  # reading a pipe may never end
            raise FusionError(f"{place.path} is not a file", "name a settings file", stage="usage")
        if found.st_size > _MAX_BYTES:
            message = f"{place.path} is larger than {_MAX_BYTES >> 20} MiB"
            raise FusionError(message, "check that it holds settings", stage="usage")
        return place.path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise FusionError(f"{place.path} is not UTF-8 text", "save it as UTF-8", stage="usage") from None
    except OSError as error:
        raise FusionError(f"cannot read {place.path}: {error.strerror}", "check the path", stage="usage") from None


def _table(place: ConfigFile) -> dict[str, Any]:
    text = text_of(place)
    if text is None and place.path.is_symlink():
        message = f"{place.path} is a symbolic link to a file that does not exist"
        raise FusionError(message, "make that file, or remove the link", stage="usage")
    if text is None:
        raise FusionError(f"no settings file {place.path}", "check --config", stage="usage")
    return table_in(text, place)


def table_in(text: str, place: ConfigFile) -> dict[str, Any]:
    """The raw table of settings in the text of a file. Raises FusionError for what is no TOML, naming the place."""
    import tomli

    step = "correct that line"
    try:
        return dig(_parsed(text), place)
    except tomli.TOMLDecodeError as error:
        message = f"{place.path} is not valid TOML: {error}"
    except RecursionError:
        message, step = f"{place.path} is nested too deeply to hold settings", "check that it is the right file"
    except ValueError:  # more digits than Python converts
        message, step = f"{place.path} holds a number that is too long to be read", "check that it is the right file"
    raise FusionError(message, step, stage="usage")


@lru_cache(maxsize=4)
def _parsed(text: str) -> dict[str, Any]:
    """The document: a command reads its settings twice, for its flags and for all else."""
    import tomli

    return tomli.loads(text.removeprefix(MARK))


def dig(document: dict[str, Any], place: ConfigFile) -> dict[str, Any]:
    """The table of settings in a whole document. Raises FusionError where it is no table."""
    if not place.nested:
        return document
    tool = document.get("tool", {})
    table = tool.get("fusion", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise FusionError(f"{place.path}: tool.fusion is not a table", "write [tool.fusion]", stage="usage")
    return table
