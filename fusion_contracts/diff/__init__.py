"""What changed between two contracts, judged: facts, then rules, then findings.

The package can be called: `fusion_contracts.diff(old, new)` is `fusion_contracts.diff.diff(old, new)`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from fusion_contracts.diff.changes import Fact
from fusion_contracts.diff.classify import classify
from fusion_contracts.diff.compare import compare_contracts, server_added, server_removed
from fusion_contracts.diff.findings import Finding, FindingSide, Level, Report, Side
from fusion_contracts.diff.policy import FailOn, apply_levels, exit_code, failing, read_levels
from fusion_contracts.model import Lock, ServerContract

__all__ = [
    "FailOn", "Finding", "FindingSide", "Level", "Report", "Side", "diff", "diff_locks", "exit_code", "failing",
    "read_levels",
]  # fmt: skip


def diff(  # noqa: PLR0913 - two contracts and how to look at them
    old: ServerContract,
    new: ServerContract,
    *,
    world: str = "declared",
    levels: Mapping[str, str | Level] | None = None,
    base: Side | None = None,
    head: Side | None = None,
) -> Report:
    """What the change from `old` to `new` does to agents that learned `old`.

    `world` is `declared` (calls hold the arguments that `old` names) or `open`; `levels` gives rules other levels
    (`{"description-changed": "safe"}`); `base` and `head` say in the report what was compared. Findings carry the old
    contract's NAME. Raises FusionError on an unknown rule, level or world.
    """
    return diff_locks(Lock({old.name: old}), Lock({new.name: new}), world=world, levels=levels, base=base, head=head)


def diff_locks(  # noqa: PLR0913 - as diff
    old: Lock,
    new: Lock,
    *,
    world: str = "declared",
    levels: Mapping[str, str | Level] | None = None,
    base: Side | None = None,
    head: Side | None = None,
) -> Report:
    """As `diff`, for many servers: paired by NAME, and a single one on each side whatever the names."""
    chosen = read_levels(levels or {})
    findings: list[Finding] = []
    for name, facts in _facts(old, new, _world(world)):
        findings += classify(facts, name)
    return Report(base or _side(old), head or _side(new), tuple(apply_levels(findings, chosen)))


def _world(world: str) -> str:
    if world not in {"declared", "open"}:
        from fusion_contracts.errors import FusionError

        raise FusionError(f"there is no world {world!r}", "write declared or open", stage="usage")
    return world


def _facts(old: Lock, new: Lock, world: str) -> Iterable[tuple[str, Iterable[Fact]]]:
    if len(old.servers) == len(new.servers) == 1:
        (before,), (after,) = old.servers.values(), new.servers.values()
        yield before.name, compare_contracts(before, after, world=world)
        return
    for name in sorted(old.servers.keys() | new.servers.keys()):
        if name not in new.servers:
            yield name, server_removed()
        elif name not in old.servers:
            yield name, server_added(new.servers[name])
        else:
            yield name, compare_contracts(old.servers[name], new.servers[name], world=world)


def _side(lock: Lock) -> Side:
    if len(lock.servers) != 1:
        return Side(f"{len(lock.servers)} servers", "contract")
    (contract,) = lock.servers.values()
    version = contract.info.get("version")
    return Side(f"{contract.name} {version}" if version else contract.name, "contract")


class _Callable(ModuleType):
    """Importing the package puts it where `fusion_contracts.diff` is looked up, and would hide the function there."""

    def __call__(self, *args: Any, **kwargs: Any) -> Report:
        return diff(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
