"""Streamable HTTP (specification 2025-03-26 and later): each message is a POST, its answer JSON or an event stream.

Requests run in threads of their own and what they bring meets in one queue, so that a look-up of a name or a server
that drips never holds the conversation longer than its deadline, and an interrupt is heard at once.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http import HTTPStatus
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Self, TypeAlias

from fusion_contracts.canonical import loads
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.http_client import Answer, Client
from fusion_contracts.sources.http_errors import UNAUTHORIZED, explained, status_words, unauthorized
from fusion_contracts.sources.http_network import Meter
from fusion_contracts.sources.http_target import Target
from fusion_contracts.sources.interrupt import taken
from fusion_contracts.sources.jsonrpc import METHOD_NOT_FOUND, UNASKED, Settled, SilenceError
from fusion_contracts.sources.sse_events import events

__all__ = ["HttpChannel", "SessionLostError", "StreamableChannel"]

_VERSION = "io.modelcontextprotocol/protocolVersion"
_STREAM = "text/event-stream"
_ACCEPT = f"application/json, {_STREAM}"
_HEARING = 2.0  # seconds in which a server says whether it gives a stream of what it tells unasked
_SESSION = re.compile(r"[\x21-\x7e]{1,1024}")
_GOODBYE = 1.0  # seconds for the end of a session
_NEEDED = ("initialize", "tools/list")

_Event: TypeAlias = "bytes | Settled | Exception"


class SessionLostError(Exception):
    """The server no longer knows the session that it gave."""


class HttpChannel:
    """What both transports over HTTP share. Use it as a context manager: leaving ends what is under way."""

    def __init__(self, target: Target, meter: Meter, environ: Mapping[str, str]) -> None:
        """Take note; nothing is contacted before the first message."""
        self.target, self.meter = target, meter
        self.client = Client(target, meter, environ)
        self.version: str | None = None
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._before: threading.Thread | None = None
        self._interrupted: FusionError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def agree(self, version: str) -> None:
        """Take note of the version, which a header of each request says from now on."""
        self.version = version

    def stay(self, deadline: float) -> None:
        """Let requests last until then."""
        self.meter.deadline = deadline

    def hear(self) -> bool:
        """What the server tells comes with the stream that brings its answers."""
        return True

    def send(self, line: bytes) -> None:
        """Post a message. One that has no answer is posted before any later one."""
        message = json.loads(line)
        before, self._before = self._before, None
        thread = self.start(self._posted, line, message, before)
        if _number(message) is None:
            self._before = thread

    def receive(self, deadline: float) -> bytes | Settled:
        """The next message, or word that a request is over. Raises SilenceError, and what went wrong meanwhile."""
        try:
            event = self._interrupted or taken(self._events, deadline)
        except Empty:
            raise SilenceError from None
        if isinstance(event, Exception):
            raise event
        return event

    def interrupt(self) -> None:
        """Let nobody wait for a message, now or later. Any thread may call it."""
        self._interrupted = FusionError("was interrupted", "run it again", stage="list")
        self.tell(self._interrupted)
        self.meter.end()

    def close(self) -> None:
        """Let go of every connection."""
        self.meter.end()
        self.client.close()

    # -- for the transports ------------------------------------------------------------------------------------------

    def tell(self, event: _Event) -> None:
        """Queue what `receive` gives."""
        self._events.put(event)

    def start(self, work: object, *arguments: object) -> threading.Thread:
        """Do some work beside the conversation; what it raises is told in words."""

        def safely() -> None:
            try:
                work(*arguments)  # type: ignore[operator]
            except SilenceError:
                pass  # `receive` has the same deadline
            except Exception as error:  # noqa: BLE001 - whatever it is, the conversation raises it
                told = explained(error, self.target.url)
                if told is not None:
                    self.tell(told)

        thread = threading.Thread(target=safely, daemon=True)
        thread.start()
        return thread

    def _posted(self, line: bytes, message: JsonObject, before: threading.Thread | None) -> None:
        if before is not None:
            before.join(self.meter.left())
        self.post(line, message)

    def post(self, line: bytes, message: JsonObject) -> None:
        """Send one message, and tell what comes of it."""
        raise NotImplementedError

    def settled(self, message: JsonObject, answer: Answer, says: str | None = None) -> Settled:
        """Word that a request is over, and by what: its status, unless `says` does. Raises FusionError.

        Without its tools a server is not listed at all, so where these need authorization, that is the end.
        """
        if answer.status in UNAUTHORIZED and message.get("method") in _NEEDED:
            raise unauthorized(answer, self.target)
        where = f", after a redirect to {answer.url.shown}" if answer.redirected else ""
        status = answer.status if says is None else None
        return Settled(message["id"], f"{says or status_words(answer.status)}{where}", status)


class StreamableChannel(HttpChannel):
    """The transport of today. A session that the server gives is ended at the end, where that is quick."""

    def __init__(self, target: Target, meter: Meter, environ: Mapping[str, str]) -> None:
        super().__init__(target, meter, environ)
        self._session: str | None = None
        self._endpoint = target.url
        self._deaf = False

    def post(self, line: bytes, message: JsonObject) -> None:
        """Send one message, and tell what comes of it."""
        headers = {"Content-Type": "application/json", **self._headers(message)}
        with self.client.request("POST", self._endpoint, headers, line) as answer:
            if _number(message) is None:
                answer.start()  # until its end, else the connection cannot be used again
                return
            found = list(self._found(message, answer, headers))
        for event in found:  # now that the connection is free for what they lead to
            self.tell(event)

    def hear(self) -> bool:
        """Open the stream of what the server tells unasked (section "Listening for Messages from the Server")."""
        opened = threading.Event()
        self.start(self._hear, opened)
        opened.wait(_HEARING)  # some say nothing before there is something to tell
        return not self._deaf

    def _hear(self, opened: threading.Event) -> None:
        headers = {**self._headers({}), "Accept": _STREAM}
        try:
            with self.client.request("GET", self._endpoint, headers) as answer:
                if answer.status == HTTPStatus.OK and answer.media_type == _STREAM:
                    opened.set()
                    for event in events(answer.chunks()):
                        if event.kind == "message":
                            self.tell(event.data)
        except Exception:  # noqa: BLE001, S110 - it may end as it likes: what it tells is asked for as well
            pass
        finally:
            self._deaf = True
            self.tell(Settled(UNASKED, "the end of its event stream"))
            opened.set()

    def _headers(self, message: JsonObject) -> dict[str, str]:
        """What a request says of itself: session, version and, where there is no session, the method."""
        headers = {"Accept": _ACCEPT}
        meta = message.get("params", {}).get("_meta", {})
        stateless = meta.get(_VERSION)
        if stateless is not None:
            return {**headers, "MCP-Protocol-Version": stateless, "Mcp-Method": message["method"]}
        if message.get("method") == "initialize":
            return headers
        if self.version is not None:
            headers["MCP-Protocol-Version"] = self.version
        if self._session is not None:
            headers["Mcp-Session-Id"] = self._session
        return headers

    def _found(self, message: JsonObject, answer: Answer, sent: Mapping[str, str]) -> Iterator[_Event]:
        """What a request was answered with."""
        if answer.status >= 300 or answer.status in {202, 204, 205}:  # noqa: PLR2004 - what has no answer in it
            yield from self._refused(message, answer, in_session="Mcp-Session-Id" in sent)
            return
        if message["method"] == "initialize":
            self._open(answer.headers.get("mcp-session-id"))
        if answer.media_type in {_STREAM, "application/json"}:
            self._endpoint = answer.url
        if answer.media_type == _STREAM:
            yield from self._stream(message, answer)
        elif answer.media_type == "application/json":
            yield answer.body()
            yield self.settled(message, answer, "JSON that is no answer to it")
        else:
            yield self.settled(message, answer, _strange(answer.media_type))

    def _open(self, session: str | None) -> None:
        if session is not None and not _SESSION.fullmatch(session):
            message = "gives a session id that is too long, or holds what no header may"
            raise FusionError(message, "correct the server", stage="start")
        self._session = session

    def _stream(self, message: JsonObject, answer: Answer) -> Iterator[_Event]:
        number = _number(message)
        for event in events(answer.chunks()):
            if event.kind == "message":
                if _answers(event.data, number):
                    yield event.data
                    return
                self.tell(event.data)
        yield self.settled(message, answer, "an event stream that ends without an answer")

    def _refused(self, message: JsonObject, answer: Answer, *, in_session: bool) -> Iterator[_Event]:
        """A status that is no success: the JSON-RPC error in it, or the status itself."""
        if answer.status not in UNAUTHORIZED and (error := _error_in(answer)) is not None:
            if answer.status == HTTPStatus.NOT_FOUND and in_session and error["error"].get("code") != METHOD_NOT_FOUND:
                yield SessionLostError()
            yield json.dumps({**error, "id": _number(message)}).encode()
        elif answer.status == HTTPStatus.NOT_FOUND and in_session:
            yield SessionLostError()
        yield self.settled(message, answer)

    def close(self) -> None:
        """End the session, if there is one and the server does so at once; then let go of every connection."""
        if self._session is not None:
            self.meter.deadline = monotonic() + _GOODBYE
            with suppress(RuntimeError):  # no more threads at the end of the interpreter
                self.start(self._end).join(_GOODBYE)
        super().close()

    def _end(self) -> None:
        with suppress(Exception), self.client.request("DELETE", self._endpoint, self._headers({})):
            pass


def _number(message: JsonObject) -> int | None:
    """The number of a request; None for what has no answer."""
    return message.get("id") if "method" in message else None


def _answers(data: bytes, number: int | None) -> bool:
    """Whether a message answers a request, as far as it can be read at all."""
    try:
        value: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and value.get("id") == number and "method" not in value


def _error_in(answer: Answer) -> JsonObject | None:
    """The JSON-RPC error that a body holds, None for none: it says more than the status."""
    if answer.media_type != "application/json":
        return None
    try:
        value = loads(answer.start(65536), "it")
    except FusionError:
        return None
    whole = isinstance(value, dict) and "jsonrpc" in value and isinstance(value.get("error"), dict)
    return value if whole else None


def _strange(media_type: str) -> str:
    """A body of a kind that no server of MCP sends, in words."""
    if media_type in {"text/html", "application/xhtml+xml"}:
        return "an HTML page, not MCP"
    kind = re.sub(r"[^a-z0-9./+-]", "?", media_type)[:60] or "something of no named type"
    return f"{kind}, neither JSON nor an event stream"
