"""What a contract holds, for people: a line a tool, `close_page(pageIdx: number)`, what it costs, and the counts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import pointer_key, printable, shell_word
from fusion_contracts.diff.cost import catalog_tokens, tool_tokens
from fusion_contracts.report.counts import count, joined
from fusion_contracts.report.layout import columns, cut, paint, width_of, wrap

if TYPE_CHECKING:
    from fusion_contracts.model import JsonValue, ServerContract

__all__ = ["render", "signature"]

_DEEPEST = 3  # levels of arrays and references that a type is followed into
_VALUES = 4  # values of an enum that are named


def render(contracts: Iterable[ServerContract], *, width: int, colour: bool = False, wraps: bool = False) -> str:
    """Return every server with its tools, prompts, resources and templates; ends in a newline.

    `wraps`: a terminal, where a description is cut that has no room on its line.
    """
    page = columns(width)
    longest = page if wraps else None
    blocks = [_block(_server(contract, page, longest, colour=colour)) for contract in contracts]
    return "\n".join(blocks) or "no servers\n"


def _block(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _server(contract: ServerContract, width: int, longest: int | None, *, colour: bool) -> list[str]:
    version = contract.info.get("version")
    title = printable(f"{contract.name} {version}" if isinstance(version, str) else contract.name)
    lines = [f"{paint(title, 'bold', colour=colour)}: {_counts(contract)}"]
    lines += [f"  protocol {printable(contract.protocol_version)}"] if contract.protocol_version else []
    lines += [f"  source   {printable(_origin(contract))}"] if contract.source else []
    if contract.tools:
        lines.append(f"  cost     {count(catalog_tokens(contract), 'token')} to the model (estimate)")
    for tool in contract.tools.values():
        cost = count(tool_tokens(tool), "token")
        lines += _entry(signature(tool.name, tool.input_schema), tool.description, width, longest, cost)
    for prompt in contract.prompts.values():
        arguments = ", ".join(one.name + ("" if one.required else "?") for one in prompt.arguments)
        lines += _entry(f"prompt {printable(prompt.name)}({printable(arguments)})", prompt.description, width, longest)
    for uri, resource in contract.resources.items():
        lines += _entry(f"resource {printable(uri)}", resource.fields.get("description"), width, longest)
    for uri, template in contract.resource_templates.items():
        lines += _entry(f"resource template {printable(uri)}", template.fields.get("description"), width, longest)
    return lines


def _counts(contract: ServerContract) -> str:
    parts = [count(len(contract.tools), "tool")]
    others = {
        "prompt": len(contract.prompts),
        "resource": len(contract.resources),
        "resource template": len(contract.resource_templates),
    }
    return joined(parts + [count(number, word) for word, number in others.items() if number])


def _origin(contract: ServerContract) -> str:
    source = contract.source
    if source is None:
        return ""
    from fusion_contracts.sources.secrets import redact, shown_url  # a lock is text, and may hold what none should

    place = source.path or source.object or source.kind
    return redact(" ".join(map(shell_word, source.command))) or shown_url(source.url or "") or place


def _entry(head: str, description: JsonValue, width: int, longest: int | None, cost: str = "") -> list[str]:
    """A thing that a server offers, what it costs at the end of its line, and below it what it does."""
    first, *rest = wrap(head.replace(": ", ":\u00a0"), width - 4 - len(cost))  # an argument and its type stay together
    lines = [f"  {first}" + (f"{cost:>{width - 2 - width_of(first)}}" if cost else "")]
    lines += (f"    {line}" for line in rest)
    told = description.strip().partition("\n")[0] if isinstance(description, str) else ""
    below = f"      {printable(told)}"
    return [*lines, below if longest is None else cut(below, longest)] if told else lines


def signature(name: str, schema: Mapping[str, JsonValue]) -> str:
    """A tool and its arguments on one line: `move(x: number, unit?: 'mm'|'in')`.

    The required arguments come first, `?` marks the others. Types are those of JSON Schema, as far as one line can say
    them; `any` where the schema does not.
    """
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return f"{printable(name)}({'...' if schema.get('$ref') or _is_composed(schema) else ''})"
    listed = schema.get("required")
    required = [one for one in listed if isinstance(one, str) and one in properties] if isinstance(listed, list) else []
    optional = [one for one in properties if one not in required]
    parts = [f"{one}: {_type(properties[one], schema)}" for one in dict.fromkeys(required)]
    parts += [f"{one}?: {_type(properties[one], schema)}" for one in optional]
    return printable(f"{name}({', '.join(parts)})")


def _is_composed(schema: Mapping[str, JsonValue]) -> bool:
    return any(keyword in schema for keyword in ("anyOf", "oneOf", "allOf", "if"))


def _type(schema: JsonValue, root: Mapping[str, JsonValue], depth: int = 0) -> str:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return "any"
    if isinstance(schema.get("$ref"), str):
        return _type(_target(schema["$ref"], root), root, depth + 1)
    if isinstance(schema.get("enum"), list):
        return _values(schema["enum"])
    if "const" in schema:
        return _values([schema["const"]])
    for keyword in ("anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list):
            return "|".join(dict.fromkeys(_type(branch, root, depth + 1) for branch in schema[keyword]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return "|".join(str(one) for one in kind)
    if kind == "array":
        alike = "items" in schema and "prefixItems" not in schema
        inner = _type(schema["items"], root, depth + 1) if alike else "any"
        return f"({inner})[]" if "|" in inner else f"{inner}[]"
    return kind if isinstance(kind, str) else "any"


def _values(values: Sequence[JsonValue]) -> str:
    shown = [f"'{value}'" if isinstance(value, str) else json.dumps(value) for value in values[:_VALUES]]
    return "|".join([*shown, "..."] if len(values) > _VALUES else shown)


def _target(reference: str, root: Mapping[str, JsonValue]) -> JsonValue:
    """What a reference inside the document points to; None for any other."""
    found: JsonValue = root if reference.startswith("#/") else None
    for token in reference.split("/")[1:]:
        found = found.get(pointer_key(token)) if isinstance(found, dict) else None
    return found
