"""Public servers from npm and PyPI: locked over stdio, and the diff of live servers is the diff of saved catalogs.

Evidence is gathered for all selected servers at once, two at a time, while the tests wait each for its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import fusion_contracts

pytestmark = pytest.mark.network

FUSION = str(Path(sys.executable).with_name("fusion"))
AT_ONCE = 2  # the smallest machines have two cores, and a server's start takes most of one

ListByHand: TypeAlias = Callable[[Any, str, Path], dict[str, Any]]
Report: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Evidence:
    """What was seen of one server: reports of the same change taken in different ways, and the old lock checked."""

    locks: Report
    catalogs: Report
    live: Report
    catalogs_as_live: Report
    check: subprocess.CompletedProcess[str]
    folder: Path


def fusion(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([FUSION, *arguments], cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def report(folder: Path, *arguments: str) -> Report:
    done = fusion(folder, "diff", "--format", "json", "--fail-on", "never", *arguments)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def gather(server: Any, folder: Path, list_by_hand: ListByHand) -> Evidence:
    """Install, lock and list both versions, then compare them in every way."""
    protocols = {}
    for side, release in (("old", server.old), ("new", server.new)):
        release.install()
        (folder / side).mkdir(parents=True)
        done = fusion(folder / side, "lock", "--", *release.command())
        assert done.returncode == 0, done.stderr
        protocols[side] = fusion_contracts.load(folder / side / "fusion.lock").protocol_version or ""
        save(folder / side, server.name, list_by_hand(release, protocols[side], folder))
    # A live listing asks for the locked protocol version, which may be older than what a fresh one agrees on.
    (folder / "live").mkdir()
    save(folder / "live", server.name, list_by_hand(server.new, protocols["old"], folder))
    catalog = f"{server.name}.json"
    return Evidence(
        locks=report(folder, "old/fusion.lock", "new/fusion.lock"),
        catalogs=report(folder, f"old/{catalog}", f"new/{catalog}"),
        live=report(folder, "old/fusion.lock", "--", *server.new.command()),
        catalogs_as_live=report(folder, f"old/{catalog}", f"live/{catalog}"),
        check=fusion(folder / "old", "lock", "--check"),
        folder=folder,
    )


def save(folder: Path, name: str, catalog: dict[str, Any]) -> None:
    (folder / f"{name}.json").write_text(json.dumps(catalog), encoding="utf-8")


@pytest.fixture(scope="session")
def gathering(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, list_by_hand: ListByHand
) -> Iterator[dict[str, Future[Evidence]]]:
    """Evidence in the making for every server that a selected test asks for."""
    wanted = {}
    for item in request.session.items:
        server = getattr(item, "callspec", None) and item.callspec.params.get("server")  # type: ignore[attr-defined]
        if server:
            wanted[server.name] = server
    with ThreadPoolExecutor(AT_ONCE) as pool:
        folder = tmp_path_factory.mktemp("public")
        yield {name: pool.submit(gather, server, folder / name, list_by_hand) for name, server in wanted.items()}
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def evidence(server: Any, gathering: dict[str, Future[Evidence]]) -> Evidence:
    return gathering[server.name].result()


def test_the_diff_of_locked_servers_is_the_diff_of_saved_catalogs(evidence: Evidence) -> None:
    assert evidence.locks["findings"] == evidence.catalogs["findings"]
    assert evidence.locks["summary"] == evidence.catalogs["summary"]


def test_the_diff_against_the_live_server_is_the_diff_of_saved_catalogs(evidence: Evidence) -> None:
    assert evidence.live["findings"] == evidence.catalogs_as_live["findings"]
    assert evidence.live["summary"] == evidence.catalogs_as_live["summary"]


def test_a_fresh_lock_passes_its_own_check(evidence: Evidence) -> None:
    assert evidence.check.returncode == 0, evidence.check.stdout + evidence.check.stderr


def test_an_earlier_capture_of_the_same_versions_tells_the_same_of_the_tools(
    server: Any, evidence: Evidence, shared: Path
) -> None:
    captures = [captured(shared, release) for release in (server.old, server.new)]
    if None in captures:
        pytest.skip("no capture of both versions")
    earlier = report(evidence.folder, *map(str, captures))
    assert told(earlier) == told(evidence.locks)


def captured(shared: Path, release: Any) -> Path | None:
    for path in shared.glob(f"catalogs/*/{release.version}.json"):
        if json.loads(path.read_text(encoding="utf-8"))["server"]["package"] == release.package:
            return path
    return None


def told(found: Report) -> list[dict[str, Any]]:
    """The findings about tools, without the name that a source gives its server."""
    named = ("server", "fingerprint", "group")
    return [
        {key: value for key, value in finding.items() if key not in named}
        for finding in found["findings"]
        if finding["tool"]
    ]
