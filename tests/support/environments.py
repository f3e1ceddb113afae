"""Environments of their own for releases that cannot be installed side by side, made by `uv`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["make"]

UV = str(Path(sys.executable).with_name("uv"))


def make(folder: Path, *requirements: str) -> Path:
    """Make the environment at `folder`, with these installed; the folder of its programs."""
    subprocess.run([UV, "venv", "-q", "--python", sys.executable, str(folder)], check=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    command = [UV, "pip", "install", "-q", "--python", str(programs / "python"), *requirements]
    subprocess.run(command, check=True, timeout=600)
    return programs
