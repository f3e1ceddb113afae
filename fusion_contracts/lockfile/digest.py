"""Digests of a contract's parts: three for each entry, so that a reviewer sees which kind of thing changed.

Every field is covered by exactly one digest, apart from what may change without changing what an agent relies on.

    entry              interface                          prose                          hints
    tool               name, schemas less annotations     title, description, schema     annotations, execution,
                                                          annotations                    _meta, other fields
    prompt             name, argument names, required     title, description, argument   _meta, other fields,
                                                          descriptions                   arguments' other fields
    resource, template URI, name, mimeType, other fields  title, description             annotations, icons, size, _meta
    server             capabilities, serverInfo's name    instructions, serverInfo's     serverInfo's other fields
                                                          title and description

Not covered: protocol version, serverInfo's version, source. A schema's `default` and `format` belong to the interface:
agents act on them. Digests detect edits by hand and bad merges; they are no defence against an adversary.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from fusion_contracts.canonical import canonical_json, pointer_token
from fusion_contracts.lockfile.tables import tool_table
from fusion_contracts.model import JsonValue, Prompt, Resource, ResourceTemplate, ServerContract, Tool
from fusion_contracts.record import record

__all__ = [
    "KINDS",
    "Digests",
    "Entry",
    "all_digests",
    "digests",
    "prompt_digests",
    "resource_digests",
    "server_digests",
]

Entry = tuple[str, str]
"""Kind and name of one part with digests of its own; ("server", "") is the server's own table."""

KINDS = ("interface", "prose", "hints")


@record
class Digests:
    """`sha256:` and 64 hexadecimal digits, for each kind of content."""

    interface: str
    prose: str
    hints: str


def digests(tool: Tool) -> Digests:
    """The digests of one tool."""
    prose: dict[str, JsonValue] = {}
    interface = {"name": tool.name, "input": _bare(tool.input_schema, "/input", prose)}
    if tool.output_schema is not None:
        interface["output"] = _bare(tool.output_schema, "/output", prose)
    rest = tool_table(tool)
    prose |= _only(rest, ("title", "description"))
    return _digests(interface, prose, _only(rest, ("annotations", "execution", "meta", "extra")))


def prompt_digests(prompt: Prompt) -> Digests:
    """The digests of one prompt."""
    arguments = prompt.arguments
    return _digests(
        {"name": prompt.name, "arguments": [[argument.name, argument.required] for argument in arguments]},
        {
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [argument.description for argument in arguments],
        },
        {"meta": prompt.meta, "extra": prompt.extra, "arguments": [argument.extra for argument in arguments]},
    )


def resource_digests(resource: Resource | ResourceTemplate) -> Digests:
    """The digests of one resource or resource template."""
    uri = resource.uri if isinstance(resource, Resource) else resource.uri_template
    prose_names, hint_names = ("title", "description"), ("annotations", "icons", "size", "_meta")
    covered = {*prose_names, *hint_names}
    rest = {name: value for name, value in resource.fields.items() if name not in covered}
    prose, hints = _only(resource.fields, prose_names), _only(resource.fields, hint_names)
    return _digests({"uri": uri, "fields": rest}, prose, hints)


def server_digests(contract: ServerContract) -> Digests:
    """The digests of what concerns the server as a whole; never of its tools, so that branches merge."""
    prose_names, interface_names, free = ("title", "description"), ("name",), ("version",)
    covered = {*prose_names, *interface_names, *free}
    return _digests(
        {"capabilities": contract.capabilities, "info": _only(contract.info, interface_names)},
        {"instructions": contract.instructions, "info": _only(contract.info, prose_names)},
        {"info": {name: value for name, value in contract.info.items() if name not in covered}},
    )


def all_digests(contract: ServerContract) -> dict[Entry, Digests]:
    """The digests of every part: (kind, name) with kind `server`, `tool`, `prompt`, `resource`, `resource_template`."""
    found: dict[Entry, Digests] = {("server", ""): server_digests(contract)}
    found |= {("tool", name): digests(tool) for name, tool in contract.tools.items()}
    found |= {("prompt", name): prompt_digests(prompt) for name, prompt in contract.prompts.items()}
    found |= {("resource", uri): resource_digests(resource) for uri, resource in contract.resources.items()}
    found |= {
        ("resource_template", uri): resource_digests(template) for uri, template in contract.resource_templates.items()
    }
    return found


def _digests(interface: JsonValue, prose: JsonValue, hints: JsonValue) -> Digests:
    return Digests(_sha256(interface), _sha256(prose), _sha256(hints))


def _sha256(value: JsonValue) -> str:
    from hashlib import sha256  # loads OpenSSL: not at start-up

    return "sha256:" + sha256(canonical_json(value)).hexdigest()


def _only(table: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: table[name] for name in names if name in table}


# --- schemas ---------------------------------------------------------------------------------------------------------

# Annotations that only inform a reader. `default` and `format` are annotations by the standard, and still interface.
_PROSE = frozenset({"title", "description", "examples", "$comment", "deprecated", "readOnly", "writeOnly"})
_SCHEMA = frozenset({
    "items", "additionalItems", "unevaluatedItems", "contains", "additionalProperties", "unevaluatedProperties",
    "propertyNames", "not", "if", "then", "else", "contentSchema",
})  # fmt: skip
_SCHEMAS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})


def _bare(schema: JsonValue, where: str, prose: dict[str, JsonValue]) -> JsonValue:
    """The schema without its annotations, which go to `prose` under their pointers.

    Only keywords count: a property called `description` is a name, and what stands in `enum`, `const`, `default` or
    an unknown keyword is data.
    """
    if not isinstance(schema, dict):
        return schema
    bare: dict[str, JsonValue] = {}
    for keyword, value in schema.items():
        place = f"{where}/{keyword}"
        if keyword in _PROSE:
            prose[place] = value
        elif isinstance(value, dict) and keyword in _MAPS:
            below = {name: f"{place}/{pointer_token(name)}" for name in value}
            bare[keyword] = {name: _bare(inner, below[name], prose) for name, inner in value.items()}
        elif isinstance(value, dict) and keyword in _SCHEMA:
            bare[keyword] = _bare(value, place, prose)
        elif isinstance(value, list) and keyword in _SCHEMAS:
            bare[keyword] = [_bare(inner, f"{place}/{index}", prose) for index, inner in enumerate(value)]
        else:
            bare[keyword] = value
    return bare
