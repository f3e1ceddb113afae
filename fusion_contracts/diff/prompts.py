"""The prompts of two versions of one server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fusion_contracts.canonical import pointer_token
from fusion_contracts.diff.changes import (
    ContractChange,
    DisplayTitleChanged,
    PromptAdded,
    PromptArgumentAdded,
    PromptArgumentRemoved,
    PromptArgumentRequiredChanged,
    PromptRemoved,
    PromptRenamed,
    ProseChanged,
    UnclassifiedChange,
)
from fusion_contracts.diff.fields import field_facts, leaves
from fusion_contracts.diff.pairing import pair
from fusion_contracts.model import JsonObject, Prompt, PromptArgument

__all__ = ["prompt_changes"]


def prompt_changes(old: Mapping[str, Prompt], new: Mapping[str, Prompt]) -> Iterator[ContractChange]:
    """All that differs between two sets of prompts, a renamed one under its old name."""
    pairs, gone, fresh = pair(old, new, fits=_alike, same=_alike)
    for prompt in gone:
        yield PromptRemoved(pointer=_pointer(prompt.name), name=prompt.name)
    for prompt in fresh:
        yield PromptAdded(pointer=_pointer(prompt.name), name=prompt.name)
    for before, after in pairs:
        yield from _changes(before, after)


def _pointer(name: str) -> str:
    return f"/prompts/{pointer_token(name)}"


def _alike(old: Prompt, new: Prompt) -> bool:
    return old.arguments == new.arguments


def _changes(old: Prompt, new: Prompt) -> Iterator[ContractChange]:
    pointer, name = _pointer(old.name), f"prompt {old.name}"
    if old.name != new.name:
        yield PromptRenamed(pointer=pointer, name=old.name, before=old.name, after=new.name)
    if old.description != new.description:
        yield ProseChanged(pointer=f"{pointer}/description", name=name, before=old.description, after=new.description)
    if old.title != new.title:
        yield DisplayTitleChanged(pointer=f"{pointer}/title", name=name, before=old.title, after=new.title)
    yield from _arguments(old, new, pointer)
    yield from leaves(old.meta, new.meta, f"{pointer}/_meta")
    yield from field_facts(old.extra, new.extra, pointer, name)


def _arguments(old: Prompt, new: Prompt, pointer: str) -> Iterator[ContractChange]:
    befores, afters = ({argument.name: argument for argument in prompt.arguments} for prompt in (old, new))
    for name in sorted(befores.keys() | afters.keys()):
        below, full = f"{pointer}/arguments/{pointer_token(name)}", f"{old.name}.{name}"
        before, after = befores.get(name), afters.get(name)
        if before is None and after is not None:
            yield PromptArgumentAdded(pointer=below, name=full, after=_listed(after))
        elif after is None and before is not None:
            yield PromptArgumentRemoved(pointer=below, name=full, before=_listed(before))
        elif before is not None and after is not None:
            yield from _argument(before, after, below, full)
    orders = [[name for name in side if name in befores and name in afters] for side in (befores, afters)]
    if orders[0] != orders[1]:  # clients that take arguments by position go wrong
        before_names, after_names = orders
        yield UnclassifiedChange(
            pointer=f"{pointer}/arguments", before=before_names, after=after_names, had=True, has=True
        )


def _argument(old: PromptArgument, new: PromptArgument, pointer: str, name: str) -> Iterator[ContractChange]:
    if old.required != new.required:
        yield PromptArgumentRequiredChanged(
            pointer=f"{pointer}/required", name=name, before=old.required, after=new.required
        )
    if old.description != new.description:
        yield ProseChanged(
            pointer=f"{pointer}/description", name=f"prompt {name}", before=old.description, after=new.description
        )
    yield from field_facts(old.extra, new.extra, pointer, f"prompt {name}")


def _listed(argument: PromptArgument) -> JsonObject:
    said = {} if argument.description is None else {"description": argument.description}
    return {"name": argument.name, **said, "required": argument.required, **argument.extra}
