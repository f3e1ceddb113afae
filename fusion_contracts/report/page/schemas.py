"""The schemas of the tools that findings are about, old and new side by side; each stands on the page once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fusion_contracts.report.counts import count
from fusion_contracts.report.page.markup import Markup, escape, join, tag
from fusion_contracts.report.page.prose import marked
from fusion_contracts.report.page.room import Room
from fusion_contracts.report.page.sidebyside import ABSENT, Hunk, hunks

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.model import JsonValue, Lock, ServerContract, Tool
    from fusion_contracts.report.context import Context

__all__ = ["Schemas"]

_AROUND = 3  # lines that stay in view on each side of a change
_FOLDED = 4  # lines that are fewer than these are not worth folding
_REST = "more rows are left out, for the size of this page"


@dataclass(slots=True)
class Schemas:
    """Gathers the schemas that findings ask for, and shows them at the end of the page. The first take what room is.

    `renamed` holds the new names of tools, by lockfile, server and old name: their schemas are compared all the same.
    """

    context: Context
    room: Room
    renamed: Mapping[tuple[str | None, str, str | None], str] = field(default_factory=dict)
    _ids: dict[tuple[str | None, str, str, str], str] = field(default_factory=dict)
    _made: list[Markup] = field(default_factory=list)

    def identifier(self, finding: Finding) -> str | None:
        """The id under which the page shows the schemas that a finding is about; None where it is about none."""
        if finding.side not in {"input", "output"} or finding.tool is None:
            return None
        key = finding.lockfile, finding.server, finding.tool, finding.side
        if key not in self._ids:
            old, new = self._pair(finding)
            if old is ABSENT and new is ABSENT:
                return None
            self._ids[key] = f"schema-{len(self._made) + 1}"
            self._made.append(self._entry(self._ids[key], key, _table(old, new, self.room)))
        return self._ids[key]

    def render(self) -> Markup:
        """All of them, folded; nothing where no finding asked."""
        if not self._made:
            return Markup("")
        heading = tag("h2", "Schemas side by side", id="schemas-heading")
        return tag("section", heading, *self._made, class_="appendix", aria_labelledby="schemas-heading")

    def _pair(self, finding: Finding) -> tuple[JsonValue, JsonValue]:
        old, new = _contracts(finding, self.context)
        before = old.tools.get(finding.tool or "") if old else None
        name = self.renamed.get((finding.lockfile, finding.server, finding.tool), finding.tool or "")
        after = new.tools.get(name) if new else None
        return _schema(before, finding.side), _schema(after, finding.side)

    def _entry(self, identifier: str, key: tuple[str | None, str, str, str], table: Markup) -> Markup:
        lockfile, server, tool, side = key
        among = [place for place in (lockfile, server if len(_servers(self.context)) > 1 else None) if place]
        named = join([tag("span", tool, class_="who"), f" {side}", *(f" ({place})" for place in among)])
        body = tag("div", table, class_="body")
        return tag("details", tag("summary", named), body, id=identifier, class_="entry")


def _servers(context: Context) -> set[str]:
    return {name for one in context.compared.values() for name in one.old.servers}


def _contracts(finding: Finding, context: Context) -> tuple[ServerContract | None, ServerContract | None]:
    """Both sides of a finding's server; a single one on each side is a pair whatever it is called."""
    compared = context.of(finding)
    if len(compared.old.servers) == len(compared.new.servers) == 1:
        return _only(compared.old), _only(compared.new)
    return compared.old.servers.get(finding.server), compared.new.servers.get(finding.server)


def _only(lock: Lock) -> ServerContract:
    return next(iter(lock.servers.values()))


def _schema(tool: Tool | None, side: str) -> JsonValue:
    if tool is None:
        return ABSENT
    if side == "input":
        return tool.input_schema
    return ABSENT if tool.output_schema is None else tool.output_schema


def _table(old: JsonValue, new: JsonValue, room: Room) -> Markup:
    head = tag("thead", tag("tr", tag("th", "Before", scope="col"), tag("th", "Now", scope="col")))
    return tag("table", head, tag("tbody", *_rows(list(hunks(old, new)), room)), class_="schemas")


def _rows(found: list[Hunk], room: Room) -> Iterator[Markup]:
    for number, hunk in enumerate(found):
        parts = _parts(hunk, first=number == 0, last=number == len(found) - 1) if hunk.same else [_changed(hunk, room)]
        for row in parts:
            if not room.takes(row):
                yield tag("tr", tag("td", f"{len(found) - number:,} {_REST}", colspan="2"), class_="middle")
                return
            yield row


def _parts(hunk: Hunk, *, first: bool, last: bool) -> Iterator[Markup]:
    """Lines that are the same: those beside a change in view, the rest folded and written once."""
    size = len(hunk.old)
    start, end = 0 if first else _AROUND, size if last else size - _AROUND
    if end - start < _FOLDED:
        start = end = size
    if start:
        yield _row(_lines(hunk.old[:start]), _lines(hunk.new[:start]))
    if end > start:
        summary = tag("summary", f"{count(end - start, 'line')} the same")
        folded = tag("details", summary, tag("div", _lines(hunk.new[start:end])))
        yield tag("tr", tag("td", folded, colspan="2"), class_="middle")
    if size > end:
        yield _row(_lines(hunk.old[end:]), _lines(hunk.new[end:]))


def _changed(hunk: Hunk, room: Room) -> Markup:
    old, new = _lines(hunk.old), _lines(hunk.new)
    if len(hunk.old) == len(hunk.new):
        sides = [marked(*pair, room) for pair in zip(hunk.old, hunk.new, strict=True)]
        old, new = (join(side, Markup("\n")) for side in zip(*sides, strict=True))
    return _row(tag("del", old) if old else old, tag("ins", new) if new else new, class_="changed")


def _row(old: Markup, new: Markup, **attributes: str) -> Markup:
    return tag("tr", tag("td", old), tag("td", new), **attributes)


def _lines(texts: Iterable[str]) -> Markup:
    return join((escape(text) for text in texts), Markup("\n"))
