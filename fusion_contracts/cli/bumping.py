"""`fusion check --expect-bump`: whether declared versions moved as far as what changed since the last release asks.

Both versions of a server are read in one place: the project's files then and now, or serverInfo then and now. The
version that a tag says is not compared with one that a library writes into serverInfo.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fusion_contracts.canonical import printable
from fusion_contracts.cli.against import Basis, newest_at
from fusion_contracts.cli.declared import SPOKEN, declared, said
from fusion_contracts.cli.manifests import Declared, Manifests, manifests
from fusion_contracts.cli.origin import Head, Origin, Scope, at_base, head_of, kept_origin, last_release
from fusion_contracts.cli.ours import is_ours
from fusion_contracts.cli.project import Judging, Project
from fusion_contracts.diff import Finding, pairs
from fusion_contracts.diff.bump import least_bump
from fusion_contracts.diff.moved import Moved
from fusion_contracts.diff.version import Version
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.record import record

__all__ = ["Bumps", "Wish", "expected"]

_NEXT = "--next-version"
_TAG = "the tag"
_PASS = f"pass the version to be released: {_NEXT} X.Y.Z"


@record
class Wish:
    """What is asked: the version to come, where the command line says it, what the lock is compared with, -s."""

    next_version: str | None = None
    against: str = "base"
    globs: tuple[str, ...] = ()


@record
class Bumps:
    """The answer: how each version moved, what is wrong with that, and what could not be compared."""

    moved: tuple[Moved, ...] = ()
    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()

    def lines(self) -> Iterator[str]:
        """The answer for people: a sentence, then a line for each server of which it is true."""
        shown = sorted(self.moved, key=lambda one: one.server)
        if self.findings:
            shown = [one for one in shown if one.server in {finding.server for finding in self.findings}]
            several = len(self.moved) + len(self.problems)
            yield f"not enough for {len(shown)} of {several} servers" if several > 1 else "not enough"
        elif self.problems:
            yield "not checked"
            shown = []
        else:
            yield "enough" if self.moved else "nothing to compare"
        for one in shown:
            step = f", {one.step}" if one.step else ""
            told = f"{one.before} ({one.since}) -> {one.after} ({one.place}); least: {one.least}{step}"
            yield printable(f"{one.server}  {told}")
        for problem in self.problems:
            yield printable(f"{problem.server or 'all'}  not checked: {problem.message}")
            yield printable(f"    next: {problem.next}")


def expected(project: Project, judging: Judging, lock: Lock, base: Basis, wish: Wish) -> Bumps:
    """Compare each server with its last release, and its version with the one there.

    `lock` and `base` are what the check compares. What git or a lock refuses is a problem, and hides no finding.
    """
    if base.side.revision is None:  # before the first commit
        return Bumps()
    try:
        return _Asking.of(project, judging, lock, base, wish).answer()
    except FusionError as error:
        return Bumps(problems=(error.problem,))


@dataclass(slots=True)
class _Asking:
    project: Project
    judging: Judging
    lock: Lock
    scope: Scope
    wish: Wish
    files: Manifests
    head: Head | None
    moved: list[Moved] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @classmethod
    def of(cls, project: Project, judging: Judging, lock: Lock, base: Basis, wish: Wish) -> _Asking:
        files = manifests(project.root)
        scope = Scope.of(project, base, lock, files, wish.globs)
        return cls(project, judging, lock, scope, wish, files, head_of(scope))

    def answer(self) -> Bumps:
        for origin, ours in self._origins():
            self._compare(origin, ours=ours)
        policy = self.judging.policy_of
        findings = (found for one in self.moved for found in policy(one.server).apply(one.findings()))
        return Bumps(tuple(self.moved), tuple(findings), tuple(self.problems))

    def _origins(self) -> Iterable[tuple[Origin, bool | None]]:
        """What is compared with, and whether for the project's own servers, for foreign ones, or for both (None)."""
        side = self.scope.base.side
        if self.wish.against == "release" and side.revision:
            releases = newest_at(self.project, side.revision, side.label, self.wish.globs)
            return [(kept_origin(releases, "the last release"), None)]
        ours = [contract for contract in self._contracts() if self._is_ours(contract)]
        theirs = at_base(self.scope)
        return [(last_release(self.scope, self.head), True), (theirs, False)] if ours else [(theirs, False)]

    def _contracts(self) -> Iterator[ServerContract]:
        yield from self.lock.servers.values()
        yield from (self.scope.base.before or Lock()).servers.values()

    def _is_ours(self, contract: ServerContract) -> bool:
        return self.wish.next_version is not None or is_ours(self.project.root, contract, self.files)

    def _compare(self, origin: Origin, *, ours: bool | None) -> None:
        """How the versions of the servers moved since; what is not `ours` is left out, and the other way round."""

        def wanted(lock: Lock) -> Lock:
            servers = lock.servers.items()
            return Lock({name: one for name, one in servers if ours is None or self._is_ours(one) is ours})

        if not origin.lock.servers:
            return  # no lock yet, which is no server that was added
        old, new = wanted(origin.lock), wanted(self.lock)
        report = self.judging.compare(old, new)
        for name, before, after in pairs(old, new):
            known = before or after
            if known is None or ((before is None or after is None) and not self._is_ours(known)):
                continue  # a foreign server that came or went was not released by that
            try:
                self._judge(name, origin, before, known if after is None else after, report.findings)
            except FusionError as error:
                self.problems.append(error.problem)

    def _judge(
        self, name: str, origin: Origin, before: ServerContract | None, after: ServerContract, found: Iterable[Finding]
    ) -> None:
        """Note how far one server's version moved. Raises FusionError where two versions cannot be compared."""
        bump = least_bump(one for one in found if one.server == name)
        now = self._now(after)
        then = self._then(origin, before, name, now)
        try:
            version = _version(name, now, _PASS, "the version now")
            earlier = _version(name, then, "name the last release: --base TAG", f"the version at {origin.label}")
        except FusionError:
            if not bump:
                return  # nothing changed, so any version will do
            raise
        self.moved.append(Moved(name, origin.label, bump, earlier, version, now.place if now else ""))

    def _now(self, contract: ServerContract) -> Declared | None:
        if self.wish.next_version is not None:
            return Declared(self.wish.next_version, _NEXT)
        if self.head is not None and self._is_ours(contract):
            return Declared(self.head.version, _TAG)
        return declared(self.project.root, contract, self.files)

    def _then(
        self, origin: Origin, contract: ServerContract | None, name: str, now: Declared | None
    ) -> Declared | None:
        """The version there, read in the same place as the one now, else the nearest to it."""
        spoken = said(contract) if contract else None
        if now is not None and now.place == SPOKEN:
            return spoken
        named = origin.versions.get(name) or next(iter(origin.versions.values()), None)
        tagged = Declared(named, origin.label) if named else None
        written = origin.files.declared
        by_file = now is not None and now.place not in {_NEXT, _TAG}
        return (written or tagged or spoken) if by_file else (tagged or written or spoken)


def _version(name: str, found: Declared | None, step: str, what: str) -> Version:
    if found is None:
        raise FusionError(f"{what} is not known", step, server=printable(name), stage="usage")
    try:
        return Version.parse(found.version)
    except ValueError as reason:
        message = f"{what}, {found.version} in {found.place}, {reason}"
        raise FusionError(printable(message), step, server=printable(name), stage="usage") from None
