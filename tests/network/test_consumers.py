"""A session of a server that changes, through the clients of every SDK, over every transport.

The stories themselves are `guarded_session.py`: they run where the SDK is installed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from environments import make

pytestmark = pytest.mark.network

SDKS = {  # the example of docs/consumers.md that is for it
    "fastmcp==2.14.*": "from fastmcp",
    "fastmcp==3.4.*": "from fastmcp",
    "fastmcp==4.2.*": "from fastmcp",
    "mcp==1.30.*": "ClientSession(",
    "mcp==2.3.*": "from mcp import Client,",
}
SHOWN = """\
<validation_error action="close_page">
  <field name="pageIdx">Missing. You sent: page 1. Expected an integer: "The index of the page. Call list_pages."</field>
  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>
</validation_error>"""  # noqa: E501 - one line, as a model reads it


def run(*command: Path | str, folder: Path) -> str:
    """What a program of an environment prints; `python3` is the one beside it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CI", "PYTEST", "FASTMCP"))}
    kept["PATH"] = os.pathsep.join([str(Path(command[0]).parent), os.environ["PATH"]])
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=folder, env=kept, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("sdk", SDKS)
def test_a_model_sees_what_was_accepted_alone(sdk: str, tmp_path: Path, root: Path) -> None:
    programs = make(tmp_path / "venv", sdk, "pytest>=8.4", str(root))
    for file in ("fixtures/consumers/faces.py", "tests/support/guarded_clients.py"):
        shutil.copy(root / file, tmp_path)
    shutil.copy(root / "tests" / "network" / "guarded_session.py", tmp_path / "test_guarded_session.py")
    lock = ("lock", "--name", "pages", "--", programs / "python", "faces.py", "stdio")
    run(programs / "fusion", *lock, folder=tmp_path)
    page = (root / "docs" / "consumers.md").read_text(encoding="utf-8")
    (example,) = [one for one in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if SDKS[sdk] in one]
    shutil.copy(tmp_path / "faces.py", tmp_path / "pages.py")
    printed = run(programs / "python", "-c", example, folder=tmp_path).splitlines()
    assert sorted(printed[:3]) == ["close_page", "ping", "turn"]
    assert "\n".join(printed[3:]) == SHOWN
    told = run(programs / "python", "-m", "pytest", "-q", "-W", "error", "test_guarded_session.py", folder=tmp_path)
    assert "failed" not in told
    assert "skipped" not in told
