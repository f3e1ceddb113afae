"""Shared by the tests of the command line: a project folder, servers that read their tools from files, git."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.cli import main

CLOSE = {
    "name": "close_page",
    "description": "Close a page.",
    "inputSchema": {"type": "object", "properties": {"when": {"enum": ["now", "later"]}}},
}
LIST = {"name": "list_pages", "description": "List the pages.", "inputSchema": {"type": "object", "properties": {}}}
TWICE = "listing twice, to find what changes by itself\n"


@dataclass(frozen=True)
class Result:
    """What a command did: its exit code, standard output, standard error. Paths of this machine are replaced."""

    code: int
    out: str
    err: str


class Project:
    """A folder in which the command line runs."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], script: Path) -> None:
        self.folder = folder
        self.capsys = capsys
        self.script = script

    def run(self, *arguments: str) -> Result:
        """Run `fusion ARGUMENTS` in this process, in this folder."""
        self.capsys.readouterr()
        code = main(arguments)
        captured = self.capsys.readouterr()
        return Result(code, self._plain(captured.out), self._plain(captured.err))

    def _plain(self, text: str) -> str:
        """Without what differs from machine to machine."""
        return (
            text.replace(sys.executable, "python")
            .replace(str(self.script), "serve.py")
            .replace(str(self.folder), "DIR")
        )

    def serve(self, name: str, *tools: Any, **more: Any) -> tuple[str, ...]:
        """Write the release of a server, and return the words that start it: `-- COMMAND`."""
        self.write(f"{name}.json", json.dumps({"tools": list(tools), **more}))
        return ("--", *self.command(name))

    def command(self, name: str) -> tuple[str, ...]:
        return (sys.executable, str(self.script), f"{name}.json")

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def catalog(self, name: str, *tools: Any) -> str:
        self.write(name, json.dumps({"tools": list(tools)}))
        return name

    def files(self) -> dict[str, bytes]:
        """Every file and its bytes, to show that a command wrote nothing."""
        paths = sorted(path for path in self.folder.rglob("*") if path.is_file() and ".git/" not in path.as_posix())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in paths}

    def git(self, *arguments: str) -> str:
        identity = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, message: str = "change") -> str:
        """Commit everything, and return the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def change_since_base(self, name: str, before: object, after: object) -> None:
        """Commit a lock of one tool as the base of everybody's clones, then lock what the server offers now."""
        self.run("lock", "--name", name, *self.serve("pages", before))
        self.commit()
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")
        self.serve("pages", after)
        self.run("lock")


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, root: Path) -> Project:
    """An empty folder, as the current one; a terminal of 100 columns."""
    monkeypatch.setenv("COLUMNS", "100")
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return Project(folder, capsys, root / "fixtures" / "servers_cli" / "from_file.py")


@pytest.fixture
def repository(project: Project) -> Project:
    """The same in a new git repository on the branch `main`."""
    project.git("init", "-q", "-b", "main")
    return project


@pytest.fixture
def committed(repository: Project, close_page: dict[str, Any]) -> Project:
    """A repository with one locked server, committed on `main`."""
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit("first")
    return repository


@pytest.fixture
def close_page() -> dict[str, Any]:
    """A tool with one argument, of two values."""
    return CLOSE


@pytest.fixture
def list_pages() -> dict[str, Any]:
    """A tool without arguments."""
    return LIST


@pytest.fixture
def close_page_v2() -> dict[str, Any]:
    """The first tool with one value less: there is exactly one call that worked and fails."""
    return {**CLOSE, "inputSchema": {"type": "object", "properties": {"when": {"enum": ["now"]}}}}


@pytest.fixture
def pair(project: Project, close_page: dict[str, Any], close_page_v2: dict[str, Any]) -> Project:
    """A project with two catalogs between which one call breaks."""
    project.catalog("old.json", close_page)
    project.catalog("new.json", close_page_v2)
    return project
