"""Parsed TOML to contracts, the way back from `tables`. An unknown key is an error: no edit is lost in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from fusion_contracts.lockfile.digest import Entry
from fusion_contracts.lockfile.shape import ShapeError, Table
from fusion_contracts.model import (
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)

__all__ = ["StoredDigests", "read_servers"]

T = TypeVar("T")
StoredDigests = dict[Entry, dict[str, str]]
"""For each entry, the digests that stand in the lock, by kind; a missing one is left out."""


def read_servers(document: dict[str, Any]) -> tuple[dict[str, ServerContract], dict[str, StoredDigests]]:
    """The contracts of a parsed lock, by NAME, and the digests that stand beside them. Takes `document` apart.

    Raises ShapeError on what is not a lock: an unknown key, a wrong type, something missing.
    """
    top = Table(document)
    found = dict(top.entries("servers", _server))
    top.close()
    return {name: server for name, (server, _) in found.items()}, {name: stored for name, (_, stored) in found.items()}


def _server(name: str, value: Any) -> tuple[ServerContract, StoredDigests]:
    table = Table(value)
    stored: StoredDigests = {("server", ""): table.digests()}

    def part(kind: str, section: str, read: Callable[[str, Table], T]) -> dict[str, T]:
        def one(inner: str, raw: Any) -> T:
            entry = Table(raw)
            stored[kind, inner] = entry.digests()
            made = read(inner, entry)
            entry.close()
            return made

        return dict(table.entries(section, one))

    contract = ServerContract(
        name=name,
        protocol_version=table.text("protocol_version"),
        info=table.object("info"),
        capabilities=table.object("capabilities"),
        instructions=table.text("instructions"),
        tools=part("tool", "tools", _tool),
        prompts=part("prompt", "prompts", _prompt),
        resources=part("resource", "resources", lambda uri, entry: Resource(uri, entry.object("fields"))),
        resource_templates=part(
            "resource_template", "resource_templates", lambda uri, entry: ResourceTemplate(uri, entry.object("fields"))
        ),
        source=table.optional("source", _source),
    )
    table.close()
    return contract, stored


def _tool(name: str, table: Table) -> Tool:
    if not table.has("input"):
        raise ShapeError("has no input schema")
    return Tool(
        name=name,
        input_schema=table.object("input"),
        title=table.text("title"),
        description=table.text("description"),
        output_schema=table.value("output"),
        annotations=table.object("annotations"),
        execution=table.object("execution"),
        meta=table.object("meta"),
        extra=table.object("extra"),
    )


def _prompt(name: str, table: Table) -> Prompt:
    return Prompt(
        name=name,
        title=table.text("title"),
        description=table.text("description"),
        arguments=tuple(table.array("arguments", _argument)),
        meta=table.object("meta"),
        extra=table.object("extra"),
    )


def _argument(value: Any) -> PromptArgument:
    table = Table(value)
    argument = PromptArgument(
        name=table.needed("name"),
        required=table.flag("required"),
        description=table.text("description"),
        extra=table.object("extra"),
    )
    table.close()
    return argument


def _source(value: Any) -> SourceRecord:
    table = Table(value)
    source = SourceRecord(
        kind=table.needed("kind"),
        command=table.texts("command"),
        url=table.text("url"),
        path=table.text("path"),
        object=table.text("object"),
        env=table.text_table("env"),
        headers=table.text_table("headers"),
        pass_env=table.texts("pass_env"),
    )
    table.close()
    return source
