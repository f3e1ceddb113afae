"""Contract awareness: what changed since an agent learned the contract, told inside the failing call.

Everything is worked out once, when the server starts. Afterwards an action without changes costs one look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fusion_contracts.model import JsonValue, ServerContract
from fusion_contracts.runtime.deltas import Actions, Delta, actions_of, deltas_between, version_of
from fusion_contracts.runtime.plan import Plan

__all__ = ["CAP", "ContractAwareness", "checked_cap"]

CAP = 5


def checked_cap(cap: int) -> None:
    """Raise ValueError for a `cap` that is no whole number from 1."""
    if type(cap) is not int or cap < 1:
        raise ValueError(f"cap is a whole number from 1, not {cap!r:.40}")


class ContractAwareness:
    """The changes of each action between known good contracts and the live one, ranked and rendered beforehand."""

    __slots__ = ("_deltas", "_grouped", "_plans", "live")

    def __init__(self, live: ServerContract, deltas: Iterable[Delta] = (), *, cap: int = CAP) -> None:
        """From deltas as they are, by tool or action; `between` and `from_releases` work them out.

        Raises ValueError for a `cap` that is no whole number from 1.
        """
        checked_cap(cap)
        self.live = live
        self._deltas = merged(deltas)
        self._grouped: dict[str, Actions] = {}
        by_action: dict[str, list[Delta]] = {}
        for delta in self._deltas:
            by_action.setdefault(delta.action, []).append(delta)
        for name in list(by_action):
            if name in live.tools:  # a change of a whole tool is one of each of its actions; one of the choice is not
                actions = self._actions(name)
                shared = [delta for delta in by_action[name] if delta.field != actions.selector or not delta.field]
                for key in actions.schemas if shared else ():
                    by_action[key] = [*by_action.get(key, ()), *shared]
        self._plans = {
            action: Plan(deltas, cap, gone=action not in live.tools and _is_whole(deltas))
            for action, deltas in by_action.items()
            if any(delta.kind != "hint" for delta in deltas)  # hints alone explain no refusal
        }

    @classmethod
    def between(cls, known_good: ServerContract, live: ServerContract, *, cap: int = CAP) -> ContractAwareness:
        """From the contract that agents learned and the one that answers now; `cap` changes are shown at most."""
        return cls(live, deltas_between(known_good, live, version_of(known_good)), cap=cap)

    @classmethod
    def from_releases(
        cls, folder_or_package: str | Path, live: ServerContract, *, cap: int = CAP, last: int = 10
    ) -> ContractAwareness:
        """From the releases kept in a folder, or packed into an installed package; the `last` ones by sequence.

        Without any release there is nothing to be told: the log then names the paths that were searched. Raises
        FusionError where a release is there and cannot be read.
        """
        from fusion_contracts.runtime.releases import known_deltas  # reads files: not needed for `between`

        return cls(live, known_deltas(folder_or_package, live, last=last), cap=cap)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions and tools that something is known of, sorted."""
        return tuple(sorted(self._plans))

    @property
    def all_deltas(self) -> tuple[Delta, ...]:
        """Every change, as it was found; for packing."""
        return self._deltas

    def deltas(self, action: str) -> tuple[Delta, ...]:
        """The changes of exactly this action, the most telling first; `create` is not `create_many`."""
        plan = self._plans.get(action)
        return plan.deltas if plan is not None else ()

    def render(self, action: str, failing: Sequence[str] = ()) -> str:
        """The `<contract_awareness>` block of an action, changes of the failing arguments first; "" without any."""
        plan = self._plans.get(action)
        return plan.block(tuple(failing)) if plan is not None else ""

    def shown(self, action: str, failing: Sequence[str] = ()) -> tuple[Delta, ...]:
        """The changes that `render` tells, in its order."""
        plan = self._plans.get(action)
        return plan.shown(tuple(failing)) if plan is not None else ()

    def enrich(self, error_text: str, action: str) -> str:
        """The error with the block before its `<recovery>`; the same object where there is nothing to add.

        Only validation errors and UNKNOWN_ACTION are added to; one that says that the tool was removed is complete.
        """
        plan = self._plans.get(action)
        return error_text if plan is None else plan.enrich(error_text)

    def gone(self, action: str) -> Mapping[str, Delta]:
        """The arguments that the live action does not have any more, by their place in the arguments."""
        plan = self._plans.get(action)
        return plan.gone_arguments if plan is not None else {}

    def schema(self, action: str) -> Any:
        """The live input schema of a tool, or the effective one of an action; None for neither."""
        tool = self.live.tools.get(action)
        if tool is not None:
            return tool.input_schema
        parts = action.split(".")
        for end in range(1, len(parts)):
            name = ".".join(parts[:end])
            if name in self.live.tools and action in self._actions(name).schemas:
                return self._actions(name).schemas[action]
        return None

    def action_of(self, tool: str, arguments: JsonValue) -> str:
        """The key of the action that a call means: `billing.create` of a grouped tool, else the tool's name."""
        if tool in self.live.tools and isinstance(arguments, dict):
            actions = self._actions(tool)
            chosen = arguments.get(actions.selector)
            key = f"{tool}.{chosen}" if isinstance(chosen, str) else ""
            if key in actions.schemas:
                return key
        return tool

    def _actions(self, tool: str) -> Actions:
        if tool not in self._grouped:
            self._grouped[tool] = actions_of(self.live.tools[tool])
        return self._grouped[tool]


def _is_whole(deltas: Iterable[Delta]) -> bool:
    return any(delta.text == "removed" or delta.text.startswith("renamed to ") for delta in deltas if not delta.field)


def merged(deltas: Iterable[Delta]) -> tuple[Delta, ...]:
    """Equal changes of several releases as one, after the newest of them."""
    newest: dict[tuple[Any, ...], Delta] = {}
    for delta in deltas:
        key = (delta.action, delta.severity, delta.field, delta.text, delta.kind)
        if key not in newest or newest[key].age < delta.age:
            newest[key] = delta
    return tuple(newest.values())
