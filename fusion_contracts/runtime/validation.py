"""A refused call, explained to the model that made it: one line a wrong argument, and what changed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.call import Call, UnknownPolicy, checked_policy, inside, place
from fusion_contracts.runtime.echo import clip, redacted, show
from fusion_contracts.runtime.failures import Failure, flatten
from fusion_contracts.runtime.issues import Issue, dotted, issue_of, json_text
from fusion_contracts.runtime.layout import MOST_ISSUES, render
from fusion_contracts.runtime.reading import Reading, read
from fusion_contracts.runtime.repair import repaired, spelled
from fusion_contracts.runtime.shape import Path, Shape
from fusion_contracts.runtime.signature import signature
from fusion_contracts.runtime.unknown import Names, issues_of_names, names_of, wrapper_of

if TYPE_CHECKING:
    from fusion_contracts.runtime.awareness import ContractAwareness
    from fusion_contracts.runtime.fault import ToolFault

__all__ = ["ValidationReport", "explain_validation"]

_NAME_KEYWORDS = frozenset({"required", "unexpected", "unevaluated"})
_HOPELESS = 3  # unknown names for missing ones, from which a signature says more than the lines


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """What is wrong with a call; empty, and false, where nothing is.

    `more` counts issues beyond those listed. `suggested_arguments` is the call as the live schema takes it, None where
    that does not follow from what was sent. With `warning` the call may run: its unknown arguments are only named.
    `fault` is the whole text where that is no validation error: the action is not there, or it is a warning.
    """

    action: str
    issues: tuple[Issue, ...] = ()
    more: int = 0
    suggested_arguments: JsonObject | None = None
    warning: bool = False
    awareness: ContractAwareness | None = field(default=None, repr=False, compare=False)
    fault: ToolFault | None = None

    def __bool__(self) -> bool:
        return bool(self.issues)

    @property
    def is_error(self) -> bool:
        """Whether the call must not run."""
        return bool(self.issues) and not self.warning

    @property
    def failing(self) -> tuple[str, ...]:
        """The names of the arguments concerned, as deltas call them; the unknown ones sent instead too."""
        names = [name for issue in self.issues for name in (issue.name, issue.also) if name]
        return tuple(dict.fromkeys(names))

    def to_xml(self, *, compact: bool = False) -> str:
        """The text for the model; "" where nothing is wrong. `compact` leaves the top-level lines unindented."""
        if self.fault is not None:
            text = self.fault.to_xml(compact=compact)
            return text if self.awareness is None else self.awareness.enrich(text, self.action)
        if not self.issues:
            return ""
        block = self.awareness.render(self.action, self.failing) if self.awareness is not None else ""
        indented = "\n".join(f"  {line}" for line in block.split("\n")) if block else ""
        suggestion = None if self.suggested_arguments is None else spelled(self.suggested_arguments)
        text = render(self.action, self.issues, self.more, block=indented, suggestion=suggestion)
        return text.replace("\n  ", "\n") if compact else text

    def __str__(self) -> str:
        return self.to_xml()


def explain_validation(  # noqa: PLR0913 - one parameter for each thing that is known about a call
    error_or_schema: Any,
    arguments: JsonValue,
    *,
    action: str,
    awareness: ContractAwareness | None = None,
    unknown: UnknownPolicy = "auto",
    schema: JsonValue = None,
    formats: bool = True,
    redact: Iterable[str] = (),
) -> ValidationReport:
    """Why a call is refused, in words that let a model get the next one right.

    `error_or_schema` is a JSON Schema (dict, bool, or a pydantic model), or what a validator raised: a pydantic,
    jsonschema or jsonschema-rs `ValidationError`, an exception caused by one, or a list of errors. With an error,
    `schema` (else the live one that `awareness` knows) gives descriptions and repairs; where the exception is none of
    a validator, the schema alone judges, and without one the report is false. `arguments` are those sent, None for
    none.

    `unknown` is the policy for arguments that the schema would let through: `auto` refuses those that a change of
    the contract names as removed or renamed, `reject` refuses all, `warn` names all and refuses none, `ignore` says
    nothing. What the schema itself refuses is refused. `formats` checks `format`, where nothing else is wrong or the
    call cannot be repaired. `redact` are names of arguments whose values are not shown, besides those that are secret
    by their ending. Never raises, but for a policy that there is not.
    """
    checked_policy(unknown)
    try:
        sent = {} if arguments is None else arguments
        sent = dict(sent) if isinstance(sent, Mapping) and not isinstance(sent, dict) else sent
        known = schema if schema is not None or awareness is None else awareness.schema(action)
        reading = read(error_or_schema, sent, known, formats=formats)
        action = awareness.action_of(action, sent) if awareness is not None else action
        gone = awareness.gone(action) if awareness is not None else {}
        call = Call(action, sent, reading.schema, Shape(reading.schema), gone, unknown, frozenset(redact))
        report = _explained(call, reading)
        return report if awareness is None else replace(report, awareness=awareness)
    except Exception:  # noqa: BLE001 - the answer to a failure must not fail; arguments and schemas are untrusted
        issue = Issue((), "arguments", "arguments", "Not accepted.", _safely(arguments), "")
        return ValidationReport(action, (issue,), awareness=awareness)


def _safely(value: JsonValue) -> str:
    try:
        return show(value)
    except Exception:  # noqa: BLE001 - a value of any class
        return "a value that cannot be shown"


def _explained(call: Call, reading: Reading) -> ValidationReport:
    failures = flatten(reading.failures)
    whole = _wrong_as_a_whole(call)
    if whole is not None:
        return ValidationReport(call.action, (whole,), suggested_arguments=repaired(call, failures, reading))
    wrapper = wrapper_of(call) if failures else None
    if wrapper is not None:
        return _unwrapped(call, reading, *wrapper)
    names = names_of(call, failures)
    if not failures and not names.refused:
        return ValidationReport(call.action)
    if call.unknown == "warn" and not failures:
        return _warned(call.action, issues_of_names(call, names))
    suggestion = repaired(call, failures, reading)
    if suggestion is not None:
        failures = [failure for failure in failures if failure.keyword != "format"] or failures
    if call.shape.names(()) and _hopeless(names, failures):
        return ValidationReport(call.action, (_signed(call),), 0, suggestion)
    told = {failure.path for failure in failures}
    return _listed(call, names, _values(failures, names), reading.more, suggestion, told=told)


def _warned(action: str, issues: Sequence[Issue]) -> ValidationReport:
    """Unknown arguments that stop no call: a warning, which travels on the success path."""
    from fusion_contracts.runtime.fault import tool_error  # for this one policy

    names = ", ".join(issue.name for issue in issues[:MOST_ISSUES])
    fault = tool_error(
        "VALIDATION_ERROR",
        f"{clip(action)} was called with unknown arguments: {clip(names, 200)}.",
        details={issue.name: clip(issue.line(), 120) for issue in issues[:MOST_ISSUES]},
        suggestion="Leave them out of the next call, or name them as below.",
        severity="warning",
    )
    return ValidationReport(action, tuple(issues[:MOST_ISSUES]), len(issues[MOST_ISSUES:]), warning=True, fault=fault)


def _listed(  # noqa: PLR0913 - what was found, and how it is told
    call: Call,
    names: Names,
    values: Mapping[Path, Failure],
    more: int,
    suggestion: JsonObject | None,
    *,
    told: Container[Path],
) -> ValidationReport:
    """At most ten issues; where there are more, one of each place before the same one of other items.

    What the schema refuses (`told`) goes before names that it would let through.
    """
    paths = [*(failure.path for failure in names.missing), *names.refused, *values]
    if len(paths) > MOST_ISSUES:
        paths.sort(key=lambda path: path not in told)
        places: dict[str, Path] = {}
        for path in paths:
            places.setdefault(place(path), path)
        kept = set(list(dict.fromkeys([*places.values(), *paths]))[:MOST_ISSUES])
        more += len(paths) - len(kept)
        names = names.limited(kept)
        values = {path: failure for path, failure in values.items() if path in kept}
    issues = [*issues_of_names(call, names), *(_issue(call, failure) for failure in values.values())]
    return ValidationReport(call.action, tuple(issues), more, suggestion)


def _values(failures: Iterable[Failure], names: Names) -> dict[Path, Failure]:
    """The places whose value is refused; the most telling failure of a place speaks for it."""
    chosen: dict[Path, Failure] = {}
    for failure in failures:
        if failure.keyword not in _NAME_KEYWORDS:
            before = chosen.get(failure.path)
            chosen[failure.path] = failure if before is None else _stronger(before, failure)
    for path in names.refused:
        chosen.pop(path, None)
    return chosen


_ORDER = ("type", "enum", "const")


def _stronger(before: Failure, after: Failure) -> Failure:
    if before.keyword == after.keyword == "type":
        types = [*_as_list(before.limit), *_as_list(after.limit)]
        return replace(before, limit=list(dict.fromkeys(types)))
    ranks = [_ORDER.index(f.keyword) if f.keyword in _ORDER else len(_ORDER) for f in (before, after)]
    return after if ranks[1] < ranks[0] else before


def _as_list(value: JsonValue) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _issue(call: Call, failure: Failure) -> Issue:
    value = inside(call.arguments, failure.path)
    flat = call.shape.at(failure.path, call.arguments)
    optional = False
    if value is None and failure.path:
        required = call.shape.at(failure.path[:-1], call.arguments).get("required")
        needed = isinstance(required, list) and failure.path[-1] in required
        optional = isinstance(failure.path[-1], str) and not needed
    if failure.message:  # whoever wrote it may have put in what was sent
        failure = replace(failure, message=redacted(failure.message, call.secrets()))
    return issue_of(failure, value, flat, optional=optional, hidden=call.hides(failure.path))


def _wrong_as_a_whole(call: Call) -> Issue | None:
    """The issue of arguments that are no object at all."""
    if isinstance(call.arguments, dict):
        return None
    expected = _signature(call)
    parsed = json_text(call.arguments)
    if isinstance(parsed, dict):
        sent = f"text that holds {show(parsed)}"
        return Issue((), dotted(()), "json-text", "JSON sent as text.", sent, expected)
    sent = "text" if isinstance(call.arguments, str) else show(call.arguments)
    return Issue((), dotted(()), "arguments", "Not an object of arguments.", sent, expected)


def _hopeless(names: Names, failures: Sequence[Failure]) -> bool:
    """Whether nothing that was sent is what the action takes."""
    lost = len(names.missing) + len(names.refused) + len(names.hints)
    stray = len(names.refused) + len(names.hints)
    only_names = all(failure.keyword in _NAME_KEYWORDS and len(failure.path) == 1 for failure in failures)
    return only_names and not names.pairs and bool(names.missing) and bool(stray) and lost >= _HOPELESS


def _signed(call: Call) -> Issue:
    unknown = call.unknown_names((), call.arguments)
    names = ", ".join(dotted((name,)) for name in unknown[:MOST_ISSUES])
    more = f" and {len(unknown) - MOST_ISSUES:,} more" if len(unknown) > MOST_ISSUES else ""
    return Issue((), dotted(()), "arguments", "Not the arguments of this tool.", f"{names}{more}", _signature(call))


def _signature(call: Call) -> str:
    return signature(call.schema, call.action)


def _unwrapped(call: Call, reading: Reading, wrapper: str, inner: JsonObject) -> ValidationReport:
    """The arguments stand one level too deep: said once, and then what is wrong with them there."""
    expected = f"its keys at the top level: {', '.join(dotted((name,)) for name in list(inner)[:8])}"
    first = Issue((wrapper,), dotted((wrapper,)), "wrapper", "Wrapper object.", show(inner), expected)
    suggestion = repaired(call, [], reading)
    if suggestion is not None:
        return ValidationReport(call.action, (first,), suggested_arguments=suggestion)
    below = _explained(replace(call, arguments=inner), reading.again(inner))
    issues = [first, *below.issues]
    return ValidationReport(call.action, tuple(issues[:MOST_ISSUES]), below.more + len(issues[MOST_ISSUES:]))
