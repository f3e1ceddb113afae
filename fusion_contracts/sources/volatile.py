"""Text that differs from machine to machine or run to run: replaced where a rule says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from fusion_contracts.canonical import fits, pointer_token
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.base import VolatileRule

__all__ = ["Scrubber", "replaced"]

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
        self._rules = [(rule, _compiled(rule)) for rule in rules if fits(server, rule.server)]
        self._hidden = sorted((hidden or {}).items(), key=lambda pair: len(pair[0]), reverse=True)
        self.concealed: set[str] = set()
        """The variables whose values stood in the listing."""

    def scrub(self, document: JsonObject, *, tool: str = "") -> JsonObject:
        """The document (one tool, or the server's own texts) with volatile and secret text replaced."""
        rules = [(rule.pointer, pattern) for rule, pattern in self._rules if fits(tool, rule.tool)]
        if not rules and not self._hidden:
            return document
        changed = _map_strings(document, "", lambda pointer, text: self._replace(pointer, text, rules))
        return {**changed, "name": document["name"]} if "name" in document else changed  # a name is an identity

    def secret_key(self, value: JsonValue) -> str | None:
        """The variable whose value stands in a key of an object, which cannot be replaced; None for none."""
        if isinstance(value, list):
            return next(filter(None, map(self.secret_key, value)), None)
        if not self._hidden or not isinstance(value, dict):
            return None
        found = (self.held_by(key) or self.secret_key(item) for key, item in value.items())
        return next(filter(None, found), None)

    def held_by(self, text: str) -> str | None:
        """The variable whose secret value stands in a text; None for none."""
        return next((variable for value, variable in self._hidden if value in text), None)

    def _replace(self, pointer: str, text: str, rules: Sequence[tuple[str, re.Pattern[str]]]) -> str:
        for wanted, pattern in rules:
            if pointer == wanted or (pointer.rpartition("/")[2] in _PROSE and fits(pointer, wanted)):
                text = replaced(pattern, text)
        return self.conceal(text)

    def conceal(self, text: str) -> str:
        """The text with every secret value replaced by the variable that held it."""
        for value, variable in self._hidden:
            if value in text:
                self.concealed.add(variable)
                text = text.replace(value, f"${{{variable}}}")
        return text


def replaced(pattern: re.Pattern[str], text: str) -> str:
    """The text with every match replaced, but for empty ones: `.*` also matches the end of what it has matched."""
    return pattern.sub(lambda found: PLACEHOLDER if found.group() else "", text)


def _compiled(rule: VolatileRule) -> re.Pattern[str]:
    try:
        return re.compile(rule.pattern)
    except re.error as error:
        raise FusionError(
            f"the volatile pattern {rule.pattern!r} is not a regular expression: {error}",
            "correct its entry below volatile in the settings",
            stage="usage",
        ) from None


def _map_strings(value: JsonValue, pointer: str, change: Callable[[str, str], str]) -> JsonValue:
    """The value with every string changed; keys are never touched. The same object where nothing changes."""
    if isinstance(value, str):
        return change(pointer, value)
    if isinstance(value, dict):
        new = {key: _map_strings(item, f"{pointer}/{pointer_token(key)}", change) for key, item in value.items()}
        return new if any(new[key] is not item for key, item in value.items()) else value
    if isinstance(value, list):
        items = [_map_strings(item, f"{pointer}/{index}", change) for index, item in enumerate(value)]
        return items if any(item is not old for item, old in zip(items, value, strict=True)) else value
    return value
