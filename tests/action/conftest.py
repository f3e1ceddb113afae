"""The Action's script as a process: real git repositories with a bare origin, and a small server in place of GitHub."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, Tool

MERGE = "refs/pull/7/merge"
MARKER = "<!-- fusion check: . -->"  # the first line of a comment says whose it is
TOKEN = "ghs_a-token-that-nobody-may-see"
SETTINGS = '[sources.pages]\ncommand = ["npx", "-y", "pages@1"]\n'  # not part of the repository: never started on a PR
FEED = """\
commit refs/heads/{branch}
committer T <t@example.org> {when} +0000
data 4
more
{parent}M 100644 inline history.txt
data {size}
{text}
"""


def lock(*values: str, tool: str = "close_page", **fields: Any) -> str:
    """The lock of a server with one tool, whose argument takes these values."""
    schema = {"type": "object", "properties": {"when": {"enum": list(values)}}}
    return encode(Lock({"pages": ServerContract("pages", tools={tool: Tool(tool, schema)}, **fields)}))


class Repository:
    """A folder with a git repository."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def git(self, *arguments: str, feed: str | None = None) -> str:
        settings = ("user.name=T", "user.email=t@example.org", "commit.gpgsign=false", "protocol.file.allow=always")
        options = [word for setting in settings for word in ("-c", setting)]
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *options, *arguments], cwd=self.folder, env=environment, input=feed, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"git {arguments}: {done.stderr}"
        return done.stdout.strip()

    def commit(self, files: dict[str, str | None]) -> str:
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if text is None:
                path.unlink()
            else:
                path.write_bytes(text.encode())
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def lengthen(self, branch: str, count: int) -> str:
        """Add that many commits to a branch that is not checked out."""
        tip = self.git("rev-parse", branch)
        feed = "".join(
            FEED.format(
                branch=branch, when=number + 1, parent=f"from {tip}\n" if not number else "", size=len(str(number)),
                text=number,
            )
            for number in range(count)
        )  # fmt: skip
        self.git("fast-import", "--quiet", "--force", feed=feed)
        return self.git("rev-parse", branch)

    @property
    def depth(self) -> int:
        """How many commits are here."""
        return int(self.git("rev-list", "--all", "HEAD", "--count"))


@dataclass
class GitHub:
    """What the API holds and was asked; `answers` are given first, in order: a status, and headers."""

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    writable: bool = True
    login: str | None = None

    def add(self, body: str, *, login: str = "github-actions[bot]", kind: str = "Bot") -> dict[str, Any]:
        comment = {"id": 1000 + len(self.comments), "body": body, "user": {"login": login, "type": kind}}
        self.comments.append(comment)
        return comment

    @property
    def bodies(self) -> list[str]:
        return [str(comment["body"]) for comment in self.comments]

    @property
    def writes(self) -> list[str]:
        return [line for line in self.asked if not line.startswith("GET")]

    def answer(self, method: str, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], Any]:
        """Status, headers, and value."""
        self.asked.append(f"{method} {path}")
        if self.answers:
            return (*self.answers.pop(0), {"message": "no"})
        if path == "/user":
            return (200, {}, {"login": self.login}) if self.login else (403, {}, {"message": "no"})
        if method != "GET" and not self.writable:
            return 403, {}, {"message": "Resource not accessible by integration"}
        one = re.fullmatch(r"/repos/o/r/issues/comments/(\d+)", path)
        many = re.fullmatch(r"/repos/o/r/issues/7/comments(?:\?per_page=(\d+)&page=(\d+))?", path)
        if method == "PATCH" and one:
            comment = next(comment for comment in self.comments if comment["id"] == int(one[1]))
            comment["body"] = body["body"].replace("\n", "\r\n")  # as GitHub keeps them
            return 200, {}, comment
        if method == "POST" and many:
            return 201, {}, self.add(body["body"].replace("\n", "\r\n"))
        if method == "GET" and many:
            size, page = int(many[1]), int(many[2])
            return 200, {}, self.comments[size * (page - 1) : size * page]
        return 404, {}, {"message": "Not Found"}


@pytest.fixture
def github() -> Iterator[GitHub]:
    """GitHub's API for the repository `o/r` and its pull request 7, on loopback."""
    state = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                answer: tuple[int, dict[str, str], Any] = (401, {}, {"message": "Bad credentials"})
            else:
                answer = state.answer(self.command, self.path, body)
            status, headers, value = answer
            data = json.dumps(value).encode()
            self.send_response(status)
            for name, text in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _do  # noqa: N815 - the library's names

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    state.url = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@dataclass(frozen=True)
class Done:
    """A finished run."""

    code: int
    log: str
    outputs: dict[str, str]
    summary: str

    @property
    def report(self) -> dict[str, Any]:
        return dict(json.loads(Path(self.outputs["json"]).read_text(encoding="utf-8")))

    @property
    def commands(self) -> list[str]:
        """The log's lines that a runner takes for commands, without the pair that silences those in between."""
        found: list[str] = []
        silent: str | None = None
        for raw in self.log.splitlines():
            line = raw.lstrip()
            if silent is not None:
                silent = None if line == f"::{silent}::" else silent
            elif line.startswith("::stop-commands::"):
                silent = line.removeprefix("::stop-commands::")
            elif line.startswith(("::", "##[")):
                found.append(line)
        assert silent is None
        return found

    @property
    def base(self) -> str:
        """The report's word on what was compared with."""
        return str(self.report["base"]["label"])


class World:
    """An origin, a work folder that pushes to it, and clones as a runner makes them."""

    OLD, BROKEN, WIDER = lock("now", "later"), lock("now"), lock("later", "never", "now")
    SETTINGS, TOKEN, ZEROS = SETTINGS, TOKEN, "0" * 40
    lock = staticmethod(lock)

    def __init__(self, folder: Path, github: GitHub, script: Path) -> None:
        self.folder = folder
        self.github = github
        self.script = script
        self.origin = Repository(folder / "origin.git")
        self.origin.folder.mkdir()
        self.origin.git("init", "-q", "--bare", "-b", "main")
        self.work = Repository(folder / "work")
        self.work.folder.mkdir()
        self.work.git("init", "-q", "-b", "main")
        self.work.git("remote", "add", "origin", str(self.origin.folder))

    @property
    def url(self) -> str:
        return self.origin.folder.as_uri()  # as a URL git really makes shallow clones

    def push(self, *refs: str) -> None:
        self.work.git("push", "-q", "--force", "origin", *refs)

    def checkout(self, ref: str, *, depth: int | None = 1) -> Repository:
        """A clone as actions/checkout makes it: one ref, detached, of that depth; None for everything."""
        clone = Repository(self.folder / f"clone{len(list(self.folder.iterdir()))}")
        clone.folder.mkdir()
        clone.git("init", "-q", "-b", "none")
        clone.git("remote", "add", "origin", self.url)
        wanted = [f"--depth={depth}", "origin", f"+{ref}:refs/remotes/pull/head"] if depth else ["origin"]
        clone.git("fetch", "-q", "--no-tags", *wanted)
        if not depth:
            clone.git("fetch", "-q", "--no-tags", "origin", f"+{ref}:refs/remotes/pull/head")
        clone.git("checkout", "-q", "--detach", "refs/remotes/pull/head")
        return clone

    def pull_request(self, files: dict[str, str | None], *, branch: str = "change") -> dict[str, Any]:
        """A branch with one commit, merged as GitHub does for a test run, and the event."""
        self.work.git("switch", "-q", "-c", branch, "main")
        head = self.work.commit(files)
        self.work.git("switch", "-q", "--detach", "main")
        self.work.git("merge", "-q", "--no-edit", branch)
        self.push("main", "HEAD:refs/pull/7/merge", f"{branch}:refs/pull/7/head")
        self.work.git("switch", "-q", "main")
        return self.event(base_ref="main", base_sha=self.work.git("rev-parse", "main"), head_ref=branch, head_sha=head)

    @staticmethod
    def event(
        *, base_ref: str, base_sha: str, head_ref: str = "change", head_sha: str = "1" * 40, fork: bool = False
    ) -> dict[str, Any]:
        head = {"ref": head_ref, "sha": head_sha, "repo": {"full_name": "stranger/r" if fork else "o/r"}}
        base = {"ref": base_ref, "sha": base_sha, "repo": {"full_name": "o/r"}}
        return {
            "pull_request": {"number": 7, "title": "$(touch x)", "head": head, "base": base},
            "repository": {"default_branch": "main", "full_name": "o/r"},
        }

    def run(self, clone: Repository, name: str, event: dict[str, Any], *, ref: str = "", **inputs: str) -> Done:
        """Run the script in a clone for an event; inputs are those of action.yml, with underscores."""
        place = self.folder / f"run{len(list(self.folder.iterdir()))}"
        place.mkdir()
        (place / "event.json").write_text(json.dumps(event), encoding="utf-8")
        given = {"comment": "true", "sarif": "false", "token": TOKEN, "directory": ".", **inputs}
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR"}}
        environment = {
            **kept, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "CI": "true",
            "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(place / "event.json"),
            "GITHUB_REF": ref, "GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": self.github.url,
            "GITHUB_OUTPUT": str(place / "output"), "GITHUB_STEP_SUMMARY": str(place / "summary"),
            "GITHUB_BASE_REF": str(event.get("pull_request", {}).get("base", {}).get("ref", "")),
            "RUNNER_TEMP": str(place), "no_proxy": "*",
        }  # fmt: skip
        environment |= {f"FUSION_{name.upper()}": value for name, value in given.items()}
        done = subprocess.run(
            [sys.executable, str(self.script)], cwd=clone.folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert TOKEN not in done.stdout
        assert "Traceback" not in done.stdout, done.stdout
        files = {name: place / name for name in ("output", "summary")}
        texts = {name: file.read_text(encoding="utf-8") if file.exists() else "" for name, file in files.items()}
        outputs = dict(
            re.findall(r"^([\w-]+)<<(?:end_\w+)\n(.*?)\nend_\w+$", texts["output"], re.MULTILINE | re.DOTALL)
        )
        return Done(done.returncode, done.stdout, outputs, texts["summary"])


@pytest.fixture
def world(tmp_path: Path, github: GitHub, root: Path) -> World:
    """A repository whose `main` holds a lock and the settings of a server from elsewhere."""
    made = World(tmp_path, github, root / ".github" / "actions" / "check" / "check.py")
    made.work.commit({"fusion.lock": made.OLD, "fusion.toml": SETTINGS})
    made.push("main")
    return made


@pytest.fixture
def live(world: World, root: Path) -> World:
    """The same with a server of the repository, which can be asked."""
    serve = (root / "fixtures" / "servers_cli" / "from_file.py").read_text(encoding="utf-8")
    settings = f'[sources.pages]\ncommand = [{json.dumps(sys.executable)}, "serve.py", "pages.json"]\n'
    world.work.commit({"serve.py": serve, "fusion.toml": settings, "fusion.lock": None})
    _release(world, "now", "later")
    world.push("main")
    return world


def _release(world: World, *values: str) -> str:
    """Change the server, lock it, commit."""
    folder = world.work.folder
    (folder / "pages.json").write_text(_catalog(*values), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "fusion_contracts", "lock", "--write"], cwd=folder, check=True)
    return str(world.work.commit({}))


def _catalog(*values: str) -> str:
    schema = {"type": "object", "properties": {"when": {"enum": list(values)}}}
    return json.dumps({"tools": [{"name": "close_page", "inputSchema": schema}]})


@pytest.fixture
def release() -> Callable[..., str]:
    """`release(world, *values)`: change the server, lock it, commit."""
    return _release
