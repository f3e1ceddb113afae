"""The folder that a command works in: its settings, its lock, and how its sources are read."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import fits, printable
from fusion_contracts.cli.judging import Judging
from fusion_contracts.config import FILES, Config, ConfigFile, read
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock
from fusion_contracts.record import record
from fusion_contracts.report import FORMATS

if TYPE_CHECKING:
    from fusion_contracts.sources.base import Options

__all__ = [
    "Judging", "Project", "chosen", "matches", "no_server", "open_project", "read_settings", "refuse_command",
    "root_of", "selected",
]  # fmt: skip


@record
class Project:
    """A folder, its settings (and the file they stand in, if any), and the lock's path as people wrote it.

    `seen_from` is how people name the folder where they work on several at once; "" where they work in it.
    """

    root: Path
    config: Config
    place: ConfigFile | None
    lockfile: str
    seen_from: str = ""

    @property
    def shown_lock(self) -> str:
        """The lock's path for people: its folder's, where it is one file a server."""
        from fusion_contracts.lockfile.file import FOLDER, folder_of

        is_folder = not os.path.lexists(self.lock_path) and folder_of(self.lock_path).is_dir()
        return self.shown(f"{self.lockfile}{FOLDER}" if is_folder else self.lockfile)

    def shown(self, path: str) -> str:
        """A path from the folder for people, who stand where `seen_from` begins."""
        return printable(posixpath.normpath(posixpath.join(self.seen_from, path)) if self.seen_from else path)

    @property
    def lock_path(self) -> Path:
        """Where the lock is."""
        return self.root / self.lockfile

    @property
    def home(self) -> ConfigFile:
        """The file for a new entry: the one with settings, else pyproject.toml where there is one, else fusion.toml."""
        if self.place is not None:
            return self.place
        fusion, pyproject = (ConfigFile.named(self.root / name) for name in FILES)
        return pyproject if pyproject.path.is_file() else fusion

    @property
    def words(self) -> tuple[str, ...]:
        """The options by which a command line meets this project: `-C`, `--lockfile` and `--config`, where needed."""
        words = [] if self.root == Path() else ["-C", self.root.as_posix()]
        words += [] if self.lockfile == self.config.lockfile else ["--lockfile", self.lockfile]
        file = self.place.path if self.place else None
        if file is not None and file not in {self.root / name for name in FILES}:
            words += ["--config", os.path.relpath(file, self.root)]
        return tuple(words)

    def options(
        self,
        progress: Callable[[str], None] | None = None,
        *,
        name: str | None = None,
        pass_env: Sequence[str] = (),
        protocol_version: str | None = None,
    ) -> Options:
        """How to read a source of this project; without `progress` nothing is told of it."""
        from fusion_contracts.sources.base import Options, VolatileRule, silent

        rules = tuple(
            VolatileRule(one.server, one.tool, one.pointer, one.pattern, one.reason) for one in self.config.volatile
        )
        return Options(
            root=self.root, name=name, pass_env=tuple(pass_env), protocol_version=protocol_version, volatile=rules,
            progress=progress or silent, lockfile=self.lockfile,
        )  # fmt: skip


def open_project(
    folder: str, lockfile: str | None = None, config: str | None = None, *, create: bool = False
) -> Project:
    """Read the settings of `folder`. Relative paths are relative to it. Raises FusionError.

    With `create` a settings file that was named may be missing: the command will write it.
    """
    root = root_of(folder)
    settings, place = read_settings(root, None if config is None else root / config, create=create)
    return Project(root, settings, place, lockfile or settings.lockfile)


def root_of(folder: str) -> Path:
    """The folder that `-C` names. Raises FusionError where there is none."""
    root = Path(folder)
    if not root.is_dir():
        raise FusionError(f"there is no folder {printable(folder)}", "check -C", stage="usage")
    return root


def read_settings(
    root: Path, explicit: Path | None = None, *, create: bool = False
) -> tuple[Config, ConfigFile | None]:
    """`config.read`, which knows the flags of commands too. Raises FusionError."""
    settings, place = read(root, explicit, create=create, judge=_judge)
    for word in settings.formats:
        if word.partition("=")[0] not in FORMATS:
            message = f"formats holds {printable(word)}, and there is no such format"
            raise FusionError(message, f"write one of {', '.join(FORMATS)}, or FORMAT=FILE", stage="usage")
    return settings, place


def _judge(others: Mapping[str, Any], place: ConfigFile) -> None:
    from fusion_contracts.cli.flags import judge  # loads every command: only where settings hold flags

    judge(others, place)


def refuse_command(command: Sequence[str], name: str) -> None:
    """Raise FusionError where a command stands after `--` and `fusion NAME` takes none."""
    if command:
        step = "configure it: fusion lock -- COMMAND does"
        raise FusionError(f"fusion {name} takes no command after --", step, stage="usage")


def selected(lock: Lock, globs: Sequence[str], *, where: str) -> Lock:
    """The servers of a lock whose names match one of `globs`; all for none. Raises FusionError when nothing matches."""
    found = chosen(lock, globs)
    if globs and not found.servers:
        raise FusionError(
            f"{where} holds no server that matches {' or '.join(printable(glob) for glob in globs)}",
            f"it holds: {printable(', '.join(lock.servers)) or 'none'}",
            stage="usage",
        )
    return found


def no_server(project: Project) -> FusionError:
    """That a lock holds no server: what checks nothing is no success."""
    return FusionError(f"{project.shown_lock} holds no server", "lock one first: fusion lock SOURCE", stage="usage")


def chosen(lock: Lock, globs: Sequence[str]) -> Lock:
    """The servers of a lock whose names match one of `globs`, be it none of them; all for none."""
    return Lock({name: contract for name, contract in lock.servers.items() if matches(name, globs)})


def matches(name: str, globs: Sequence[str]) -> bool:
    """Whether a server's name matches one of the globs of `-s`; any name does where there are none."""
    return not globs or any(fits(name, glob) for glob in globs)
