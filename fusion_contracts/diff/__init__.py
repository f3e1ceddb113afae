"""What changed between two contracts, judged: facts, then rules, then findings.

The package can be called: `fusion_contracts.diff(old, new)` is `fusion_contracts.diff.diff(old, new)`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from fusion_contracts.diff.changes import CatalogGrew, Fact
from fusion_contracts.diff.classify import classify
from fusion_contracts.diff.compare import compare_contracts, server_added, server_removed, shared
from fusion_contracts.diff.cost import GROWTH_PERCENT, Cost
from fusion_contracts.diff.findings import Finding, FindingSide, Level, Report, Side
from fusion_contracts.diff.policy import FailOn, Policy, exit_code, failing, lowest, lowest_limit, read_levels
from fusion_contracts.model import Lock, ServerContract

__all__ = [
    "GROWTH_PERCENT", "Cost", "FailOn", "Finding", "FindingSide", "Level", "Policy", "Report", "Side", "diff",
    "diff_locks", "exit_code", "failing", "lowest", "lowest_limit", "pairs", "read_levels",
]  # fmt: skip


def diff(  # noqa: PLR0913 - two contracts and how to look at them
    old: ServerContract,
    new: ServerContract,
    *,
    world: str = "declared",
    levels: Mapping[str, str | Level] | None = None,
    token_growth_percent: int = GROWTH_PERCENT,
    base: Side | None = None,
    head: Side | None = None,
) -> Report:
    """What the change from `old` to `new` does to agents that learned `old`.

    `world` is `declared` (calls hold the arguments that `old` names) or `open`; `levels` gives rules other levels
    (`{"description-changed": "safe"}`); tools that cost more by over `token_growth_percent` are a finding; `base` and
    `head` say in the report what was compared. Findings carry the old contract's NAME. Raises FusionError on an unknown
    rule, level or world.
    """
    return diff_locks(
        Lock({old.name: old}), Lock({new.name: new}), world=world, levels=levels,
        token_growth_percent=token_growth_percent, base=base, head=head,
    )  # fmt: skip


def diff_locks(  # noqa: PLR0913 - as diff
    old: Lock,
    new: Lock,
    *,
    world: str = "declared",
    levels: Mapping[str, str | Level] | None = None,
    token_growth_percent: int = GROWTH_PERCENT,
    policy: Callable[[str], Policy] | None = None,
    base: Side | None = None,
    head: Side | None = None,
) -> Report:
    """As `diff`, for many servers: paired by NAME, and a single one on each side whatever the names.

    `policy` says how a server of that NAME is judged, in place of `world`, `levels` and `token_growth_percent`.
    """
    same = Policy(world=world, levels=levels or {}, token_growth_percent=token_growth_percent)
    same.apply(())  # wrong levels are an error whatever changed
    _world(world)
    findings: list[Finding] = []
    costs: list[Cost] = []
    for name, before, after in pairs(old, new):
        found, cost = _compared(name, before, after, policy(name) if policy else same)
        findings += found
        costs += [cost] if cost.before != cost.after else []
    return Report(base or _side(old), head or _side(new), tuple(findings), costs=tuple(costs))


def _compared(
    name: str, old: ServerContract | None, new: ServerContract | None, policy: Policy
) -> tuple[list[Finding], Cost]:
    """The findings about one server, and what its tools cost."""
    sys.audit("fusion_contracts.step", "compares", name)
    if old is not None and new is not None:
        new = shared(old, new)  # each pair of tools is compared once
    findings = classify(_facts(old, new, _world(policy.world)), name)
    cost = _cost(name, old, new)
    if old and new and cost.grew(policy.token_growth_percent):
        grown = CatalogGrew(pointer="/tools", before=cost.before, after=cost.after)
        findings += classify([Fact(grown, "server", grown.pointer)], name)
    return policy.apply(findings), cost


def _world(world: str) -> str:
    if world not in {"declared", "open"}:
        from fusion_contracts.errors import FusionError

        raise FusionError(f"there is no world {world!r}", "write declared or open", stage="usage")
    return world


def pairs(old: Lock, new: Lock) -> Iterator[tuple[str, ServerContract | None, ServerContract | None]]:
    """Each server's NAME, and its contracts: None on the side where it is not there."""
    if len(old.servers) == len(new.servers) == 1:
        (before,), (after,) = old.servers.values(), new.servers.values()
        yield before.name, before, after
        return
    for name in sorted(old.servers.keys() | new.servers.keys()):
        yield name, old.servers.get(name), new.servers.get(name)


def _facts(old: ServerContract | None, new: ServerContract | None, world: str) -> Iterable[Fact]:
    if new is None:
        return server_removed()
    return server_added(new) if old is None else compare_contracts(old, new, world=world)


def _cost(name: str, old: ServerContract | None, new: ServerContract | None) -> Cost:
    """What the tools cost before and after; nothing is counted where they are the same."""
    same = old is not None and new is not None and old.tools == new.tools
    return Cost(name, 0, 0) if same else Cost.between(name, old, new)


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
