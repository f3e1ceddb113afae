"""Sources at a URL on the command line and in the settings: what is written, what is contacted, and what is not."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli
from http_site import INFO, TOOL, Answer, Exchange, Site, mcp
from waiting import in_its_time, until

HEADER = "Authorization: Bearer ${TOKEN}"
OTHER = {**TOOL, "name": "wave"}


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Answer], Site]]:
    """Start servers on loopback; `TOKEN` is what they want to be sent."""
    monkeypatch.setenv("TOKEN", "very-secret-token")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    sites: list[Site] = []

    def start(answer: Answer) -> Site:
        sites.append(Site(answer))
        return sites[-1]

    yield start
    for site in sites:
        site.stop()


Serve = Callable[[Answer], Site]


def guarded(*tools: Any) -> Answer:
    """A server that wants to know who asks."""

    def answer(exchange: Exchange) -> None:
        if exchange.headers.get("authorization") == "Bearer very-secret-token":
            mcp(exchange, tools or (TOOL,))
        else:
            exchange.status(401)

    return answer


def test_a_url_is_locked_and_checked(project: Any, serve: Serve) -> None:
    site = serve(guarded())
    done = project.run("lock", site.url, "--header", HEADER, "--header", "X-Team: blue", "--name", "desk")
    assert (done.code, done.out) == (0, "wrote fusion.lock: 1 server, 1 tool\n")
    assert done.err == (
        f"desk: connecting to {site.url}\n"
        "listing twice, to find what changes by itself\n"
        "added the source to [sources] in fusion.toml\n"
    )
    assert tomli.loads(project.read("fusion.toml")) == {
        "sources": {"desk": {"url": site.url, "headers": {"Authorization": "Bearer ${TOKEN}", "X-Team": "blue"}}}
    }
    assert tomli.loads(project.read("fusion.lock"))["servers"]["desk"]["source"] == {
        "kind": "http", "url": site.url, "headers": {"Authorization": "Bearer ${TOKEN}", "X-Team": ""},
    }  # fmt: skip
    for arguments in (("lock", "--check"), ("lock",), ("check", "--base", "HEAD"), ("show", site.url), ("diff",)):
        done = project.run(*arguments)
        assert done.code == (2 if "--base" in arguments else 0)  # no repository here
        assert "very-secret-token" not in done.out + done.err
    done = project.run("lock", site.url, "--header", HEADER)
    assert (done.code, done.out) == (0, "fusion.lock is up to date: 1 server, 1 tool\n")
    assert "very-secret-token" not in project.read("fusion.lock") + project.read("fusion.toml")


def test_a_server_that_wants_authorization(project: Any, serve: Serve) -> None:
    site = serve(guarded())
    done = project.run("lock", site.url, "--name", "desk")
    assert done.code == 2
    assert done.err == (
        f"desk: connecting to {site.url}\n"
        "fusion: desk: needs authorization; fusion does not log in (HTTP status 401 (Unauthorized)); "
        "pass what it wants: --header 'Authorization: Bearer ${TOKEN}', in single quotes, with TOKEN set\n"
        "exit 2: could not check\n"
    )
    assert not (project.folder / "fusion.lock").exists()


def test_what_changed_at_a_url(project: Any, serve: Serve) -> None:
    project.run("lock", serve(guarded()).url, "--header", HEADER, "--name", "desk")
    site = serve(guarded(OTHER))
    done = project.run("diff", site.url, "--header", HEADER)
    assert done.code == 1
    assert done.out.startswith(f"{site.url} -> fusion.lock\n")
    done = project.run("diff", "fusion.lock", site.url, "--header", HEADER)
    assert done.code == 1
    assert "greet" in done.out
    assert done.out.startswith(f"fusion.lock -> {site.url}\n")


def test_the_next_step_reaches_the_same_server(project: Any, serve: Serve) -> None:
    url = serve(guarded(OTHER)).url
    project.catalog("desk.json", TOOL)
    sent = ("--header", HEADER, "--header", "X-Key: literal", "--transport", "http", "--timeout", "30")
    done = project.run("diff", "desk.json", url, *sent)
    (step,) = [line for line in done.out.splitlines() if line.startswith("Accept on purpose: fusion ")]
    assert step.partition(' "..." ')[2] == (
        f"desk.json {url} --header 'Authorization: Bearer ${{TOKEN}}' --header 'X-Key: ${{X_KEY}}' "
        "--transport http --timeout 30"
    )
    words = shlex.split(step.partition("fusion ")[2])
    assert "the header X-Key needs the variable X_KEY, which is not set" in project.run(*words).err
    os.environ["X_KEY"] = "literal"
    done = project.run(*words)
    del os.environ["X_KEY"]
    assert (done.code, done.out.splitlines()[-1]) == (0, "exit 0: wrote a waiver in fusion.toml: 1 finding")


def test_headers_go_to_one_of_two_urls(project: Any, serve: Serve) -> None:
    old, new = serve(mcp), serve(guarded())
    assert project.run("diff", old.url, new.url, "--header", HEADER).code == 0
    assert not any("authorization" in exchange.headers for exchange in old.seen)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("show", "URL", "--header", "Authorization: Bearer abcdefgh"),
         ("the value of the header Authorization looks like a secret; "
         "write '${TOKEN}' for it (in single quotes) and set TOKEN in the environment")),
        (("show", "URL?token=abcdefgh"),
         ("token in the query of the URL at HOST looks like a secret; "
         "write '${TOKEN}' for it (in single quotes) and set TOKEN in the environment")),
        (("show", "URL", "--header", "Authorization"),
         "--header takes a name, a colon and a value; write 'NAME: VALUE'"),
        (("show", "--header", "A: b"), "--header goes with a URL; leave it out, or name a URL as SOURCE"),
        (("show", "a.json", "--header", "A: b"), "--header goes with a URL; leave it out, or name a URL as SOURCE"),
        (("diff", "--transport", "sse"), "--transport goes with a URL; leave it out, or name a URL as SOURCE"),
        (("lock", "--header", "A: b"),
         "--header goes with a SOURCE or a command; name one, or write it in the settings"),
    ],
)  # fmt: skip
def test_what_is_refused(project: Any, serve: Serve, arguments: tuple[str, ...], sentence: str) -> None:
    site = serve(mcp)
    project.write("a.json", '{"tools": []}')
    done = project.run(*(word.replace("URL", site.url) for word in arguments))
    assert done.code == 2
    assert done.err.splitlines()[-2].removeprefix("fusion: ") == sentence.replace("HOST", f"127.0.0.1:{site.port}")
    assert site.seen == []


def test_what_is_no_time(project: Any) -> None:
    for text in ("0", "-1", "abc", "inf"):
        done = project.run("show", "http://127.0.0.1:1/", "--timeout", text)
        assert done.code == 2
        assert f"'{text}' is no number of seconds above 0." in done.err


def test_the_settings_know_better(project: Any, serve: Serve) -> None:
    site = serve(guarded())
    project.run("lock", site.url, "--header", HEADER, "--name", "desk")
    for header, how in (("X-Team: red", "without"), ("Authorization: Bearer ${OTHER}", "with another value of")):
        done = project.run("show", site.url, "--header", header)
        name = header.partition(":")[0]
        assert f"fusion.toml names this source as desk, {how} the header {name}; write it in headers there" in done.err
    done = project.run("show", site.url, "--transport", "sse")
    assert "fusion.toml names this source as desk, with another transport; write it in transport there" in done.err


def test_no_url_of_a_lock_alone_is_contacted(project: Any, serve: Serve) -> None:
    site, evil = serve(guarded()), serve(mcp)
    project.run("lock", site.url, "--header", HEADER, "--name", "desk")
    (project.folder / "fusion.toml").unlink()
    before = len(site.seen)
    for command in (("check",), ("lock", "--check"), ("diff",)):
        done = project.run(*command)
        assert done.code == 2
        line = f'desk = {{ url = "{site.url}", headers = {{ Authorization = "Bearer ${{TOKEN}}" }} }}'
        assert line in " ".join((done.out + done.err).split())
    assert len(site.seen) == before
    project.write(
        "fusion.toml", f'[sources.desk]\nurl = "{site.url}"\nheaders = {{ Authorization = "Bearer ${{TOKEN}}" }}\n'
    )
    project.write("fusion.lock", project.read("fusion.lock").replace(site.url, evil.url))
    done = project.run("lock", "--check")
    assert done.code == 1
    assert f"the source changed: locked from {evil.url}, settings name {site.url}" in done.out
    assert evil.seen == []


def test_the_settings_name_transport_and_time(project: Any, serve: Serve) -> None:
    site = serve(lambda exchange: exchange.stopping.wait(30))  # type: ignore[arg-type]
    project.write("fusion.toml", f'[sources.desk]\nurl = "{site.url}"\ntransport = "sse"\ntimeout = 1\n')
    done = project.run("lock")
    assert done.code == 2
    assert "desk: no answer to initialize in 1 s;" in done.err
    until(lambda: site.seen, "nothing was asked")
    assert [exchange.method for exchange in site.seen] == ["GET"]

    def told(seconds: float) -> str:
        said = project.run("lock", "--timeout", f"{seconds:g}").err.splitlines()
        return "".join(line.partition(";")[0] for line in said if line.startswith("fusion: "))

    in_its_time(told, lambda seconds: f"fusion: desk: no answer to initialize in {seconds:g} s", first=0.2)


def test_init_takes_a_url_and_starts_nothing_on_pull_requests(project: Any, serve: Serve) -> None:
    site = serve(guarded())
    done = project.run("init", site.url, "--header", HEADER, "--name", "desk")
    assert done.code == 0
    assert "on pull requests the workflow starts no server: none is part of this repository" in done.out


# -- signals -------------------------------------------------------------------------------------------------------

# A session is ended where that is quick; here it may take as long as a slow machine needs.
WITH_TIME = """
import sys
from fusion_contracts.__main__ import main
from fusion_contracts.sources import http_channel
http_channel._GOODBYE = 60.0
sys.exit(main())
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_the_session_and_the_run(tmp_path: Path, serve: Serve, number: int) -> None:
    starting = threading.Lock()

    def waiting(exchange: Exchange) -> None:
        if exchange.asks == "initialize":
            exchange.result(
                {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": INFO}, Mcp_Session_Id="s"
            )
        elif exchange.asks == "tools/list":
            with starting:  # before that the test does not know it
                process.send_signal(number)
            exchange.stopping.wait(30)
        else:
            exchange.status(204 if exchange.method == "DELETE" else 202)

    site = serve(waiting)
    command = [sys.executable, "-c", WITH_TIME, "lock", site.url, "--timeout", "300"]
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with starting:
        process = subprocess.Popen(command, cwd=tmp_path, env=os.environ, **pipes)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 128 + number
    assert "Traceback" not in said.decode()
    until(lambda: site.asked()[-1] == "DELETE", "the session was not ended")
    assert not (tmp_path / "fusion.lock").exists()
