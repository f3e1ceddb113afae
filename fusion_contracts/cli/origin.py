"""The last release: what a change is compared with when it is asked how far the version has to move.

Many pull requests make one release, and the first that breaks moves the version for all. So a server of this project is
compared with the last release and not with the state before the change: the highest version tag that the base descends
from, else the newest kept release, else the base. A foreign server is released elsewhere, and each state of the lock
holds a release of it: there it is the base.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.against import Basis, newest_at
from fusion_contracts.cli.declared import declared, is_committed
from fusion_contracts.cli.manifests import Manifests, manifests
from fusion_contracts.cli.ours import is_ours
from fusion_contracts.cli.past import lock_at
from fusion_contracts.cli.project import Project
from fusion_contracts.cli.tags import highest, of_releases
from fusion_contracts.model import Lock
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.runtime.releases import Release
    from fusion_contracts.sources.history import Tag

__all__ = ["Head", "Origin", "Scope", "at_base", "head_of", "kept_origin", "last_release", "versions_before"]


@record
class Scope:
    """What is asked about: a project and the base of the change, what tags call it, and the servers of -s."""

    project: Project
    base: Basis
    names: Collection[str]
    globs: tuple[str, ...] = ()

    @classmethod
    def of(cls, project: Project, base: Basis, lock: Lock, files: Manifests, globs: tuple[str, ...] = ()) -> Scope:
        """Tags may call it by its servers' names and by the project's."""
        before = base.before.servers if base.before else {}
        return cls(project, base, {*lock.servers, *before, *files.names}, globs)


@record
class Origin:
    """What is compared with: its name for people, its contracts, and the versions that its own name says, by server.

    `files` are the project's files as they were there, which say nothing for a kept release.
    """

    label: str
    lock: Lock
    versions: Mapping[str, str] = field(default_factory=dict)
    files: Manifests = field(default_factory=Manifests)


@record
class Head:
    """The release that HEAD is: its commit, and the version that its tag says."""

    commit: str
    version: str


def head_of(scope: Scope) -> Head | None:
    """The release that HEAD is, where a tag says so and the lock is as committed. Raises FusionError."""
    from fusion_contracts.sources.git import resolve_revision

    commit = resolve_revision("HEAD", scope.project.root)
    tags = {tag: text for tag, text in _tags(scope, commit).items() if tag.commit == commit}
    if not tags or not is_committed(scope.project):
        return None
    last = highest(tags)
    return Head(commit, str(last[1]) if last else max(tags.values()))


def last_release(scope: Scope, head: Head | None) -> Origin:
    """What servers of this project are compared with. Raises FusionError.

    Where HEAD is a release itself, that is the one before it.
    """
    return _tagged(scope, head) or _kept(scope) or at_base(scope)


def versions_before(project: Project, base: Basis) -> dict[str, str]:
    """The version of each server's last release before a change, as far as it is known. Raises FusionError.

    Of this project's servers that is the last version tag, else what the project declared at the base.
    """
    files = manifests(project.root, base.side.revision)
    scope = Scope.of(project, base, base.now, files)
    last = highest(_before(scope, head_of(scope)))
    found = {}
    for name, contract in (base.before or Lock()).servers.items():
        if last is not None and is_ours(project.root, contract, files):
            found[name] = str(last[1])
        elif (one := declared(project.root, contract, files)) is not None:
            found[name] = one.version
    return found


def at_base(scope: Scope) -> Origin:
    """The base of the change, as what is compared with."""
    side = scope.base.side
    return Origin(side.label, scope.base.before or Lock(), files=manifests(scope.project.root, side.revision))


def kept_origin(releases: Mapping[str, Release], label: str) -> Origin:
    """Kept releases, as what is compared with."""
    lock = Lock({server: release.contract for server, release in releases.items()})
    return Origin(label, lock, {server: release.name for server, release in releases.items()})


def _tags(scope: Scope, commit: str) -> dict[Tag, str]:
    from fusion_contracts.sources.history import tags_merged

    return of_releases(tags_merged(commit, scope.project.root), scope.names)


def _before(scope: Scope, head: Head | None) -> dict[Tag, str]:
    """The tags that the base descends from; where HEAD is a release itself, those that it descends from."""
    commit = head.commit if head else scope.base.side.revision or "HEAD"
    return {tag: text for tag, text in _tags(scope, commit).items() if head is None or tag.commit != head.commit}


def _tagged(scope: Scope, head: Head | None) -> Origin | None:
    """The highest version tag before HEAD; None where there is none, or none with a lock."""
    last = highest(_before(scope, head))
    if last is None:
        return None
    tag, version = last
    label = printable(tag.name)
    lock = lock_at(scope.project, tag.commit, label, scope.globs)
    if lock is None:
        return None
    versions = dict.fromkeys(lock.servers, str(version))
    return Origin(label, lock, versions, manifests(scope.project.root, tag.commit))


def _kept(scope: Scope) -> Origin | None:
    side = scope.base.side
    releases = newest_at(scope.project, side.revision, side.label, scope.globs) if side.revision else {}
    return kept_origin(releases, "the last release") if releases else None
