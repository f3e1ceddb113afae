"""Two versions of one tool: what differs beside its schemas, which `schemas` compares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fusion_contracts.diff.changes import (
    ContractChange,
    DisplayTitleChanged,
    ExecutionChanged,
    Fact,
    HintChanged,
    OutputSchemaAdded,
    OutputSchemaRemoved,
    ProseChanged,
)
from fusion_contracts.diff.fields import field_facts, leaves, same, without
from fusion_contracts.diff.findings import FindingSide
from fusion_contracts.diff.prose import hidden_added
from fusion_contracts.model import JsonObject, JsonValue, Tool

__all__ = ["listed", "tool_facts"]

_READ_ONLY = "readOnlyHint"
_DEFAULTS = {_READ_ONLY: False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
_NEEDS_WRITING = frozenset({"destructiveHint", "idempotentHint"})  # MCP: they say something of tools that write
_MODE, _DEFAULT_MODE = "taskSupport", "forbidden"


def tool_facts(old: Tool, new: Tool, *, world: str) -> Iterator[Fact]:
    """All that differs between two versions of a tool, renamed or not."""
    for change in _own_changes(old, new):
        yield Fact(change, "tool", change.pointer, old.name)
    if not same(old.input_schema, new.input_schema):
        yield from _schemas(old.input_schema, new.input_schema, "input", old.name, world)
    if not same(old.output_schema, new.output_schema):
        yield from _output(old, new, world)
    for hidden in hidden_added(listed(old), listed(new)):
        yield Fact(hidden, "tool", hidden.pointer, old.name)


def listed(tool: Tool) -> JsonObject:
    """What a tool says to a model, as MCP lists it; absent fields are null."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "outputSchema": tool.output_schema,
        "annotations": tool.annotations,
    }


def _own_changes(old: Tool, new: Tool) -> Iterator[ContractChange]:
    if old.description != new.description:
        yield ProseChanged(pointer="/description", before=old.description, after=new.description)
    if old.title != new.title:
        yield DisplayTitleChanged(pointer="/title", before=old.title, after=new.title)
    if not same(old.annotations, new.annotations):
        yield from _annotations(old.annotations, new.annotations)
    if not same(old.execution, new.execution):
        yield from _execution(old.execution, new.execution)
    yield from leaves(old.meta, new.meta, "/_meta")
    yield from field_facts(old.extra, new.extra, "")


def _annotations(old: JsonObject, new: JsonObject) -> Iterator[ContractChange]:
    yield from field_facts(without(old, _DEFAULTS), without(new, _DEFAULTS), "/annotations")
    reads_on_both = _value(old, _READ_ONLY) and _value(new, _READ_ONLY)
    for hint in _DEFAULTS:
        before, after = old.get(hint), new.get(hint)
        if same(before, after) and (hint in old) == (hint in new):
            continue
        yield HintChanged(
            pointer=f"/annotations/{hint}",
            name=hint,
            before=before,
            after=after,
            old=_value(old, hint),
            new=_value(new, hint),
            matters=not (reads_on_both and hint in _NEEDS_WRITING),
        )


def _value(annotations: JsonObject, hint: str) -> bool:
    """A hint with MCP's default counted; what is no boolean counts as left out."""
    written = annotations.get(hint)
    return written if isinstance(written, bool) else _DEFAULTS[hint]


def _only(fields: JsonObject, key: str) -> JsonObject:
    return {key: fields[key]} if key in fields else {}


def _execution(old: JsonObject, new: JsonObject) -> Iterator[ContractChange]:
    before, after = (side.get(_MODE, _DEFAULT_MODE) for side in (old, new))
    if not same(before, after):
        yield ExecutionChanged(pointer=f"/execution/{_MODE}", before=before, after=after)
    elif (_MODE in old) != (_MODE in new):
        yield from leaves(_only(old, _MODE), _only(new, _MODE), "/execution")
    yield from leaves(without(old, {_MODE}), without(new, {_MODE}), "/execution")


def _output(old: Tool, new: Tool, world: str) -> Iterator[Fact]:
    if old.output_schema is None or new.output_schema is None:
        kind = OutputSchemaAdded if old.output_schema is None else OutputSchemaRemoved
        change = kind(pointer="/outputSchema", before=old.output_schema, after=new.output_schema)
        yield Fact(change, "output", change.pointer, old.name)
        return
    yield from _schemas(old.output_schema, new.output_schema, "output", old.name, world)


def _schemas(old: JsonValue, new: JsonValue, side: FindingSide, tool: str, world: str) -> Iterator[Any]:
    from fusion_contracts.diff.schemas import schema_facts  # loads the engine, which equal schemas do not need

    yield from schema_facts(old, new, side=side, tool=tool, world=world)
