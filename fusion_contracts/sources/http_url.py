"""The address of a server over HTTP: taken apart once, so that nobody reads it in two ways."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import quote, urljoin, urlsplit

from fusion_contracts.canonical import printable
from fusion_contracts.record import record

__all__ = ["PORTS", "Url", "parse"]

PORTS = {"http": 80, "https": 443}
"""The port of each scheme, where an address names none."""
_UNFIT = re.compile("[\x00-\x20\x7f\ud800-\udfff]")
_HOST = re.compile(r"[a-z0-9._-]+")
_SAFE = "/%:@!$&'()*+,;=~?[]|"  # stays as written; all else is percent-encoded


@record
class Url:
    """An address. `host` is lower-case, an IPv6 address without its brackets; `target` is path and query."""

    scheme: str
    host: str
    port: int
    target: str

    @property
    def origin(self) -> tuple[str, str, int]:
        """What two addresses share that are one server to a browser."""
        return self.scheme, self.host, self.port

    @property
    def authority(self) -> str:
        """Host and port as the Host header writes them: without the scheme's own port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """For people: without the query, which may hold a secret."""
        return printable(f"{self.scheme}://{self.authority}{self.target.partition('?')[0]}")

    @property
    def address(self) -> IPv4Address | IPv6Address | None:
        """The address that the host is, where it is one and no name."""
        try:
            return ip_address(self.host)
        except ValueError:
            return None

    @property
    def is_loopback(self) -> bool:
        """Whether the host is this machine, by its number or by a name that RFC 6761 keeps for it: `localhost`."""
        address = self.address
        if address is None:
            return self.host.rstrip(".").rpartition(".")[2] == "localhost"
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback

    def joined(self, location: str) -> Url:
        """Where a `Location` or an endpoint leads from here. Raises ValueError, as `parse`."""
        try:
            there = urljoin(f"{self.scheme}://{self.authority}{self.target}", location)
        except ValueError:
            raise ValueError("has a host or port that is none") from None
        return parse(there)


def parse(text: str) -> Url:
    """Take an address apart; a fragment is dropped. Raises ValueError with what is wrong, in words that follow "it"."""
    if _UNFIT.search(text):
        raise ValueError("holds a space or a control character")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError("has a host or port that is none") from None
    if parts.scheme not in PORTS:
        raise ValueError("is no http or https address")
    if parts.username is not None:
        raise ValueError("holds a user name")
    if not parts.hostname:
        raise ValueError("names no host")
    target = quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE)}" if parts.query else "")
    return Url(parts.scheme, _host(parts.hostname), port or PORTS[parts.scheme], target)


def _host(name: str) -> str:
    if ":" in name:
        try:
            return str(IPv6Address(name))
        except ValueError:
            raise ValueError("has a host or port that is none") from None
    try:
        host = name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise ValueError("has a host that no network knows") from None
    if not _HOST.fullmatch(host):
        raise ValueError("has a host that no network knows")
    return host
