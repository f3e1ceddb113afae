"""Many runs of `fusion lock` at once, each of another server: none is lost, from the lock or from the settings."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from writing import CLOSE, quietly

from fusion_contracts import load
from fusion_contracts.cli.refresh import refresh
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.disk import read_lock
from fusion_contracts.model import Lock
from fusion_contracts.runtime.releases import kept

RUNS, SERVERS = 3, 3

# Until each of its servers is locked: a run that was overtaken says so, and is run again.
LOCKS = """
import sys
from contextlib import redirect_stderr
from io import StringIO
from fusion_contracts.cli import main
for name in sys.argv[1:]:
    while True:
        with redirect_stderr(StringIO()) as told:
            code = main(["lock", f"{name}.json"])
        if code == 0:
            break
        assert "changed" in told.getvalue() and "run it again" in told.getvalue(), told.getvalue()
"""

# Everything is imported before it begins, so that all begin at once.
RELEASE = """
import sys
import fusion_contracts.cli.packing, fusion_contracts.cli.release, fusion_contracts.cli.releasing
import fusion_contracts.lockfile.codec, fusion_contracts.lockfile.verify, fusion_contracts.runtime.releases
from fusion_contracts.cli import main
print("ready", flush=True)
sys.stdin.read()
sys.exit(main(["release", sys.argv[1], "--lockfile", f"{sys.argv[1]}.lock"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="runs take turns where the system can")
@pytest.mark.parametrize("before", [0, 11], ids=["one file", "a folder"])
def test_none_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: int) -> None:
    monkeypatch.chdir(tmp_path)
    there = [f"s{number:02}" for number in range(before)]
    mine = [[f"{run}{number}" for number in range(SERVERS)] for run in "abcdefgh"[:RUNS]]
    for name in (*there, *(name for names in mine for name in names)):
        Path(f"{name}.json").write_text(json.dumps({"tools": [CLOSE]}), encoding="utf-8")
    Path("fusion.toml").write_text("".join(f'[sources.{name}]\npath = "{name}.json"\n' for name in there))
    if there:
        assert quietly("lock") == 0
    runs = [subprocess.Popen([sys.executable, "-c", LOCKS, *names]) for names in mine]
    assert [run.wait(120) for run in runs] == [0] * RUNS
    everything = {*there, *(name for names in mine for name in names)}
    assert set(read_lock(Path("fusion.lock")).servers) == everything
    assert quietly("lock", "--check") == 0  # the settings name each
    assert Path("fusion.toml").read_text().count("[sources.") == len(everything)
    assert not [path for path in tmp_path.rglob("*") if ".fusion-" in path.name]


def test_whoever_is_overtaken_says_so_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fusion: Callable[..., Any]
) -> None:
    """The other run ends while this one reads its servers."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine", "other"):
        Path(f"{name}.json").write_text(json.dumps({"tools": [CLOSE]}), encoding="utf-8")
    seam = "fusion_contracts.cli.locking.refresh"

    def overtaken(*arguments: Any, **more: Any) -> Any:
        monkeypatch.setattr(seam, refresh)
        assert quietly("lock", "other.json") == 0
        return refresh(*arguments, **more)

    monkeypatch.setattr(seam, overtaken)
    result = fusion("lock", "mine.json")
    assert (result.code, result.err[-2:]) == (
        2,
        [
            "fusion: fusion.lock was changed while the servers were read; nothing was written; run it again",
            "exit 2: could not check",
        ],
    )
    assert set(read_lock(Path("fusion.lock")).servers) == {"other"}


@pytest.mark.skipif(sys.platform == "win32", reason="runs take turns where the system can")
def test_each_release_has_a_number_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run keeps another contract, and all begin at once."""
    monkeypatch.chdir(tmp_path)
    for run in "abcd":
        Path(f"{run}.json").write_text(json.dumps({"tools": [{**CLOSE, "description": run}]}), encoding="utf-8")
        contract = replace(load(f"{run}.json"), name="pages")
        Path(f"{run}.lock").write_text(encode(Lock({"pages": contract})), encoding="utf-8")
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with ExitStack() as ended:
        runs: list[Any] = [
            ended.enter_context(subprocess.Popen([sys.executable, "-c", RELEASE, run], **pipes)) for run in "abcd"
        ]
        assert [one.stdout.readline() for one in runs] == ["ready\n"] * len(runs)
        for one in runs:
            one.stdin.close()
        said = [one.stdout.read() for one in runs]
    assert said == [f"pages: kept release {run} in .fusion/releases/pages/{run}.lock\n" for run in "abcd"]
    assert [one.returncode for one in runs] == [0] * len(runs)
    releases = kept(Path(".fusion/releases/pages"))
    assert {each.name for each in releases} == set("abcd")
    assert [each.sequence for each in releases] == [1, 2, 3, 4]
