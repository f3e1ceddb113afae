"""The GitHub workflow that `fusion init` writes, and whether it starts servers on pull requests.

A server that lives in the repository is started there: else the pull request that breaks it would pass, its lock
unchanged. Any other server is not: it needs secrets as a rule, and does not change with the pull request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fusion_contracts import __version__
from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.ours import local_parts
from fusion_contracts.cli.project import Project
from fusion_contracts.cli.roster import servers
from fusion_contracts.report.counts import joined
from fusion_contracts.sources.runners import program_of

__all__ = ["choice", "workflow"]

_HEAD = """\
# Does a change to the tools break the agents that use them? Written by `fusion init`; yours to change.
name: fusion

on:
  pull_request:
  push:
    branches: [main, master]
  schedule:
    - cron: "17 5 * * *"

permissions:
  contents: read

jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0 # the lock is compared with its state at the base
      - uses: actions/setup-python@v5
        with:
          python-version: "3.13"
      - run: pip install "fusion-contracts=={version}"
"""

_INSTALL = """
      # What the server of this repository needs to start.
"""

_INSTALL_YOURSELF = """
      # Install here what the server of this repository needs to start, such as: pip install -e .
"""

_LOCAL = """
      # On a pull request only servers that are part of this repository are started: the lock must equal their code, and
      # suit the agents that know the base. What is started may be a stranger's code: give this step no secrets.
"""

_ELSEWHERE = """
      # Elsewhere every server is asked whether it still is what the lock says. Give them their variables in env.
"""


def workflow(project: Project) -> str:
    """The workflow's text, for the sources of the settings."""
    local = local_parts(project)
    options = [] if project.lockfile == project.config.lockfile else ["--lockfile", project.lockfile]
    parts = [_HEAD.replace("{version}", __version__), *_installing(project, local)]
    parts += [_LOCAL, _step("==", ["check", "--local", *options])]
    return "".join([*parts, _ELSEWHERE, _step("!=", ["check", "--base", "HEAD", *options])])


def choice(project: Project) -> str:
    """One line for people: what the workflow does on pull requests, and why."""
    local = local_parts(project)
    if not local:
        return "on pull requests the workflow starts no server: none is part of this repository"
    told = joined([f"{printable(name)} ({printable(part)})" for name, part in local.items()])
    verb = "is" if len(local) == 1 else "are"
    return f"on pull requests the workflow also reads {told}, which {verb} part of this repository"


def _step(sign: str, words: Sequence[str]) -> str:
    line = " ".join(["fusion", *map(shell_word, words)])
    plain = re.fullmatch("[ -~]+", line) and ": " not in line and " #" not in line
    written = line if plain else json.dumps(line)  # a JSON string is a YAML string
    return f"      - if: github.event_name {sign} 'pull_request'\n        run: {written}\n"


def _installing(project: Project, local: Mapping[str, str]) -> Iterator[str]:
    """The steps that install what local servers need, as far as the repository says."""
    sources = [source for name, source in servers(project).items() if name in local]
    programs = {program_of(source.command).lower() for source in sources if source.command}
    programs |= {"python" for source in sources if source.object is not None}
    if not programs:
        return
    steps = list(_installs(project.root, programs))
    yield _INSTALL if steps else _INSTALL_YOURSELF
    for step in steps:
        yield f"      - run: {step}\n"


def _installs(root: Path, programs: set[str]) -> Iterator[str]:
    if programs & {"uv", "uvx"}:
        yield "pip install uv"
    if programs - {"uv", "uvx"} and (root / "pyproject.toml").is_file() and _builds(root):
        yield "pip install -e ."
    if (root / "requirements.txt").is_file():
        yield "pip install -r requirements.txt"
    if (root / "package.json").is_file():
        yield "npm ci" if (root / "package-lock.json").is_file() else "npm install"
        yield "npm run build --if-present"


def _builds(root: Path) -> bool:
    return not _pyproject(root).keys().isdisjoint({"project", "build-system"})


def _pyproject(root: Path) -> dict[str, object]:
    import tomli

    try:
        return tomli.loads((root / "pyproject.toml").read_bytes().decode())
    except (OSError, ValueError):  # none, or nothing that anybody could install
        return {}
