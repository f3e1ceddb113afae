"""The Model Context Protocol as a client that only lists: it greets a server, follows every page, and calls nothing.

Two eras (specification 2026-07-28, "Versioning and Compatibility"). Up to 2025-11-25 a session opens with `initialize`.
From 2026-07-28 there is no session: `server/discover` says what the server is, and every request carries its protocol
version in `_meta`. A client that speaks both probes with `server/discover` and takes any answer that is not of the new
era, or none in reasonable time, for a server of the old one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.record import record
from fusion_contracts.sources.base import Listing
from fusion_contracts.sources.jsonrpc import Connection, RefusedError, SilenceError
from fusion_contracts.sources.mcp_pages import pages

__all__ = ["HANDSHAKE_VERSIONS", "STATELESS_VERSIONS", "ListTimeoutError", "Session"]

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
STATELESS_VERSIONS = ("2026-07-28",)

PROBE_SECONDS = 2.0  # a server that has not answered the probe by then is greeted in the old way too

_PREFIX = "io.modelcontextprotocol/"
_CLIENT = {"name": "fusion-contracts", "version": "1"}  # fixed: a listing must not depend on this release
_UNSUPPORTED_VERSION = -32022
_CHANGING = ("tools", "prompts", "resources")
_SECTIONS = (  # field of a listing, capability, method, key of the result
    ("prompts", "prompts", "prompts/list", "prompts"),
    ("resources", "resources", "resources/list", "resources"),
    ("resource_templates", "resources", "resources/templates/list", "resourceTemplates"),
)


class ListTimeoutError(Exception):
    """The server was greeted and did not finish listing in time; the text names the method."""


@record
class _Welcome:
    """What a server says about itself. `capabilities` is None where it says nothing of them."""

    protocol_version: str | None
    capabilities: JsonObject | None
    info: JsonObject
    instructions: str | None

    def declares(self, capability: str) -> bool:
        return self.capabilities is not None and self.capabilities.get(capability) is not None

    def tells(self, kind: str) -> bool:
        """Whether it says that it tells when that list changes."""
        declared = self.capabilities.get(kind) if self.capabilities is not None else None
        return isinstance(declared, dict) and declared.get("listChanged") is True


@dataclass(slots=True)
class Session:
    """One conversation with one server over any transport, until `deadline` on the monotonic clock."""

    connection: Connection
    deadline: float
    until: float | None = None
    """Until when changes are listened to, on the monotonic clock; None where nobody wants to know."""
    greeted: bool = False
    hears: bool = False
    """Whether the server tells when a list of it changes, as far as is known."""
    stream: int | None = None
    """The request that stays open while changes are told, in the stateless era."""
    notes: list[str] = field(default_factory=list)
    _welcome: _Welcome | None = None

    def list_everything(self, asked: str | None = None, *, probe: bool = True) -> Listing:
        """Greet the server and list all it offers.

        `asked` is the locked protocol version, kept while the server offers it; without it the newest that both speak
        is used. `probe=False` opens with `initialize` whatever was asked, for a server that does not survive another
        first request. Raises RefusedError where the greeting is answered by an error, ListTimeoutError for a list that
        does not end in time, SilenceError for no greeting in time, FusionError for answers that make no sense, and what
        the channel raises.
        """
        if probe and asked not in HANDSHAKE_VERSIONS:
            welcome = self._discover(asked)
        else:
            version = HANDSHAKE_VERSIONS[-1] if asked is None or asked in STATELESS_VERSIONS else asked
            welcome = self._handshake(version, discoverable=True)
        self.greeted = True
        self._welcome = welcome
        if self.until is not None:
            self._listen(welcome, self.until)  # before it is listed: no change falls between the two
        return self.list_again()

    def list_again(self) -> Listing:
        """All that a server offers which was greeted before. Raises as `list_everything`."""
        if self._welcome is None:
            raise TypeError("a server is greeted before it is listed again")
        try:
            return self._listing(self._welcome)
        except SilenceError:
            raise ListTimeoutError(list(self.connection.pending.values())[-1]) from None

    # -- greeting --------------------------------------------------------------------------------------------------

    def _discover(self, asked: str | None) -> _Welcome:
        """Probe for the stateless era; fall back to the handshake."""
        version = asked if asked in STATELESS_VERSIONS else STATELESS_VERSIONS[-1]
        probe = self.connection.ask("server/discover", _envelope(version))
        try:
            patience = min(self.deadline, time.monotonic() + PROBE_SECONDS)
            return self._discovered(self.connection.result(probe, patience))
        except RefusedError as refusal:
            _refuse_strangers(refusal.supported)
            return self._handshake(HANDSHAKE_VERSIONS[-1])
        except SilenceError:
            handshake = self.connection.ask("initialize", _greeting(HANDSHAKE_VERSIONS[-1]))
            return self._first_welcome(probe, handshake)

    def _first_welcome(self, probe: int, handshake: int) -> _Welcome:
        """Both greetings are out: a slow server answers the probe, one that ignores the probe the handshake."""
        while True:
            answered = self.connection.wait_any((probe, handshake), self.deadline)
            try:
                result = self.connection.result(answered, self.deadline)
                return self._discovered(result) if answered == probe else self._initialized(result)
            except RefusedError as refusal:
                if not self.connection.pending:
                    raise
                _refuse_strangers(refusal.supported)

    def _discovered(self, result: JsonObject) -> _Welcome:
        versions = result.get("supportedVersions")
        named = [one for one in versions if isinstance(one, str)] if isinstance(versions, list) else []
        offered = [self.connection.conceal(one) for one in named]
        common = [one for one in STATELESS_VERSIONS if one in offered]
        if not common:  # no answer of the stateless era, or one that names older versions only
            _refuse_strangers(offered)
            raise RefusedError("server/discover", None, says="no version that works without a handshake")
        self._agree(common[-1])
        stamp = result.get("_meta")
        info = stamp.get(_PREFIX + "serverInfo") if isinstance(stamp, dict) else None
        return _welcome(common[-1], result, info if info is not None else result.get("serverInfo"))

    def _handshake(self, version: str, *, discoverable: bool = False) -> _Welcome:
        """Open a session; where that is refused, learn from the error how else. Raises the first RefusedError."""
        try:
            return self._greet(version)
        except RefusedError as refusal:
            _refuse_strangers(refusal.supported)
            stateless = refusal.code == _UNSUPPORTED_VERSION or refusal.is_unknown_method
            if discoverable and (stateless or STATELESS_VERSIONS[-1] in refusal.supported):
                with suppress(RefusedError):
                    envelope = _envelope(STATELESS_VERSIONS[-1])
                    return self._discovered(self.connection.call("server/discover", envelope, self.deadline))
            other = _other_version(refusal)
            if other is not None and other != version:
                with suppress(RefusedError):
                    return self._greet(other)
            raise

    def _greet(self, version: str) -> _Welcome:
        return self._initialized(self.connection.call("initialize", _greeting(version), self.deadline))

    def _initialized(self, result: JsonObject) -> _Welcome:
        version = result.get("protocolVersion")
        if version in STATELESS_VERSIONS or version in HANDSHAKE_VERSIONS:
            self._agree(version)
        else:
            conceal = self.connection.conceal
            said = f'"{printable(conceal(version))[:40]}"' if isinstance(version, str) else "missing"
            self.notes.append(f"its protocol version is {said}, which this release does not know; listed all the same")
        self.connection.notify("notifications/initialized")
        return _welcome(version, result, result.get("serverInfo"))

    def _agree(self, version: str) -> None:
        """Speak this version from now on."""
        if version in STATELESS_VERSIONS:
            self.connection.meta = _envelope(version)["_meta"]
        self.connection.channel.agree(version)

    def _listen(self, welcome: _Welcome, until: float) -> None:
        """Let the server tell when a list of it changes, where it says that it does."""
        kinds = [kind for kind in _CHANGING if welcome.tells(kind)]
        if not kinds:
            return
        self.connection.channel.stay(until)
        if self.connection.meta is None:
            self.hears = self.connection.channel.hear()
            return
        wanted: JsonObject = {f"{kind}ListChanged": True for kind in kinds}
        self.stream = self.connection.ask("subscriptions/listen", {"notifications": wanted})
        self.hears = True

    # -- listing ---------------------------------------------------------------------------------------------------

    def _listing(self, welcome: _Welcome) -> Listing:
        tools = self._tools(welcome)
        found: dict[str, tuple[JsonValue, ...]] = {}
        unlisted: dict[str, str] = {}
        for section, capability, method, key in _SECTIONS:
            if welcome.capabilities is not None and not welcome.declares(capability):
                continue  # a server that does not declare it does not have the method
            try:
                found[section] = tuple(pages(self.connection, self.deadline, method, key))
            except RefusedError as refusal:
                if welcome.declares(capability) and not refusal.is_unknown_method:
                    unlisted[section] = str(refusal)
        return Listing(
            tools=tools,
            prompts=found.get("prompts", ()),
            resources=found.get("resources", ()),
            resource_templates=found.get("resource_templates", ()),
            protocol_version=welcome.protocol_version,
            info=welcome.info,
            capabilities=welcome.capabilities or {},
            instructions=welcome.instructions,
            unlisted=unlisted,
            notes=tuple(self.notes),
        )

    def _tools(self, welcome: _Welcome) -> tuple[JsonValue, ...]:
        """All tools. They are asked for even where they are not declared; only then may the method be missing."""
        try:
            return tuple(pages(self.connection, self.deadline, "tools/list", "tools"))
        except RefusedError as refusal:
            if refusal.is_unknown_method and welcome.capabilities is not None and not welcome.declares("tools"):
                return ()
            if refusal.status is not None:
                raise
            raise FusionError(str(refusal), "look at the server's own log", stage="list") from None


def _welcome(version: JsonValue, result: JsonObject, info: JsonValue) -> _Welcome:
    capabilities, instructions = result.get("capabilities"), result.get("instructions")
    return _Welcome(
        protocol_version=version if isinstance(version, str) else None,
        capabilities=capabilities if isinstance(capabilities, dict) else None,
        info=info if isinstance(info, dict) else {},
        instructions=instructions if isinstance(instructions, str) else None,
    )


def _envelope(version: str) -> JsonObject:
    """The parameters that every request of the stateless era has."""
    fields = {"protocolVersion": version, "clientInfo": _CLIENT, "clientCapabilities": {}}
    return {"_meta": {_PREFIX + key: value for key, value in fields.items()}}


def _greeting(version: str) -> JsonObject:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": _CLIENT}


def _other_version(refusal: RefusedError) -> str | None:
    """The version of the handshake era that a server which refused one would take."""
    offered = [one for one in HANDSHAKE_VERSIONS if one in refusal.supported]
    if offered:
        return offered[-1]
    return HANDSHAKE_VERSIONS[0] if "version" in refusal.text.lower() and not refusal.supported else None


def _refuse_strangers(supported: Iterable[str]) -> None:
    """Raise FusionError where a server names its protocol versions and none is one of ours."""
    named, known = tuple(supported), (*HANDSHAKE_VERSIONS, *STATELESS_VERSIONS)
    if named and not any(one in known for one in named):
        theirs = ", ".join(printable(one)[:40] for one in named[:5])
        message = f"speaks protocol {theirs} only; this release speaks {known[0]} to {known[-1]}"
        raise FusionError(message, "update fusion-contracts, or start an older version of the server", stage="start")
