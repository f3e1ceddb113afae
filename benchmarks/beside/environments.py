"""Throwaway environments: other tools are installed from their registries, and are no dependency here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

__all__ = ["ENVIRONMENT", "module_version", "node_modules", "node_version", "python_with", "version_in"]

UNSET = {"CI", "GITHUB_ACTIONS", "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in UNSET}
"""What commands are run with: as at a person's own machine, where Python keeps what it has compiled."""


def python_with(folder: Path, requirement: str) -> Path | None:
    """The interpreter of an environment that holds this one; made below the folder where it is not there.

    None where it could not be installed, which is printed with pip's words.
    """
    home = folder / requirement.replace("==", "-")
    python = home / "bin" / "python"
    done = home / "installed"  # an environment without it was left half made
    if not done.exists():
        pip = (str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement)
        if not (_done(sys.executable, "-m", "venv", "--clear", str(home)) and _done(*pip)):
            return None
        done.touch()
    return python


def node_modules(folder: Path, package: str) -> Path | None:
    """The folder of modules that holds this package; None where there is no npm, or it could not install it."""
    home = folder / f"npm-{package}"
    modules = home / "node_modules"
    if shutil.which("npm") is None:
        print(f"npm is not here: {package} is left out", file=sys.stderr)
        return None
    if not modules.exists() and not _done("npm", "install", "--silent", "--prefix", str(home), package):
        return None
    return modules


def version_in(python: Path, distribution: str) -> str:
    """The version of what is installed in that environment."""
    asked = f"from importlib.metadata import version; print(version({distribution!r}))"
    return subprocess.run([str(python), "-c", asked], capture_output=True, text=True, check=True).stdout.strip()


def module_version(modules: Path, package: str) -> str:
    """The version of a package of npm."""
    return str(json.loads((modules / package / "package.json").read_text(encoding="utf-8"))["version"])


def node_version() -> str | None:
    """The version of Node; None where there is none."""
    if shutil.which("node") is None:
        return None
    return subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip("v\n")


def _done(*argv: str) -> bool:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"left out: {' '.join(argv)}: exit {done.returncode}\n{done.stderr[-500:]}", file=sys.stderr)
    return not done.returncode
