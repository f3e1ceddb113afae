"""A thousand kills: what a command was writing is as it was, or whole, and the next run leaves nothing behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from writing import COMMANDS

MEMORY = Path("/dev/shm")  # files that no disk has to take: a kill takes no longer than a fork

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, and end at a limit of a file")


@pytest.fixture(scope="module")
def kills(root: Path) -> dict[str, int]:
    """How often each command was killed; every state that it left was looked at (see `support/killed.py`)."""
    script = root / "tests" / "support" / "killed.py"
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_a_thousand_kills_leave_no_half_file(kills: dict[str, int]) -> None:
    assert list(kills) == [writing.name for writing in COMMANDS]
    assert sum(kills.values()) >= 1_000


@pytest.mark.parametrize("writing", COMMANDS, ids=str)
def test_each_command_was_killed_at_many_steps(writing: object, kills: dict[str, int]) -> None:
    assert kills[str(writing)] > 10
