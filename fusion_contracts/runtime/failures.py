"""What a validator refused, in one form for every validator: a place, a keyword of JSON Schema, and its limit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fusion_contracts.model import JsonValue
from fusion_contracts.runtime.shape import Path

__all__ = ["Failure", "flatten"]

_UNIONS = frozenset({"anyOf", "oneOf"})
_CONSTANTS = frozenset({"const", "enum"})
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Failure:
    """One refusal.

    `path` leads to the value; of `required`, `unexpected` and `unevaluated` to the name that is missing or too much.
    `keyword` is one of JSON Schema's, or `unexpected` (by a closed object), `unevaluated` (by one that counts what its
    branches took), `false` or `other`. `limit` is what the keyword says (a list of type names of `type`, the allowed
    values of `enum`). `message` is a sentence of the server's author, used where no keyword says it; never a
    validator's, which repeats nested values. `branches` holds, for `anyOf` and `oneOf`, what each branch refused.
    """

    path: Path
    keyword: str
    limit: JsonValue = None
    message: str = ""
    branches: tuple[tuple[Failure, ...], ...] = ()


def flatten(failures: Iterable[Failure], depth: int = 0) -> list[Failure]:
    """The refusals with each union replaced by those of its best branch: the one that was meant."""
    found: list[Failure] = []
    for failure in failures:
        if failure.keyword in _UNIONS and failure.branches and depth < _DEEPEST:
            found += _union(failure, depth)
        else:
            found.append(failure)
    return found


def _union(union: Failure, depth: int) -> list[Failure]:
    branches = [flatten(branch, depth + 1) for branch in union.branches if branch]
    if not branches:  # every branch takes the value, and only one may
        return [replace(union, keyword="oneOf", branches=())]
    same_type = [branch for branch in branches if not _wrong_type(branch, union.path)]
    if not same_type:
        return [Failure(union.path, "type", _types(branches, union.path))]
    if all(_only_value(branch, union.path) for branch in same_type):
        return [_joined(same_type, union.path)] if len(same_type) > 1 else same_type[0]
    meant = [branch for branch in same_type if not _selectors(branch, union.path)]
    if meant:
        return min(meant, key=len)
    return [_selector(same_type, union.path)] if len(same_type) > 1 else same_type[0]


def _wrong_type(branch: Sequence[Failure], path: Path) -> bool:
    return any(failure.keyword == "type" and failure.path == path for failure in branch)


def _only_value(branch: Sequence[Failure], path: Path) -> bool:
    return all(failure.path == path for failure in branch)


def _types(branches: Sequence[Sequence[Failure]], path: Path) -> list[str]:
    names: list[str] = []
    for branch in branches:
        for failure in branch:
            if failure.keyword == "type" and failure.path == path:
                names += failure.limit if isinstance(failure.limit, list) else []
    return list(dict.fromkeys(names))


def _joined(branches: Sequence[Sequence[Failure]], path: Path) -> Failure:
    """Branches that only refuse the value itself: their options together, or the first that says anything."""
    options: list[JsonValue] = []
    for branch in branches:
        for failure in branch:
            if failure.keyword not in _CONSTANTS:
                return branch[0]
            options += failure.limit if failure.keyword == "enum" else [failure.limit]
    return Failure(path, "enum", options)


def _selectors(branch: Sequence[Failure], path: Path) -> list[Failure]:
    """Refusals that say that another branch was meant: a constant of a direct property that was sent otherwise."""
    return [f for f in branch if f.keyword in _CONSTANTS and len(f.path) == len(path) + 1]


def _selector(branches: Sequence[Sequence[Failure]], path: Path) -> Failure:
    """No branch was meant: the property that selects has a value that none of them takes."""
    first = [_selectors(branch, path)[0] for branch in branches]
    same = [failure for failure in first if failure.path == first[0].path]
    return _joined([[failure] for failure in same], first[0].path)
