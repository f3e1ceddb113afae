"""A result of many items as the text that a model reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fusion_contracts.runtime.echo import fitted
from fusion_contracts.runtime.envelope import clean, escape, escape_attribute, spell_number

if TYPE_CHECKING:
    from fusion_contracts.loop.partial_result import FailedItem, PartialResult

__all__ = ["following", "render"]

MOST_FAILED = 10  # lines; the structured form has all
_MOST_NAMED = 5  # items in one sentence
_LONGEST_NAME = 80
_LONGEST_LINE = 300


def render(result: PartialResult[Any]) -> str:
    """`<tool_result>`: its status and counts, the items as JSON, one line a failed item, and what to do next."""
    lines = [f"<tool_result {_head(result)}>"]
    if result.items:
        written = json.dumps(result.to_structured()["items"], ensure_ascii=False, separators=(",", ":"))
        lines.append(f"  <items>{escape(clean(written))}</items>")
    lines += [_line(each) for each in result.failed[:MOST_FAILED]]
    if len(result.failed) > MOST_FAILED:
        lines.append(f"  ... and {len(result.failed) - MOST_FAILED:,} more failed")
    lines += [f"  <next>{escape(clean(following(result)))}</next>", "</tool_result>"]
    return "\n".join(lines)


def following(result: PartialResult[Any]) -> str:
    """What to do next, in sentences."""
    if result.status == "empty":
        where = f" in: {result.searched}" if result.searched else ""
        return f"Nothing found{where}. That is the complete answer, not an error; the same search finds nothing again."
    if result.status == "complete":
        return "Nothing is missing."
    said = [_missing(result), *_ways(result)]
    return " ".join([*said, "Do not report the task as done while anything is missing."])


def _head(result: PartialResult[Any]) -> str:
    done = result.earlier + len(result.items)
    counts = {"done": done, "failed": len(result.failed), "total": result.total}
    shown = {name: str(count) for name, count in counts.items() if count}
    if result.cursor is not None:
        shown["cursor"] = result.cursor
    if result.searched is not None:
        shown["searched"] = result.searched
    return " ".join([f'status="{result.status}"', *(f'{name}="{_attribute(text)}"' for name, text in shown.items())])


def _line(failed: FailedItem) -> str:
    fault = failed.fault
    wait = "" if fault.retry_after is None else f' retry_after="{spell_number(fault.retry_after)} seconds"'
    name = fitted(failed.item, _LONGEST_NAME, _attribute)
    head = f'  <failed item="{name}" code="{fitted(fault.code, _LONGEST_NAME, _attribute)}"{wait}>'
    return f"{head}{fitted(fault.message, _LONGEST_LINE, _content)}</failed>"


def _missing(result: PartialResult[Any]) -> str:
    done = result.earlier + len(result.items)
    counted = f"{done:,} done" if result.total is None else f"{done:,} of {result.total:,} done"
    if result.failed:
        counted += f", {len(result.failed):,} failed"
    left = 0 if result.total is None else result.total - done - len(result.failed)
    return f"{counted}, {left:,} more not done." if left > 0 else f"{counted}."


def _ways(result: PartialResult[Any]) -> list[str]:
    """How to go on: by the cursor, which tries again what may be, else with those items alone."""
    again = [each for each in result.failed if each.retryable]
    never = [each for each in result.failed if not each.retryable]
    wait = "" if result.retry_after is None else f" after {spell_number(result.retry_after)} seconds"
    ways = []
    if result.cursor is not None:
        ways.append(f'Call the tool again{wait} with the same arguments and cursor "{result.cursor}".')
    elif again:
        ways.append(f"Call the tool again{wait} with {_names(again)} alone.")
    if never:
        ways.append(f"Trying {_names(never)} again cannot help.")
    return ways


def _names(failed: Sequence[FailedItem]) -> str:
    shown = ", ".join(fitted(each.item, _LONGEST_NAME, str) for each in failed[:_MOST_NAMED])
    more = len(failed) - _MOST_NAMED
    return f"{shown} and {more:,} more" if more > 0 else shown


def _attribute(text: str) -> str:
    return escape_attribute(clean(text))


def _content(text: str) -> str:
    return escape(clean(text))
