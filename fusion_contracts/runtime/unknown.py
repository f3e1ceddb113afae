"""Names that the schema does not know: which missing argument each stands for, and which are refused."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace

from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.call import Call, beside, inside, place
from fusion_contracts.runtime.deltas import Delta
from fusion_contracts.runtime.echo import HIDDEN_VALUE, clip
from fusion_contracts.runtime.failures import Failure
from fusion_contracts.runtime.issues import Issue, dotted, issue_of, json_text, show_sent
from fusion_contracts.runtime.near import likely, nearest
from fusion_contracts.runtime.shape import ABSENT, Flat, Path, has_type
from fusion_contracts.runtime.wording import expected, first_sentence

__all__ = ["WRAPPERS", "Names", "issues_of_names", "names_of", "wrapper_of"]

WRAPPERS = frozenset({
    "params", "parameters", "arguments", "args", "input", "inputs", "kwargs", "data", "payload", "body", "request",
    "tool_input", "toolInput", "properties",
})  # fmt: skip
_CLOSE = 0.6  # a missing name and an unknown one need less to be seen together than two optional ones
_MOST_HINTS = 5
_MOST_PAIRS = 20  # missing names for which a similar one is looked for
_MOST_BOTH = 200  # missing and unknown names of one object that are held against each other


@dataclass(slots=True)
class Names:
    """What became of the names: pairs by the path of the missing one, names refused, names worth a hint."""

    pairs: dict[Path, str] = field(default_factory=dict)
    missing: list[Failure] = field(default_factory=list)
    refused: list[Path] = field(default_factory=list)
    hints: list[Path] = field(default_factory=list)

    def limited(self, kept: Container[Path]) -> Names:
        """Those of these paths, without hints: where much is wrong, what is only worth a hint is not told."""
        missing = [failure for failure in self.missing if failure.path in kept]
        return Names(self.pairs, missing, [path for path in self.refused if path in kept])


def names_of(call: Call, failures: Iterable[Failure]) -> Names:
    """Sort the missing and the unknown names of a call; the policy decides about those that the schema lets through."""
    failures = list(failures)
    found = Names(missing=_once(failure for failure in failures if failure.keyword == "required"))
    refused = dict.fromkeys(_refused(call, failures))
    if call.unknown == "auto":
        wrong = {failure.path for failure in failures if failure.keyword == "type"}
        gone = [path for path, _ in call.gone_names(call.arguments)]
        refused |= {path: None for path in gone if not any(path[:end] in wrong for end in range(len(path)))}
    elif call.unknown in {"reject", "warn"}:
        refused |= {(name,): None for name in call.unknown_names((), call.arguments)}
    for parent in dict.fromkeys(failure.path[:-1] for failure in found.missing):
        _pair(call, parent, found, refused)
    paired = {(*path[:-1], name) for path, name in found.pairs.items()}
    found.refused = [path for path in refused if path not in paired]
    if failures and call.unknown != "ignore":
        unknown: list[Path] = [(name,) for name in call.unknown_names((), call.arguments)]
        found.hints = [path for path in unknown if path not in refused and path not in paired][:_MOST_HINTS]
    return found


def _once(failures: Iterable[Failure]) -> list[Failure]:
    found: dict[Path, Failure] = {}
    for failure in failures:
        found.setdefault(failure.path, failure)
    return list(found.values())


def _refused(call: Call, failures: list[Failure]) -> Iterable[Path]:
    """Names that the schema refuses. An object that counts what its branches took names the innocent as well."""
    others = any(failure.keyword not in {"unexpected", "unevaluated"} for failure in failures)
    for failure in failures:
        if failure.keyword == "unexpected":
            yield failure.path
        elif failure.keyword == "unevaluated":
            parent, name = failure.path[:-1], failure.path[-1]
            if not (others and name in call.shape.names(parent, call.arguments)):
                yield failure.path


def _pair(call: Call, parent: Path, found: Names, refused: Mapping[Path, None]) -> None:
    """Find for each missing name of one object the unknown one that was sent in its place."""
    missing = [str(failure.path[-1]) for failure in found.missing if failure.path[:-1] == parent]
    also = (str(path[-1]) for path in refused if path[:-1] == parent)
    unknown = list(dict.fromkeys([*call.unknown_names(parent, call.arguments), *also]))
    if not unknown:
        return
    for name in list(unknown):
        delta = call.gone.get(place((*parent, name)))
        successor = None if delta is None or delta.successor is None else beside(delta.successor, parent)
        if successor is not None and successor in missing:
            found.pairs[*parent, successor] = name
            missing.remove(successor)
            unknown.remove(name)
        elif successor is not None:  # the contract says what became of it: it stands for no other
            unknown.remove(name)
    for name in missing[:_MOST_PAIRS]:
        near = nearest(name, unknown[:_MOST_BOTH], close=_CLOSE)
        if near is not None and nearest(near, missing[:_MOST_BOTH], close=_CLOSE) == name:
            found.pairs[*parent, name] = near
            missing.remove(name)
            unknown.remove(near)
    if len(missing) == len(unknown) == 1:
        flat = call.shape.at((*parent, missing[0]), call.arguments)
        if _may_be(flat, inside(call.arguments, (*parent, unknown[0]))):
            found.pairs[*parent, missing[0]] = unknown[0]


def _may_be(flat: Flat, value: JsonValue) -> bool:
    types = flat.get("type")
    return types is None or has_type(value, types if isinstance(types, list) else [types])


def issues_of_names(call: Call, names: Names) -> list[Issue]:
    """The lines: missing names with what was sent instead, refused names, and names that are nearly right."""
    issues = []
    for failure in names.missing:
        flat = call.shape.at(failure.path, call.arguments)
        issue = issue_of(failure, ABSENT, flat)
        sent = names.pairs.get(failure.path)
        if sent is not None:
            value = _sent(call, (*failure.path[:-1], sent), failure.path)
            issue = replace(issue, sent=f"{clip(sent)} {value}", also=sent)
        issues.append(issue)
    taken = {failure.path for failure in names.missing}
    listed = False
    for path in names.refused:
        issue = _unknown(call, path, taken, list_names=not listed)
        listed = listed or not issue.also
        issues.append(issue)
    issues += [hint for path in names.hints if (hint := _unknown(call, path, taken, list_names=False)).also]
    return issues


def _unknown(call: Call, path: Path, taken: set[Path], *, list_names: bool) -> Issue:
    parent = path[:-1]
    delta = call.gone.get(place(path))
    known = [str(other) for other in call.shape.names(parent, call.arguments)]
    sent = inside(call.arguments, parent)
    used = sent if isinstance(sent, dict) else {}
    free = [other for other in known if other not in used and (*parent, other) not in taken]
    meant = _meant(path, delta, free)
    if meant is not None:
        flat = call.shape.at((*parent, meant))
        wanted = f"{clip(meant)} instead, {expected(flat)}"
        text = first_sentence(flat.get("description")) if delta is not None else ""
        shown = _sent(call, path, (*parent, meant))
        return Issue(path, dotted(path), "unknown", "Unknown argument.", shown, wanted, text, also=meant)
    wanted = _without(known, listed=list_names and call.schema is not None)
    similar = nearest(str(path[-1]), free)  # not offered; but a value that belongs there may be a secret
    shown = _sent(call, path, () if similar is None else (*parent, similar))
    return Issue(path, dotted(path), "unknown", "Unknown argument.", shown, wanted)


def _meant(path: Path, delta: Delta | None, free: list[str]) -> str | None:
    if delta is None:
        return likely(str(path[-1]), free)
    successor = beside(delta.successor, path[:-1]) if delta.successor is not None else None
    return successor if successor in free else None


def _without(known: list[str], *, listed: bool) -> str:
    if not listed:
        return "it to be left out"
    if not known:
        return "no arguments"
    shown = [clip(name, 40) for name in known[:8]]
    rest = len(known) - len(shown)
    return f"only {', '.join(shown)}" + (f" and {rest} more" if rest else "")


def _sent(call: Call, path: Path, meant: Path = ()) -> str:
    """The value of an unknown name; hidden also where the name that was meant is one whose value is."""
    hidden = call.hides(path) or (bool(meant) and call.hides(meant))
    return HIDDEN_VALUE if hidden else show_sent(inside(call.arguments, path))


def wrapper_of(call: Call) -> tuple[str, JsonObject] | None:
    """The one key that holds the arguments instead of being one, and what it holds: `{"params": {...}}`."""
    arguments = call.arguments
    known = set(call.shape.names(()))
    if not isinstance(arguments, dict) or not known or known & arguments.keys():
        return None
    found = []
    for name, inner in arguments.items():
        held = json_text(inner) if isinstance(inner, str) else inner
        if (name in WRAPPERS or name == call.action) and isinstance(held, dict) and known & held.keys():
            found.append((name, held))
    return found[0] if len(found) == 1 else None
