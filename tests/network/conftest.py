"""Public servers by name, how each version is installed and started, and a listing made without our own client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from environments import make

TABLE = Path(__file__).with_name("servers.toml")
UVX = str(Path(sys.executable).with_name("uvx"))
FRAMEWORKS = {
    "fastmcp-2": "fastmcp==2.14.*",
    "fastmcp-3": "fastmcp==3.4.*",
    "fastmcp-4": "fastmcp==4.2.*",
    "mcp-1": "mcp==1.30.*",
    "mcp-2": "mcp==2.3.*",
    "pydantic-ai": "pydantic-ai-slim[mcp]",
    "openai-agents": "openai-agents",
    "langchain": "langchain-core",
    "langgraph": "langgraph",
}
CLOSED = {"fastmcp-3", "fastmcp-4"}  # they refuse unknown arguments, and say so in the schema
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
STATELESS = "2026-07-28"  # from here on every request says by itself who asks, and in which version
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "fusion-contracts-tests", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

Ask: TypeAlias = Callable[..., dict[str, Any]]
Environment: TypeAlias = Callable[[str], Path]


@dataclass(frozen=True)
class Release:
    """One exact version of a public server."""

    registry: str
    requirements: tuple[str, ...]
    arguments: tuple[str, ...]

    @property
    def package(self) -> str:
        """The package's name."""
        return self.requirements[0].rpartition("@" if self.registry == "npm" else "==")[0].rstrip("=")

    @property
    def version(self) -> str:
        """The package's version."""
        return self.requirements[0].removeprefix(self.package).lstrip("@=")

    def install(self) -> None:
        """Fetch the package into npx's or uvx's own cache, so that starting it needs no network and little time."""
        warm: tuple[str, ...] = ("npx", "-y", "-p", self.requirements[0], "true")
        if self.registry == "pypi":
            warm = (*self._uvx(), "python", "-c", "pass")
        done = subprocess.run(warm, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"{self.requirements[0]} cannot be installed: {done.stderr[-1000:]}"

    def command(self) -> tuple[str, ...]:
        """The argv that starts the installed server."""
        if self.registry == "npm":
            return ("npx", "-y", self.requirements[0], *self.arguments)
        return (*self._uvx("--offline"), self.package, *self.arguments)

    def _uvx(self, *options: str) -> tuple[str, ...]:
        extra = [word for requirement in self.requirements[1:] for word in ("--with", requirement)]
        return (UVX, *options, "--python", sys.executable, "--from", self.requirements[0], *extra)


@dataclass(frozen=True)
class PublicServer:
    """A server under the name that the lock gives it, before and after."""

    name: str
    old: Release
    new: Release


def public_servers() -> list[PublicServer]:
    """All servers of the table."""
    servers = []
    for registry, entries in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        for name, entry in entries.items():
            arguments = tuple(entry.get("arguments", ()))
            old, new = (Release(registry, tuple(requirements), arguments) for requirements in entry["versions"])
            servers.append(PublicServer(f"{registry}-{name}", old, new))
    return servers


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that asks for a server once for each server of the table."""
    if "server" in metafunc.fixturenames:
        metafunc.parametrize("server", [pytest.param(server, id=server.name) for server in public_servers()])


@pytest.fixture(scope="session")
def list_by_hand() -> Callable[[Release, str, Path], dict[str, Any]]:
    """`list_by_hand(release, protocol_version, folder)`: what the server lists, as a saved catalog holds it."""
    return saved_catalog


def saved_catalog(release: Release, protocol_version: str, folder: Path) -> dict[str, Any]:
    """What the server lists when asked in that protocol version, in the shape of a saved catalog."""
    stateless = protocol_version >= STATELESS
    common = {"_meta": META} if stateless else {}
    with _conversation(release.command(), folder) as ask:
        server = _discover(ask) if stateless else _initialize(ask, protocol_version)
        lists = {key: _pages(ask, method, key, common) for method, key in LISTS.items()}
    server |= {"package": release.package, "package_version": release.version, "registry": release.registry}
    return {"server": server, **lists}


def _initialize(ask: Ask, protocol_version: str) -> dict[str, Any]:
    client = {"name": "fusion-contracts-tests", "version": "1"}
    hello = ask("initialize", protocolVersion=protocol_version, capabilities={}, clientInfo=client)["result"]
    return _server(hello["protocolVersion"], hello["serverInfo"], hello)


def _discover(ask: Ask) -> dict[str, Any]:
    hello = ask("server/discover", _meta=META)["result"]
    return _server(STATELESS, hello["_meta"]["io.modelcontextprotocol/serverInfo"], hello)


def _server(protocol_version: str, info: dict[str, Any], hello: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": info["name"],
        "version": info["version"],
        "instructions": hello.get("instructions"),
        "protocolVersion": protocol_version,
        "capabilities": hello["capabilities"],
        "serverInfo": info,
    }


def _pages(ask: Ask, method: str, key: str, common: dict[str, Any]) -> list[Any]:
    items: list[Any] = []
    cursor: dict[str, Any] = {}
    while True:
        answer = ask(method, **common, **cursor)
        if "error" in answer:  # a server without that kind of thing
            return items
        items += answer["result"].get(key, [])
        if not answer["result"].get("nextCursor"):
            return items
        cursor = {"cursor": answer["result"]["nextCursor"]}


@contextmanager
def _conversation(argv: tuple[str, ...], folder: Path) -> Iterator[Ask]:
    """A function that sends a request to the started server and returns its answer."""
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment |= {"TZ": "UTC", "LC_ALL": "C.UTF-8"}
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        cwd=folder,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout, number = process.stdin, process.stdout, 0

    def send(**message: Any) -> None:
        stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        stdin.flush()

    def ask(method: str, **params: Any) -> dict[str, Any]:
        nonlocal number
        number += 1
        send(id=number, method=method, params=params)
        for line in stdout:
            try:
                message: Any = json.loads(line)
            except ValueError:
                continue  # noise
            if message.get("id") == number and "method" not in message:
                if method == "initialize":
                    send(method="notifications/initialized")
                return dict(message)
        raise AssertionError(f"{argv} ended before it answered {method}")

    try:
        yield ask
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # npx and uvx start the server as a child
        process.wait()
        with suppress(BrokenPipeError):
            stdin.close()
        stdout.close()


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory, root: Path) -> Environment:
    """Make the environment of a framework, once, and return the folder of its programs."""
    made: dict[str, Path] = {}

    def programs(framework: str) -> Path:
        if framework not in made:
            folder = tmp_path_factory.mktemp(framework) / "venv"
            made[framework] = make(folder, FRAMEWORKS[framework], "pytest>=8.4", str(root))
        return made[framework]

    return programs
