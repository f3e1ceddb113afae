"""Whether locked servers still are what the lock says, and which of them are not even asked."""

from __future__ import annotations

from glob import escape
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import tell
from fusion_contracts.cli.project import Project, matches
from fusion_contracts.cli.roster import configured
from fusion_contracts.model import Lock

if TYPE_CHECKING:
    from fusion_contracts.cli.checking import Asked
    from fusion_contracts.cli.fresh import Freshness
    from fusion_contracts.cli.judging import Judging

__all__ = ["ask", "elsewhere"]


def elsewhere(project: Project, lock: Lock) -> frozenset[str]:
    """The locked servers that the settings name and that are not part of the repository: `--local` leaves them out.

    One that no settings name stays, and is told as a problem: dropping its entry must not make a check pass.
    """
    from fusion_contracts.cli.ours import local_parts

    return frozenset(lock.servers.keys() & (configured(project).names - local_parts(project).keys()))


def ask(
    project: Project, lock: Lock, asked: Asked, left_out: frozenset[str], judging: Judging
) -> Freshness | None:
    """Ask the servers that are selected, but those `left_out`; None where none is left. Notes are told."""
    from fusion_contracts.cli.fresh import freshness
    from fusion_contracts.cli.refresh import Effort
    from fusion_contracts.cli.wanted import Access

    globs = asked.servers
    if left_out:
        names = sorted(name for name in {*lock.servers, *configured(project).names} if matches(name, globs))
        globs = tuple(escape(name) for name in names if name not in left_out)
        lock = Lock({name: contract for name, contract in lock.servers.items() if name not in left_out})
        if not globs:
            return None
    effort, access = asked.effort or Effort(), asked.access or Access()
    fresh = freshness(
        project, lock, progress=tell, globs=globs, effort=effort, access=access, exact=judging.is_exact
    )
    for note in fresh.notes:
        tell(f"note: {printable(note)}")
    return fresh
