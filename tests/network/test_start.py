"""docs/start.md is true: its commands, run one after the other in an empty folder, print what the page prints.

`python tests/network/test_start.py` writes what they print now into the page. The installation is that of the checkout:
the package that the page installs is not there yet.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "start.md"
PART = re.compile(
    r"^`(?P<file>[\w.]+)`[^\n]*:\n\n```\w+\n(?P<text>.*?)^```$|^```console\n(?P<commands>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
ACTIVATE = ". .venv/bin/activate"


def printed_now(page: str, folder: Path) -> str:
    """The page with what its commands print in `folder`."""

    def done(part: re.Match[str]) -> str:
        if part["file"]:
            (folder / part["file"]).write_text(part["text"], encoding="utf-8")
            return part[0]
        commands = [command for command, _ in COMMAND.findall(part["commands"])]
        return "```console\n" + "".join(f"$ {one}\n{run(one, folder)}" for one in commands) + "```"

    return PART.sub(done, page)


def run(command: str, folder: Path) -> str:
    """What a command prints in the reader's shell, in the environment that an earlier one activated."""
    line = command.replace("fusion-contracts", str(ROOT)) if command.startswith("pip install ") else command
    active = f"{ACTIVATE}; " if (folder / ".venv" / "bin" / "activate").exists() else ""
    done = subprocess.run(
        ["bash", "-c", active + line],
        cwd=folder,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    said = "".join(line for line in done.stdout.splitlines(keepends=True) if not line.startswith("WARNING: "))
    commit = re.compile(r"(?<=\()[0-9a-f]{7}(?=\))")  # the author and the time are in it
    return commit.sub("1234567", said)


def environment() -> dict[str, str]:
    """What a reader's shell has; nothing of CI, nor of this test's own environment."""
    who = {f"GIT_{role}_{what}": "reader" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    own = Path(sys.executable).parent
    path = os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if Path(one) != own)
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | who | {"PATH": path, "PYTHONUNBUFFERED": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@pytest.mark.network
def test_the_first_ten_minutes_print_what_the_page_prints(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert printed_now(page, tmp_path) == page, "docs/start.md is stale: run python tests/network/test_start.py"


def test_the_page_tells_the_whole_story() -> None:
    """Each step ends as documented: what the page prints is compared above with what is printed now."""
    page = PAGE.read_text(encoding="utf-8")
    first, breaking, waived, healed = (page.partition(f"## {number}.")[2] for number in (2, 3, 4, 5))
    assert "wrote fusion.lock: 2 servers" in first
    assert "exit 1: breaking findings" in breaking.partition("## 4.")[0]
    assert "exit 0: nothing at or above breaking" in waived.partition("## 5.")[0]
    assert '<suggested_arguments>{"ticket_id":7}</suggested_arguments>' in healed
    assert "Ticket 7 is closed." in healed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        text = printed_now(PAGE.read_text(encoding="utf-8"), Path(scratch))
    PAGE.write_text(text, encoding="utf-8")
