"""A result of many items read back: from structured content, or from the text where a framework kept nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from fusion_contracts.loop.partial_result import FailedItem, PartialResult, Status
from fusion_contracts.runtime.fault import ToolFault

__all__ = ["from_structured", "from_text"]

_LONGEST = 1_000_000  # characters of a text that is read as JSON
_SECONDS = re.compile(r"([0-9]{1,16}(?:\.[0-9]{1,16})?) seconds")
_STATUSES = get_args(Status)  # no set: what is asked for may be any JSON


def from_structured(data: Any) -> PartialResult[Any] | None:
    """What `to_structured` wrote; None for anything else."""
    if not isinstance(data, Mapping) or not {"items", "status", "failed", "next"} <= set(data):
        return None
    items, failed = data["items"], data["failed"]
    if data["status"] not in _STATUSES or not isinstance(items, list) or not isinstance(failed, list):
        return None
    return PartialResult(
        tuple(items),
        tuple(_failed(failed)),
        _text(data.get("cursor")),
        _count(data.get("total")),
        _count(data.get("earlier")) or 0,
        _text(data.get("searched")),
    )


def from_text(text: str) -> PartialResult[Any] | None:
    """What `to_text` wrote, or the structured form as JSON, where the text is nothing else.

    Of the former at most the failed items that it shows.
    """
    if text.startswith("{") and '"failed"' in text[:_LONGEST]:
        return from_structured(_json(text))
    if not text.lstrip().startswith("<tool_result"):
        return None
    from fusion_contracts.runtime.xml_reader import document

    root = document(text, "tool_result")
    if root is None or root.attributes.get("status") not in _STATUSES:
        return None
    head = root.attributes
    failed = ({**each.attributes, "message": each.text} for each in root.named("failed"))
    found = _json(next((each.text for each in root.named("items")), "[]"))
    done, listed = _digits(head.get("done")) or 0, tuple(found) if isinstance(found, list) else ()
    return PartialResult(
        listed,
        tuple(_failed(failed)),
        head.get("cursor"),
        _digits(head.get("total")),
        max(0, done - len(listed)),
        head.get("searched"),
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text) if len(text) <= _LONGEST else None
    except (ValueError, RecursionError):
        return None


def _failed(entries: Iterable[Any]) -> Iterable[FailedItem]:
    for entry in entries:
        if isinstance(entry, Mapping) and all(isinstance(entry.get(name), str) for name in ("item", "code", "message")):
            yield FailedItem(entry["item"], ToolFault(entry["code"], entry["message"], retry_after=_wait(entry)))


def _wait(entry: Mapping[str, Any]) -> float | None:
    said = entry.get("retry_after")
    if isinstance(said, str):
        written = _SECONDS.fullmatch(said)
        said = (float if "." in said else int)(written[1]) if written else None
    if isinstance(said, bool) or not isinstance(said, int | float):
        return None
    return said if 0 < said < 2**53 else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Any) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _digits(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() and len(text) <= 18 else None  # noqa: PLR2004
