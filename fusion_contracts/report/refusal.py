"""The call that worked, and why it fails now: the argument of it that the change concerns, as far as a finding says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from fusion_contracts.canonical import pointer_key, printable, printable_json
from fusion_contracts.report.allowed import allowed
from fusion_contracts.report.layout import cut, width_of

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.model import JsonValue

__all__ = ["call", "refusal"]

_PLAIN = "refused by its schema"
_GONE = frozenset({"property-removed", "property-forbidden"})
_BRANCHES = frozenset({"anyOf", "oneOf", "allOf"})
_LONGEST_PATH = 120  # cells
_LONGEST = 40  # cells of a value; the whole call stands above it


def call(finding: Finding, *, within: int | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """The witness as two labelled texts: the call that worked and what it gets now.

    Of an output, the answer and that old readers do not take it. Nothing is cut. Arguments keep their order, but where
    the text is wider than `within`, and so will be cut: there what the change concerns comes first.
    """
    name = printable(finding.action or finding.tool or "")
    text = f"{name} {printable_json(finding.witness)}"
    if within is not None and width_of(text) > within:
        text = f"{name} {printable_json(_fronted(finding.witness, list(_names(finding.pointer))))}"
    if finding.side == "output":
        return ("answers", text), ("readers", "of the old contract refuse it")
    return ("worked", text), ("now", refusal(finding))


def refusal(finding: Finding) -> str:
    """`refused: pageId is missing`, `refused: unit must be one of 'C', 'F'`, as far as the finding says it.

    Else what the argument is, which stands in the call too; only that it is refused where none can be named.
    """
    if finding.silent:
        return f"{_PLAIN}; a server that drops unknown keys answers without it"
    if finding.successor is not None:
        return f"refused: it takes {printable(finding.successor)} instead"
    found = _argument(finding)
    if found is None:
        return _PLAIN
    path, there, value, alone = found
    path = cut(path, _LONGEST_PATH)
    if there and finding.rule in _GONE:
        return f"refused: {path} is no argument now"
    if not alone:
        return _PLAIN
    if not there:
        return f"refused: {path} is missing"
    wanted = allowed(finding, value)
    if wanted is not None:
        return f"refused: {path} must {wanted}"
    return f"refused: {path} is {cut(printable_json(value), _LONGEST)}"


def _fronted(value: JsonValue, path: list[str | None]) -> JsonValue:
    """The same JSON value with the keys of a path first in their objects."""
    if not path:
        return value
    name, *rest = path
    if name is None:
        return [_fronted(value[0], rest), *value[1:]] if isinstance(value, list) and value else value
    if not isinstance(value, dict) or name not in value:
        return value
    return {name: _fronted(value[name], rest), **{key: item for key, item in value.items() if key != name}}


def _argument(finding: Finding) -> tuple[str, bool, JsonValue, bool] | None:
    """The argument that a finding's pointer names: its path, whether the call holds it, its value. None for none.

    Last, whether it is the only one of that path: of several elements the first is shown, and it may be another that is
    refused. What is asked of the others need not hold for those at the front, which may have schemas of their own.
    """
    path, value, there, alone = "", finding.witness, True, True
    for name in _names(finding.pointer):
        if not there:
            return None
        if name is None:
            there, alone = isinstance(value, list) and bool(value), alone and not _several(value)
            path, value = f"{path}[]", value[0] if there else None
        else:
            there = isinstance(value, dict) and name in value
            path, value = f"{path}.{printable(name)}".lstrip("."), value[name] if there else None
    return (path, there, value, alone) if path else None


def _several(value: JsonValue) -> bool:
    return isinstance(value, list) and len(value) > 1


def _names(pointer: str) -> Iterator[str | None]:
    """The steps that a pointer into a schema takes in an instance: a property's name, None for an element.

    A branch is no step; whatever else stands there is a keyword of the place reached, and the way ends.
    """
    steps = map(pointer_key, pointer.split("/")[2:])
    for step in steps:
        if step == "properties":
            yield from islice(steps, 1)
        elif step == "items":
            yield None
        elif step in _BRANCHES:
            next(steps, None)
        else:
            return
