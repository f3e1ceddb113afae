"""Two versions of one schema: the engine's edits as facts, and something said for every answer it gives."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import NamedTuple

from fusion_contracts import schema
from fusion_contracts.canonical import pointer_key, pointer_token
from fusion_contracts.diff.changes import (
    ActionAdded,
    ActionRemoved,
    ActionRenamed,
    ContractChange,
    Fact,
    SchemaNarrowed,
    Undecided,
)
from fusion_contracts.diff.constraints import is_property
from fusion_contracts.diff.findings import FindingSide
from fusion_contracts.model import JsonValue
from fusion_contracts.schema import Explanation, changes
from fusion_contracts.schema.by_action import ByAction, explain_by_action
from fusion_contracts.schema.changes import (
    DialectChanged,
    Edit,
    Place,
    PropertyAdded,
    ReferenceChanged,
    RequiredChanged,
    Rewritten,
    SchemaChange,
)
from fusion_contracts.schema.united import same_place, worst
from fusion_contracts.schema.values import key_of

__all__ = ["FieldContradicted", "schema_facts"]


class FieldContradicted(PropertyAdded):
    """A field of an output appeared, with values that the old schema ruled out under this name."""

    __slots__ = ()


_ROOTS = {"input": "/inputSchema", "output": "/outputSchema"}
_REWRITE = Edit(Rewritten(place=Place("", "", "")), "safe")
_UNIONS = ("/anyOf", "/oneOf")
_UNDER_KEYWORD = (
    changes.AdditionalPropertiesChanged,
    changes.AnnotationChanged,
    changes.BoundChanged,
    changes.ConditionChanged,
    changes.ContainsChanged,
    changes.DefaultChanged,
    changes.DeprecatedChanged,
    changes.DescriptionChanged,
    changes.DialectChanged,
    changes.EnumChanged,
    changes.ExamplesChanged,
    changes.FormatChanged,
    changes.ItemsChanged,
    changes.KeywordChanged,
    changes.NotChanged,
    changes.PatternChanged,
    changes.PropertyNamesChanged,
    changes.ReferenceChanged,
    changes.TitleChanged,
    changes.TypesChanged,
    changes.UnevaluatedChanged,
    changes.UniqueItemsChanged,
)


class _Schemas(NamedTuple):
    """Two versions of one schema of one tool."""

    old: JsonValue
    new: JsonValue
    side: FindingSide
    tool: str


def schema_facts(old: JsonValue, new: JsonValue, *, side: FindingSide, tool: str, world: str) -> Iterator[Fact]:
    """A fact for each edit between two schemas that differ; those that only spell the same set anew are one.

    The input of a tool that holds several actions is told action by action. The engine's answer for the whole pair is
    always told: where no edit tells it, by a fact on the whole schema.
    """
    pair = _Schemas(old, new, side, tool)
    actions = explain_by_action(old, new, world=world) if side == "input" else None
    if actions is not None:
        yield from _by_action(actions, pair)
        return
    explanation = schema.explain(old, new, output=side == "output", arguments=side == "input", world=world)
    action = tool if side == "input" else None
    proved = explanation.comparison.verdict == "compatible"
    edits = [edit for edit in explanation.edits if not _rewrites(edit)]
    if len(edits) < len(explanation.edits) or (proved and not edits):
        edits.append(_REWRITE)
    for edit in edits:
        yield _fact(edit, pair, action)
    yield from _untold(explanation, pair, action)


def _fact(edit: Edit, pair: _Schemas, action: str | None) -> Fact:
    exact, pointer = _pointers(edit, pair.old, pair.new)
    change = _contradicted(edit, pair.old) if pair.side == "output" else edit.change
    root = _ROOTS[pair.side]
    return Fact(change, pair.side, root + pointer, pair.tool, edit, root + exact, action)


def _by_action(actions: ByAction, pair: _Schemas) -> Iterator[Fact]:
    """What became of each action. An edit that every action has belongs to the whole tool."""
    listed = list(_action_list(actions, pair.tool))
    yield from listed
    seen: dict[Hashable, dict[str, Edit]] = {}
    for value, explanation in actions.common.items():
        for edit in explanation.edits:
            seen.setdefault(same_place(edit.change), {})[f"{pair.tool}.{value}"] = edit
    last = len(actions.common) == 1 and bool(actions.removed)
    for found in seen.values():
        if len(found) == len(actions.common) and not last:
            yield _fact(_of_the_tool(list(found.values()), pair), pair, None)
        else:
            once = {id(edit): (action, edit) for action, edit in reversed(found.items())}
            yield from (_fact(edit, pair, action) for action, edit in reversed(once.values()))
    for value, explanation in actions.common.items():
        yield from _untold(explanation, pair, f"{pair.tool}.{value}")
    if not listed and not seen:
        yield _fact(_REWRITE, pair, None)


def _of_the_tool(edits: list[Edit], pair: _Schemas) -> Edit:
    """The one edit that every action has. What it changes is shown as the documents write it, with all actions."""
    edit = worst(edits)
    shown = [key_of([found.change.before, found.change.after]) for found in edits]
    if len(set(shown)) == 1:
        return edit
    place = edit.change.place
    sides = ((pair.old, place.old), (pair.new, place.new))
    before, after = (None if pointer is None else _at(side, pointer) for side, pointer in sides)
    return edit._replace(change=replace(edit.change, before=before, after=after))


def _action_list(actions: ByAction, tool: str) -> Iterator[Fact]:
    """Actions that are gone, with a call of each; renamed ones; new ones."""
    pointer = _ROOTS["input"]
    for value, answer in actions.removed.items():
        key, successor = f"{tool}.{value}", actions.renamed.get(value)
        change: ContractChange = ActionRemoved(pointer=pointer, name=key, before=value)
        if successor is not None:
            change = ActionRenamed(pointer=pointer, name=key, before=value, after=f"{tool}.{successor}")
        edit = Edit(_REWRITE.change, "breaks", answer.has_witness, answer.witness)
        yield Fact(change, "input", pointer, tool, edit, action=key)
    for value in actions.added:
        added = ActionAdded(pointer=pointer, name=f"{tool}.{value}", after=value)
        yield Fact(added, "input", pointer, tool, action=added.name)


def _rewrites(edit: Edit) -> bool:
    """Whether an edit only spells the same set of values anew."""
    return edit.effect == "safe" and isinstance(edit.change, (Rewritten, ReferenceChanged, DialectChanged))


def _pointers(edit: Edit, old: JsonValue, new: JsonValue) -> tuple[str, str]:
    """Where the change is written, and where the schema or property stands that it concerns.

    A keyword (`/properties/url/minLength`) concerns its schema, a name in `required` the property of that name.
    """
    change = edit.change
    document, pointer = (new, change.place.new) if change.place.old is None else (old, change.place.old)
    exact = pointer or ""
    parent = exact.rpartition("/")[0]
    if isinstance(change, RequiredChanged):
        concerned = _property(parent, change.name, document)
        return concerned, concerned
    under_keyword = isinstance(change, _UNDER_KEYWORD) or (exact.endswith(_UNIONS) and not is_property(change.place))
    return exact, parent if under_keyword else exact


def _contradicted(edit: Edit, old: JsonValue) -> SchemaChange:
    """A new field of an output that breaks is a fact of its own, unless the old object took no new field at all."""
    change = edit.change
    if edit.effect != "breaks" or not isinstance(change, PropertyAdded):
        return change
    parent = (change.place.new or "").rpartition("/properties/")[0]
    if _closed(_at(old, parent)):
        return change
    return FieldContradicted(place=change.place, after=change.after, name=change.name, required=change.required)


def _closed(schema: JsonValue) -> bool:
    keywords = ("additionalProperties", "unevaluatedProperties")
    return isinstance(schema, dict) and any(schema.get(keyword) is False for keyword in keywords)


def _property(pointer: str, name: str, document: JsonValue) -> str:
    """The pointer to a property of the object at `pointer`; to its name in `required` when it is described nowhere."""
    schema = _at(document, pointer)
    if isinstance(schema, dict):
        described, listed = schema.get("properties"), schema.get("required")
        if isinstance(listed, list) and name in listed and not (isinstance(described, dict) and name in described):
            return f"{pointer}/required/{listed.index(name)}"
    return f"{pointer}/properties/{pointer_token(name)}"


def _at(document: JsonValue, pointer: str) -> JsonValue:
    """What stands at a pointer, None where nothing does."""
    for token in pointer.split("/")[1:]:
        step = pointer_key(token)
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list) and step.isdecimal() and int(step) < len(document):
            document = document[int(step)]
        else:
            return None
    return document


def _untold(explanation: Explanation, pair: _Schemas, action: str | None) -> Iterator[Fact]:
    """The answer for the pair when it is worse than those of all its edits."""
    answer = explanation.comparison
    effects = {edit.effect for edit in explanation.edits}
    pointer = _ROOTS[pair.side]
    if answer.verdict == "incompatible" and "breaks" not in effects:
        change = SchemaNarrowed(pointer=pointer, name=pair.side, before=pair.old, after=pair.new)
        edit = Edit(_REWRITE.change, "breaks", answer.has_witness, answer.witness)
        yield Fact(change, pair.side, pointer, pair.tool, edit, action=action)
    if answer.verdict == "undecided" and effects.isdisjoint({"breaks", "undecided"}):
        undecided = Undecided(pointer=pointer, before=pair.old, after=pair.new, reason=answer.reason)
        yield Fact(undecided, pair.side, pointer, pair.tool, action=action)
