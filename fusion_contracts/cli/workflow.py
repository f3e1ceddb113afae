"""The GitHub workflow that `fusion init` writes, and whether it starts servers on pull requests.

A server that lives in the repository is started there: else the pull request that breaks it would pass, its lock
unchanged. Any other server is not: it needs secrets as a rule, and does not change with the pull request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from fusion_contracts import __version__
from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.project import Project
from fusion_contracts.cli.roster import servers
from fusion_contracts.config import Source
from fusion_contracts.report.counts import joined

__all__ = ["choice", "local_part", "local_parts", "workflow"]

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
    programs = {_program(source.command) for source in sources if source.command}
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


# --- what is part of the repository ----------------------------------------------------------------------------------

_REGISTRY = frozenset({"npx", "bunx", "pnpx", "uvx", "docker", "podman"})  # their other arguments are the server's
_PACKAGE_FLAGS = frozenset({"-p", "--package", "--from"})
_MANIFESTS = {
    "uv": "pyproject.toml", "poetry": "pyproject.toml", "pdm": "pyproject.toml", "hatch": "pyproject.toml",
    "rye": "pyproject.toml", "npm": "package.json", "pnpm": "package.json", "yarn": "package.json",
    "bun": "package.json", "cargo": "Cargo.toml",
}  # fmt: skip


def local_parts(project: Project) -> dict[str, str]:
    """The sources that are part of the repository, by NAME, with the word that says so."""
    parts = {name: local_part(source, project.root) for name, source in servers(project).items()}
    return {name: part for name, part in parts.items() if part}


def local_part(source: Source, root: Path) -> str | None:
    """The file, module, script or runner by which a source is part of the repository of `root`; None for none."""
    if source.object is not None:
        place = re.sub(r":[\w.]+(?:\(\))?$", "", source.object)
        here = _inside(place, root) if place.endswith(".py") else _is_module(place, root)
        return place if here else None
    if source.path is not None:
        return source.path if _inside(source.path, root) else None
    if not source.command:  # a URL
        return None
    program, words = _program(source.command), source.command[1:]
    if program in _REGISTRY:
        words = _packages(words)
    paths = (source.command[0], *words) if "/" in source.command[0] else words
    found = next((word for word in paths if _is_part(word, root)), None)
    if found is not None:
        return found
    modules = [after for before, after in pairwise(words) if before == "-m"]
    module = next((one for one in modules if _is_module(one, root)), None)
    scripts = _scripts(root)
    script = next((word for word in (source.command[0], *words) if word in scripts), None)
    manifest = _MANIFESTS.get(program)
    runs = bool(manifest) and words[:1] in {("run",), ("start",)} and (root / str(manifest)).is_file()
    return module or script or (f"{program} {words[0]}" if runs else None)


def _program(command: Sequence[str]) -> str:
    return command[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe").removesuffix(".cmd")


def _packages(words: Sequence[str]) -> tuple[str, ...]:
    """What a runner of a registry fetches: the values of its package flags, and the first word that is no flag."""
    named = [after for before, after in pairwise(words) if before in _PACKAGE_FLAGS]
    first = [word for word in words if not word.startswith("-")][:1]
    return (*named, *first)


def _is_part(word: str, root: Path) -> bool:
    """Whether an argument names a file or folder of the repository, alone, behind `--flag=`, or before `:ATTR`."""
    flag, sign, value = word.partition("=")
    bare = value if sign and flag.startswith("-") else word
    return _inside(bare, root) or _inside(re.sub(r"(?<=\.py):[\w.]+$", "", bare), root)


def _inside(path: str, root: Path) -> bool:
    if not path or path.startswith("-") or "\0" in path:
        return False
    try:
        target = (root / path).resolve()
        return target.exists() and target.is_relative_to(_top(root.resolve()))
    except (OSError, RuntimeError):  # a name that the system does not take, a circle of links
        return False


def _top(root: Path) -> Path:
    """The repository's folder; where there is no repository, the project's."""
    return next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)


def _is_module(name: str, root: Path) -> bool:
    first = name.partition(".")[0]
    return bool(first) and any(
        (folder / first).is_dir() or (folder / f"{first}.py").is_file() for folder in (root, root / "src")
    )


def _scripts(root: Path) -> frozenset[str]:
    """The commands that the repository's own package installs."""
    project = _pyproject(root).get("project")
    scripts = project.get("scripts") if isinstance(project, dict) else None
    return frozenset(scripts) if isinstance(scripts, dict) else frozenset()


def _builds(root: Path) -> bool:
    return not _pyproject(root).keys().isdisjoint({"project", "build-system"})


def _pyproject(root: Path) -> dict[str, object]:
    import tomli

    try:
        return tomli.loads((root / "pyproject.toml").read_bytes().decode())
    except (OSError, ValueError):  # none, or nothing that anybody could install
        return {}
