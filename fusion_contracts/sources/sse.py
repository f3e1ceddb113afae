"""The HTTP transport of 2024-11-05: a GET whose event stream names where to post, and brings every answer."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject
from fusion_contracts.sources.http_channel import HttpChannel
from fusion_contracts.sources.http_client import Answer
from fusion_contracts.sources.http_errors import UNAUTHORIZED, status_words, unauthorized
from fusion_contracts.sources.http_network import Meter
from fusion_contracts.sources.http_target import Target
from fusion_contracts.sources.http_url import Url
from fusion_contracts.sources.jsonrpc import SilenceError
from fusion_contracts.sources.sse_events import Event, events

__all__ = ["NoStreamError", "SseChannel"]

_OK, _REFUSAL = 200, 300


class NoStreamError(Exception):
    """The server gives no event stream; the text says what it gives."""


class SseChannel(HttpChannel):
    """The older transport. Its stream is opened at once, and every message waits for the endpoint that it names."""

    def __init__(self, target: Target, meter: Meter, environ: Mapping[str, str]) -> None:
        super().__init__(target, meter, environ)
        self._endpoint: Url | None = None
        self._named = threading.Event()
        self.start(self._listen)

    def _listen(self) -> None:
        with self.client.request("GET", self.target.url, {"Accept": "text/event-stream"}) as answer:
            if answer.status in UNAUTHORIZED:
                raise unauthorized(answer, self.target)
            if answer.status != _OK or answer.media_type != "text/event-stream":
                said = status_words(answer.status) if answer.status != _OK else "no event stream"
                raise NoStreamError(f"answers GET with {said}, so it does not speak the older transport")
            for event in events(answer.chunks()):
                self._take(event, answer)
        message = "closes its event stream before the list is complete"
        raise FusionError(message, "look at the server's own log", stage="list")

    def _take(self, event: Event, answer: Answer) -> None:
        if event.kind == "endpoint" and self._endpoint is None:
            self._endpoint = _endpoint(answer.url, event.data)
            self._named.set()
        elif event.kind == "message":
            self.tell(event.data)

    def post(self, line: bytes, message: JsonObject) -> None:
        """Send one message, and tell where it is not taken; the answer comes with the stream."""
        if not self._named.wait(self.meter.left()) or self._endpoint is None:
            raise SilenceError
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self.version is not None:
            headers["MCP-Protocol-Version"] = self.version
        with self.client.request("POST", self._endpoint, headers, line) as answer:
            if answer.status >= _REFUSAL and "method" in message and "id" in message:
                self.tell(self.settled(message, answer))


def _endpoint(url: Url, data: bytes) -> Url:
    """Where to post. Raises FusionError for another origin than the stream's: nothing may be sent there."""
    try:
        there = url.joined(data.decode("utf-8").strip())
    except (UnicodeDecodeError, ValueError):
        raise FusionError("names an endpoint that is no address", "correct the server", stage="start") from None
    if there.origin != url.origin:
        message = f"names an endpoint on another host: {there.shown}"
        raise FusionError(message, "correct the server, which may not know its own address", stage="start")
    return there
