"""What `fusion init` writes. Every file that is there stays; running it again changes nothing."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.drivers import ATTRIBUTES as DRIVERS
from fusion_contracts.cli.locking import Job, write_lock
from fusion_contracts.cli.output import OK, say
from fusion_contracts.cli.project import Project, read_settings
from fusion_contracts.cli.wanted import asked, locked_as, same_origin
from fusion_contracts.errors import FusionError

__all__ = ["set_up"]

# Line ends never change, or digests of prose would; a lock is text, and its diff is meant to be read. The drivers do
# nothing in a clone that has not set them up.
_WITHOUT_DRIVERS = "text eol=lf linguist-generated=false"  # what earlier releases wrote
_ATTRIBUTES = f"{_WITHOUT_DRIVERS} {DRIVERS}"

_SETTINGS = """\
# Settings of fusion-contracts. `fusion lock -- COMMAND` adds a server here.
lockfile = "fusion.lock"
fail-on = "breaking"
"""


_CLIENTS = (
    ".mcp.json",
    ".cursor/mcp.json",
    ".vscode/mcp.json",
    ".codex/config.toml",
    "opencode.json",
    "opencode.jsonc",
)
"""Where clients keep their configurations in a project: spoken of where there is one, and never read by chance."""


def set_up(job: Job) -> int:
    """Write what is missing: settings, the lock, .gitattributes, the workflow. Raises FusionError."""
    code = _first_lock(job)
    project = _now(job.project)
    _workflow(project)
    _attributes(project)
    return code


def _first_lock(job: Job) -> int:
    """The settings and the first lock. Of an existing lock nothing changes but that a new server joins it."""
    from fusion_contracts.lockfile.file import is_there

    project = job.project
    there = is_there(project.lock_path)
    if job.names_source and (not there or _is_new(job)):
        return write_lock(job, write=False)
    if there:
        say(f"{project.shown_lock} is there already; left as it is")
        return OK
    if project.config.sources:
        return write_lock(job, write=False)
    if project.place is None and not project.home.path.exists():
        _missing(project.home.path, lambda: _SETTINGS)
    here = next((path for path in _CLIENTS if (project.root / path).is_file()), None)
    hint = f", or {here}, which is here: fusion lock {here}" if here else ""
    say(f"no lock yet: name what to lock: fusion lock -- COMMAND{hint}")
    return OK


def _is_new(job: Job) -> bool:
    """Whether the source of the command line is not the one that its server was locked from."""
    from fusion_contracts.lockfile.disk import read_lock

    one = asked(job.project, job.source, job.command, name=job.name, access=job.access)
    if one.source.kind == "config":
        return one.name is None  # the settings do not name the file yet
    locked = locked_as(one, read_lock(job.project.lock_path))
    return locked is None or not same_origin(one, locked)


def _now(project: Project) -> Project:
    """The project with its settings as they are after the lock was written."""
    settings, place = read_settings(project.root, project.place.path if project.place else None, create=True)
    return replace(project, config=settings, place=place)


def _workflow(project: Project) -> None:
    """The workflow, once it is known what it is to check, and one line on what it starts."""
    from fusion_contracts.cli.workflow import choice, workflow

    if not project.config.sources:
        say("no workflow yet: it depends on the source; run fusion init again after fusion lock")
    elif _missing(project.root / ".github" / "workflows" / "fusion.yml", lambda: workflow(project)):
        say(choice(project))
        if below := _below_the_top(project.root):
            say(f"GitHub runs workflows only of the repository's top: move it there, and give each run -C {below}")


def _below_the_top(root: Path) -> str:
    """The folder from the top of its repository, as a word for a shell; "" at the top, and where there is none."""
    from fusion_contracts.sources.git import prefix

    try:
        above = prefix(root).rstrip("/")
    except FusionError:
        return ""
    return shell_word(printable(above)) if above else ""


def _missing(path: Path, text: Callable[[], str]) -> bool:
    """Write a file unless it is there, and say which; return whether it was written."""
    from fusion_contracts.lockfile.file import write_atomic

    shown = printable(path.as_posix())
    if path.exists():
        say(f"{shown} is there already; left as it is")
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make the folder {path.parent}: {error.strerror}"
        raise FusionError(message, "check its permissions", stage="usage") from None
    write_atomic(path, text())
    say(f"wrote {shown}")
    return True


def _attributes(project: Project) -> None:
    """Add the lines of the lock and its folder to .gitattributes. Of lines that are there only our own are extended."""
    from fusion_contracts.lockfile.file import FOLDER, write_atomic

    path = project.root / ".gitattributes"
    try:
        text = path.read_bytes().decode() if path.exists() else ""
    except (OSError, UnicodeDecodeError):
        raise FusionError(f"cannot read {path}", "check its permissions", stage="usage") from None
    name = posixpath.normpath(Path(project.lockfile).as_posix())
    lock, shown = project.shown(project.lockfile), printable(path.as_posix())
    if name.startswith(("../", "/")):
        say(f"{lock} lies elsewhere: add `{printable(posixpath.basename(name))} {_ATTRIBUTES}` there")
        return
    edited, told = _with_line(text, _pattern(name), lock, shown)
    if edited == text and not re.search(_line(_pattern(name), _ATTRIBUTES), text, re.MULTILINE):  # people's own
        say(told)
        return
    whole, more = _with_line(edited, _pattern(f"{name}{FOLDER}/*"), f"{lock}{FOLDER}", shown)
    if whole == text:
        say(told)
        return
    write_atomic(path, whole)
    say(f"{more if edited == text else told}; {_INSTALL}")


def _pattern(name: str) -> str:
    """A path as git reads it in .gitattributes."""
    return name if re.fullmatch(r"[\w./*-]+", name) else json.dumps(name, ensure_ascii=False)


def _line(pattern: str, attributes: str) -> str:
    return rf"^{re.escape(f'{pattern} {attributes}')}(?=\r?$)"


def _with_line(text: str, pattern: str, lock: str, shown: str) -> tuple[str, str]:
    """The text of .gitattributes with a line for these files, and what was done, for people."""
    older = re.compile(_line(pattern, _WITHOUT_DRIVERS), re.MULTILINE)
    if older.search(text):
        edited = older.sub(lambda line: f"{line[0]} {DRIVERS}", text, count=1)
        return edited, f"added {DRIVERS} to the line of {lock} in {shown}"
    lines = [line.split() for line in text.splitlines() if line.startswith((f"{pattern} ", f"{pattern}\t"))]
    if lines:
        missing = " ".join(word for word in DRIVERS.split() if not any(word in words for words in lines))
        advice = f"; for fusion's drivers, add {missing}" if missing else ""
        return text, f"{shown} speaks of {lock} already; left as it is{advice}"
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = newline if text and not text.endswith("\n") else ""
    return f"{text}{gap}{pattern} {_ATTRIBUTES}{newline}", f"added {lock} to {shown}"


_INSTALL = "for merges by tool and findings in git diff, run in each clone: fusion merge-driver --install"
