"""Two versions of one server: what differs beside its tools."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fusion_contracts.canonical import pointer_key, pointer_token
from fusion_contracts.diff.changes import (
    CapabilityAdded,
    CapabilityRemoved,
    ContractChange,
    InstructionsChanged,
    ProtocolVersionChanged,
    ResourceAdded,
    ResourceChanged,
    ResourceRemoved,
    ServerInfoChanged,
    ServerNameChanged,
    ServerVersionChanged,
    TemplateAdded,
    TemplateRemoved,
    TemplateVariablesChanged,
    UnclassifiedChange,
)
from fusion_contracts.diff.fields import field_facts, same, without
from fusion_contracts.model import JsonObject, JsonValue, Resource, ResourceTemplate, ServerContract

__all__ = ["server_changes"]

_INFO: dict[str, type[ContractChange]] = {
    "name": ServerNameChanged,
    "version": ServerVersionChanged,
    "title": ServerInfoChanged,
    "icons": ServerInfoChanged,
    "websiteUrl": ServerInfoChanged,
}
_CAPABILITIES = "/capabilities"
_HOLDERS = frozenset({f"{_CAPABILITIES}/experimental", f"{_CAPABILITIES}/extensions"})  # these hold capabilities
_FIELDS = ("name", "mimeType", "size")


def server_changes(old: ServerContract, new: ServerContract) -> Iterator[ContractChange]:
    """All that differs beside the tools. What one of the two sources does not tell is not compared.

    A saved `tools/list` knows nothing of the server; its silence is no removal.
    """
    if _identified(old) and _identified(new):
        yield from _identity(old, new)
    if _both_tell(old, new, "instructions") and old.instructions != new.instructions:
        yield InstructionsChanged(pointer="/instructions", before=old.instructions, after=new.instructions)
    if _both_tell(old, new, "prompts") and old.prompts != new.prompts:
        from fusion_contracts.diff.prompts import prompt_changes  # servers with prompts that change are few

        yield from prompt_changes(old.prompts, new.prompts)
    if _both_tell(old, new, "resources"):
        yield from _resources(old.resources, new.resources)
    if _both_tell(old, new, "resource_templates"):
        yield from _templates(old.resource_templates, new.resource_templates)


def _identified(contract: ServerContract) -> bool:
    return bool(contract.protocol_version or contract.info or contract.capabilities)


def _both_tell(old: ServerContract, new: ServerContract, part: str) -> bool:
    return all(_identified(contract) or getattr(contract, part) for contract in (old, new))


def _identity(old: ServerContract, new: ServerContract) -> Iterator[ContractChange]:
    before, after = old.protocol_version, new.protocol_version
    if before != after and before is not None and after is not None:
        yield ProtocolVersionChanged(pointer="/protocolVersion", before=before, after=after)
    yield from _info(old.info, new.info)
    yield from _capabilities(old.capabilities, new.capabilities)


def _info(old: JsonObject, new: JsonObject) -> Iterator[ContractChange]:
    for key, kind in _INFO.items():
        if not same(old.get(key), new.get(key)):
            yield kind(pointer=f"/serverInfo/{key}", name=key, before=old.get(key), after=new.get(key))
    yield from field_facts(without(old, _INFO), without(new, _INFO), "/serverInfo", "server")


def _capabilities(old: JsonObject, new: JsonObject) -> Iterator[ContractChange]:
    """A fact for each capability that differs, none for what stands inside one that came or went."""
    before, after = dict(_flat(old, _CAPABILITIES)), dict(_flat(new, _CAPABILITIES))
    for pointer in sorted(before.keys() | after.keys()):
        had, has = before.get(pointer), after.get(pointer)
        parent = pointer.rpartition("/")[0]
        inside = parent not in _HOLDERS and (parent in before) != (parent in after)
        if inside or (same(_said(had), _said(has)) and (pointer in before) == (pointer in after)):
            continue
        name = pointer_key(pointer.removeprefix(f"{_CAPABILITIES}/"))
        if _offers(pointer, had) and _offers(pointer, has):
            yield UnclassifiedChange(pointer=pointer, before=had, after=has, had=True, has=True)
        elif _offers(pointer, has) or pointer not in before:
            yield CapabilityAdded(pointer=pointer, name=name, before=had, after=has)
        else:
            yield CapabilityRemoved(pointer=pointer, name=name, before=had, after=has)


def _flat(capabilities: JsonObject, pointer: str) -> Iterator[tuple[str, JsonValue]]:
    """Every capability with its pointer, those inside others too."""
    for key, item in capabilities.items():
        below = f"{pointer}/{pointer_token(key)}"
        inner = item if isinstance(item, dict) else {}
        if not (below in _HOLDERS and inner):
            yield below, item
        yield from _flat(inner, below)


def _said(item: JsonValue) -> JsonValue:
    return True if isinstance(item, dict) else item


def _offers(pointer: str, item: JsonValue) -> bool:
    return item is not None and item is not False and pointer not in _HOLDERS


def _resources(old: Mapping[str, Resource], new: Mapping[str, Resource]) -> Iterator[ContractChange]:
    for uri in sorted(old.keys() | new.keys()):
        pointer = f"/resources/{pointer_token(uri)}"
        if uri not in new:
            yield ResourceRemoved(pointer=pointer, name=uri)
        elif uri not in old:
            yield ResourceAdded(pointer=pointer, name=uri)
        else:
            yield from _fields(old[uri].fields, new[uri].fields, pointer, uri)


def _fields(old: JsonObject, new: JsonObject, pointer: str, uri: str) -> Iterator[ContractChange]:
    for key in _FIELDS:
        if not same(old.get(key), new.get(key)):
            name = f"{uri} {key}"
            yield ResourceChanged(pointer=f"{pointer}/{key}", name=name, before=old.get(key), after=new.get(key))
    yield from field_facts(without(old, _FIELDS), without(new, _FIELDS), pointer, f"resource {uri}")


Templates = Mapping[str, ResourceTemplate]


def _templates(old: Templates, new: Templates) -> Iterator[ContractChange]:
    gone = {uri: template for uri, template in old.items() if uri not in new}
    fresh = {uri: template for uri, template in new.items() if uri not in old}
    pairs = _variants(gone, fresh)
    for uri in sorted(old.keys() | fresh.keys() - set(pairs.values())):
        pointer = f"/resourceTemplates/{pointer_token(uri)}"
        if uri in fresh:
            yield TemplateAdded(pointer=pointer, name=uri)
            continue
        successor = pairs.get(uri, uri)
        if successor not in new:
            yield TemplateRemoved(pointer=pointer, name=uri)
            continue
        if successor != uri:
            yield TemplateVariablesChanged(pointer=pointer, name=uri, before=uri, after=successor)
        yield from _fields(old[uri].fields, new[successor].fields, pointer, uri)


_EXPRESSION = re.compile(r"\{[^{}]*\}")


def _variants(gone: Templates, fresh: Templates) -> dict[str, str]:
    """Templates that are the same but for their variables: the text between them is equal, or the name is."""
    pairs: dict[str, str] = {}
    for uri, template in gone.items():
        found = [
            other
            for other, candidate in fresh.items()
            if other not in pairs.values()
            and _EXPRESSION.findall(other) != _EXPRESSION.findall(uri)
            and (_EXPRESSION.sub("{}", other) == _EXPRESSION.sub("{}", uri) or _named_alike(template, candidate))
        ]
        if len(found) == 1:
            pairs[uri] = found[0]
    return pairs


def _named_alike(old: ResourceTemplate, new: ResourceTemplate) -> bool:
    return old.fields.get("name") is not None and old.fields.get("name") == new.fields.get("name")
