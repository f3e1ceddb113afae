"""What the tools are now: each listing is looked at once, and the last one stands until somebody doubts it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from fusion_contracts.integrations.framework import Framework
from fusion_contracts.integrations.live import Live
from fusion_contracts.integrations.options import Options
from fusion_contracts.model import JsonObject
from fusion_contracts.runtime.releases import Known

__all__ = ["Listings"]

_KEPT = 8  # tools may differ by session; more than so many views are made anew


class Listings:
    """The listings of one server or agent. Safe for concurrent calls."""

    def __init__(self, options: Options, framework: Framework, known: Known) -> None:
        self._options = options
        self._framework = framework
        self._known = known
        self._seen: dict[str, Live] = {}
        self._objects: dict[str, Any] = {}
        self._is_stale = False
        self.last: Live | None = None

    def standing(self, tool: str) -> Live | None:
        """The last listing, if a call of that tool may be held to it; None where the tools must be listed anew."""
        if self._is_stale:
            return None
        found = self._framework.found
        if found is not None and found(tool) is not self._objects.get(tool):
            return None
        return self.last

    def take(self, tools: Iterable[JsonObject]) -> Live:
        """A listing with what changed, made once for equal ones: the last from now on."""
        listed = list(tools)
        key = json.dumps(listed, sort_keys=True, default=repr)
        live = self._seen.get(key)
        if live is None:
            live = Live.of(listed, self._known, cap=self._options.cap, hints=self._framework.hints)
            if len(self._seen) >= _KEPT:
                self._seen.pop(next(iter(self._seen)), None)
            self._seen[key] = live
        found = self._framework.found
        if found is not None:
            self._objects = {name: found(name) for name in live.contract.tools}
        self.last = live
        self._is_stale = False
        return live

    def forget(self) -> None:
        """The tools may be others now: the next call is held to what they are then."""
        self._is_stale = True
