"""Every real catalog that was captured survives the lock."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tomli

from fusion_contracts.lockfile.codec import decode, encode
from fusion_contracts.lockfile.limits import unlockable
from fusion_contracts.lockfile.splice import splice
from fusion_contracts.lockfile.verify import verify
from fusion_contracts.model import Lock, Prompt, PromptArgument, Resource, ResourceTemplate, ServerContract, Tool


def rest(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}


def tool(raw: dict[str, Any]) -> Tool:
    known = ("name", "inputSchema", "title", "description", "outputSchema", "annotations", "execution", "_meta")
    return Tool(
        name=raw["name"],
        input_schema=raw.get("inputSchema") or {},
        title=raw.get("title"),
        description=raw.get("description"),
        output_schema=raw.get("outputSchema"),
        annotations=raw.get("annotations") or {},
        execution=raw.get("execution") or {},
        meta=raw.get("_meta") or {},
        extra=rest(raw, *known),
    )


def prompt(raw: dict[str, Any]) -> Prompt:
    arguments = tuple(
        PromptArgument(
            one["name"], bool(one.get("required")), one.get("description"), rest(one, "name", "required", "description")
        )
        for one in raw.get("arguments") or []
    )
    known = ("name", "title", "description", "arguments", "_meta")
    return Prompt(
        raw["name"], raw.get("title"), raw.get("description"), arguments, raw.get("_meta") or {}, rest(raw, *known)
    )


def contract(path: Path) -> ServerContract:
    """A captured catalog as it is: noise stays, since the lock must hold anything."""
    raw = json.loads(path.read_text(encoding="utf-8"))
    server = raw["server"]
    return ServerContract(
        name=f"{path.parent.name}-{path.stem}",
        protocol_version=server.get("protocolVersion"),
        info=server.get("serverInfo") or {},
        capabilities=server.get("capabilities") or {},
        instructions=server.get("instructions"),
        tools={one["name"]: tool(one) for one in raw["tools"]},
        prompts={one["name"]: prompt(one) for one in raw["prompts"]},
        resources={one["uri"]: Resource(one["uri"], rest(one, "uri")) for one in raw["resources"]},
        resource_templates={
            one["uriTemplate"]: ResourceTemplate(one["uriTemplate"], rest(one, "uriTemplate"))
            for one in raw["resourceTemplates"]
        },
    )


def contracts(shared: Path) -> Iterator[ServerContract]:
    for path in sorted((shared / "catalogs").glob("*/*.json")):
        yield contract(path)


def test_every_captured_catalog_survives_the_lock(shared: Path, same: Callable[[Any, Any], bool]) -> None:
    for server in contracts(shared):
        assert unlockable(server) == {}
        text = encode(Lock({server.name: server}))
        again = decode(text, origin=server.name)
        assert same(again, Lock({server.name: server})), server.name
        assert encode(again) == text, server.name
        assert verify(text, origin=server.name) == [], server.name
        assert tomli.loads(text) == tomllib.loads(text), server.name


def test_all_of_them_are_one_lock_in_which_each_can_be_refreshed(shared: Path) -> None:
    servers = {server.name: server for server in contracts(shared)}
    text = encode(Lock(servers))
    backwards = {name: servers[name] for name in reversed(servers)}
    assert encode(Lock(backwards)) == text
    name = sorted(servers)[len(servers) // 2]
    without = splice(text, Lock({}), [name])
    assert without == encode(Lock({other: server for other, server in servers.items() if other != name}))
    assert splice(without, Lock(servers), [name]) == text
