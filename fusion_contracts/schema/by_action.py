"""Two versions of a grouped tool, action by action: each by its own effective schema."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

from fusion_contracts.schema.actions import Grouping, grouping, grouping_by
from fusion_contracts.schema.changes import Edit, EnumChanged, Rewritten, SchemaChange
from fusion_contracts.schema.compare import Comparison, Pair, Side, deep_recursion
from fusion_contracts.schema.explain import MOST_WORK, Explanation, explain_pair
from fusion_contracts.schema.identity import Identity
from fusion_contracts.schema.rename import bare_name
from fusion_contracts.schema.trouble import Undecided
from fusion_contracts.schema.united import same_place

__all__ = ["ByAction", "explain_by_action"]

MOST_STEPS = 4 * MOST_WORK  # of all actions together; what takes more is compared as one
CHEAP = 4  # schemas that cost as much to read as one step: most are branches of other actions


class ByAction(NamedTuple):
    """What became of each action of a grouped schema; the keys are values of the discriminator.

    An edit at the root is asked about until it breaks some action; the others show that same edit.

    `removed` holds for each action that is gone the answer that shows a call of it failing; `renamed` the new name of
    those that live on under one; `common` explains every action that both sides have. An edit that stands in all of
    them concerns the whole tool.
    """

    discriminator: str
    removed: Mapping[str, Comparison]
    renamed: Mapping[str, str]
    added: tuple[str, ...]
    common: Mapping[str, Explanation]


def explain_by_action(old: Any, new: Any, *, world: str = "declared") -> ByAction | None:
    """The actions of two input schemas compared one by one, or None where the old one is not grouped.

    The new one has to list the actions by the same property, if only one of them. None as well where the actions do
    not tell the whole story: a value that the new schema no longer speaks of and still accepts; and where one by one
    they would take too long. Witnesses hold for the whole schemas. Never raises for what a schema says.
    """
    if grouping(old) is None:  # nearly all tools: nothing to translate
        return None
    with deep_recursion():
        try:
            before, after = Side(old), Side(new)
            mine = grouping(before.schema)
            theirs = None if mine is None else grouping_by(after.schema, mine.discriminator)
            return None if mine is None or theirs is None else _compare(before, after, mine, theirs, world)
        except (Undecided, RecursionError):
            return None


def _compare(before: Side, after: Side, old: Grouping, new: Grouping, world: str) -> ByAction | None:
    gone = [value for value in old.values if value not in new.values]
    come = [value for value in new.values if value not in old.values]

    whole = Pair(before, after, world=world, objects=True)

    pairs: list[Pair] = []

    def pair(value: str) -> Pair:
        searched = whole.space.fuel.burnt + sum(each.steps for each in pairs)
        if searched + whole.builder.reads // CHEAP > MOST_STEPS:
            raise Undecided("its actions are too entangled to compare each of them")
        pairs.append(whole.limited(old.effective(value), new.effective(value)))
        return pairs[-1]

    removed = {value: pair(value).comparison() for value in gone}
    if any(answer.verdict != "incompatible" for answer in removed.values()):
        return None
    renamed = dict(_renames(old, new, gone, come))
    common: dict[str, Explanation] = {}
    told: dict[Hashable, Edit] = {}
    for value in old.values:
        if value in new.values:
            common[value] = _without_selection(explain_pair(pair(value), told=told), old.discriminator)
            told |= {
                same_place(edit.change): edit
                for edit in common[value].edits
                if edit.effect == "breaks" and _of_all_actions(edit.change)
            }
    complete = old.closed or removed or any(each.comparison.verdict == "incompatible" for each in common.values())
    if not complete and whole.comparison().verdict != "compatible":
        return None  # a selector without a closed list has more values
    added = tuple(value for value in come if value not in renamed.values())
    return ByAction(old.discriminator, removed, renamed, added, common)


def _renames(old: Grouping, new: Grouping, gone: list[str], come: list[str]) -> list[tuple[str, str]]:
    """Pairs beyond doubt: names that differ in case and separators alone, or one twin on each side."""
    pairs = [(a, b) for a in gone for b in come if bare_name(a) == bare_name(b)]
    if not pairs and len(gone) == len(come) == 1 and _twins(old, new, gone[0], come[0]):
        pairs = [(gone[0], come[0])]
    return [pair for pair in pairs if sum(p[0] == pair[0] or p[1] == pair[1] for p in pairs) == 1]


def _twins(old: Grouping, new: Grouping, value: str, successor: str) -> bool:
    """Whether the two actions take the same, word for word, but for the name of the action itself."""
    name = old.discriminator
    mine, theirs = _parts(old.effective(value), name), _parts(new.effective(successor), name)
    return Identity().same(mine, theirs) and bool(mine)


def _parts(schema: Any, discriminator: str) -> list[Any]:
    """What the selected branch takes beside the discriminator."""
    branches = [b for union in ("oneOf", "anyOf") for b in schema.get(union) or () if isinstance(b, dict)]
    properties = [b.get("properties") for b in branches]
    told = [p for p in properties if isinstance(p, dict) and len(p) > 1]
    return [{name: part for name, part in p.items() if name != discriminator} for p in told]


def _of_all_actions(change: SchemaChange) -> bool:
    """Whether a change stands at the root, outside of what belongs to one action."""
    pointer = change.place.new if change.place.old is None else change.place.old
    return (pointer or "").split("/")[1:2] in (["properties"], ["required"])


def _without_selection(explanation: Explanation, name: str) -> Explanation:
    """Without edits of the list of actions itself, and rewrites: what the actions' own edits do not tell."""
    edits = tuple(edit for edit in explanation.edits if not _about_selection(edit.change, name))
    return Explanation(explanation.comparison, edits)


def _about_selection(change: SchemaChange, name: str) -> bool:
    if isinstance(change, Rewritten):
        return True
    return isinstance(change, EnumChanged) and change.place.path.rpartition(")")[2].lstrip(".") == name
