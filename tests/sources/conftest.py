"""Shared by the tests of sources: the scripted servers, and quick options."""

from __future__ import annotations

import ssl
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from http_site import Answer, Site
from proxying import Proxy

from fusion_contracts.sources.base import Options
from fusion_contracts.sources.stdio import StdioSource


@pytest.fixture(scope="session")
def servers(root: Path) -> Path:
    """The folder of scripted servers."""
    return root / "fixtures" / "servers"


@pytest.fixture
def scripted(servers: Path) -> Callable[..., StdioSource]:
    """Make the source of one scripted server: its file name and arguments."""

    def make(name: str, *arguments: str, **more: object) -> StdioSource:
        return StdioSource((sys.executable, str(servers / f"{name}.py"), *arguments), **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """An empty folder, and time enough for a slow machine: no test waits for this to pass."""
    return Options(root=tmp_path, timeout=600.0)


@pytest.fixture
def write(options: Options) -> Callable[[str, str], None]:
    """Write a file of the project: its path in the folder, and its text."""

    def written(name: str, text: str) -> None:
        path = options.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    return written


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Site]]:
    """Start servers on loopback, each by its function; they are stopped at the end."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    sites: list[Site] = []

    def start(answer: Answer, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> Site:
        sites.append(Site(answer, host, tls))
        return sites[-1]

    yield start
    for site in sites:
        site.stop()


@pytest.fixture
def proxy() -> Iterator[Callable[..., Proxy]]:
    """Start proxies; they are stopped at the end."""
    proxies: list[Proxy] = []

    def start(wants: str | None = None) -> Proxy:
        proxies.append(Proxy(wants))
        return proxies[-1]

    yield start
    for one in proxies:
        one.stop()
