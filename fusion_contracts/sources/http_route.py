"""The way to a host: straight or through a proxy, and what a certificate is trusted by."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from httpcore2 import URL, ConnectionPool, HTTPProxy, default_ssl_context

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.http_network import Meter, Network
from fusion_contracts.sources.http_url import PORTS, Url

__all__ = ["Routes"]

_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


class Routes:
    """The connections of one conversation, kept alive between its requests."""

    def __init__(self, meter: Meter, environ: Mapping[str, str]) -> None:
        """`environ` is where trust is looked up; proxies are those of this process or system."""
        self._meter, self._environ = meter, environ
        self._pools: dict[tuple[str | None, str], ConnectionPool] = {}
        self._context: ssl.SSLContext | None = None

    def to(self, url: Url) -> ConnectionPool:
        """The pool whose connections lead to a host. Raises FusionError for a proxy or certificates of no use."""
        way = _proxy(url), url.scheme
        if way not in self._pools:
            proxy, scheme = way
            context = self._trust() if scheme == "https" else None
            self._pools[way] = self._through(proxy, context) if proxy else self._straight(context)
        return self._pools[way]

    def close(self) -> None:
        """Close every connection."""
        for pool in self._pools.values():
            pool.close()

    def _straight(self, context: ssl.SSLContext | None) -> ConnectionPool:
        return ConnectionPool(ssl_context=context, network_backend=Network(self._meter, guarded=True))

    def _through(self, proxy: str, context: ssl.SSLContext | None) -> ConnectionPool:
        step = "set HTTPS_PROXY to an http:// address, or NO_PROXY for this host"
        try:
            parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
            port = parts.port
        except ValueError:
            raise FusionError("the proxy has no address that can be read", step, stage="usage") from None
        if parts.scheme not in PORTS or not parts.hostname:
            message = f"the proxy {printable(parts.scheme)}://{printable(parts.hostname or '')} is no HTTP proxy"
            raise FusionError(message, step, stage="usage")
        auth = (unquote(parts.username).encode(), unquote(parts.password or "").encode()) if parts.username else None
        address = URL(scheme=parts.scheme, host=parts.hostname, port=port or PORTS[parts.scheme], target="/")
        return HTTPProxy(
            address,
            proxy_auth=auth,
            ssl_context=context,
            proxy_ssl_context=self._trust() if parts.scheme == "https" else None,
            network_backend=Network(self._meter, guarded=False, who="the proxy "),
        )

    def _trust(self) -> ssl.SSLContext:
        if self._context is None:
            self._context = _trust(self._environ)
        return self._context


def _proxy(url: Url) -> str | None:
    """The proxy that a host is reached by, as the environment or the system names it; None for none.

    This machine is reached straight, whatever they name: to a proxy, `localhost` is the machine that it runs on.
    """
    if url.is_loopback:
        return None
    found = getproxies()
    proxy = found.get(url.scheme) or found.get("all")
    return proxy if proxy and not proxy_bypass(url.authority) else None


def _trust(environ: Mapping[str, str]) -> ssl.SSLContext:
    for name in _TRUST:
        if path := environ.get(name):
            folder = Path(path).is_dir()
            try:
                return ssl.create_default_context(cafile=None if folder else path, capath=path if folder else None)
            except (OSError, ssl.SSLError):
                message = f"{name} names {printable(path)}, which holds no certificates that can be read"
                raise FusionError(message, "name a file in PEM form", stage="usage") from None
    return default_ssl_context()
