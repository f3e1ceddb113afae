"""The same call as it would be taken, where that follows from what was sent and what is known to have changed.

Done: renames whose value carries over, names that differ in case and separators alone, JSON sent as text, wrapper
objects, numbers and booleans sent as text, wrong case of an allowed value, null for what may be left out. Never: a
value that was not sent, a value that a rename does not carry, anything long or secret.
"""

from __future__ import annotations

import json
from typing import Any

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.call import Call, beside, inside, place
from fusion_contracts.runtime.depth import judgeable, listable
from fusion_contracts.runtime.echo import holds_secret
from fusion_contracts.runtime.failures import Failure, flatten
from fusion_contracts.runtime.from_schema import accepts, refusals
from fusion_contracts.runtime.issues import json_text, unwrapped
from fusion_contracts.runtime.near import same_but_case, twin
from fusion_contracts.runtime.reading import Reading
from fusion_contracts.runtime.shape import ABSENT, Path, has_type
from fusion_contracts.runtime.unknown import wrapper_of

__all__ = ["LONGEST", "repaired", "spelled"]

LONGEST = 600  # characters of a suggestion
_ROUNDS = 4
_MOST_SENT = 4_000  # longer arguments cannot become a suggestion
_UNESCAPED = "\ufffe\uffff"


def spelled(arguments: JsonObject) -> str:
    """A suggestion as JSON on one line; hidden characters are escaped, so that no cleaning changes a value."""
    text = json.dumps(arguments, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if text.isascii():
        return text
    return "".join(_escaped(c) if HIDDEN.match(c) or c in _UNESCAPED else c for c in text)


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1]


def repaired(call: Call, failures: list[Failure], reading: Reading) -> JsonObject | None:
    """Arguments that the live schema takes, or None; `failures` are those of the arguments as they were sent."""
    if call.schema is None:
        return None
    candidate = _copied(call.arguments)
    if isinstance(candidate, str):
        candidate = json_text(candidate)
    if not isinstance(candidate, dict):
        return None
    wrapper = wrapper_of(call)
    if wrapper is not None:
        candidate = _copied(wrapper[1])
    changed = candidate != call.arguments or _improve(call, candidate, failures)
    if not changed and None not in candidate.values():
        return None
    validator = reading.validator if listable(call.schema, candidate) else None
    for _ in range(_ROUNDS if validator is not None else 0):
        if accepts(validator, candidate) and not _leftovers(call, candidate):
            return candidate if _may_be_shown(call, candidate) else None
        if not _improve(call, candidate, flatten(refusals(validator, candidate)[0])):
            break
    bare = {name: value for name, value in candidate.items() if value is not None}  # null may ask for other arguments
    holds = bare != candidate and accepts(validator, bare) and not _leftovers(call, bare)
    return bare if holds and _may_be_shown(call, bare) else None


def _copied(arguments: JsonValue) -> JsonValue:
    if not judgeable(arguments):
        return None
    try:
        text = json.dumps(arguments, allow_nan=False)
        return json.loads(text) if len(text) <= _MOST_SENT else None
    except (TypeError, ValueError, RecursionError):
        return None


def _leftovers(call: Call, candidate: JsonObject) -> bool:
    """Whether a name is left that the schema takes and the contract or the policy does not."""
    if any(True for _ in call.gone_names(candidate)):
        return True
    return call.unknown == "reject" and bool(call.unknown_names((), candidate))


def _may_be_shown(call: Call, candidate: JsonObject) -> bool:
    return len(spelled(candidate)) <= LONGEST and not _secret(call, candidate, candidate, ())


def _secret(call: Call, candidate: JsonObject, value: JsonValue, path: Path) -> bool:
    if path and value is not None and call.hides(path, candidate):
        return True
    if isinstance(value, str):
        held = json_text(value)
        value = held if isinstance(held, (dict, list)) else value
    if isinstance(value, str):
        return holds_secret(value)
    if isinstance(value, dict):
        return any(_secret(call, candidate, inner, (*path, name)) for name, inner in value.items())
    items = enumerate(value) if isinstance(value, list) else ()
    return any(_secret(call, candidate, inner, (*path, index)) for index, inner in items)


def _improve(call: Call, candidate: JsonObject, failures: list[Failure]) -> bool:
    """One round: every failure that can be mended is; whether anything was."""
    changed = False
    for path, delta in list(call.gone_names(candidate)):
        successor = beside(delta.successor, path[:-1]) if delta.successor is not None and delta.carries else None
        changed |= _moved(candidate, path, successor)
    for name in call.unknown_names((), candidate) if call.unknown == "reject" else ():
        changed |= _named(call, candidate, (name,))
    for failure in failures:
        if failure.keyword in {"unexpected", "unevaluated"}:
            changed |= _named(call, candidate, failure.path)
        elif failure.keyword == "required":
            changed |= _found(call, candidate, failure.path)
        else:
            changed |= _valued(call, candidate, failure)
    return changed


def _moved(candidate: JsonObject, path: Path, successor: str | None) -> bool:
    """Give a value its new name, in its old place; a null under a name that is gone is dropped."""
    holder = inside(candidate, path[:-1])
    name = path[-1]
    if not isinstance(holder, dict) or name not in holder:
        return False
    if holder[name] is None:
        del holder[name]
        return True
    if successor is None or successor in holder:
        return False
    entries = [(successor if key == name else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(entries)
    return True


def _named(call: Call, candidate: JsonObject, path: Path) -> bool:
    """A name that is refused: one of the live names in another spelling, unless the contract says what became of it."""
    if place(path) in call.gone:
        return _moved(candidate, path, None)
    known = call.shape.names(path[:-1], candidate)
    return _moved(candidate, path, twin(str(path[-1]), map(str, known)))


def _found(call: Call, candidate: JsonObject, path: Path) -> bool:
    """A name that is missing: sent in another spelling, where the schema lets unknown names through."""
    unknown = call.unknown_names(path[:-1], candidate)
    sent = twin(str(path[-1]), [name for name in unknown if place((*path[:-1], name)) not in call.gone])
    return sent is not None and _moved(candidate, (*path[:-1], sent), str(path[-1]))


def _valued(call: Call, candidate: JsonObject, failure: Failure) -> bool:
    """A value that is refused: left out, or read from the text or wrapper it was sent in."""
    if not failure.path:
        return False
    holder: Any = inside(candidate, failure.path[:-1])
    step = failure.path[-1]
    value = inside(candidate, failure.path)
    if value is ABSENT:
        return False
    if value is None or (failure.keyword == "type" and isinstance(value, str) and value.lower() in {"null", "none"}):
        required = call.shape.at(failure.path[:-1], candidate).get("required")
        if not isinstance(holder, dict) or (isinstance(required, list) and step in required):
            return False
        del holder[step]
        return True
    better = _read(value, failure)
    if better is ABSENT:
        return False
    holder[step] = better
    return True


def _read(value: JsonValue, failure: Failure) -> JsonValue:
    if failure.keyword == "type" and isinstance(failure.limit, list):
        return _as_type(value, failure.limit)
    if failure.keyword in {"enum", "const"}:
        options = failure.limit if failure.keyword == "enum" else [failure.limit]
        meant = same_but_case(value, options) if isinstance(options, list) else None
        return ABSENT if meant is None else meant
    return ABSENT


def _as_type(value: JsonValue, types: list[Any]) -> JsonValue:
    if isinstance(value, str):
        parsed = json_text(value)
        return parsed if has_type(parsed, types) else ABSENT
    if isinstance(value, dict):
        return unwrapped(value, types)
    if isinstance(value, int) and not isinstance(value, bool) and "string" in types:
        return str(value)
    return ABSENT
