"""Servers of the common SDKs over every transport: the same server gives the same contract, however it is reached."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import tomli

pytestmark = pytest.mark.network

FUSION = str(Path(sys.executable).with_name("fusion"))
UVX = str(Path(sys.executable).with_name("uvx"))
MODES = {"http": "http", "http-json": "http", "http-stateless": "http", "http-stateless-json": "http", "sse": "sse"}


@dataclass(frozen=True)
class Sdk:
    """A release of an SDK, and the script of a server written with it."""

    requirement: str
    script: str

    def install(self) -> None:
        """Fetch the SDK into uv's own cache, so that starting a server needs no network and little time."""
        warm = (UVX, *self._python(), "-c", "pass")
        done = subprocess.run(warm, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, f"{self.requirement} cannot be installed: {done.stderr[-1000:]}"

    def command(self, root: Path, *arguments: str) -> tuple[str, ...]:
        """The argv of the server."""
        script = str(root / "fixtures" / "servers_sdk" / self.script)
        return (UVX, "--offline", *self._python(), script, *arguments)

    def _python(self) -> tuple[str, ...]:
        return ("--python", sys.executable, "--from", self.requirement, "python")


SDKS = (
    Sdk("mcp==1.30.0", "mcp_1.py"),
    Sdk("mcp==2.3.0", "mcp_2.py"),
    Sdk("fastmcp==2.14.7", "fastmcp_any.py"),
    Sdk("fastmcp==4.2.3", "fastmcp_any.py"),
)


def lock(folder: Path, *source: str) -> str:
    """The lock of a source, without the table that says where it came from."""
    folder.mkdir()
    done = subprocess.run(
        [FUSION, "lock", "--name", "demo", *source],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = (folder / "fusion.lock").read_text(encoding="utf-8")
    return re.sub(r"^\[servers\.demo\.source\]\n(?:(?!\[).*\n)*", "", text, flags=re.MULTILINE)


@contextmanager
def running(command: tuple[str, ...], port: int) -> Iterator[None]:
    """The server, from when it takes connections until it is ended."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(1200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None, f"{command} ended"
            time.sleep(0.1)
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@pytest.mark.parametrize("sdk", SDKS, ids=lambda sdk: sdk.requirement)
def test_a_server_is_the_same_over_every_transport(sdk: Sdk, root: Path, tmp_path: Path) -> None:
    sdk.install()
    plain = lock(tmp_path / "stdio", "--", *sdk.command(root, "stdio"))
    assert set(tomli.loads(plain)["servers"]["demo"]) >= {"tools", "prompts", "resources", "resource_templates"}
    for mode, kind in MODES.items():
        port = free_port()
        with running(sdk.command(root, mode, str(port)), port):
            url = f"http://127.0.0.1:{port}/{'sse' if mode == 'sse' else 'mcp'}"
            found = lock(tmp_path / mode, url)
        made = tomli.loads((tmp_path / mode / "fusion.lock").read_text(encoding="utf-8"))["servers"]["demo"]
        assert made["source"] == {"kind": kind, "url": url}
        if sdk.requirement.startswith("fastmcp==2"):  # says over HTTP alone that its lists may change
            assert "listChanged = true" in found
            found, plain = (re.sub(r"(?m)^(?:listChanged|interface_digest) = .*\n", "", one) for one in (found, plain))
        assert found == plain, mode
