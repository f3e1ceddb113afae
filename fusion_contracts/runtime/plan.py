"""The changes of one action, ranked and rendered once, so that an error gets its block in microseconds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from fusion_contracts.runtime.deltas import Delta
from fusion_contracts.runtime.echo import fitted
from fusion_contracts.runtime.envelope import clean, escape, escape_attribute

__all__ = ["Plan", "inserted"]

_SEVERITIES = {"BREAKING": 0, "RISKY": 1}
_KINDS = {"structure": 0, "hint": 1, "prose": 2}
_VALIDATION = "<validation_error"
_CODED = ('<tool_error code="VALIDATION_ERROR"', '<tool_error code="UNKNOWN_ACTION"')
_COMPLETE = _CODED[:1]  # of an action that is gone, UNKNOWN_ACTION says so itself
_FIELD = re.compile('<field name="([^"]*)"')
_INDEX = re.compile(r"\[\d+\]")
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))
_LONGEST = 1_200  # characters of the changes in one block
_BLOCKS = 128  # rendered blocks that are kept, by failing arguments


class Plan:
    """`deltas` are ranked: BREAKING before RISKY, structure before hints before prose."""

    __slots__ = ("_blocks", "_by_field", "_cap", "_coded", "_lines", "deltas", "gone_arguments")

    def __init__(self, deltas: Sequence[Delta], cap: int, *, gone: bool) -> None:
        """`gone`: the action itself was removed or renamed."""
        self.deltas = tuple(sorted(deltas, key=_rank))
        self.gone_arguments: Mapping[str, Delta] = {
            delta.gone: delta for delta in sorted(deltas, key=lambda delta: delta.age) if delta.gone is not None
        }
        self._cap = cap
        self._coded = _COMPLETE if gone else _CODED
        self._lines = tuple(map(_line, self.deltas))
        self._by_field: dict[str, list[int]] = {}
        for index, delta in enumerate(self.deltas):
            for name in {delta.field, delta.gone} - {"", None}:
                self._by_field.setdefault(str(name), []).append(index)
        self._blocks: dict[tuple[tuple[str, ...], str], str] = {}

    def block(self, failing: tuple[str, ...], indent: str = "") -> str:
        """The block, changes of the failing arguments first."""
        key = (failing, indent)
        block = self._blocks.get(key)
        if block is None:
            block = self._rendered(failing, indent)
            if len(self._blocks) < _BLOCKS:
                self._blocks[key] = block
        return block

    def enrich(self, text: str) -> str:
        """The text with the block, or the text itself."""
        start = text if text.startswith("<") else text.lstrip()
        if not start.startswith(_VALIDATION) and not start.startswith(self._coded):
            return text
        if "<contract_awareness" in text:
            return text
        names = dict.fromkeys(map(_plain, _FIELD.findall(text)))
        failing = tuple(name for name in names if name in self._by_field)
        return inserted(text, lambda indent: self.block(failing, indent))

    def shown(self, failing: tuple[str, ...]) -> tuple[Delta, ...]:
        """The changes that the block tells, in its order."""
        return tuple(self.deltas[index] for index in self._order(failing))

    def _order(self, failing: tuple[str, ...]) -> list[int]:
        chosen: dict[int, None] = {}
        for name in failing:
            chosen |= dict.fromkeys(self._by_field.get(_INDEX.sub("[]", name), ()))
        others = [index for index in range(min(len(self.deltas), 2 * self._cap)) if index not in chosen]
        return self._fitting([*sorted(chosen)[: self._cap], *others][: self._cap])

    def _rendered(self, failing: tuple[str, ...], indent: str) -> str:
        order = self._order(failing)
        shown = [self.deltas[index] for index in order]
        oldest = min(shown, key=lambda delta: delta.age).since
        since = f' since="{_attribute(oldest)}"' if oldest else ""
        counts = f' shown="{len(shown)}" total="{len(self.deltas)}"' if len(shown) < len(self.deltas) else ""
        lines = [f"{indent}<contract_awareness{since}{counts}>"]
        lines += [f"{indent}  {self._lines[index]}" for index in order]
        lines.append(f"{indent}</contract_awareness>")
        return "\n".join(lines)

    def _fitting(self, order: list[int]) -> list[int]:
        """As many of these changes as a block holds; one at least."""
        ends = accumulate(len(self._lines[index]) for index in order)
        return [index for index, end in zip(order, ends, strict=True) if end <= _LONGEST or index == order[0]]


def _rank(delta: Delta) -> tuple[int, int, int]:
    return _SEVERITIES[delta.severity], _KINDS[delta.kind], -delta.age


def inserted(text: str, block: Callable[[str], str]) -> str:
    """The text with a block directly before its last `<recovery>`, or before its end where it has none.

    `block` makes the block for an indentation.
    """
    at = text.rfind("<recovery>")
    if at < 0:
        at = text.rfind("</")
    line = text.rfind("\n", 0, at) + 1
    lead = text[line:at]
    if lead.strip(" "):  # all on one line
        return f"{text[:at]}{block('')}{text[at:]}"
    closing = text.startswith("</", at)
    indent = lead + "  " if closing else lead
    return f"{text[:line]}{block(indent)}\n{text[line:]}"


def _line(delta: Delta) -> str:
    field = f' field="{_attribute(delta.field)}"' if delta.field else ""
    text = fitted(delta.text, 160, lambda shown: escape(clean(shown)))
    return f'<change severity="{delta.severity}"{field}>{text}</change>'


def _attribute(text: str) -> str:
    return fitted(text, 100, lambda shown: escape_attribute(clean(shown)))


def _plain(name: str) -> str:
    """A name as it stood before it was written into an attribute, any index left open."""
    if "&" in name:
        for entity, character in _ENTITIES:
            name = name.replace(entity, character)
    return _INDEX.sub("[]", name) if "[" in name else name
