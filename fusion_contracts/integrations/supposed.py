"""The past of a server under another name: it may be the same server, which the first listing of its tools tells."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from fusion_contracts.canonical import printable
from fusion_contracts.model import ServerContract
from fusion_contracts.runtime.deltas import Delta
from fusion_contracts.runtime.releases import Known

__all__ = ["Supposed", "supposed"]

_log = logging.getLogger("fusion_contracts.integrations")


@dataclass(frozen=True, slots=True)
class Supposed(Known):
    """Releases that were found as the only ones, under a name that is none of the server's own."""

    def deltas(self, live: ServerContract) -> list[Delta]:
        """As of any; nothing, and a line in the log, where the tools are another server's."""
        past = self.releases[-1].contract
        common = len(past.tools.keys() & live.tools.keys())
        fewer = min(len(past.tools), len(live.tools))
        if common * 2 >= fewer:
            return super(Supposed, self).deltas(live)
        _log.warning(
            "Agents are not told what changed in %s: the only server in %s is %s, which has %s of its tools; if that "
            'is its past, say so: name="%s"',
            printable(self.server),
            printable(str(self.searched[-1])),
            printable(past.name),
            f"{common} of {fewer}" if common else "none",
            printable(past.name),
        )
        return []


def supposed(known: Known) -> Known:
    """What was found for a server that nobody named: certain where it has the server's name, else supposed."""
    if not known.releases:
        return known
    past = known.releases[-1].contract
    if known.server in {past.name, past.info.get("name")}:
        return known
    return Supposed(known.server, known.searched, known.releases)
