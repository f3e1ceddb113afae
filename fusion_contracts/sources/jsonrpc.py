"""JSON-RPC over a channel of messages: ask, wait, and live with everything else that arrives.

A channel is what differs between transports: `process.ServerProcess` for stdio, `http_channel` and `sse` over HTTP.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from fusion_contracts.canonical import loads, printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.record import record

__all__ = [
    "MAX_BYTES", "MAX_MESSAGE", "METHOD_NOT_FOUND", "UNASKED", "Channel", "Connection", "FloodError", "RefusedError",
    "Settled", "SilenceError",
]  # fmt: skip

MAX_MESSAGE = 16 * 2**20
"""Bytes in one message. The largest listing of a real server seen is about one megabyte."""
MAX_BYTES = 64 * 2**20
"""Bytes that a server sends in all."""

METHOD_NOT_FOUND = -32601
UNASKED = 0
"""The number of no request: a channel settles it when nothing will come any more that was not asked for."""
MAX_ANSWERS = 1000  # requests of the server that are answered; more are a flood
_SHOWN, _LOOKED_AT = 300, 4000  # characters of a server's own words: shown, and searched for secrets before the cut
_CHANGED = re.compile(r"notifications/(?:tools|prompts|resources)/list_changed")
_UNKNOWN_METHOD = ("method not found", "unknown method", "not implemented", "unsupported method")


class SilenceError(Exception):
    """Nothing came before the deadline."""


class FloodError(Exception):
    """The server sent more than is read; the text says how much."""


@record
class Settled:
    """A channel's word that a request is over: unless it is answered by now, it never will be.

    `says` is what came instead of an answer, `status` the HTTP status that said so, where one did.
    """

    number: int
    says: str
    status: int | None = None


class Channel(Protocol):
    """Messages in both directions. `receive` raises what its transport raises at silence, end and flood."""

    def send(self, line: bytes) -> None:
        """Hand over one message, without a line end; never blocks."""
        ...

    def receive(self, deadline: float) -> bytes | Settled:
        """The next message, waited for until `deadline` on the monotonic clock."""
        ...

    def agree(self, version: str) -> None:
        """Take note of the protocol version that both speak from now on."""
        ...

    def stay(self, deadline: float) -> None:
        """Let the conversation last until then, on the monotonic clock, unless it is ended before."""
        ...

    def hear(self) -> bool:
        """Let the server tell what it is not asked for. False where it is known that it tells nothing."""
        ...


class RefusedError(Exception):
    """The server answered a request with an error, or with what is no answer to it."""

    def __init__(
        self,
        method: str,
        error: JsonValue,
        *,
        says: str | None = None,
        status: int | None = None,
        conceal: Callable[[str], str] = str,
    ) -> None:
        """`says` stands for the error where there is none; `conceal` hides secrets in the server's own words."""
        self.status = status
        """The HTTP status, where that is the whole answer."""
        fields: JsonObject = error if isinstance(error, dict) else {"message": error}
        self.code: JsonValue = fields.get("code")
        self.text = printable(conceal(str(fields.get("message", ""))[:_LOOKED_AT]))[:_SHOWN]
        data = fields.get("data")
        found = data.get("supported") if isinstance(data, dict) else None
        named = [one for one in found if isinstance(one, str)] if isinstance(found, list) else []
        self.supported = tuple(conceal(one) for one in named)
        """The protocol versions that the error names."""
        code = f" {printable(conceal(str(self.code)))[:40]}" if self.code is not None else ""
        super().__init__(f"answers {method} with {says or f'error{code}: {self.text}'}")

    @property
    def is_unknown_method(self) -> bool:
        """Whether the server does not have the method, by code or, where the code is a wrong one, in words."""
        return self.code == METHOD_NOT_FOUND or any(words in self.text.lower() for words in _UNKNOWN_METHOD)


@dataclass(slots=True)
class Connection:
    """One conversation. Messages are strict JSON; what is no message is counted and skipped."""

    channel: Channel
    meta: JsonObject | None = None
    """What every request carries, once the protocol wants that; then nothing is answered either."""
    conceal: Callable[[str], str] = str
    """Hides secrets in the server's own words, before they are cut to a length that can be shown."""
    noise: int = 0
    first_noise: str = ""
    pending: dict[int, str] = field(default_factory=dict)
    """The methods of the requests without an answer yet, oldest first."""
    changes: int = 0
    """How often the server said that one of its lists changed, since somebody set this to 0."""
    _deaf: bool = False
    _last: int = 0
    _replies: int = 0
    _answers: dict[int, JsonObject | Settled] = field(default_factory=dict)

    def ask(self, method: str, params: JsonObject) -> int:
        """Send a request and return its number."""
        self._last += 1
        self.pending[self._last] = method
        body = params if self.meta is None else {**params, "_meta": self.meta}
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": body})
        return self._last

    def notify(self, method: str) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method})

    def call(self, method: str, params: JsonObject, deadline: float) -> JsonObject:
        """The result of a request. Raises RefusedError, FusionError for broken messages, and what the channel does."""
        return self.result(self.ask(method, params), deadline)

    def result(self, number: int, deadline: float) -> JsonObject:
        """Wait for the result of one request; raises as `call`."""
        self.wait_any((number,), deadline)
        method, answer = self.pending.pop(number), self._answers.pop(number)
        if isinstance(answer, Settled):
            raise RefusedError(method, None, says=answer.says, status=answer.status)
        if answer.get("error") is not None:
            raise RefusedError(method, answer["error"], conceal=self.conceal)
        result = answer.get("result")
        if not isinstance(result, dict):
            raise RefusedError(method, None, says="neither a result object nor an error")
        kind = result.get("resultType")
        if kind not in (None, "complete"):
            said = printable(self.conceal(str(kind)))[:40]
            raise RefusedError(method, None, says=f'a result of type "{said}", not a complete one')
        return result

    def wait_any(self, numbers: tuple[int, ...], deadline: float) -> int:
        """Read until one of the requests is answered, and say which."""
        while True:
            for number in numbers:
                if number in self._answers:
                    return number
            self._receive(deadline)

    def wait_change(self, deadline: float, stream: int | None = None) -> bool:
        """Read until the server says that one of its lists changed. False where it will not say so any more.

        `stream` is the request that is answered when there is no more to tell, where there is one. Raises as `call`,
        SilenceError at the deadline.
        """
        while not self.changes:
            if self._deaf or stream in self._answers:
                return False
            self._receive(deadline)
        return True

    def pause(self, until: float) -> None:
        """Take note of what comes until then."""
        with suppress(SilenceError):
            while True:
                self._receive(until)

    def _receive(self, deadline: float) -> None:
        event = self.channel.receive(deadline)
        if not isinstance(event, Settled):
            for message in self._messages(event):
                self._take(message)
        elif event.number in self.pending:
            self._answers.setdefault(event.number, event)
        elif event.number == UNASKED:
            self._deaf = True

    def _send(self, message: JsonObject) -> None:
        self.channel.send(json.dumps(message).encode())

    def _messages(self, line: bytes) -> list[JsonObject]:
        """The messages of a line (a batch holds several); none where it is noise."""
        text = line.strip(b" \t\r\n\xef\xbb\xbf")
        if not text:
            return []
        if text[:1] in (b"{", b"["):
            try:
                value = loads(text, "it")
            except FusionError as error:
                if b'"jsonrpc"' in text:
                    message = f"sends a message that cannot be read: {error.problem.message}"
                    raise FusionError(message, "correct the server", stage="list") from None
            else:
                parts = value if isinstance(value, list) else [value]
                messages = [one for one in parts if isinstance(one, dict) and one.keys() & {"jsonrpc", "id"}]
                if messages:
                    return messages
        self.noise += 1
        self.first_noise = self.first_noise or self.conceal(text[:_LOOKED_AT].decode("utf-8", "replace"))
        return []

    def _take(self, message: JsonObject) -> None:
        """File an answer, answer a request of the server, count news of changes, ignore what answers nobody."""
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            if number is not None:
                self._reply(number, method)
            elif _CHANGED.fullmatch(method):
                self.changes += 1
        elif type(number) is int and number in self.pending and message.keys() & {"result", "error"}:
            self._answers.setdefault(number, message)

    def _reply(self, number: JsonValue, method: str) -> None:
        self._replies += 1
        if self._replies > MAX_ANSWERS or self.meta is not None:
            return
        reply: JsonObject = {"jsonrpc": "2.0", "id": number}
        if method == "ping":
            reply["result"] = {}
        elif method == "roots/list":
            reply["result"] = {"roots": []}
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND, "message": "Method not found"}
        self._send(reply)
