"""The sockets of one conversation over HTTP: until one deadline, with one count of bytes, to addresses that may be met.

This is the network backend of httpcore2: all that is read, and every address that is connected to, passes here. A name
is resolved here and the address that was judged is the one connected to, so that a second answer of the name's owner
(DNS rebinding) is judged like the first.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from ssl import SSLContext
from typing import Any, TypeAlias

from httpcore2 import SOCKET_OPTION, ConnectError, ConnectTimeout, NetworkBackend, NetworkStream, SyncBackend

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.jsonrpc import MAX_BYTES, FloodError, SilenceError

__all__ = ["Meter", "Network", "publicity"]

_Address: TypeAlias = IPv4Address | IPv6Address


def publicity(address: _Address) -> int:
    """How far an address reaches: 2 the whole internet, 1 a private network, 0 this machine or link and no further."""
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    if address.is_loopback or address.is_link_local or address.is_unspecified:
        return 0
    return 2 if address.is_global and not address.is_multicast else 1


@dataclass(slots=True)
class Meter:
    """What a conversation may still use: time until `deadline` on the monotonic clock, and bytes."""

    deadline: float
    received: int = 0
    opened: int = 0
    """How many connections were made."""
    reach: int | None = None
    """The publicity of the first address: no later one may be nearer. None before that."""
    _streams: list[NetworkStream] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def left(self) -> float:
        """Seconds that are left. Raises SilenceError for none."""
        seconds = self.deadline - time.monotonic()
        if seconds <= 0:
            raise SilenceError
        return seconds

    def count(self, number: int) -> None:
        """Take note of bytes that came. Raises FloodError where they are too many."""
        self.received += number
        if self.received > MAX_BYTES:
            raise FloodError(f"more than {MAX_BYTES // 2**20} MiB")

    def hold(self, stream: NetworkStream) -> None:
        """Take note of an open stream."""
        with self._lock:
            self._streams.append(stream)

    def end(self) -> None:
        """Wake whoever waits at a stream, and let nobody wait again."""
        self.deadline = 0.0
        with self._lock:
            for stream in self._streams:
                with suppress(OSError, AttributeError):
                    stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


class Network(NetworkBackend):
    """Opens connections. Where it is `guarded`, none leads to an address nearer than the first of the conversation."""

    def __init__(self, meter: Meter, *, guarded: bool, who: str = "") -> None:
        """`who` says in messages what is connected to, where it is not the server: a proxy."""
        self._meter, self._guarded, self._who = meter, guarded, who
        self._sockets = SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the conversation has a deadline of its own
        local_address: str | None = None,  # noqa: ARG002 - never set
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        """Connect to the first address that answers. Raises FusionError, SilenceError."""
        reason = "it has no address"
        for address in self._addresses(host, port):
            if self._guarded:
                self._judge(host, address)
            try:
                stream = self._sockets.connect_tcp(str(address), port, self._meter.left(), None, socket_options)
            except (ConnectError, ConnectTimeout) as error:
                self._meter.left()
                reason = _reason(error.__cause__ or error)
                continue
            if self._guarded and self._meter.reach is None:
                self._meter.reach = publicity(address)
            self._meter.opened += 1
            self._meter.hold(stream)
            return _Stream(stream, self._meter)
        message = f"cannot be reached: {self._who}{host}, port {port}: {reason}"
        raise FusionError(message, "start it, or check the URL and the network", stage="start")

    def _addresses(self, host: str, port: int) -> list[_Address]:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            message = f"cannot be reached: no address is known for {self._who}{host}"
            raise FusionError(message, "check the URL and the network", stage="start") from None
        plain = [str(entry[4][0]) for entry in found if "%" not in str(entry[4][0])]
        return [ip_address(one) for one in dict.fromkeys(plain)]

    def _judge(self, host: str, address: _Address) -> None:
        if self._meter.reach is not None and publicity(address) < self._meter.reach:
            message = f"leads to {host} ({address}), which is no public address, though the server's own is"
            raise FusionError(message, "name that URL yourself if it is the server", stage="start")


class _Stream(NetworkStream):
    """A connection whose every step ends with the conversation's time."""

    def __init__(self, inner: NetworkStream, meter: Meter) -> None:
        self._inner, self._meter = inner, meter

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - as connect_tcp
        data = self._inner.read(max_bytes, self._meter.left())
        self._meter.count(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        self._inner.write(buffer, self._meter.left())

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> NetworkStream:
        inner = self._inner.start_tls(ssl_context, server_hostname, self._meter.left())
        self._meter.hold(inner)
        return _Stream(inner, self._meter)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


def _reason(error: BaseException) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "it refuses the connection"
    if isinstance(error, TimeoutError):
        return "it does not answer"
    said = error.strerror if isinstance(error, OSError) else None
    return (said or type(error).__name__).lower()
