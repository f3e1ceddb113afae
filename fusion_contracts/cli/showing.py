"""What `fusion show` reads and prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import OK, REFUSED, Writer, tell
from fusion_contracts.cli.project import Project, selected
from fusion_contracts.cli.refresh import raise_first, read
from fusion_contracts.cli.roster import Roster
from fusion_contracts.model import Lock

if TYPE_CHECKING:
    from fusion_contracts.model import ServerContract

__all__ = ["print_lock", "print_source"]


def print_lock(project: Project, writer: Writer, servers: Sequence[str], *, lint: bool = False) -> int:
    """Print what the lock holds, or what providers refuse of it. Raises FusionError where it cannot be read."""
    from fusion_contracts.lockfile.disk import read_lock

    shown = selected(read_lock(project.lock_path), servers, where=project.lockfile)
    writer.text(_linted(shown, writer) if lint else _rendered(shown, writer))
    return OK


def print_source(
    roster: Roster, project: Project, writer: Writer, servers: Sequence[str], *, lint: bool = False
) -> int:
    """Print what a source holds, or what providers refuse of it. Raises FusionError where nothing of it can be read."""
    reading = read(project, roster)
    for note in reading.notes:
        tell(f"note: {printable(note)}")
    if not reading.contracts and reading.problems:
        raise_first(reading.problems)
    lock = Lock({contract.name: contract for contract in reading.contracts})
    shown = selected(lock, servers, where=roster.label)
    writer.text(_linted(shown, writer) if lint else _rendered(shown, writer))
    for problem in reading.problems:
        tell(f"fusion: {printable(str(problem))}")
    if not reading.problems:
        return OK
    tell(f"exit {REFUSED}: could not read everything")
    return REFUSED


def _linted(lock: Lock, writer: Writer) -> str:
    from fusion_contracts.report.lint import render, to_dict

    if writer.machine:
        return json.dumps(to_dict(lock.servers.values()), indent=2) + "\n"
    return render(lock.servers.values(), colour=writer.colour)


def _rendered(lock: Lock, writer: Writer) -> str:
    if writer.machine:
        catalogs = {name: _document(contract) for name, contract in lock.servers.items()}
        shown = next(iter(catalogs.values())) if len(catalogs) == 1 else {"catalogs": catalogs}
        return json.dumps(shown, indent=2) + "\n"
    from fusion_contracts.report.listing import render

    return render(lock.servers.values(), width=writer.width, colour=writer.colour, wraps=writer.wraps)


def _document(contract: ServerContract) -> dict[str, Any]:
    """A server as MCP lists it: a saved catalog, which can be read again as a source, under the same NAME."""
    from fusion_contracts.sources.wire import prompt_document, server_document, tool_document

    shown = server_document(contract)
    return {
        "server": {
            "name": contract.name,
            "protocolVersion": contract.protocol_version,
            "serverInfo": shown["serverInfo"],
            "capabilities": shown["capabilities"],
            "instructions": shown["instructions"],
        },
        "tools": [tool_document(tool) for tool in contract.tools.values()],
        "prompts": [prompt_document(prompt) for prompt in contract.prompts.values()],
        "resources": [{"uri": uri, **fields} for uri, fields in shown["resources"].items()],
        "resourceTemplates": [{"uriTemplate": uri, **fields} for uri, fields in shown["resourceTemplates"].items()],
    }
