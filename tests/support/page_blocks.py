"""What the tests of pages share: the blocks of a page, and what the commands in them print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path


def blocks(text: str, language: str) -> list[str]:
    """The blocks of a page in one language."""
    every = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)  # no end begins one
    return [block for name, block in every if name == language]


def reader(**more: str) -> dict[str, str]:
    """What a reader's shell has: the installed commands, and nothing of CI or of a terminal."""
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return kept | {"PATH": path, "PYTHONUNBUFFERED": "1"} | more


def copy_example(root: Path, folder: Path) -> None:
    """Put the bundled example into a folder."""
    for path in (root / "fixtures" / "example").glob("*.py"):
        shutil.copy(path, folder)


def printed(shown: str, folder: Path, *, errors: int = subprocess.STDOUT, **more: str) -> str:
    """What the commands behind `$ ` print, one after the other in a folder; `errors` is where standard error goes."""
    text = ""
    for line in re.findall(r"^\$ (.+)$", shown, re.MULTILINE):
        done = subprocess.run(
            ["sh", "-c", line], cwd=folder, env=reader(**more), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=errors, text=True, check=False,
        )  # fmt: skip
        text += f"$ {line}\n{done.stdout}"
    return text
