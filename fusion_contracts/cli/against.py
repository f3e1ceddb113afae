"""What a lock is compared with: its state at the base of a change, or what agents have learned, the kept releases.

Of a change that is checked, the releases count that its base holds: one that the change itself brings was learned by
nobody yet, and would hide what it breaks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.base import base_commit, base_lock
from fusion_contracts.cli.project import Project, matches
from fusion_contracts.diff import Side
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.cli.project import Judging
    from fusion_contracts.diff import Report
    from fusion_contracts.runtime.releases import Kept, Release

__all__ = ["Basis", "basis", "newest_at", "newest_here", "of_releases"]

_NAMED = 3  # releases that a label names


@record
class Basis:
    """What a lock is compared with. `before` is None where there is nothing yet; `now` is the lock, less what is new.

    `without` names the servers that no agent has learned: no release of them is kept.
    """

    side: Side
    before: Lock | None
    now: Lock
    without: tuple[str, ...] = ()

    def report(self, project: Project, judging: Judging) -> Report:
        """What changed up to the lock; nothing where there was nothing to change."""
        head = Side(project.shown_lock, "lock")
        old, new = (Lock(), Lock()) if self.before is None else (self.before, self.now)
        return judging.compare(old, new, base=self.side, head=head)


def basis(project: Project, lock: Lock, against: str, revision: str | None, globs: Sequence[str]) -> Basis:
    """What `lock` is compared with: `against` is `base` or `release`. Raises FusionError."""
    if against != "release":
        side, before = base_lock(project, revision, globs)
        return Basis(side, before, lock)
    commit, label = base_commit(project.root, revision)
    return of_releases(newest_at(project, commit, label, globs), lock, label, commit)


def of_releases(releases: Mapping[str, Release], lock: Lock, where: str = "", revision: str | None = None) -> Basis:
    """Each server against its release. A single server and a single release are one, whatever they are called."""
    before = Lock({server: release.contract for server, release in sorted(releases.items())})
    names = [f"release {one.name} of {server}" for server, one in sorted(releases.items())]
    label = printable(", ".join(names)) if len(names) <= _NAMED else f"the newest releases of {len(names)} servers"
    side = Side(f"{label or 'no release'} at {where}" if where else label or "no release", "release", revision)
    if len(before.servers) == len(lock.servers) == 1:
        return Basis(side, before, lock)
    now = Lock({server: contract for server, contract in lock.servers.items() if server in releases})
    without = tuple(server for server in lock.servers if server not in releases)
    return Basis(side, before if releases else None, now, without)


def newest_at(project: Project, commit: str, label: str, globs: Sequence[str] = ()) -> dict[str, Release]:
    """The newest release of each server that a commit holds. Raises FusionError where one cannot be read."""
    from fusion_contracts.lockfile.file import RELEASES
    from fusion_contracts.runtime.releases import in_order
    from fusion_contracts.sources.git import prefix
    from fusion_contracts.sources.history import blobs, entries

    above = PurePosixPath(prefix(project.root)) / RELEASES
    files = {PurePosixPath(path): blob for path, blob in entries(commit, project.root, str(above)).items()}
    chosen = {path: blob for path, blob in files.items() if _is_release(path, above, globs)}
    data = blobs(chosen.values(), project.root)
    texts: dict[str, dict[Path, str]] = {}
    for path, blob in chosen.items():
        inside = Path(path.relative_to(above.parent.parent))
        texts.setdefault(path.parent.name, {})[inside] = _text(data[blob], f"{inside} at {label}")
    try:
        return {server: _newest(in_order(found), server) for server, found in texts.items()}
    except FusionError as error:
        raise FusionError(f"at {label}: {error.problem.message}", error.problem.next, stage="lock") from None


def newest_here(project: Project, globs: Sequence[str] = ()) -> dict[str, Release]:
    """The newest release of each server that the project's folder holds. Raises FusionError as `newest_at`."""
    from fusion_contracts.lockfile.file import RELEASES
    from fusion_contracts.runtime.releases import kept

    folder = project.root / RELEASES
    servers = sorted(path for path in folder.glob("*/") if path.is_dir() and matches(path.name, globs))
    found = {path.name: kept(path) for path in servers}
    return {server: _newest(releases, server) for server, releases in found.items() if releases}


def _newest(releases: Sequence[Kept], server: str) -> Release:
    from fusion_contracts.runtime.releases import release_of

    return release_of(releases[-1], server)


def _is_release(path: PurePosixPath, above: PurePosixPath, globs: Sequence[str]) -> bool:
    return path.suffix == ".lock" and path.parent.parent == above and matches(path.parent.name, globs)


def _text(data: bytes, origin: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        step = "restore it, or remove it if no agent ever learned it"
        raise FusionError(f"{printable(origin)} is not UTF-8", step, stage="lock") from None
