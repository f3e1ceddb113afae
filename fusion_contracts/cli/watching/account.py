"""From what was found to what is told: what begins, what is over, and why."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from hashlib import sha256

from fusion_contracts.cli.watching.basis import Basis, Judged
from fusion_contracts.cli.watching.events import Because, Kind, event
from fusion_contracts.cli.watching.ledger import Ledger, Standing
from fusion_contracts.diff import Finding, Level
from fusion_contracts.errors import Problem
from fusion_contracts.model import JsonObject
from fusion_contracts.report.counts import count

__all__ = ["Account"]

_UNREAD = "unread"


@dataclass(slots=True)
class Account:
    """What stands, kept in the ledger. `level` is the lowest that is told, `now` gives the time as it is told."""

    ledger: Ledger
    level: Level
    now: Callable[[], str]
    _standing: dict[str, Standing] = field(init=False)

    def __post_init__(self) -> None:
        self._standing = self.ledger.standing()

    def read(self, basis: Basis, one: Judged) -> bool:
        """A server was read: what of it is new, and what is over. Whether anything is to be told."""
        wanted = {f"finding {found.fingerprint}": found.to_dict() for found in one.findings if self._counts(found)}
        wanted |= {_key(problem): dict(problem.to_dict()) for problem in one.problems}
        self._relock(basis, one.server, wanted)
        over = {
            key: self._because(basis, standing, one.findings)
            for key, standing in self._standing.items()
            if standing.server == one.server
            and key not in wanted
            and (one.report is not None or not key.startswith("finding"))  # what was not compared is not over
        }
        return self._change(basis, one.server, wanted, over)

    def unread(self, basis: Basis, server: str, problem: Problem) -> bool:
        """A server could not be read at all: told once, whatever the sentence says the next time."""
        body: JsonObject = {**problem.to_dict(), "server": server or None}
        return self._change(basis, server, {f"{_UNREAD} {server}": body}, {})

    def reached(self, basis: Basis, source: str) -> bool:
        """A source of several servers was read: that it could not be is over."""
        key = f"{_UNREAD} {source}"
        return key in self._standing and self._change(basis, source, {}, {key: "server"})

    def settled(self, basis: Basis, problems: Iterable[Problem]) -> bool:
        """Problems that concern no server, all of them: those that are not among them are over."""
        wanted = {_key(problem): dict(problem.to_dict()) for problem in problems}
        over: dict[str, Because] = {
            key: "settings" for key, one in self._standing.items() if not one.server and key not in wanted
        }
        return self._change(basis, "", wanted, over)

    def forget(self, basis: Basis, names: Collection[str]) -> bool:
        """Only these are watched: what stands of any other is over."""
        gone: dict[str, Because] = {
            key: "unwatched" for key, one in self._standing.items() if one.server and one.server not in names
        }
        return self._change(basis, "", {}, gone)

    @property
    def summary(self) -> str:
        """What stands: `1 finding stands, 2 things could not be checked`."""
        findings = sum(key.startswith("finding") for key in self._standing)
        errors = len(self._standing) - findings
        stands = f"{count(findings, 'finding')} {'stands' if findings == 1 else 'stand'}"
        return f"{stands}, {count(errors, 'thing')} could not be checked" if errors else stands

    def _counts(self, found: Finding) -> bool:
        return not found.waived and found.level >= self.level

    def _because(self, basis: Basis, standing: Standing, findings: Iterable[Finding]) -> Because:
        same = next((one for one in findings if f"finding {one.fingerprint}" == standing.key), None)
        if same is not None:
            return "waiver" if same.waived else "settings"
        return "server" if standing.locked == basis.digest(standing.server) else "lock"

    def _relock(self, basis: Basis, server: str, wanted: Collection[str]) -> None:
        """Take note of the lock beside which a server's findings stand still."""
        locked = basis.digest(server)
        kept = [key for key in wanted if key in self._standing and self._standing[key].locked != locked]
        if kept:
            self.ledger.relock(kept, locked)
            self._standing |= {key: replace(self._standing[key], locked=locked) for key in kept}

    def _change(self, basis: Basis, server: str, wanted: dict[str, JsonObject], over: dict[str, Because]) -> bool:
        time, locked = self.now(), basis.digest(server)
        new = [Standing(key, server, body, time, locked) for key, body in wanted.items() if key not in self._standing]
        if not new and not over:
            return False
        lockfile = basis.project.lockfile
        begun = [(one, _event(one, time, lockfile)) for one in new]
        ended = {key: _event(self._standing[key], time, lockfile, why) for key, why in over.items()}
        self.ledger.change(begun, ended)
        for key in over:
            del self._standing[key]
        self._standing |= {one.key: one for one in new}
        return True


def _event(one: Standing, time: str, lockfile: str, because: Because | None = None) -> JsonObject:
    is_finding = one.key.startswith("finding")
    identifier = secrets.token_hex(16)
    if because is None:
        kind: Kind = "finding" if is_finding else "unchecked"
        return event(kind, identifier=identifier, time=time, lockfile=lockfile, body=one.body)
    if is_finding:
        return event(
            "resolved", identifier=identifier, time=time, lockfile=lockfile, body=one.body, since=one.since,
            because=because,
        )  # fmt: skip
    return event("recovered", identifier=identifier, time=time, lockfile=lockfile, body=one.body, since=one.since)


def _key(problem: Problem) -> str:
    """What tells one problem of a server from another: it is of its contract, and so the same each time."""
    said = f"{problem.server}\0{problem.stage}\0{problem.message}"
    return f"error {sha256(said.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
