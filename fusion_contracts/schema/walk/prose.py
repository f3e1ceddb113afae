"""Annotations: titles, descriptions, defaults, and the rest that decides nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from fusion_contracts.schema import changes as facts
from fusion_contracts.schema.document import MISSING
from fusion_contracts.schema.walk.place import Place, Raw

__all__ = ["prose"]

PROSE: dict[str, Any] = {
    "title": facts.TitleChanged, "description": facts.DescriptionChanged, "default": facts.DefaultChanged,
    "examples": facts.ExamplesChanged, "example": facts.ExamplesChanged, "deprecated": facts.DeprecatedChanged,
    "$schema": facts.DialectChanged, "$comment": facts.AnnotationChanged, "readOnly": facts.AnnotationChanged,
    "writeOnly": facts.AnnotationChanged, "contentEncoding": facts.AnnotationChanged,
    "contentMediaType": facts.AnnotationChanged, "contentSchema": facts.AnnotationChanged,
}  # fmt: skip


def prose(place: Place, keywords: Collection[str]) -> Iterator[Raw]:
    """The edits of titles, descriptions, defaults and other annotations among some keywords."""
    if PROSE.keys().isdisjoint(keywords):
        return
    old, new = place.old.keywords, place.new.keywords
    for keyword, kind in PROSE.items():
        if keyword not in keywords:
            continue
        before, after = old.get(keyword, MISSING), new.get(keyword, MISSING)
        if not place.same(before, after):
            yield Raw(_annotation(place, keyword, kind, before, after))


def _annotation(place: Place, keyword: str, kind: Any, before: Any, after: Any) -> facts.SchemaChange:
    spot = place.at(keyword, old=before is not MISSING, new=after is not MISSING)
    shown = {"before": None if before is MISSING else before, "after": None if after is MISSING else after}
    if kind is facts.DefaultChanged:
        frame, had, has = place.frame, before is not MISSING, after is not MISSING
        return facts.DefaultChanged(
            place=spot, had=had, has=has, optional=frame.optional, needed=frame.needed, **shown
        )
    if kind is facts.AnnotationChanged:
        return facts.AnnotationChanged(place=spot, keyword=keyword, **shown)
    if kind is facts.DialectChanged and place.frame.path:
        return facts.AnnotationChanged(place=spot, keyword=keyword, **shown)
    return kind(place=spot, **shown)  # type: ignore[no-any-return]
