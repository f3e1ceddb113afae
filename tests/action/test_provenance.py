"""The recipes of docs/provenance.md: what signs starts no server, and what they say of a lock is so."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from page_blocks import blocks

from fusion_contracts import __version__

PINNED = re.compile(r"uses: [\w-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "provenance.md").read_text(encoding="utf-8")


def test_the_job_that_signs_starts_nothing_and_the_job_that_starts_servers_cannot_sign(page: str) -> None:
    workflow: Any = yaml.safe_load(blocks(page, "yaml")[0])
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == {
        "check": {"contents": "read"},
        "attest": {"contents": "read", "id-token": "write", "attestations": "write"},
    }
    check, attest = (workflow["jobs"][name]["steps"] for name in ("check", "attest"))
    assert [step["run"] for step in check if "run" in step] == [
        f'pip install "fusion-contracts=={__version__}"',
        "fusion check --base HEAD --fail-on any",
    ]
    assert [step for step in attest if "run" in step] == []
    assert attest[-1]["with"] == {"subject-path": "fusion.lock"}
    gitlab = yaml.safe_load(blocks(page, "yaml")[2])["attest"]
    assert [line.split()[0] for line in gitlab["script"]] == ["pip", "sigstore"]


def test_every_action_is_pinned_to_a_commit(page: str) -> None:
    used = [line for line in page.splitlines() if "uses: " in line]
    assert len(used) == 4
    assert [line for line in used if not PINNED.search(line)] == []


def test_the_lock_is_verified_before_the_server_is_started(page: str) -> None:
    first, last = yaml.safe_load(blocks(page, "yaml")[1])
    assert first["run"].startswith("gh attestation verify fusion.lock --repo ")
    assert "--source-ref refs/heads/main" in first["run"]
    assert last["run"] == "fusion check --base HEAD --fail-on any"


def run(line: str, folder: Path) -> str:
    done = subprocess.run(["bash", "-ec", line], cwd=folder, check=False, capture_output=True, text=True)
    return done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="a command of GNU and BusyBox, which runners of CI have")
def test_the_list_of_a_folder_changes_with_every_file_that_comes_goes_or_changes(page: str, tmp_path: Path) -> None:
    line = next(block for block in blocks(page, "sh") if "sha256sum" in block)
    folder = tmp_path / "fusion.lock.d"
    folder.mkdir()
    for name in ("b", "a", "B"):
        (folder / f"{name}.lock").write_text(name, encoding="ascii")

    def listed() -> str:
        assert run(line, tmp_path) == ""
        return (tmp_path / "fusion.lock.sha256").read_text(encoding="ascii")

    first = listed()
    assert [row.split()[1] for row in first.splitlines()] == [f"fusion.lock.d/{name}.lock" for name in ("B", "a", "b")]
    assert listed() == first
    (folder / "c.lock").write_text("c", encoding="ascii")
    added = listed()
    (folder / "c.lock").unlink()
    (folder / "a.lock").write_text("A", encoding="ascii")
    changed = listed()
    (folder / "a.lock").unlink()
    assert len({first, added, changed, listed()}) == 4
