"""The page about releases: what it shows is what is printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def test_the_page_shows_what_is_printed(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "releases.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    for path in (root / "fixtures" / "example").glob("*.py"):
        shutil.copy(path, tmp_path)
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = ""
    for line in re.findall(r"^\$ (.+)$", shown, re.MULTILINE):
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=tmp_path,
            env={**kept, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        printed += f"$ {line}\n{done.stdout}"
    assert printed == shown
