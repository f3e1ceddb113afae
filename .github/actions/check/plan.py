"""What an event asks for: what to compare with, whether every server may be started, and where to comment."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

__all__ = ["Base", "Plan", "RefusedError", "plan"]


class RefusedError(Exception):
    """An event on which this must not run."""


@dataclass(frozen=True)
class Base:
    """Something to compare with: a `branch` of origin, a `commit` by its id, or a `revision` as a person wrote it."""

    kind: str
    name: str


@dataclass(frozen=True)
class Plan:
    """What to do. The first base that can be had is taken; HEAD where none can, or none is there.

    `local`: start only servers that are part of the repository. `number` is the pull request's. `fork`: it comes from
    another repository, so the token cannot write.
    """

    bases: tuple[Base, ...]
    local: bool
    number: int | None = None
    fork: bool = False


def plan(name: str, event: dict[str, Any], *, ref: str = "", base: str = "") -> Plan:
    """The plan for an event of that name; `ref` is the branch or tag it ran for, `base` what the workflow names.

    Raises RefusedError for pull_request_target.
    """
    if name == "pull_request_target":
        raise RefusedError(
            "fusion check does not run on pull_request_target, which hands a stranger's change the repository's "
            "secrets; use pull_request"
        )
    request = event.get("pull_request")
    named = (Base("revision", base),) if base else ()
    if isinstance(request, dict):
        return Plan(named or _of_pull_request(request), local=True, number=_number(request), fork=_is_fork(request))
    if name == "merge_group":
        return Plan(named or _of_merge_group(event.get("merge_group") or {}), local=True)
    if name == "push":
        return Plan(named or _of_push(event), local=False)
    return Plan(named or _default(event, ref), local=False)


def _of_pull_request(request: dict[str, Any]) -> tuple[Base, ...]:
    """The branch, as it may have moved since; its commit at the event, where the branch is gone or was renamed."""
    base = request.get("base") or {}
    return (*_branch(base.get("ref")), *_commit(base.get("sha")))


def _of_merge_group(group: dict[str, Any]) -> tuple[Base, ...]:
    return (*_commit(group.get("base_sha")), *_branch(group.get("base_ref")))


def _of_push(event: dict[str, Any]) -> tuple[Base, ...]:
    """What was there before; for a new branch, or where a forced push dropped that, the default branch."""
    return (*_commit(event.get("before")), *_default(event, str(event.get("ref", ""))))


def _default(event: dict[str, Any], ref: str) -> tuple[Base, ...]:
    """The default branch, unless it is the one that this runs for."""
    name = (event.get("repository") or {}).get("default_branch")
    return () if ref == f"refs/heads/{name}" or not ref else _branch(name)


def _branch(name: Any) -> tuple[Base, ...]:
    return (Base("branch", name.removeprefix("refs/heads/")),) if isinstance(name, str) and name else ()


def _commit(name: Any) -> tuple[Base, ...]:
    """A commit by its id; the one of zeros stands for none."""
    whole = isinstance(name, str) and re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", name) and name.strip("0")
    return (Base("commit", name),) if whole else ()


def _number(request: dict[str, Any]) -> int | None:
    number = request.get("number")
    return number if isinstance(number, int) else None


def _is_fork(request: dict[str, Any]) -> bool:
    head, base = ((request.get(side) or {}).get("repo") or {} for side in ("head", "base"))
    return head.get("full_name") != base.get("full_name")
