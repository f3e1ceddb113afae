"""What differs between two listings of one surface, and the volatile rule that would settle it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fusion_contracts.canonical import equal, pointer_token, printable, shared_start, shortened
from fusion_contracts.model import JsonValue, ServerContract
from fusion_contracts.record import record
from fusion_contracts.sources.base import Reading, VolatileRule
from fusion_contracts.sources.volatile import replaced
from fusion_contracts.sources.wire import server_document, tool_document

__all__ = ["Candidate", "suggested", "volatile_candidates"]

_REASON = "differs from one listing to the next"
_CONTEXT = 24  # characters before a text that differs, by which it is found again
_OPENING, _CLOSING = "=(\"'[<", ".,;:!?)\"']>"
_KINDS = ("[0-9]+", "[0-9A-Za-z]+", r"\S+")  # what a text that differs may be, the narrowest first


@record
class Candidate:
    """Something that differs by itself, in a sentence, and the rule that makes it equal; None where no rule can."""

    sentence: str
    rule: VolatileRule | None = None


def volatile_candidates(first: Reading, second: Reading) -> list[Candidate]:
    """What differs between two listings of the same servers; tools that differ alike are one candidate."""
    others = {contract.name: contract for contract in second.contracts}
    found: list[Candidate] = []
    for contract in first.contracts:
        if contract.name in others:
            found.extend(_candidates(contract, others[contract.name]))
    return found


def _candidates(old: ServerContract, new: ServerContract) -> Iterator[Candidate]:
    server = printable(old.name)
    for name in sorted(old.tools.keys() ^ new.tools.keys()):
        yield Candidate(f"{server}: tool {shortened(name)} is in one of two listings only")
    alike: dict[tuple[str, str | None], list[str]] = {}
    for name in sorted(old.tools.keys() & new.tools.keys()):
        for pointer, before, after in _differences(tool_document(old.tools[name]), tool_document(new.tools[name])):
            alike.setdefault((pointer, suggested(before, after)), []).append(name)
    for (pointer, pattern), names in alike.items():
        one = len(names) == 1
        who = f"tool {shortened(names[0])}" if one else f"{len(names)} tools"
        said = f"{server}: {who} {printable(pointer)} {'differs' if one else 'differ'} between two listings"
        yield _candidate(said, old.name, _literal(names[0]) if one else "*", pointer, pattern)
    for pointer, before, after in _differences(server_document(old), server_document(new)):
        said = f"{server}: {printable(pointer)} differs between two listings"
        yield _candidate(said, old.name, "", pointer, suggested(before, after))


def _candidate(sentence: str, server: str, tool: str, pointer: str, pattern: str | None) -> Candidate:
    rule = None if pattern is None else VolatileRule(_literal(server), tool, pointer, pattern, _REASON)
    return Candidate(sentence, rule)


def _literal(name: str) -> str:
    """A glob that matches this name alone."""
    return re.sub(r"[*?\[]", r"[\g<0>]", name)


_ABSENT = object()


def _differences(old: JsonValue, new: JsonValue, pointer: str = "") -> Iterator[tuple[str, JsonValue, JsonValue]]:
    """The deepest places at which two values differ, with both sides."""
    if equal(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            here = f"{pointer}/{pointer_token(key)}"
            if key in old and key in new:
                yield from _differences(old[key], new[key], here)
            else:
                yield here, old.get(key, _ABSENT), new.get(key, _ABSENT)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _differences(left, right, f"{pointer}/{index}")
    else:
        yield pointer, old, new


# --- the pattern -----------------------------------------------------------------------------------------------------


def suggested(old: JsonValue, new: JsonValue) -> str | None:
    """A regular expression whose replacement makes two texts equal; None where they are no texts, or one is empty.

    It takes the words that differ, found by what stands before them, else the whole text.
    """
    if not (isinstance(old, str) and isinstance(new, str) and old and new):
        return None
    pattern = _of_the_difference(old, new)
    settles = pattern is not None and replaced(re.compile(pattern), old) == replaced(re.compile(pattern), new)
    return pattern if settles else "(?s:.+)"


def _of_the_difference(old: str, new: str) -> str | None:
    start, end = _bounds(old, new)
    middles = [text[start : len(text) - end] for text in (old, new)]
    if not all(middles):
        return None
    kind = next((kind for kind in _KINDS if all(re.fullmatch(kind, middle) for middle in middles)), None)
    if kind is not None:
        return _after(old[:start]) + kind
    rest = old[len(old) - end :].partition("\n")[0][:_CONTEXT]
    return _after(old[:start]) + (f"(?s:.+?)(?={_escaped(rest)})" if rest else "(?s:.+)")


def _bounds(old: str, new: str) -> tuple[int, int]:
    """How much two texts share at their start and at their end, in whole words, punctuation around a word aside."""
    start = shared_start(old, new)
    end = shared_start(old[start:][::-1], new[start:][::-1])
    while start and not old[start - 1].isspace():
        start -= 1
    while end and not old[-end].isspace():
        end -= 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    lead = left[: shared_start(left, right)]
    start += max(lead.rfind(character) for character in _OPENING) + 1
    for ours, theirs in zip(reversed(left), reversed(right), strict=False):
        if ours != theirs or ours not in _CLOSING:
            break
        end += 1
    return start, end


def _after(before: str) -> str:
    """A condition that holds behind the last words of a text."""
    if not before:
        return r"\A"
    line = before.rpartition("\n")[2]
    words = line if len(line) <= _CONTEXT else line[-_CONTEXT:].partition(" ")[2]
    return f"(?<={_escaped(words)})" if words else "(?m:^)"


def _escaped(text: str) -> str:
    """As `re.escape`, which also escapes spaces and so is hard to read."""
    return re.sub(r"[\\.^$*+?{}\[\]|()]", r"\\\g<0>", text)
