"""What a program relies on of a server that it does not own: the server's entry in a lock, and how drift is judged.

What a session lists is brought to a contract by the same step as when it was locked, so that noise is no drift.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fusion_contracts.canonical import printable
from fusion_contracts.config import Config, read
from fusion_contracts.config.policies import policy_of
from fusion_contracts.diff import Report, diff_locks
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.choosing import chosen
from fusion_contracts.lockfile.disk import read_files
from fusion_contracts.lockfile.verify import damage
from fusion_contracts.model import JsonObject, Lock, ServerContract, SourceRecord
from fusion_contracts.sources.base import Listing, Reading, VolatileRule, keep_unread
from fusion_contracts.sources.contract import contract_of
from fusion_contracts.sources.interpolate import references
from fusion_contracts.sources.known import Known

__all__ = ["Locked", "Offered", "read_locked"]

_NOT_LISTED = frozenset({"prompts", "resources", "resource_templates"})


@dataclass(frozen=True, slots=True)
class Offered:
    """What a session's server offers: its tools as MCP lists them, and what it said when it was greeted.

    `whole` is false where the client's types dropped fields that they do not know; `info` and `instructions` are None
    where the client does not tell them.
    """

    tools: tuple[JsonObject, ...]
    info: JsonObject | None = None
    instructions: str | None = None
    greeted: bool = True
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Locked:
    """A server's contract as it was locked. `where` is what holds it, for people; `settings` names their file."""

    contract: ServerContract
    where: str
    config: Config = field(default_factory=Config)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    @property
    def name(self) -> str:
        """The server's NAME."""
        return self.contract.name

    def read(self, offered: Offered) -> Reading:
        """The contract of what a session offers.

        What it does not tell (prompts, resources, capabilities, fields that its types dropped) is taken to be as
        locked: that was not looked at, and so has not changed.
        """
        locked = self.contract
        listing = Listing(
            tools=offered.tools if offered.whole else tuple(map(self._completed, offered.tools)),
            protocol_version=locked.protocol_version,
            info={**locked.info, **(offered.info or {})},
            capabilities=locked.capabilities,
            instructions=offered.instructions if offered.greeted else locked.instructions,
        )
        reading = contract_of(listing, name=self.name, volatile=self._volatile(), hidden=self._secrets())
        (live,) = reading.contracts
        unread = replace(reading, unread={self.name: _NOT_LISTED})
        return replace(reading, contracts=(keep_unread(live, locked, unread),))

    def compare(self, live: ServerContract) -> Report:
        """What changed since it was locked, as the settings judge it; what they waive is marked."""
        before, after = Lock({self.name: self.contract}), Lock({self.name: live})
        report = diff_locks(before, after, policy=lambda name: policy_of(name, self.config))
        if not self.config.waivers:
            return report
        from fusion_contracts.diff.waivers import accept, uses

        used = uses(report.findings, self.config.waivers, datetime.now(UTC).date())
        return replace(report, findings=accept(report.findings, used))

    def _completed(self, tool: JsonObject) -> JsonObject:
        locked = self.contract.tools.get(str(tool.get("name")))
        if locked is None:
            return tool
        hints = {**locked.annotations, **(tool.get("annotations") or {})} if _adds(locked.annotations) else None
        return {**locked.extra, **tool, **({"annotations": hints} if hints and "annotations" in tool else {})}

    def _volatile(self) -> list[VolatileRule]:
        given = self.config.volatile
        return [VolatileRule(one.server, one.tool, one.pointer, one.pattern, one.reason) for one in given]

    def _secrets(self) -> Mapping[str, str] | None:
        """The values that the lock stores as `${VAR}`, where this program has them too."""
        source = self.contract.source
        if source is None:
            return None
        names = {name for text in _templates(source) for name in references(text)} | {*source.pass_env}
        return Known.of({name: self.environ[name] for name in names if name in self.environ}, names).stored


_HINTS = frozenset({"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})


def _adds(annotations: JsonObject) -> bool:
    return not annotations.keys() <= _HINTS


def _templates(source: SourceRecord) -> Iterable[str]:
    yield from source.command
    yield source.url or ""
    yield from source.env.values()
    yield from source.headers.values()


def read_locked(
    lock: str | os.PathLike[str] | ServerContract | None = None,
    server: str | None = None,
    config: str | os.PathLike[str] | None = None,
) -> Locked:
    """The entry of a server in a lock, with the settings that stand beside the lock, or in the file `config`.

    `lock` is a path (the settings' lock in the current folder unless given), or a contract that was read already;
    `server` is the NAME, and may be left out where the lock holds one server. Raises FusionError: no such lock, one
    that cannot be read or was edited by hand, no such server, several and none named, settings that are wrong.
    """
    if isinstance(lock, ServerContract):
        settings = Config() if config is None else _settings(Path(), config)
        return Locked(lock, "the contract given", settings)
    root = Path() if lock is None else Path(lock).parent
    settings = _settings(root, config)
    path = root / settings.lockfile if lock is None else Path(lock)
    where = printable(str(path))
    opened = read_files(path, str(path)).open()
    contract = chosen(opened.lock.servers, server, where)
    for problem in damage(opened):
        if problem.server == printable(contract.name):
            raise FusionError(f"{where}: {problem.message}", problem.next, server=problem.server, stage="lock")
    return Locked(contract, where, settings)


def _settings(root: Path, config: str | os.PathLike[str] | None) -> Config:
    return read(root, None if config is None else Path(config), judge=_leave)[0]


def _leave(_others: Mapping[str, Any], _place: object) -> None:
    """Flags of commands stand in settings too; whether they are right is for the command line to say."""
