"""What of a contract some provider would refuse: a line for each tool and limit, and all of it for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

from fusion_contracts.canonical import printable
from fusion_contracts.model import JsonObject, ServerContract
from fusion_contracts.record import record
from fusion_contracts.report.counts import count, joined
from fusion_contracts.report.layout import paint
from fusion_contracts.report.lint_limits import LIMITS, Limit

__all__ = ["Breach", "lint", "render", "to_dict"]

_PROVIDER = 15  # cells of a provider's name


@record
class Breach:
    """One place in a tool that exceeds one limit; `tool` is None for a limit on all tools together."""

    server: str
    limit: Limit
    tool: str | None
    pointer: str
    said: str


def lint(contract: ServerContract) -> Iterator[Breach]:
    """Every breach of every limit, in the order of the table."""
    for limit in LIMITS:
        yield from (Breach(contract.name, limit, *found) for found in limit.find(contract))


def render(contracts: Iterable[ServerContract], *, colour: bool = False) -> str:
    """Return a block for each server; ends in a newline.

    Of one limit and tool the first place is shown, and how many more there are; the report for programs has them all.
    """
    blocks = ["".join(f"{line}\n" for line in _server(contract, colour=colour)) for contract in contracts]
    return "\n".join(blocks) or "no servers\n"


def _server(contract: ServerContract, *, colour: bool) -> Iterator[str]:
    found = list(lint(contract))
    name = paint(printable(contract.name), "bold", colour=colour)
    tools = count(len(contract.tools), "tool")
    if not found:
        yield f"{name}: {tools}, within every limit that is known here"
        return
    providers = Counter(breach.limit.provider for breach in found)
    yield f"{name}: {tools}; refused by {joined([f'{one} ({number:,})' for one, number in providers.items()])}"
    for (limit, tool), group in groupby(found, key=lambda one: (one.limit, one.tool)):
        first, *more = group
        where = " ".join(filter(None, (printable(tool or ""), printable(first.pointer))))
        others = f" and {len(more):,} more" if more else ""
        yield f"  {limit.provider:<{_PROVIDER}}{f'{where}{others}: ' if where else ''}{first.said}"


def to_dict(contracts: Iterable[ServerContract]) -> JsonObject:
    """`{"schema_version", "breaches": [{server, tool, pointer, provider, limit, message, source}]}`."""
    breaches = [
        {
            "server": breach.server,
            "tool": breach.tool,
            "pointer": breach.pointer,
            "provider": breach.limit.provider,
            "limit": breach.limit.id,
            "message": breach.said,
            "source": breach.limit.source,
        }
        for contract in contracts
        for breach in lint(contract)
    ]
    return {"schema_version": 1, "breaches": breaches}
