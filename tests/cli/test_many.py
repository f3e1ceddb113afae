"""One client configuration of sixty servers, twenty of them faulty in eleven ways: forty locked, twenty told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from http_site import Exchange, Site, closed_port
from waiting import until

from fusion_contracts.sources import memory

LIMITS = """\
[servers."hangs-*"]
timeout = 2

[servers."hungry-*"]
memory = "100 MiB"
"""


@pytest.fixture
def guarded() -> Iterator[Site]:
    """A URL that wants credentials."""

    def answer(exchange: Exchange) -> None:
        exchange.status(401, WWW_Authenticate="Bearer")

    site = Site(answer)
    yield site
    site.stop()


@pytest.fixture
def closed() -> Iterator[int]:
    """A port that refuses every connection."""
    with closed_port() as port:
        yield port


def script(path: Path, *arguments: str) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(path), *arguments]}


def good(root: Path) -> dict[str, Any]:
    """Forty copies of ten servers."""
    servers, example = root / "fixtures" / "servers", root / "fixtures" / "example"
    kinds = {
        "plain": script(servers / "plain.py"),
        "stateless": script(servers / "stateless.py"),
        "both": script(servers / "stateless.py", "--both"),
        "noisy": script(servers / "noisy.py"),
        "fragile": script(servers / "fragile.py"),
        "stubborn": script(servers / "stubborn.py", "mark"),
        "parent": script(servers / "parent.py", "pids"),
        "desk-1": script(example / "helpdesk_v1.py"),
        "desk-2": script(example / "helpdesk_v2.py"),
        "released": script(root / "fixtures" / "servers_cli" / "from_file.py", "release.json"),
    }
    return {f"{name}-{copy}": entry for name, entry in kinds.items() for copy in range(4)}


def faulty(root: Path, guarded: str, closed: int) -> dict[str, tuple[Any, str]]:
    """Twenty entries, each with how the sentence about it begins."""
    servers = root / "fixtures" / "servers"
    kinds: dict[str, tuple[Any, str]] = {
        "missing": ({"command": "no-such-program"}, "the command no-such-program is not on PATH"),
        "dies": (script(servers / "dies.py"), "stopped before it answered initialize (exit status 3), twice"),
        "hangs": (script(servers / "hangs.py"), "no answer to initialize in 2 s, twice"),
        "floods": (script(servers / "flood.py"), "sends more than 16 MiB in one line on standard output"),
        "garbage": (
            script(servers / "garbage.py"),
            "stopped before it answered initialize (exit status 0), twice. It printed 5 lines",
        ),
        "unreadable": (script(servers / "unreadable.py", "--nan"), "sends a message that cannot be read"),
        "unset": (script(servers / "plain.py", "${NOT_SET}"), "the argument ${NOT_SET} needs the variable NOT_SET"),
        "secret": (
            script(servers / "plain.py", "--api-key", "k3y-of-nobody-9f81"),
            "the argument after --api-key looks like a secret",
        ),
        "closed": ({"url": f"http://127.0.0.1:{closed}/mcp"}, "cannot be reached: 127.0.0.1"),
        "guarded": ({"url": guarded}, "needs authorization; fusion does not log in"),
    }
    if memory.SUPPORTED:
        kinds["hungry"] = (script(servers / "hungry.py"), "used more than 100 MiB of memory and was ended")
    many = [(f"{name}-{copy}", entry) for copy in range(2) for name, entry in kinds.items()]
    return dict(many[:20])


def running_in(folder: Path) -> list[str]:
    """The processes whose current folder is this one: what was started there and runs on (Linux)."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink() == folder:
                found.append((entry / "cmdline").read_text())
        except OSError:
            continue
    return found


def test_forty_are_locked_and_twenty_told(root: Path, tmp_path: Path, guarded: Site, closed: int) -> None:
    bad = faulty(root, guarded.url, closed)
    entries = {**{name: entry for name, (entry, _) in bad.items()}, **good(root)}
    assert len(entries) == 60
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))
    (tmp_path / "fusion.toml").write_text(LIMITS)
    (tmp_path / "release.json").write_text(json.dumps({"tools": [{"name": "greet"}]}))
    environment = {name: value for name, value in os.environ.items() if name != "NOT_SET"}

    command = [sys.executable, "-m", "fusion_contracts", "lock", ".mcp.json"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 2, done.stderr
    assert done.stdout.splitlines()[-1].startswith("exit 2: wrote fusion.lock.d: 40 servers, ")
    assert done.stdout.splitlines()[-1].endswith("; 20 servers not read")
    told = [line.removeprefix("fusion: ") for line in done.stderr.splitlines() if line.startswith("fusion: ")]
    assert [line.partition(":")[0] for line in told] == sorted(bad)
    for line in told:
        name, _, sentence = line.partition(": ")
        assert sentence.startswith(bad[name][1]), line
    files = sorted((tmp_path / "fusion.lock.d").iterdir())
    assert len(files) == 40
    lock = "".join(file.read_text() for file in files)
    assert [name for name in sorted(entries) if f"\n[servers.{name}]\n" in lock] == sorted(good(root))
    assert "k3y-of-nobody" not in lock + done.stderr + done.stdout
    until(lambda: not running_in(tmp_path), "what was started runs on")

    lines = done.stderr.splitlines()
    assert lines[0].startswith("both-0: starting ")  # each command before anything is started, and then how far it is
    first = lines.index("listing twice, to find what changes by itself")
    assert len(lines[:first]) == len(entries) - sum(name.startswith("secret") for name in bad)
    assert "60 of 60 done" not in lines
    assert [line for line in lines if line.endswith(" of 58 done")][-1] == "58 of 58 done"


@pytest.mark.parametrize("jobs", ["1", "7"])
def test_the_lock_is_the_same_however_many_are_read_at_a_time(root: Path, tmp_path: Path, jobs: str) -> None:
    entries = {name: entry for name, entry in good(root).items() if name.endswith("-0")}
    (tmp_path / "release.json").write_text(json.dumps({"tools": [{"name": "greet"}]}))
    texts = []
    for number in ("16", jobs):
        (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))
        command = [sys.executable, "-m", "fusion_contracts", "lock", ".mcp.json", "--jobs", number]
        subprocess.run([*command, "--lockfile", f"{number}.lock"], cwd=tmp_path, capture_output=True, check=True)
        texts.append((tmp_path / f"{number}.lock").read_bytes())
    assert texts[0] == texts[1]


@pytest.mark.network
def test_public_servers_side_by_side(tmp_path: Path) -> None:
    entries = {
        "everything": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything@2025.12.18"]},
        "memory": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory@2025.11.25"]},
        "thinking": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-sequential-thinking@2025.12.18"],
        },
    }
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": entries}))
    command = [sys.executable, "-m", "fusion_contracts", "lock", ".mcp.json", "--timeout", "300"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "unpinned" not in done.stderr
