"""What an agent that learned an older contract must know about one action: findings, in the fewest words."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from fusion_contracts.canonical import pointer_key
from fusion_contracts.model import JsonValue, ServerContract, Tool
from fusion_contracts.runtime.carries import Carried, carried
from fusion_contracts.runtime.echo import clip, quoted, show
from fusion_contracts.runtime.places import places_of

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding

__all__ = ["Actions", "Delta", "DeltaKind", "actions_of", "deltas_between", "version_of"]

DeltaKind: TypeAlias = Literal["structure", "hint", "prose"]

_LONGEST = 120  # characters of one change
_TOOL_RULES = {"tool-removed", "tool-renamed", "action-removed", "action-renamed"}
_HINTS = {"read-only-lost", "destructive-gained", "idempotent-lost", "open-world-gained", "execution-changed"}
_PROSE = {"description-changed", "parameter-description-changed", "invisible-text-added"}
# Nothing that a caller could act on: display, other annotations, and the dialect in which the schema is written.
_SILENT = {"title-changed", "icons-changed", "hint-towards-safety", "hint-without-effect", "dialect-changed"}
_REMOVED = "removed"
_WORDS = {
    "property-removed": _REMOVED,
    "required-property-added": "new and required",
    "property-became-required": "now required",
    "null-removed": "no longer takes null",
    "property-name-taken": "new argument",
    "description-changed": "description reworded",
    "parameter-description-changed": "description reworded",
    "invisible-text-added": "description changed",
    "undecided": "changed: read its description again",
    "schema-narrowed": "takes fewer calls: read its description again",
    "additional-properties-closed": "unknown arguments are refused now",
    "input-schema-emptied": "no longer says what it takes",
}
_BRANCH = re.compile(r"\([^()=\s]+=[^()]*\)(?=[.\[ ,])")  # `(kind=a)`: which form of a union
_AND_MORE = re.compile(r"^and \d+ more ")
_RETYPED = "no longer takes "
_BECAME = {
    "pattern-tightened": "must match {}",
    "minimum-raised": "minimum is {} now",
    "maximum-lowered": "maximum is {} now",
    "min-length-raised": "minLength is {} now",
    "max-length-lowered": "maxLength is {} now",
    "min-items-raised": "minItems is {} now",
    "max-items-lowered": "maxItems is {} now",
}


@dataclass(frozen=True, slots=True)
class Delta:
    """One change of an action that matters to its callers.

    `field` is the argument concerned, in the live contract where it is there (`fields[].target`), "" for the whole
    action. `since` names the release after which it changed, "" where it has no name; `age` orders releases, the
    older the smaller. `gone` is the argument of the old contract that the live one does not have, `successor` what took
    its place, and `carries` says that the old value may be sent there.
    """

    action: str
    severity: Literal["BREAKING", "RISKY"]
    field: str
    text: str
    kind: DeltaKind = "structure"
    since: str = ""
    age: int = 0
    gone: str | None = None
    successor: str | None = None
    carries: bool = False


def version_of(contract: ServerContract) -> str:
    """What a contract calls its version; "" where it has none."""
    version = contract.info.get("version")
    return version if isinstance(version, str) else ""


def deltas_between(old: ServerContract, new: ServerContract, since: str, age: int = 0) -> list[Delta]:
    """What changed for the callers of each action of the old contract, unranked; whole tools by their name.

    Outputs, prompts and the server's own fields are left out: they do not decide whether a call is taken.
    """
    from fusion_contracts.diff import diff  # once, when awareness is made; not when the runtime is imported

    before, after = _inputs(old), _inputs(new)
    report = diff(before, after)
    by_tool: dict[str, dict[str | None, list[Finding]]] = {}
    for finding in report.findings:
        if finding.level > 0 and finding.tool is not None and finding.side in {"input", "tool"}:
            by_tool.setdefault(finding.tool, {}).setdefault(finding.action, []).append(finding)
    found: list[Delta] = []
    for name, by_action in by_tool.items():
        ours, theirs = before.tools.get(name), after.tools.get(name)
        deltas: list[Delta] = []
        for action, findings in by_action.items():
            sides = [_schema_of(tool, action) for tool in (theirs, ours) if tool is not None]
            crossing = carried(sides[1], sides[0]) if len(sides) > 1 else {}
            said = [delta for finding in findings for delta in _deltas(action or name, finding, sides)]
            deltas += _of_action(action or name, _outermost(said), crossing)
        found += [*deltas, *(_of_selector(deltas, theirs) if theirs else ())]
    return [replace(delta, since=since, age=age) for delta in found]


def _inputs(contract: ServerContract) -> ServerContract:
    """The contract without what is not asked about here."""
    tools = {name: replace(tool, output_schema=None, meta={}, extra={}) for name, tool in contract.tools.items()}
    return ServerContract(contract.name, tools=tools)


def _schema_of(tool: Tool, action: str | None) -> JsonValue:
    """What one action of a tool takes, None what all do; nothing where the tool does not have the action."""
    return tool.input_schema if action in {None, tool.name} else actions_of(tool).schemas.get(str(action))


def _of_action(name: str, deltas: Sequence[Delta], crossing: Mapping[str, Carried]) -> Iterator[Delta]:
    """The changes of one action, with the renames that only the values show in place of what they explain."""
    renamed = {delta.gone for delta in deltas if delta.successor is not None}
    for delta in deltas:
        way = crossing.get(delta.gone) if delta.gone is not None else None
        if way is not None and way.successor == delta.successor:
            yield replace(delta, text=_renamed_from(way.name, carries=True), carries=True)
        elif not _told_by(delta, crossing, renamed):
            yield delta
    for gone, (successor, old) in crossing.items():
        parts = [delta for delta in deltas if delta.field in {gone, successor} and delta.successor is None]
        if gone not in renamed and parts:
            breaking = any(delta.severity == "BREAKING" for delta in parts)
            text = _renamed_from(old, carries=True)
            severity: Literal["BREAKING", "RISKY"] = "BREAKING" if breaking else "RISKY"
            yield Delta(name, severity, successor, text, gone=gone, successor=successor, carries=True)


def _of_selector(deltas: Iterable[Delta], live: Tool) -> Iterator[Delta]:
    """Actions that are gone, as changes of the argument that selects: a call of one names no action that is there."""
    gone = [delta for delta in deltas if not delta.field and delta.action.startswith(f"{live.name}.")]
    selector = actions_of(live).selector if gone else ""
    for delta in gone:
        value = delta.action.removeprefix(f"{live.name}.")
        if delta.text == _REMOVED:
            yield Delta(live.name, delta.severity, selector, f"no longer accepts {quoted(value)}")
        elif delta.successor is not None:
            successor = delta.successor.removeprefix(f"{live.name}.")
            yield Delta(live.name, delta.severity, selector, f"{quoted(value)} is {quoted(successor)} now")


def _outermost(deltas: list[Delta]) -> list[Delta]:
    """Without what went inside a value that has another type now: the change of type tells it."""
    retyped = tuple(
        (f"{delta.field}.", f"{delta.field}[]")
        for delta in deltas
        if delta.field and delta.text.startswith(_RETYPED) and delta.gone is None
    )
    return [delta for delta in deltas if not any(delta.field.startswith(inner) for inner in retyped)]


def _told_by(delta: Delta, crossing: Mapping[str, Carried], renamed: set[str | None]) -> bool:
    """Whether a rename that the values show tells this removal or addition already."""
    fresh = {way.successor for gone, way in crossing.items() if gone not in renamed}
    removed = delta.gone in crossing and delta.gone not in renamed
    added = delta.field in fresh and delta.text == _WORDS["required-property-added"]
    return delta.successor is None and (removed or added)


def _deltas(action: str, finding: Finding, sides: Sequence[JsonValue]) -> Iterator[Delta]:
    """What a finding says, for each place in the arguments that it is about."""
    if finding.rule in _SILENT or (finding.pointer.startswith("/annotations") and finding.rule not in _HINTS):
        return
    severity: Literal["BREAKING", "RISKY"] = "BREAKING" if finding.level.name == "BREAKING" else "RISKY"
    if finding.rule in _TOOL_RULES:
        yield _whole(action, finding, severity)
        return
    places = places_of(finding.pointer, sides) if finding.side == "input" else [""]
    if not places:
        yield Delta(action, severity, "", clip(finding.message, _LONGEST), _kind(finding.rule))
    text = _text(finding, places)
    for field in places:
        base = Delta(action, severity, field, text, _kind(finding.rule))
        if finding.rule == "property-removed":
            yield replace(base, gone=field)
        elif finding.rule == "property-renamed" and finding.successor is not None:
            old = pointer_key(finding.pointer.rpartition("/")[2])
            successor = f"{field.removesuffix(old)}{finding.successor}"
            carries = "carries over" in finding.message
            renamed = _renamed_from(old, carries=carries)
            yield replace(base, field=successor, text=renamed, gone=field, successor=successor, carries=carries)
        else:
            yield base


def _whole(action: str, finding: Finding, severity: Literal["BREAKING", "RISKY"]) -> Delta:
    text = f"renamed to {clip(finding.successor)}" if finding.successor else _REMOVED
    return Delta(action, severity, "", text, successor=finding.successor)


def _renamed_from(old: str, *, carries: bool) -> str:
    return f"renamed from {clip(old)}; same value" if carries else f"replaces {clip(old)}; do not reuse its value"


def _kind(rule: str) -> DeltaKind:
    return "hint" if rule in _HINTS else "prose" if rule in _PROSE else "structure"


def _text(finding: Finding, places: Sequence[str]) -> str:
    if finding.rule in _WORDS:
        return _WORDS[finding.rule]
    if finding.rule in _BECAME and isinstance(finding.after, (str, int, float)):
        return clip(_BECAME[finding.rule].format(finding.after), _LONGEST)
    if finding.rule == "default-changed" and finding.after is not None:
        return f"default is {show(finding.after)} now"
    return clip(_predicate(finding.message, places), _LONGEST)


def _predicate(sentence: str, places: Sequence[str]) -> str:
    """A finding's sentence without its subject: `input`, or the places in a row, with the branches they stand in."""
    rest = _BRANCH.sub("", sentence).replace(", .", ", ").removeprefix(".")
    longest_first = sorted((place for place in places if place), key=len, reverse=True)
    while True:
        place = next((place for place in longest_first if rest.startswith((f"{place} ", f"{place}, "))), None)
        if place is None:
            return _AND_MORE.sub("", rest).removeprefix("input ")
        rest = rest.removeprefix(place).removeprefix(",").removeprefix(" ")


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of a grouped tool: the argument that selects, and each action's own schema by its key."""

    selector: str = ""
    schemas: Mapping[str, JsonValue] = dataclasses.field(default_factory=dict)


def actions_of(tool: Tool) -> Actions:
    """The actions of a tool; none of a flat one."""
    from fusion_contracts.schema.actions import grouping

    group = grouping(tool.input_schema)
    if group is None:
        return Actions()
    return Actions(group.discriminator, {f"{tool.name}.{value}": group.effective(value) for value in group.values})
