"""The folder that a command works in: its settings, its lock, and how its sources are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, cast

from fusion_contracts.canonical import printable
from fusion_contracts.config import Config, ConfigFile, FailOn, read
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock

if TYPE_CHECKING:
    from fusion_contracts.diff import Report, Side
    from fusion_contracts.sources.base import Options

__all__ = ["Judging", "Project", "matches", "open_project", "refuse_command", "selected"]


@dataclass(frozen=True, slots=True)
class Project:
    """A folder, its settings (and the file they stand in, if any), and the lock's path as people wrote it."""

    root: Path
    config: Config
    place: ConfigFile | None
    lockfile: str

    @property
    def shown_lock(self) -> str:
        """The lock's path for people."""
        return printable(self.lockfile)

    @property
    def lock_path(self) -> Path:
        """Where the lock is."""
        return self.root / self.lockfile

    @property
    def home(self) -> ConfigFile:
        """The file for a new entry: the one with settings, else pyproject.toml where there is one, else fusion.toml."""
        pyproject = ConfigFile(self.root / "pyproject.toml", nested=True)
        if self.place is not None:
            return self.place
        return pyproject if pyproject.path.is_file() else ConfigFile(self.root / "fusion.toml", nested=False)

    def options(
        self,
        progress: Callable[[str], None],
        *,
        name: str | None = None,
        pass_env: Sequence[str] = (),
        protocol_version: str | None = None,
    ) -> Options:
        """How to read a source of this project."""
        from fusion_contracts.sources.base import Options, VolatileRule

        rules = tuple(
            VolatileRule(one.server, one.tool, one.pointer, one.pattern, one.reason) for one in self.config.volatile
        )
        return Options(
            root=self.root, name=name, pass_env=tuple(pass_env), protocol_version=protocol_version, volatile=rules,
            progress=progress, lockfile=self.lockfile,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judging:
    """How changes are judged, and from which level on they end a command with 1: the command line wins."""

    world: str
    levels: Mapping[str, str]
    token_growth_percent: int
    fail_on: FailOn

    @classmethod
    def of(cls, project: Project, world: str | None = None, fail_on: str | None = None) -> Judging:
        """The settings' own words, or those of the command line, which has checked them."""
        config = project.config
        end = cast("FailOn", fail_on or config.fail_on)
        return cls(world or config.world, config.levels, config.token_growth_percent, end)

    def compare(self, old: Lock, new: Lock, *, base: Side | None = None, head: Side | None = None) -> Report:
        """The report on two locks; `base` and `head` say what was compared."""
        from fusion_contracts.diff import diff_locks

        percent = self.token_growth_percent
        return diff_locks(
            old, new, world=self.world, levels=self.levels, token_growth_percent=percent, base=base, head=head
        )


def open_project(
    folder: str, lockfile: str | None = None, config: str | None = None, *, create: bool = False
) -> Project:
    """Read the settings of `folder`. Relative paths are relative to it. Raises FusionError.

    With `create` a settings file that was named may be missing: the command will write it.
    """
    root = Path(folder)
    if not root.is_dir():
        raise FusionError(f"there is no folder {printable(folder)}", "check -C", stage="usage")
    settings, place = read(root, None if config is None else root / config, create=create)
    return Project(root, settings, place, lockfile or settings.lockfile)


def refuse_command(command: Sequence[str], name: str) -> None:
    """Raise FusionError where a command stands after `--` and `fusion NAME` takes none."""
    if command:
        step = "configure it: fusion lock -- COMMAND does"
        raise FusionError(f"fusion {name} takes no command after --", step, stage="usage")


def selected(lock: Lock, globs: Sequence[str], *, where: str) -> Lock:
    """The servers of a lock whose names match one of `globs`; all for none. Raises FusionError when nothing matches."""
    if not globs:
        return lock
    servers = {name: contract for name, contract in lock.servers.items() if matches(name, globs)}
    if not servers:
        raise FusionError(
            f"{where} holds no server that matches {' or '.join(printable(glob) for glob in globs)}",
            f"it holds: {printable(', '.join(lock.servers)) or 'none'}",
            stage="usage",
        )
    return Lock(servers)


def matches(name: str, globs: Sequence[str]) -> bool:
    """Whether a server's name matches one of the globs of `-s`; any name does where there are none."""
    return not globs or any(fnmatchcase(name, glob) for glob in globs)
