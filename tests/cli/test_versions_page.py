"""The page on versions shows what is printed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from page_blocks import blocks, copy_example, printed, reader


def test_the_page_shows_what_is_printed(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "versions.md").read_text(encoding="utf-8")
    shown = "".join(blocks(page, "console"))
    copy_example(root, tmp_path)
    more = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for who in ("AUTHOR", "COMMITTER"):
        more |= {f"GIT_{who}_NAME": "a", f"GIT_{who}_EMAIL": "a@b", f"GIT_{who}_DATE": "2026-11-30T12:00:00Z"}
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=tmp_path, env=reader(**more), check=True)
    assert printed(shown, tmp_path, errors=subprocess.DEVNULL, **more) == shown
