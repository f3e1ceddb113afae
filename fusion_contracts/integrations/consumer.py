"""The client's side of drift: what a model may see and call of a server that its program does not own.

Knows no framework. Whoever has a session hands over what it lists (`take`), asks before a call (`before`) and when one
has failed (`explained`). A model is shown a tool only in exactly the form that was judged.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fusion_contracts.canonical import canonical_json, printable
from fusion_contracts.integrations.answers import Answer, of_guard, of_report
from fusion_contracts.integrations.drift import Reactions, Verdict, judge
from fusion_contracts.integrations.hooks import tell
from fusion_contracts.integrations.locked import Locked, Offered
from fusion_contracts.integrations.options import Ending, Options, ToolCall
from fusion_contracts.integrations.telemetry import record
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.runtime.callguard import CallGuard
from fusion_contracts.runtime.client import parse_tool_error
from fusion_contracts.runtime.echo import clip
from fusion_contracts.runtime.fault import tool_error

__all__ = ["REFUSED", "Consumer", "Explained"]

REFUSED = "CONTRACT_CHANGED"
"""The code of the answer to a call of a tool, or a server, that is refused."""

_VIEWS = 8  # listings that a server which flaps between them is not judged on again
_MOST_HIDDEN = 256  # tools that hid text; a server with more of them is refused as a whole
_log = logging.getLogger("fusion_contracts.integrations")


class _View:
    """One listing: the verdict on it, and the check of calls against what it leaves."""

    __slots__ = ("_guard", "judged", "verdict")

    def __init__(self, verdict: Verdict, judged: frozenset[bytes]) -> None:
        self.verdict = verdict
        self.judged = judged
        self._guard: CallGuard | None = None

    def guard(self, locked: Locked, options: Options) -> CallGuard:
        """Made when it is first needed: most listings are those that were locked."""
        if self._guard is None:
            live = self.verdict.live
            tools = {name: tool for name, tool in live.tools.items() if self.verdict.accepts(name)}
            self._guard = CallGuard(
                locked.contract,
                replace(live, tools=tools),
                unknown=options.unknown,
                cap=options.cap,
                redact=options.redact,
            )
        return self._guard


@dataclass(frozen=True, slots=True)
class Explained:
    """The text of a failed call as the model reads it, and the machine copy for `_meta`.

    `refusal`: nothing of the server's result is handed on, and this is the answer.
    """

    text: str
    ending: Ending
    meta: JsonObject = field(default_factory=dict)
    refusal: Answer | None = None


class Consumer:
    """One server as one program may use it."""

    def __init__(self, locked: Locked, reactions: Reactions, options: Options) -> None:
        self.locked = locked
        self.reactions = reactions
        self.options = options
        self._view: _View | None = None
        self._views: dict[bytes, _View] = {}
        self._hidden: dict[str, str] = {}

    @property
    def verdict(self) -> Verdict:
        """The verdict on the last listing. Raises RuntimeError before the first."""
        return self._current.verdict

    @property
    def _current(self) -> _View:
        if self._view is None:
            raise RuntimeError("nothing was listed yet")
        return self._view

    def take(self, offered: Offered) -> bool:
        """Judge a listing, which counts from now on; whether it is another one than before.

        Each listing is judged, and told in the log, once; a server that goes back and forth is not told again.
        """
        spelled = [canonical_json(tool) for tool in offered.tools]
        key = b"\n".join([canonical_json([offered.info, offered.instructions]), *sorted(spelled)])
        view = self._views.get(key)
        if view is None:
            view = _View(self._judged(offered), frozenset(spelled))
            if len(self._views) >= _VIEWS:
                self._views.pop(next(iter(self._views)))
            self._views[key] = view
        elif self._hidden.items() - view.verdict.hidden.items():
            view = self._views[key] = _View(view.verdict.holding(self._hidden), view.judged)
        changed = view is not self._view
        self._view = view
        return changed

    def lists(self, tools: Sequence[JsonObject], *, whole: bool) -> bool:
        """Whether these tools, as MCP lists them, stood in the last listing exactly so; as a `whole`, no others did."""
        judged = self._current.judged
        spelled = {canonical_json(tool) for tool in tools}
        return spelled == judged if whole else spelled <= judged

    def shows(self, tool: JsonObject) -> bool:
        """Whether the model may see a tool: it is accepted, and it is what was accepted."""
        return self.verdict.accepts(str(tool.get("name"))) and canonical_json(tool) in self._current.judged

    def before(self, call: ToolCall) -> tuple[Answer | None, JsonValue]:
        """What to answer instead of sending a call, else the arguments to send, and maybe a warning about them."""
        refusal = self._refusal(call.tool)
        if refusal is not None:
            return refusal, call.arguments
        report = self._guard().check(call.tool, call.arguments)
        if report is None:
            return None, call.arguments
        if self.options.coerce and report.suggested_arguments is not None:
            return None, report.suggested_arguments
        return of_report(report, self.options), call.arguments

    def explained(self, call: ToolCall, text: str) -> Explained | None:
        """What the model reads in place of a failed call's text; None where that says all there is to say.

        The server's own words stay, and what changed stands in them or behind them; but those of a server, or tool,
        that is refused now are not read at all. Take a new listing first: the call may have failed by a change.
        """
        refusal = self._refusal(call.tool)
        if refusal is not None:
            ending = replace(refusal.ending, refused=False)  # the call was sent
            return Explained(refusal.text, ending, refusal.meta, refusal)
        if "<contract_awareness" in text:  # the server knows by itself
            return None
        guard = self._guard()
        report = guard.check(call.tool, call.arguments)
        if report is not None and report.is_error:
            answer = of_report(report, self.options)
            return Explained(_behind(text, answer.text), answer.ending, answer.meta)
        whole = guard.awareness.enrich(text, call.action)
        if whole is text:
            block = guard.awareness.render(call.action)
            whole = _behind(text, block) if block else text
        if whole is text:
            return None
        fault = parse_tool_error({"content": text, "isError": True})
        deltas = len(guard.awareness.shown(call.action))
        return Explained(whole, Ending(fault, deltas=deltas, text=whole))

    def action_of(self, call: ToolCall) -> ToolCall:
        """The call with its action."""
        awareness = self._guard().awareness
        return replace(call, action=awareness.action_of(call.tool, call.arguments))

    def told(self, call: ToolCall, ending: Ending) -> None:
        """Tell telemetry and sinks of a call that did not simply succeed."""
        record(ending)
        tell(self.options.on_error, call, ending)

    def _guard(self) -> CallGuard:
        return self._current.guard(self.locked, self.options)

    def _refusal(self, tool: str) -> Answer | None:
        """The answer to a call of what is refused: no word of the server's stands in it."""
        verdict = self.verdict
        if verdict.refused_all:
            what, its, them = "This server", "its tools", "them"
        elif tool in verdict.refused:
            what, its, them = clip(tool), clip(tool), "it"
        else:
            return None
        message = f"{what} is refused: it changed in a way that nobody has accepted."
        advice = f"Do not call {its} again in this run. Go on without {them} or report what is missing."
        return of_guard(tool_error(REFUSED, message, suggestion=advice, severity="critical"), self.options)

    def _judged(self, offered: Offered) -> Verdict:
        reading = self.locked.read(offered)
        (live,) = reading.contracts
        unreadable = reading.refused.get(live.name, frozenset())
        verdict = judge(self.locked.compare(live), live, self.reactions, unreadable).holding(self._hidden)
        self._hidden |= verdict.hidden
        if "" in self._hidden or len(self._hidden) > _MOST_HIDDEN:  # of a server that is refused no more is kept
            self._hidden = {"": self._hidden.get("", f"more than {_MOST_HIDDEN} tools had hidden characters")}
            verdict = verdict.holding(self._hidden)
        self._log(verdict)
        return verdict

    def _log(self, verdict: Verdict) -> None:
        differs = f"{printable(self.locked.name)} differs from {self.locked.where}"
        if verdict.refused_all:
            _log.error("%s, and the model sees none of its tools: %s", differs, verdict.refused_all)
            return
        for reason in verdict.refused.values():
            _log.warning("%s, and the model does not see %s", differs, reason)
        for reason in verdict.warnings:
            _log.warning("%s: %s", differs, reason)


def _behind(text: str, more: str) -> str:
    return f"{text}\n{more}" if text else more
