"""Handlers for tools that are objects in the program: one for each set of tools that is met."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fusion_contracts.integrations.answers import WARNINGS_KEY, Answer
from fusion_contracts.integrations.framework import Failed, Framework
from fusion_contracts.integrations.handler import Handler
from fusion_contracts.integrations.live import Live
from fusion_contracts.integrations.options import Options
from fusion_contracts.model import JsonObject
from fusion_contracts.runtime.releases import Known

__all__ = ["Missing", "Refused", "Views", "copies", "live_of"]

_KEPT = 8  # agents and steps of one program rarely have more sets of tools


class Refused(Exception):  # noqa: N818 - what a validator did
    """A framework's validator refused the arguments; its error is the cause. A tool's own error may look the same."""


class Missing(Exception):  # noqa: N818 - what a call met
    """There is no tool of that name."""


class Views:
    """Equal tools in the same order are one set, which costs a comparison; what changed is worked out once for it."""

    def __init__(
        self,
        options: Options,
        known: Known,
        *,
        listed: Callable[[Any], Iterable[JsonObject]],
        own: Callable[[BaseException], bool] = lambda _: False,
        cause: Callable[[BaseException], BaseException] = lambda error: error,
    ) -> None:
        """`listed` gives a tool as MCP would list it, none for one without a contract.

        `own` says of an exception that the framework goes on by it, `cause` what the tool raised in one of the
        framework's.
        """
        self._options = options
        self._known = known
        self._listed = listed
        self._own = own
        self._cause = cause
        self._seen: tuple[tuple[list[Any], Handler], ...] = ()

    def handler(self, tools: Iterable[Any]) -> Handler:
        """The handler of calls of these tools."""
        wanted = list(tools)
        for held, handler in self._seen:
            if held == wanted:
                return handler
        entries = [entry for tool in wanted for entry in self._listed(tool)]
        framework = Framework(lambda: entries, failed=self._meaning, cause=self._raised, hints=False)
        handler = Handler(self._options, framework, self._known)
        self._seen = (*self._seen[1 - _KEPT :], (wanted, handler))
        return handler

    def _meaning(self, error: BaseException) -> Failed:
        if isinstance(error, Refused | Missing):
            return "arguments" if isinstance(error, Refused) else "unknown"
        return "own" if self._own(error) else "failure"

    def _raised(self, error: BaseException) -> BaseException:
        found = error.__cause__ if isinstance(error, Refused) and error.__cause__ is not None else error
        return self._cause(found)


def live_of(handler: Handler) -> Live:
    """The listing of a handler that `Views` made."""
    return handler.listings.take(handler.framework.tools())


def copies(warnings: Iterable[Answer]) -> JsonObject:
    """The machine copies of warnings that stand beside a result, under their key."""
    return {WARNINGS_KEY: [warning.record for warning in warnings]}
