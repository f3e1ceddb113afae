"""One wrong argument, in the words of the specification's page: what is wrong, what was sent, what is expected."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from fusion_contracts.model import JsonValue
from fusion_contracts.phrases import bound
from fusion_contracts.runtime.echo import HIDDEN_VALUE, clip, show
from fusion_contracts.runtime.failures import Failure
from fusion_contracts.runtime.near import same_but_case
from fusion_contracts.runtime.shape import ABSENT, Flat, Path, has_type, kind_of
from fusion_contracts.runtime.wording import FORMATS, expected, first_sentence, types_in_words

__all__ = ["Issue", "IssueKind", "dotted", "issue_of", "json_text", "show_sent", "unwrapped"]

IssueKind: TypeAlias = Literal[
    "missing", "unknown", "type", "value", "bound", "pattern", "format", "json-text", "wrapper", "arguments", "other"
]

_LONGEST_JSON = 20_000  # characters of a text that is tried as JSON
_ITEM_KEYS = frozenset({"item", "items", "value", "element"})


@dataclass(frozen=True, slots=True)
class Issue:
    """What is wrong with one argument.

    `path` leads to it in the arguments, `name` is that path for a reader (`fields[0].target`). `problem` is a
    sentence; `sent` and `expected` complete "You sent: ..." and "Expected ..." ("" where there is nothing to say);
    `description` is what the live contract says about the argument. `also` names the unknown argument that was sent
    in its place.
    """

    path: Path
    name: str
    kind: IssueKind
    problem: str
    sent: str = ""
    expected: str = ""
    description: str = ""
    also: str = ""

    def line(self, *, brief: bool = False) -> str:
        """The line that a model reads; a brief one leaves the description out."""
        parts = [self.problem]
        if self.sent:
            parts.append(f"You sent: {self.sent}.")
        if self.expected and self.description and not brief:
            stop = "" if self.description[-1] in ".!?" else "."
            parts.append(f'Expected {self.expected}: "{self.description}"{stop}')
        elif self.expected:
            parts.append(f"Expected {self.expected}.")
        return " ".join(parts)


def dotted(path: Path) -> str:
    """A path as people write it: `fields[0].target`; the whole value is `arguments`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{clip(str(step))}" if text else clip(str(step))
    return text or "arguments"


_PROBLEMS = {  # of a bound
    "minimum": "Too small.",
    "exclusiveMinimum": "Too small.",
    "maximum": "Too large.",
    "exclusiveMaximum": "Too large.",
    "multipleOf": "Not a multiple.",
    "minLength": "Too short.",
    "maxLength": "Too long.",
    "minItems": "Too few items.",
    "maxItems": "Too many items.",
    "minProperties": "Too few keys.",
    "maxProperties": "Too many keys.",
}
_PLAIN: dict[str, tuple[str, str]] = {
    "uniqueItems": ("Repeated items.", "each item once"),
    "false": ("Not accepted here.", "it to be left out"),
    "oneOf": ("Fits more than one form.", "exactly one of the allowed forms"),
    "anyOf": ("Fits none of the allowed forms.", "one of them"),
    "not": ("Not accepted in this form.", "another value"),
    "contains": ("An item is missing.", "a list that holds the required item"),
    "key": ("The name of this key is not accepted.", "another key"),
    "propertyNames": ("A key has a name that is not allowed.", "other keys"),
}

Says: TypeAlias = "Callable[[Failure, Any, Flat], tuple[IssueKind, str, str]]"


def issue_of(failure: Failure, value: JsonValue, flat: Flat, *, optional: bool = False, hidden: bool = False) -> Issue:
    """The issue that a failure is. `value` is what stands at its path, `flat` what the live schema says there.

    `hidden`: nothing of the value may be repeated.
    """
    if hidden and failure.message:
        failure = replace(failure, message="")  # it may repeat the value
    kind, problem, wanted = _WORDS.get(failure.keyword, _other)(failure, value, flat)
    if optional and value is None and wanted:
        wanted = f"{wanted}, or leave it out"
    described = first_sentence(flat.get("description")) if failure.keyword == "required" else ""
    silent = value is ABSENT or not failure.path or failure.keyword in {"required", "key"}
    sent = "" if silent else HIDDEN_VALUE if hidden else show_sent(value)
    return Issue(failure.path, dotted(failure.path), kind, problem, sent, wanted, described)


def show_sent(value: JsonValue) -> str:
    """A sent value; of JSON sent as text what it holds."""
    parsed = json_text(value)
    return f"text that holds {show(parsed)}" if isinstance(parsed, (dict, list)) else show(value)


def _missing(failure: Failure, _value: JsonValue, flat: Flat) -> tuple[IssueKind, str, str]:
    needed = "Missing: needed beside what was sent." if failure.limit == "dependent" else "Missing."
    return "missing", needed, expected(flat) if flat else ""


def _unexpected(_failure: Failure, _value: JsonValue, _flat: Flat) -> tuple[IssueKind, str, str]:
    return "unknown", "Unknown argument.", "it to be left out"


def _type(failure: Failure, value: JsonValue, flat: Flat) -> tuple[IssueKind, str, str]:
    types = failure.limit if isinstance(failure.limit, list) else [failure.limit]
    wanted = types_in_words(types, flat)
    if value is None:
        return "type", "Null is not accepted.", wanted
    if isinstance(value, str):
        return _text_for(value, types, wanted)
    if isinstance(value, dict) and unwrapped(value, types) is not ABSENT:
        return "wrapper", "Wrapper object.", wanted
    if isinstance(value, (list, tuple)) and "object" in types:
        return "type", "A list where an object belongs.", wanted
    return "type", "Wrong type.", wanted


_AS_TEXT = {
    "integer": "Number sent as text.",
    "number": "Number sent as text.",
    "boolean": "Boolean sent as text.",
}


def _text_for(value: str, types: list[Any], wanted: str) -> tuple[IssueKind, str, str]:
    if value.strip().lower() in {"null", "none"}:
        return "json-text", "Null sent as text.", f"{wanted}, or leave it out"
    parsed = json_text(value)
    if has_type(parsed, types):
        return "json-text", _AS_TEXT.get(kind_of(parsed), "JSON sent as text."), wanted
    return "type", "Wrong type.", wanted


def json_text(value: JsonValue) -> JsonValue:
    """The object, list, number or boolean that a text holds as JSON; ABSENT where it holds none."""
    if not isinstance(value, str) or len(value) > _LONGEST_JSON:
        return ABSENT
    text = value.strip()
    if not text or not (text[0] in "{[-" or text[0].isdecimal() or text in {"true", "false", "True", "False"}):
        return ABSENT
    try:
        parsed = json.loads(text.lower() if text in {"True", "False"} else text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return ABSENT
    return parsed


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def unwrapped(value: JsonValue, types: list[Any]) -> JsonValue:
    """What stands in `{"item": x}` where x has a type that fits; else ABSENT."""
    if not isinstance(value, dict) or len(value) != 1:
        return ABSENT
    key, inner = next(iter(value.items()))
    return inner if key in _ITEM_KEYS and has_type(inner, types) else ABSENT


def _value(failure: Failure, value: JsonValue, flat: Flat) -> tuple[IssueKind, str, str]:
    options = failure.limit if failure.keyword == "enum" and isinstance(failure.limit, list) else [failure.limit]
    meant = same_but_case(value, options)
    if meant is not None:
        return "value", "Not an allowed value: wrong spelling.", show(meant)
    if value is None:
        return "value", "Null is not accepted.", expected({"enum": [o for o in options if o is not None] or [None]})
    return "value", "Not an allowed value.", expected({"enum": options}) if options else expected(flat)


def _bound(failure: Failure, _value: JsonValue, _flat: Flat) -> tuple[IssueKind, str, str]:
    limit = show(failure.limit) if failure.limit is not None else "its limit"
    return "bound", _PROBLEMS[failure.keyword], bound(failure.keyword, failure.limit, limit)


def _pattern(failure: Failure, _value: JsonValue, _flat: Flat) -> tuple[IssueKind, str, str]:
    pattern = clip(str(failure.limit), 120)
    return "pattern", "Does not match the pattern.", f"a string that matches {pattern}"


def _format(failure: Failure, _value: JsonValue, _flat: Flat) -> tuple[IssueKind, str, str]:
    name = clip(str(failure.limit), 40)
    return "format", f"Invalid {name} format.", FORMATS.get(name, f"a valid {name}")


def _other(failure: Failure, _value: JsonValue, flat: Flat) -> tuple[IssueKind, str, str]:
    if failure.keyword in _PLAIN:
        problem, wanted = _PLAIN[failure.keyword]
        return "other", problem, wanted
    message = clip(failure.message, 160).rstrip(".")
    named = "Not accepted." if failure.keyword == "other" else f"Not accepted: {clip(failure.keyword, 40)}."
    problem = f"{message}." if message else named
    return "other", problem, expected(flat) if flat else ""


_WORDS: dict[str, Says] = {
    "required": _missing,
    "unexpected": _unexpected,
    "unevaluated": _unexpected,
    "type": _type,
    "enum": _value,
    "const": _value,
    "pattern": _pattern,
    "format": _format,
    **dict.fromkeys(_PROBLEMS, _bound),
}
