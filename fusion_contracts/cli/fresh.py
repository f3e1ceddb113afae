"""Whether a lock is equal to its sources, by digests. Only what the command line or the settings name is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from fusion_contracts.canonical import first_few, printable, shell_word, shortened
from fusion_contracts.cli.project import Project
from fusion_contracts.cli.refresh import Effort, refresh
from fusion_contracts.cli.roster import Roster, configured
from fusion_contracts.cli.wanted import Access, Wanted, as_config, same_origin
from fusion_contracts.config import source_line
from fusion_contracts.errors import Problem
from fusion_contracts.model import Lock, ServerContract, SourceRecord
from fusion_contracts.record import record

__all__ = ["Freshness", "Stale", "freshness", "vouched"]

_USUAL, _PLAIN = Effort(), Access()
_TOLD = 5  # entries of a stale server that are named


@record
class Stale:
    """A server whose lock differs from its source; `live` is its contract now, None where it was not read.

    `told` says what differs. `moved` says that the settings name another source than the lock was made from. Each is
    "" where there is nothing to say. `words` are the options with which other commands meet the same server.
    """

    name: str
    told: str
    live: ServerContract | None = None
    moved: str = ""
    words: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why the lock is stale."""
        return "; ".join(filter(None, (self.moved, self.told)))

    @property
    def problem(self) -> Problem:
        """The entry of a report's errors."""
        step = self.next if self.live else f"run fusion lock {self._again}"
        return Problem(self.name, "lock", f"the lock is stale: {self.reason}", step)

    @property
    def next(self) -> str:
        """What to do about it."""
        return f"fusion diff {self._again} shows what changed, fusion lock {self._again} accepts it"

    @property
    def _again(self) -> str:
        return " ".join(map(shell_word, ("-s", self.name, *self.words)))


@dataclass(slots=True)
class Freshness:
    """Which servers are as locked, which are stale, which could not be read.

    `live` holds what was read, by NAME; `moved` says, by NAME, that the settings name another source than the lock;
    `excused` are problems of servers that may be away, and are no problems here.
    """

    unchanged: list[str] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    live: dict[str, ServerContract] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    excused: list[Problem] = field(default_factory=list)

    @property
    def unread(self) -> list[str]:
        """The servers that could not be compared, each once, in order."""
        return list(dict.fromkeys(problem.server or "all" for problem in self.problems))


def freshness(  # noqa: PLR0913 - what is compared, and how it is read
    project: Project,
    lock: Lock,
    *,
    progress: Callable[[str], None],
    globs: Sequence[str] = (),
    given: Roster | None = None,
    effort: Effort = _USUAL,
    access: Access = _PLAIN,
    exact: Callable[[str], bool] | None = None,
) -> Freshness:
    """Read the sources of the lock's servers (or those `given` on the command line) and compare.

    `exact` says of which servers a new version alone, or another protocol, makes the lock stale too. A version that
    hides characters makes it stale in any case.
    A server whose source is named nowhere but in the lock is a problem: nothing that only a lock names is started.
    Where the settings name another source than the lock, theirs is read: they vouch for it.
    """
    found = Freshness()
    roster = given if given is not None else vouched(project, lock, found, globs, effort, access)
    refreshed = refresh(project, roster, lock, twice=False, progress=progress, globs=globs, effort=effort)
    found.problems += refreshed.problems
    found.excused = refreshed.excused
    found.notes += refreshed.notes
    found.live = refreshed.contracts
    for name, live in refreshed.contracts.items():
        _compare(name, lock.servers.get(name), live, found, exact=exact is not None and exact(name))
    away = {problem.server for problem in found.excused}
    left = {name: moved for name, moved in found.moved.items() if name not in found.live and name not in away}
    found.stale += [Stale(name, "", moved=moved) for name, moved in left.items()]
    words = (*project.words, *(access.words if given is None else ()))  # what goes with a source stands beside it
    found.stale = [replace(one, words=words) for one in found.stale]
    return found


def _compare(
    name: str, locked: ServerContract | None, live: ServerContract, found: Freshness, *, exact: bool
) -> None:
    from fusion_contracts.lockfile.verify import surface_changes

    if locked is None:
        found.stale.append(Stale(name, "it is not in the lock", live))
        return
    changes = [str(change) for change in surface_changes(locked, live)]
    quiet = _quiet_changes(locked, live)
    exact = exact or (bool(quiet) and _hides(locked, live))
    moved = found.moved.get(name, "")
    if not changes and not moved and not (exact and quiet):
        found.unchanged.append(name)
        found.notes += [f"{name}: {change}, and nothing else changed" for change in quiet]
        return
    told = first_few(changes, _TOLD) or (", ".join(quiet) if exact else "")
    found.stale.append(Stale(name, told, live, moved))


def _quiet_changes(locked: ServerContract, live: ServerContract) -> list[str]:
    """What no agent relies on: alone it makes a lock stale only where somebody asked for no difference at all."""
    pairs = {
        "version": (locked.info.get("version"), live.info.get("version")),
        "protocol": (locked.protocol_version, live.protocol_version),
    }
    return [
        f"{word} {shortened(str(before))} -> {shortened(str(after))}"
        for word, (before, after) in pairs.items()
        if before != after
    ]


def _hides(locked: ServerContract, live: ServerContract) -> bool:
    """Whether serverInfo brings characters that people cannot see: a version that does is no quiet change."""
    from fusion_contracts.diff.prose import hidden_added

    return any(hidden_added(locked.info, live.info))


def vouched(  # noqa: PLR0913, PLR0917 - as `freshness`
    project: Project, lock: Lock, found: Freshness, globs: Sequence[str], effort: Effort, access: Access
) -> Roster:
    """The sources that the settings name for the lock's servers; what does not fit together goes to `found`.

    One that is not in the lock is stale, and not read; unless it may be away: then that decides.
    """
    roster = configured(project, globs, access)
    broken = {problem.server for problem in roster.problems} | roster.disabled.keys()
    sources = {one.name: one for one in roster.wanted}
    wanted = []
    for name, contract in lock.servers.items():
        one = sources.pop(name, None)
        if name in broken:
            continue
        if one is None:
            found.problems.append(_unnamed(project, contract))
        else:
            wanted.append(one)
            if not same_origin(one, contract):
                found.moved[name] = _moved(contract.source, one)
    for key, one in sources.items():
        if effort.excuses(key):
            wanted.append(one)
        else:
            found.stale.append(Stale(key or "", "it is in the settings and not in the lock"))
    roster.wanted = wanted
    return roster


def _moved(locked: SourceRecord | None, wanted: Wanted) -> str:
    """That the settings name another source than the lock; a secret that someone wrote into the lock is not shown."""
    from fusion_contracts.sources.secrets import redact  # rarely needed

    before = "a source that it does not name"
    if locked is not None:
        before = " ".join(map(shell_word, locked.command)) or locked.url or locked.path or locked.object or locked.kind
    return printable(redact(f"the source changed: locked from {before}, settings name {wanted.source.label}"))


def _unnamed(project: Project, contract: ServerContract) -> Problem:
    """A server whose source only the lock names, with the line that would name it."""
    entry = as_config(contract.source) if contract.source else None
    if entry is None:
        message = "the lock does not say how it was read"
        return Problem(contract.name, "usage", message, f"run fusion lock SOURCE --name {shell_word(contract.name)}")
    home = project.home
    table = f"[{home.prefix}sources]"
    message = "its source stands in the lock alone, and nothing that only a lock names is started"
    step = f"drop it with fusion lock --prune -s {shell_word(contract.name)}, or add to {table} in {home.path.name}"
    return Problem(contract.name, "usage", message, f"{step}: {source_line(contract.name, entry)}")
