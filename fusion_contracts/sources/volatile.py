"""Text that differs between two listings of one surface: replaced where a rule says so, named where none does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from fusion_contracts.canonical import equal, printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue, ServerContract
from fusion_contracts.sources.base import Reading, VolatileRule
from fusion_contracts.sources.wire import server_document, tool_document

__all__ = ["Scrubber", "volatile_candidates"]

PLACEHOLDER = "{volatile}"
_PROSE = frozenset({"description", "title", "instructions", "$comment"})


class Scrubber:
    """Replaces, in one server's texts, what the rules name and every secret value that the server was given."""

    def __init__(
        self, server: str, rules: Sequence[VolatileRule] = (), hidden: Mapping[str, str] | None = None
    ) -> None:
        """Take the rules that concern `server`; `hidden` maps a secret value to the variable that held it.

        Raises FusionError for a pattern that is not a regular expression.
        """
        self._rules = [(rule, _compiled(rule)) for rule in rules if fnmatchcase(server, rule.server)]
        self._hidden = sorted((hidden or {}).items(), key=lambda pair: len(pair[0]), reverse=True)
        self.concealed: set[str] = set()
        """The variables whose values stood in the listing."""

    def scrub(self, document: JsonObject, *, tool: str = "") -> JsonObject:
        """The document (one tool, or the server's own texts) with volatile and secret text replaced."""
        rules = [(rule.pointer, pattern) for rule, pattern in self._rules if fnmatchcase(tool, rule.tool)]
        if not rules and not self._hidden:
            return document
        changed = _map_strings(document, "", lambda pointer, text: self._replace(pointer, text, rules))
        return {**changed, "name": document["name"]} if "name" in document else changed  # a name is an identity

    def _replace(self, pointer: str, text: str, rules: Sequence[tuple[str, re.Pattern[str]]]) -> str:
        for wanted, pattern in rules:
            if pointer == wanted or (pointer.rpartition("/")[2] in _PROSE and fnmatchcase(pointer, wanted)):
                text = pattern.sub(PLACEHOLDER, text)
        for value, variable in self._hidden:
            if value in text:
                self.concealed.add(variable)
                text = text.replace(value, f"${{{variable}}}")
        return text


def _compiled(rule: VolatileRule) -> re.Pattern[str]:
    try:
        return re.compile(rule.pattern)
    except re.error as error:
        raise FusionError(
            f"the volatile pattern {rule.pattern!r} is not a regular expression: {error}",
            "correct it in [[tool.fusion.volatile]]",
            stage="usage",
        ) from None


def _map_strings(value: JsonValue, pointer: str, change: Callable[[str, str], str]) -> JsonValue:
    """The value with every string changed; keys are never touched. The same object where nothing changes."""
    if isinstance(value, str):
        return change(pointer, value)
    if isinstance(value, dict):
        new = {key: _map_strings(item, f"{pointer}/{_token(key)}", change) for key, item in value.items()}
        return new if any(new[key] is not item for key, item in value.items()) else value
    if isinstance(value, list):
        items = [_map_strings(item, f"{pointer}/{index}", change) for index, item in enumerate(value)]
        return items if any(item is not old for item, old in zip(items, value, strict=True)) else value
    return value


def _token(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def volatile_candidates(first: Reading, second: Reading) -> list[str]:
    """What differs between two listings of the same servers, one sentence each: candidates for a volatile rule."""
    others = {contract.name: contract for contract in second.contracts}
    sentences: list[str] = []
    for contract in first.contracts:
        if contract.name in others:
            sentences.extend(_differences(contract, others[contract.name]))
    return sentences


def _differences(old: ServerContract, new: ServerContract) -> Iterator[str]:
    for name in sorted(old.tools.keys() ^ new.tools.keys()):
        yield f"{printable(old.name)}: tool {printable(name)} is in one of two listings only"
    for name in sorted(old.tools.keys() & new.tools.keys()):
        for pointer in _pointers(tool_document(old.tools[name]), tool_document(new.tools[name])):
            yield _sentence(old.name, name, pointer)
    for pointer in _pointers(server_document(old), server_document(new)):
        yield _sentence(old.name, "", pointer)


def _sentence(server: str, tool: str, pointer: str) -> str:
    where = f"{printable(server)}: {f'tool {printable(tool)} ' if tool else ''}{printable(pointer)}"
    return (
        f"{where} differs between two listings; if it is no part of the contract, name it in [[tool.fusion.volatile]] "
        f'(server "{printable(server)}", tool "{printable(tool)}", pointer "{printable(pointer)}")'
    )


def _pointers(old: JsonValue, new: JsonValue, pointer: str = "") -> Iterator[str]:
    """The deepest places at which two values differ."""
    if equal(old, new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            here = f"{pointer}/{_token(key)}"
            if key in old and key in new:
                yield from _pointers(old[key], new[key], here)
            else:
                yield here
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _pointers(left, right, f"{pointer}/{index}")
    else:
        yield pointer
