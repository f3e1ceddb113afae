"""An object against its entry in a lock: the findings as a failure, or a lock that says what the object says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.project import Judging, Project, open_project
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fusion_contracts.diff import Report
    from fusion_contracts.lockfile.files import LockFiles
    from fusion_contracts.lockfile.verify import SurfaceChange
    from fusion_contracts.sources.base import Reading

__all__ = ["Snapshot"]

_WIDTH = 96  # columns of a report inside a failure, which pytest indents
_ACCEPT = "pytest --fusion-update"


@record
class Snapshot:
    """One server's entry in a lock. `locked` is None where the lock has none, or is not there."""

    project: Project
    judging: Judging
    name: str
    locked: ServerContract | None

    @classmethod
    def open(cls, folder: str, lockfile: str | None, name: str | None, fail_on: str) -> Snapshot:
        """Read settings and lock. Raises FusionError where it is not said which server is meant."""
        project = open_project(folder, lockfile)
        servers = _read(project)[1].servers
        chosen = name or _only(project, servers)
        return cls(project, Judging.of(project, fail_on=fail_on), chosen, servers.get(chosen))

    def settle(self, server: Any, *, update: bool, timeout: float) -> str | None:
        """What is different, for people, or None; with `update` the lock is written instead. Raises FusionError."""
        live = self._listed(server, timeout)
        failure = self._difference(live)
        if failure is not None and update:
            self._write(live)
            return None
        return failure

    def _difference(self, live: ServerContract) -> str | None:
        from fusion_contracts.diff import failing
        from fusion_contracts.lockfile.verify import surface_changes

        if self.locked is None:
            return self._missing(live)
        changes = surface_changes(self.locked, live)
        if not changes:
            return None
        before, after = Lock({self.name: self.locked}), Lock({self.name: live})
        report = self.judging.compare(before, after)
        if self.judging.fail_on != "any" and not failing(report, self.judging.fail_on):
            return None
        return self._failure(report, changes)

    def _listed(self, server: Any, timeout: float) -> ServerContract:
        from fusion_contracts.sources.python_object import read_object

        version = self.locked.protocol_version if self.locked else None
        options = self.project.options(name=self.name, protocol_version=version)
        reading = read_object(server, f"the object of {printable(self.name)}", replace(options, timeout=timeout))
        for problem in reading.problems:
            raise FusionError.of(problem)
        return self._lockable(reading)

    def _lockable(self, reading: Reading) -> ServerContract:
        from fusion_contracts.lockfile.limits import unlockable, unlockable_parts

        if len(reading.contracts) != 1:
            names = printable(", ".join(one.name for one in reading.contracts))
            message = f"the object holds several servers: {names}"
            raise FusionError(message, "say which: assert_contract(server, name=...)", stage="usage")
        (live,) = reading.contracts
        for sentence in (*unlockable(live).values(), *unlockable_parts(live).values()):
            raise FusionError(sentence, "correct it in the server", server=live.name, stage="lock")
        return live

    # -- what a failure says ---------------------------------------------------------------------------------------

    def _missing(self, live: ServerContract) -> str:
        from fusion_contracts.report.counts import count

        lock, shown = self.project.shown_lock, shell_word(self.name)
        told = f"{lock} holds no server {printable(self.name)}" if _present(self.project) else f"there is no {lock}"
        return f"{told}; the object offers {count(len(live.tools), 'tool')}\n" + _accept(f"SOURCE --name {shown}")

    def _failure(self, report: Report, changes: Sequence[SurfaceChange]) -> str:
        from fusion_contracts.report.context import Context
        from fusion_contracts.report.formats.text import render_findings

        show = frozenset({"safe", "prose"} if self.judging.fail_on == "any" else ())  # what makes it fail is shown
        told = render_findings(report, Context(width=_WIDTH, show=show))
        told = told or "".join(f"  {change}\n" for change in changes)
        title = f"{printable(self.name)} is not what {self.project.shown_lock} says"
        again = self.locked is not None and self.locked.source is not None
        return f"{title}\n{told}" + _accept(f"-s {shell_word(self.name)}" if again else "")

    # -- what an update writes -------------------------------------------------------------------------------------

    def _write(self, live: ServerContract) -> None:
        """Put the contract into the lock as it is now: another test may have changed it meanwhile."""
        from fusion_contracts.lockfile.alone import alone
        from fusion_contracts.lockfile.disk import write_files
        from fusion_contracts.lockfile.files import renewed

        with alone([self.project.lock_path.parent]):  # the workers of one run share it
            files, lock = _read(self.project)
            present = lock.servers.get(self.name)
            whole = replace(live, source=present.source if present else self._configured())
            write_files(self.project.lock_path, files, renewed(files, lock, {self.name: whole}))

    def _configured(self) -> Any:
        """The source that the settings name for a server which is new in the lock."""
        from fusion_contracts.cli.roster import configured

        wanted = configured(self.project, [self.name]).wanted
        return wanted[0].record if wanted else None


def _accept(words: str) -> str:
    return f"Accept it: {_ACCEPT}, or fusion lock {words}" if words else f"Accept it: {_ACCEPT}"


def _present(project: Project) -> bool:
    from fusion_contracts.lockfile.file import is_there

    return is_there(project.lock_path)


def _read(project: Project) -> tuple[LockFiles, Lock]:
    """The lock's files and what they hold; nothing where it is not there."""
    from fusion_contracts.lockfile.disk import present_files

    files = present_files(project.lock_path, project.lockfile)
    return files, files.open().lock


def _only(project: Project, servers: Any) -> str:
    """The one server of the lock. Raises FusionError where there are several, or none."""
    if len(servers) == 1:
        return str(next(iter(servers)))
    step = 'assert_contract(server, name="...")'
    if not servers:
        message = f"{project.shown_lock} holds no server yet, and no name is given for the first"
        raise FusionError(message, f"name it: {step}", stage="usage")
    names = printable(", ".join(servers))
    message = f"{project.shown_lock} holds {len(servers)} servers"
    raise FusionError(message, f"say which: {step}; there are: {names}", stage="usage")
