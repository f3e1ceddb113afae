"""The page on versions shows what is printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def test_the_page_shows_what_is_printed(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "versions.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    for path in (root / "fixtures" / "example").glob("*.py"):
        shutil.copy(path, tmp_path)
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    for who in ("AUTHOR", "COMMITTER"):
        kept |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b", f"GIT_{who}_DATE": "2026-11-30T12:00:00Z"}
    kept |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PYTHONUNBUFFERED": "1"}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=tmp_path, env=kept, check=True)
    printed = ""
    for line in re.findall(r"^\$ (.+)$", shown, re.MULTILINE):
        done = subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, env=kept, capture_output=True, text=True, check=False
        )  # fmt: skip
        printed += f"$ {line}\n{done.stdout}"
    assert printed == shown
