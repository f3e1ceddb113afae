"""Failures from a pydantic `ValidationError`: error types by families, `loc` brought back to a path.

A `loc` is no path: unions and tags put their labels between the names. The way through the arguments that ends at the
error's `input` tells which parts are names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.failures import Failure
from fusion_contracts.runtime.shape import ABSENT, Path, Shape, step_into

__all__ = ["MOST", "failures_of", "family", "path_of"]

Context: TypeAlias = Mapping[str, Any]

_MISSING = frozenset({
    "missing", "missing_argument", "missing_keyword_only_argument", "missing_positional_only_argument",
    "missing_sentinel_error",
})  # fmt: skip
_UNEXPECTED = frozenset({"extra_forbidden", "unexpected_keyword_argument"})

# The first word of a type such as `int_parsing` or `int_from_float`, and what is expected then.
_TYPE_WORDS = {
    "string": "string", "bytes": "string", "int": "integer", "float": "number", "decimal": "number",
    "fraction": "number", "complex": "number", "finite": "number", "bool": "boolean", "list": "array",
    "tuple": "array", "set": "array", "frozen_set": "array", "deque": "array", "iterable": "array",
    "named_tuple": "array",
    "dict": "object", "frozen_dict": "object", "ordered_dict": "object", "counter": "object", "mapping": "object",
    "model": "object", "model_attributes": "object", "dataclass": "object", "dataclass_exact": "object",
    "arguments": "object", "none": "null",
}  # fmt: skip
_FORMAT_WORDS = {
    "date": "date", "time": "time", "datetime": "date-time", "timezone": "date-time", "time_delta": "duration",
    "url": "uri", "uuid": "uuid",
}  # fmt: skip
_TYPE_ENDS = ("_str_parsing", "_type", "_parsing", "_parsing_size", "_from_float", "_unicode", "_required", "_number")
_BOUNDS: dict[str, tuple[str, str]] = {
    "greater_than": ("exclusiveMinimum", "gt"),
    "greater_than_equal": ("minimum", "ge"),
    "less_than": ("exclusiveMaximum", "lt"),
    "less_than_equal": ("maximum", "le"),
    "multiple_of": ("multipleOf", "multiple_of"),
    "string_too_short": ("minLength", "min_length"),
    "string_too_long": ("maxLength", "max_length"),
    "bytes_too_short": ("minLength", "min_length"),
    "bytes_too_long": ("maxLength", "max_length"),
    "url_too_long": ("maxLength", "max_length"),
    "string_pattern_mismatch": ("pattern", "pattern"),
}
_EXPECTED = re.compile(r"'((?:[^'\\]|\\.)*)'|(?:^|,\s|\sor\s)(-?\d+(?:\.\d+)?|True|False|None)(?=$|,|\sor\s)")
_WORDS: dict[str, JsonValue] = {"True": True, "False": False, "None": None}
_LONGEST_LOC = 24
MOST = 400  # errors that are read


def family(kind: str, context: Context, message: str) -> tuple[str, JsonValue]:
    """The keyword and limit that an error type stands for; `other` where JSON Schema has none."""
    if kind in _MISSING:
        return "required", None
    if kind in _UNEXPECTED:
        return "unexpected", None
    if kind in _BOUNDS:
        keyword, key = _BOUNDS[kind]
        return keyword, context.get(key)
    if kind == "too_short":
        return "minItems", context.get("min_length")
    if kind == "too_long":
        return "maxItems", context.get("max_length")
    if kind in {"literal_error", "enum"}:
        return "enum", _options(str(context.get("expected", "")))
    return _by_word(kind, message)


def _by_word(kind: str, message: str) -> tuple[str, JsonValue]:
    word = next((kind.removesuffix(end) for end in _TYPE_ENDS if kind.endswith(end)), "")
    if word in _TYPE_WORDS:
        return "type", [_TYPE_WORDS[word]]
    first = next((name for name in sorted(_FORMAT_WORDS, key=len, reverse=True) if kind.startswith(f"{name}_")), "")
    if first and (kind.endswith(("_type", "_parsing")) or first in {"url", "uuid"}):
        return "format", _FORMAT_WORDS[first]
    return "other", message


def _options(listed: str) -> list[JsonValue]:
    """The values in a sentence such as `'a', 'b' or 3`."""
    found: list[JsonValue] = []
    for match in _EXPECTED.finditer(listed):
        text, bare = match.group(1), match.group(2)
        if text is not None:
            found.append(text.replace("\\'", "'").replace("\\\\", "\\"))
        else:
            found.append(_WORDS[bare] if bare in _WORDS else float(bare) if "." in bare else int(bare))
    return found


def failures_of(errors: Sequence[Mapping[str, Any]], arguments: JsonValue, shape: Shape) -> list[Failure]:
    """The failures that the list of a ValidationError tells; those of one union stand together, by branch."""
    found: list[Failure] = []
    unions: dict[Path, dict[JsonValue, list[Failure]]] = {}
    for error in errors[:MOST]:
        path, label = path_of(error, arguments, shape)
        failure = _failure(error, path)
        if label is None:
            found.append(failure)
            continue
        where, name = label
        if where not in unions:
            unions[where] = {}
            found.append(Failure(where, "anyOf"))
        unions[where].setdefault(name, []).append(failure)
    return [_with_branches(failure, unions.get(failure.path)) for failure in found]


def _with_branches(failure: Failure, branches: dict[JsonValue, list[Failure]] | None) -> Failure:
    if failure.keyword != "anyOf" or branches is None:
        return failure
    return Failure(failure.path, "anyOf", branches=tuple(tuple(branch) for branch in branches.values()))


def _failure(error: Mapping[str, Any], path: Path) -> Failure:
    kind, context = str(error.get("type", "")), error.get("ctx") or {}
    if kind in {"union_tag_invalid", "union_tag_not_found"}:
        name = str(context.get("discriminator", "")).strip("'")
        options = _options(str(context.get("expected_tags", "")))
        inner = (*path, name) if name else path
        return Failure(inner, "enum", options) if kind == "union_tag_invalid" else Failure(inner, "required")
    message = str(error.get("msg", ""))[:300].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    if "[key]" in error.get("loc", ()):
        return Failure(path, "key")
    keyword, limit = family(kind, context, message)
    return Failure(path, keyword, limit, message=message)


Label: TypeAlias = tuple[Path, JsonValue] | None


def path_of(error: Mapping[str, Any], arguments: JsonValue, shape: Shape) -> tuple[Path, Label]:
    """Where in the arguments an error is, and the union it belongs to: the union's own path and the branch's label.

    Tried first: the way that leads to the error's own input (for a missing name, to the object without it). Then the
    way that follows as many steps as the arguments allow.
    """
    loc = [step for step in error.get("loc", ()) if step != "[key]"][:_LONGEST_LOC]
    absent = error.get("type") in _MISSING
    wanted = error.get("input", ABSENT)

    def ends(value: JsonValue) -> bool:
        return wanted is ABSENT or value is wanted or (type(value) is type(wanted) and _equal(value, wanted))

    steps = loc[:-1] if absent and loc else loc
    walked = _walk(steps, arguments, ends)
    if walked is None:
        walked = _walk(steps, arguments, lambda _: True) or (steps if arguments is ABSENT else _known(steps, shape), [])
    path, skipped = walked
    return (*path, *loc[len(steps) :]), skipped[0] if skipped else None


Walked: TypeAlias = "tuple[list[Any], list[tuple[Path, JsonValue]]]"


def _walk(steps: Sequence[JsonValue], value: JsonValue, ends: Callable[[JsonValue], bool]) -> Walked | None:
    """The way with the most steps that ends well, with the labels it passed by; None where no way does.

    Way by way, not step by step: a label may be called as a key is. Bounded by the number of ways it looks at.
    """
    stack: list[tuple[int, JsonValue, list[Any], list[tuple[Path, JsonValue]]]] = [(0, value, [], [])]
    for _ in range(2000):
        if not stack:
            return None
        index, here, path, skipped = stack.pop()
        if index == len(steps):
            if ends(here):
                return path, skipped
            continue
        step = steps[index]
        if isinstance(step, str):  # a label of a union or a tag
            stack.append((index + 1, here, path, [*skipped, (tuple(path), step)]))
        inner = step_into(here, step)
        if inner is not ABSENT:  # tried first
            stack.append((index + 1, inner, [*path, step], skipped))
    return None


def _known(steps: Iterable[JsonValue], shape: Shape) -> list[Any]:
    """The steps that the schema knows, where the arguments know none of them (a default that is wrong)."""
    path: list[Any] = []
    for step in steps:
        if isinstance(step, int) or step in shape.names(tuple(path)):
            path.append(step)
    return path


def _equal(left: JsonValue, right: JsonValue) -> bool:
    try:
        return bool(left == right)
    except Exception:  # noqa: BLE001 - values of any type compare as they like
        return False
