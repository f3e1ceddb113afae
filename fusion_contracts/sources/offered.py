"""The tools of a server that its client offers to a model: no agent relies on the others."""

from __future__ import annotations

from dataclasses import replace

from fusion_contracts.model import JsonValue
from fusion_contracts.record import record
from fusion_contracts.sources.base import Listing

__all__ = ["Filter", "offered"]


@record
class Filter:
    """Which of a server's tools the client offers: those in `only` (None: all), less those in `without`."""

    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    def takes(self, tool: str) -> bool:
        """Whether the client offers a tool."""
        return (self.only is None or tool in self.only) and tool not in self.without


def offered(listing: Listing, tools: Filter) -> Listing:
    """The listing without the tools that the client leaves out, and a note that says how many."""
    kept = tuple(tool for tool in listing.tools if _is_offered(tool, tools))
    if len(kept) == len(listing.tools):
        return listing
    some = f"{len(listing.tools) - len(kept)} of {len(listing.tools)} tools"
    return replace(listing, tools=kept, notes=(*listing.notes, f"{some} left out, as the client's configuration says"))


def _is_offered(tool: JsonValue, tools: Filter) -> bool:
    """Whether the client offers it; what has no name stays, to be told as malformed."""
    name = tool.get("name") if isinstance(tool, dict) else None
    return not isinstance(name, str) or tools.takes(name)
