"""One server at a URL, listed: which transport it speaks, and every way in which that fails in one sentence."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from fusion_contracts.errors import FusionError
from fusion_contracts.record import record
from fusion_contracts.sources.base import Listing, Options, Reading
from fusion_contracts.sources.http_channel import HttpChannel, SessionLostError, StreamableChannel
from fusion_contracts.sources.http_errors import refused
from fusion_contracts.sources.http_network import Meter
from fusion_contracts.sources.http_target import Target
from fusion_contracts.sources.interrupt import interruptible
from fusion_contracts.sources.jsonrpc import Connection, FloodError, RefusedError, SilenceError
from fusion_contracts.sources.mcp_session import ListTimeoutError, Session
from fusion_contracts.sources.running import enlisted
from fusion_contracts.sources.sse import NoStreamError, SseChannel

__all__ = ["list_server"]

SECONDS = 20.0
"""From the first contact to the complete list, unless `Options.timeout` says otherwise."""

_OLDER = (400, 404, 405)
"""How a server of the older transport answers a POST (specification, "Backwards Compatibility")."""
_LOG = "look at the server's own log"


class _OlderError(Exception):
    """The server does not take the POST of the newer transport; `told` is the error to raise if it has no stream."""

    def __init__(self, told: FusionError) -> None:
        super().__init__(str(told))
        self.told = told


def list_server(
    target: Target, transport: str | None, options: Options, reading: Callable[[Listing, str], Reading]
) -> tuple[Listing, str]:
    """The complete list, and the transport that brought it: what `reading` makes a reading of.

    Raises FusionError where there is none.
    """
    one = _Listing(target, options, options.timeout or SECONDS, time.monotonic(), reading)
    try:
        if transport == "sse":
            return one.by(SseChannel), "sse"
        return one.by_session(fall_back=transport is None), "http"
    except NoStreamError as none:
        raise FusionError(str(none), "check the URL, or leave --transport out", stage="start") from None
    except _OlderError as older:
        try:
            return one.by(SseChannel), "sse"
        except NoStreamError:
            raise older.told from None


@record
class _Listing:
    """One try to list a server, in the time that there is for all of it."""

    target: Target
    options: Options
    seconds: float
    started: float
    reading: Callable[[Listing, str], Reading]

    def by_session(self, *, fall_back: bool) -> Listing:
        """By the newer transport, once more where the server forgets its session: others may share its name."""
        try:
            return self.by(StreamableChannel, fall_back=fall_back)
        except SessionLostError:
            pass
        try:
            return self.by(StreamableChannel)
        except SessionLostError:
            message = "does not know the session that it gave (HTTP status 404), twice"
            step = "let the requests of a session reach the same server, or run it without sessions"
            raise FusionError(message, step, stage="list") from None

    def by(self, transport: type[HttpChannel], *, fall_back: bool = False) -> Listing:
        """By one transport. Raises FusionError, SessionLostError, NoStreamError, and with `fall_back` _OlderError."""
        deadline = self.started + self.seconds
        meter = Meter(deadline)
        known = self.target.known

        def reading(later: Listing) -> Reading:
            return self.reading(known.concealed(later), "sse" if transport is SseChannel else "http")

        with interruptible(), enlisted() as member, transport(self.target, meter, self.options.environ) as channel:
            member.ends_by(channel.interrupt)
            hold = self.options.hold
            session = Session(Connection(channel, conceal=known.conceal), deadline, hold.until if hold else None)
            try:
                listing = known.concealed(session.list_everything(self.options.protocol_version))
                return listing if hold is None else hold.keep(session, listing, reading, self.seconds)
            except FusionError as error:
                message = known.conceal(error.problem.message)
                raise FusionError.of(replace(error.problem, message=message)) from None
            except RefusedError as refusal:
                told = refused(known.conceal(str(refusal)), refusal.status)
                if session.greeted or refusal.status not in _OLDER or transport is SseChannel:
                    raise told from None
                if fall_back:
                    raise _OlderError(told) from None
                step = f"{told.problem.next}; an older server may need --transport sse"
                raise FusionError(told.problem.message, step, stage="start") from None
            except SilenceError:
                raise self._silent(meter) from None
            except ListTimeoutError as late:
                message = f"{late} is not complete {self.seconds:g} s after the start"
                raise FusionError(message, f"{_LOG}, or give it more time: --timeout", stage="list") from None
            except FloodError as flood:
                raise FusionError(f"sends {flood}", "make it send less, or its lists in pages", stage="list") from None

    def _silent(self, meter: Meter) -> FusionError:
        step = "check the URL and the network, or give it more time: --timeout"
        if not meter.opened:
            where = f"{self.target.url.authority} in {self.seconds:g} s"
            return FusionError(f"cannot be reached: no connection to {where}", step, stage="start")
        return FusionError(f"no answer to initialize in {self.seconds:g} s", step, stage="start")
