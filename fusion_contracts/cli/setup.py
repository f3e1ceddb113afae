"""What `fusion init` writes. Every file that is there stays; running it again changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fusion_contracts import __version__
from fusion_contracts.cli.locking import Job, write_lock
from fusion_contracts.cli.output import OK, say
from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError

__all__ = ["set_up"]

# Line ends never change, or digests of prose would; a lock is text, and its diff is meant to be read.
_ATTRIBUTES = "text eol=lf linguist-generated=false"

_WORKFLOW = """\
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

      # On a pull request nothing is started: the change may come from a stranger, and servers need secrets. If the
      # server is part of this repository, install it above and drop --offline: then the lock must equal the code.
      - if: github.event_name == 'pull_request'
        run: fusion check --offline{options}

      # Elsewhere the servers are asked whether they still are what the lock says. Give them their variables in env.
      - if: github.event_name != 'pull_request'
        run: fusion check --base HEAD{options}
"""

_SETTINGS = """\
# Settings of fusion-contracts. `fusion lock -- COMMAND` adds a server here.
lockfile = "fusion.lock"
fail-on = "breaking"
"""


def set_up(job: Job) -> int:
    """Write what is missing: settings, the lock, .gitattributes, the workflow. Raises FusionError."""
    project = job.project
    code = _first_lock(job)
    _missing(project.root / ".github" / "workflows" / "fusion.yml", lambda: _workflow(project))
    _attributes(project)
    return code


def _first_lock(job: Job) -> int:
    """The settings and the first lock; an existing lock is not touched."""
    project = job.project
    if project.lock_path.exists():
        say(f"{project.lockfile} is there already; left as it is")
        return OK
    if job.names_source or project.config.sources:
        return write_lock(job, write=False)
    if project.place is None and not project.home.path.exists():
        _missing(project.home.path, lambda: _SETTINGS)
    say("no lock yet: name what to lock: fusion lock -- COMMAND")
    return OK


def _workflow(project: Project) -> str:
    default = project.lockfile == project.config.lockfile
    options = "" if default else f" --lockfile {project.lockfile}"
    return _WORKFLOW.replace("{version}", __version__).replace("{options}", options)


def _missing(path: Path, text: Callable[[], str]) -> None:
    """Write a file unless it is there."""
    from fusion_contracts.lockfile.file import write_atomic

    shown = path.as_posix()
    if path.exists():
        say(f"{shown} is there already; left as it is")
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder {path.parent}: {error.strerror}"
        raise FusionError(message, "check its permissions", stage="usage") from None
    write_atomic(path, text())
    say(f"wrote {shown}")


def _attributes(project: Project) -> None:
    """Add the lock's line to .gitattributes, unless some line there speaks of the lock."""
    from fusion_contracts.lockfile.file import write_atomic

    path = project.root / ".gitattributes"
    try:
        text = path.read_bytes().decode() if path.exists() else ""
    except (OSError, UnicodeDecodeError):
        raise FusionError(f"cannot read {path}", "check its permissions", stage="usage") from None
    if any(line.split()[:1] == [project.lockfile] for line in text.splitlines()):
        say(f"{path.as_posix()} speaks of {project.lockfile} already; left as it is")
        return
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = newline if text and not text.endswith("\n") else ""
    write_atomic(path, f"{text}{gap}{project.lockfile} {_ATTRIBUTES}{newline}")
    say(f"added {project.lockfile} to {path.as_posix()}")
