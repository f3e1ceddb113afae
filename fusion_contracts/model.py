"""The contract: everything an agent relies on from one server, free of noise.

Frozen values without behaviour. JSON values inside are plain Python (dict, list, str, int, float, bool, None) and are
never changed after the contract is built.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, TypeAlias

from fusion_contracts.record import record

__all__ = [
    "JsonObject",
    "JsonValue",
    "Lock",
    "Prompt",
    "PromptArgument",
    "Resource",
    "ResourceTemplate",
    "ServerContract",
    "SourceRecord",
    "Tool",
]

JsonValue: TypeAlias = Any  # a recursive alias costs every caller a cast and catches nothing here
JsonObject: TypeAlias = dict[str, Any]


@record
class SourceRecord:
    """Where a contract came from, as the lock may show it: before `${VAR}` interpolation, never a literal secret.

    `kind` is `stdio`, `http`, `sse`, `file`, `python` or `config`; `command` is argv for stdio; `url` for http and sse;
    `path` a file relative to the lock's folder; `object` a `FILE.py[:ATTR]` like it, or a `package.module:ATTR`; `env`
    and `headers` map names to `${VAR}` templates only ("" for a name whose value is not shown); `pass_env` lists
    variables handed through by name.
    """

    kind: str
    command: tuple[str, ...] = ()
    url: str | None = None
    path: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    object: str | None = None


@record
class Tool:
    """One tool as MCP lists it. `extra` keeps every field that has no place of its own (icons, vendor keys)."""

    name: str
    input_schema: JsonObject
    title: str | None = None
    description: str | None = None
    output_schema: JsonValue = None
    annotations: JsonObject = field(default_factory=dict)
    execution: JsonObject = field(default_factory=dict)
    meta: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)


@record
class PromptArgument:
    """One argument of a prompt."""

    name: str
    required: bool = False
    description: str | None = None
    extra: JsonObject = field(default_factory=dict)


@record
class Prompt:
    """One prompt; its arguments keep the server's order."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: tuple[PromptArgument, ...] = ()
    meta: JsonObject = field(default_factory=dict)
    extra: JsonObject = field(default_factory=dict)


@record
class Resource:
    """One resource, known by its URI; every other field (name, mimeType, ...) is in `fields`."""

    uri: str
    fields: JsonObject = field(default_factory=dict)


@record
class ResourceTemplate:
    """One resource template, known by its URI template (RFC 6570); every other field is in `fields`."""

    uri_template: str
    fields: JsonObject = field(default_factory=dict)


@record
class ServerContract:
    """Everything an agent relies on from one server.

    `name` is the lock's NAME, never serverInfo's. `info` is serverInfo (name, version, title, ...). The mappings are
    sorted by key: a tool's name, a prompt's name, a resource's URI, a template's URI template.
    """

    name: str
    protocol_version: str | None = None
    info: JsonObject = field(default_factory=dict)
    capabilities: JsonObject = field(default_factory=dict)
    instructions: str | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict)
    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    resources: Mapping[str, Resource] = field(default_factory=dict)
    resource_templates: Mapping[str, ResourceTemplate] = field(default_factory=dict)
    source: SourceRecord | None = None


@record
class Lock:
    """The contracts of one or many servers, by NAME, sorted."""

    servers: Mapping[str, ServerContract] = field(default_factory=dict)
