"""Which server of a lock is meant: that of a NAME, or the only one."""

from __future__ import annotations

from collections.abc import Mapping

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract

__all__ = ["chosen", "meant"]


def _only(servers: Mapping[str, ServerContract]) -> ServerContract | None:
    """The only server; None where there are several, or none."""
    return next(iter(servers.values())) if len(servers) == 1 else None


def meant(servers: Mapping[str, ServerContract], name: str) -> ServerContract | None:
    """The server of a NAME; the only one is meant whatever it is called."""
    return servers.get(name) or _only(servers)


def chosen(servers: Mapping[str, ServerContract], name: str | None, where: str) -> ServerContract:
    """The server that is asked for by its NAME, or the only one where none is asked for.

    Raises FusionError, with `where` as the place that was looked into.
    """
    found = _only(servers) if name is None else servers.get(name)
    if found is not None:
        return found
    names = printable(", ".join(servers))
    if not servers:
        raise FusionError(f"{where} holds no server", "lock one: fusion lock -- COMMAND", stage="usage")
    if name is None:
        raise FusionError(f"{where} holds {len(servers)} servers", f"say which: server=..., of {names}", stage="usage")
    raise FusionError(f'{where} holds no server "{printable(name)}"', f"name one of: {names}", stage="usage")
