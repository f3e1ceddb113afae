"""A watch that stays: what it hears, what it re-reads, whom it keeps out, and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest
from http_site import INFO, Exchange, Site
from waiting import is_running, left_running
from watching import BROKEN, SAID, TOOL, Watching, plain

Start = Callable[..., Watching]
HOUR = ("--every", "1h")  # so that nothing below is the schedule's doing


@pytest.fixture
def told(project: Any, root: Path) -> Any:
    """A project whose server `pages` says when its file changes, and leaves a line for each start and list."""
    project.write("pages.json", json.dumps({"tools": [TOOL]}))
    script = root / "fixtures" / "servers_cli" / "watched_file.py"
    words = ("--", sys.executable, str(script), "pages.json", "asked.log")
    assert project.run("lock", "--name", "pages", *words).code == 0
    project.write("asked.log", "")
    return project


def change(project: Any, *tools: Any) -> None:
    """Another release, there as a whole."""
    project.write("new.json", json.dumps({"tools": tools}))
    (project.folder / "new.json").replace(project.folder / "pages.json")


def test_the_schedule_finds_a_change(pages: Any, watch: Start) -> None:
    running = watch("--every", "1s", "--format", "json")
    running.until("1 server checked")
    pages.write("next.json", json.dumps({"tools": [BROKEN]}))
    (pages.folder / "next.json").replace(pages.folder / "pages.json")
    assert running.event()["finding"]["rule"] == "enum-value-removed"
    assert running.end(signal.SIGTERM) == 0
    assert running.err == [
        "watching 1 server of fusion.lock every 1s; what was posted is kept in .fusion/watch/fusion.lock.sqlite",
        f"pages: starting {plain(' '.join(pages.command('pages')))}",
        "1 server checked: 0 findings stand",
        "exit 0: stopped by SIGTERM: 1 finding stands",
    ]


def test_a_server_over_stdio_that_says_it_changed_is_listed_at_once(told: Any, watch: Start) -> None:
    running = watch(*HOUR, "--format", "json")
    running.until("1 server checked")
    change(told, BROKEN)
    assert running.event()["finding"]["message"] == "when no longer accepts 'later'"
    change(told, TOOL)
    assert running.event()["event"] == "resolved"
    assert running.end() == 0
    words = [line.split()[0] for line in told.read("asked.log").splitlines()]
    assert words == ["started", "listed", "listed", "listed"]


def test_a_burst_of_news_is_one_listing(told: Any, watch: Start) -> None:
    running = watch(*HOUR, "--format", "json")
    running.until("1 server checked")
    told.write("new.json", json.dumps({"tools": [BROKEN], "told": 20}))
    (told.folder / "new.json").replace(told.folder / "pages.json")
    assert running.event()["finding"]["rule"] == "enum-value-removed"
    running.end()
    assert told.read("asked.log").split().count("listed") == 2
    assert running.rest() == []


def test_what_was_started_is_ended_with_the_watch(told: Any, watch: Start) -> None:
    running = watch(*HOUR)
    running.until("1 server checked")
    word, number, *_ = told.read("asked.log").split()
    assert word == "started"
    assert is_running(int(number))
    assert running.end() == 0
    assert left_running([int(number)]) == []


def test_none_is_kept_open_where_that_is_asked_for(told: Any, watch: Start) -> None:
    running = watch("--every", "1s", "--listen", "0", "--format", "json")
    running.until("1 server checked")
    change(told, BROKEN)
    assert running.event()["event"] == "finding"
    running.end()
    words = [line.split()[0] for line in told.read("asked.log").splitlines()]
    assert words[:4] == ["started", "listed", "started", "listed"]


class Changing:
    """A server over HTTP that tells of a change by its stream.

    `era` is `sessions`, `stateless` (2026-07-28) or `older` (the transport of 2024-11-05).
    """

    def __init__(self, era: str) -> None:
        self.era = era
        self.tools: list[Any] = [TOOL]
        self.heard = threading.Event()
        self.out: SimpleQueue[bytes] = SimpleQueue()

    def change(self, *tools: Any) -> None:
        self.tools = list(tools)
        self.out.put(self.said({"method": "notifications/tools/list_changed"}))

    def answer(self, exchange: Exchange) -> None:
        if exchange.method == "GET":
            self.open(exchange)
        elif exchange.method == "DELETE" or "id" not in exchange.message:
            exchange.status(202)
        elif exchange.asks == "subscriptions/listen":
            assert exchange.message["params"]["notifications"] == {"toolsListChanged": True}
            self.stream(exchange, self.said({"method": "notifications/subscriptions/acknowledged", "params": {}}))
        elif (result := self.result(exchange)) is None:
            exchange.refusal(-32601, "Method not found", 404)
        elif self.era == "older":
            self.out.put(self.said({"id": exchange.message["id"], "result": result}))
            exchange.status(202)
        else:
            exchange.result(result, Mcp_Session_Id="one")

    def result(self, exchange: Exchange) -> Any:
        capabilities = {"tools": {"listChanged": True}}
        if exchange.asks == "server/discover" and self.era == "stateless":
            return {"supportedVersions": ["2026-07-28"], "capabilities": capabilities, "serverInfo": INFO}
        if exchange.asks == "initialize" and self.era != "stateless":
            version = exchange.message["params"]["protocolVersion"]
            return {"protocolVersion": version, "capabilities": capabilities, "serverInfo": INFO}
        return {"tools": self.tools} if exchange.asks == "tools/list" else None

    def open(self, exchange: Exchange) -> None:
        if self.era == "older":
            self.out = SimpleQueue()
            self.stream(exchange, b"event: endpoint\ndata: /messages\n\n")
        else:
            assert exchange.headers["mcp-session-id"] == "one"
            self.stream(exchange)

    def stream(self, exchange: Exchange, *first: bytes) -> None:
        out = self.out  # of this stream alone: an older one may not have noticed yet that its reader left
        exchange.stream(first)
        exchange.handler.wfile.flush()
        self.heard.set()
        while not exchange.stopping.is_set():
            with suppress(Empty):
                exchange.raw(out.get(timeout=0.02))

    @staticmethod
    def said(message: Any) -> bytes:
        return b"data: " + json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n\n"


ASKED = {
    "sessions": ["initialize", "notifications/initialized", "GET", *["tools/list"] * 2],
    "stateless": ["server/discover", "subscriptions/listen", *["tools/list"] * 2],
    "older": ["GET", "initialize", "notifications/initialized", *["tools/list"] * 2],
}


@pytest.mark.parametrize("era", ASKED)
def test_a_server_over_http_that_says_it_changed_is_listed_at_once(
    project: Any, watch: Start, serve: Callable[..., Site], era: str
) -> None:
    server = Changing(era)
    site = serve(server.answer)
    transport = "sse" if era == "older" else "http"
    assert project.run("lock", site.url, "--name", "pages", "--transport", transport).code == 0
    site.seen.clear()
    server.heard.clear()
    running = watch(*HOUR, "--format", "json")
    running.until("1 server checked")
    assert server.heard.wait(120)
    server.change(BROKEN)
    assert running.event()["finding"]["rule"] == "enum-value-removed"
    assert running.end() == 0
    # Nobody waits long for the end of a session: that of the lock, too, may come meanwhile, or none.
    assert sorted(asked for asked in site.asked() if asked != "DELETE") == sorted(ASKED[era])


def test_a_source_that_the_settings_change_is_read_at_once(told: Any, watch: Start) -> None:
    running = watch(*HOUR, "--format", "json")
    running.until("1 server checked")
    told.write("other.json", json.dumps({"tools": [BROKEN]}))
    told.write("fusion.toml", told.read("fusion.toml").replace('"pages.json"', '"other.json"'))
    assert running.event()["finding"]["rule"] == "enum-value-removed"
    running.end()
    first, second = (line.split()[1] for line in told.read("asked.log").splitlines() if line.startswith("started"))
    assert left_running([int(first), int(second)]) == []


def test_a_lock_that_is_written_meanwhile_counts_at_once(pages: Any, watch: Start) -> None:
    pages.serve("pages", BROKEN)
    running = watch(*HOUR, "--format", "json")
    assert running.event()["event"] == "finding"
    assert pages.run("lock").code == 0
    assert running.event()["because"] == "lock"
    running.end()


def test_a_lock_that_cannot_be_read_any_more_is_told_and_the_last_one_counts(pages: Any, watch: Start) -> None:
    running = watch(*HOUR, "--format", "json")
    running.until("1 server checked")
    good = pages.read("fusion.lock")
    pages.write("fusion.lock", "<<<<<<< mine\n")
    one = running.event()
    assert (one["event"], one["server"]) == ("unchecked", None)
    assert one["error"]["stage"] == "lock"
    pages.write("fusion.lock", good)
    assert running.event()["event"] == "recovered"
    running.end()


def test_a_second_watch_of_the_same_lock_is_refused(pages: Any, watch: Start) -> None:
    running = watch(*HOUR)
    running.until("1 server checked")
    second = pages.run("watch", "--once")
    assert (second.code, second.out) == (2, "")
    assert second.err == (
        "fusion: another watch keeps .fusion/watch/fusion.lock.sqlite; end it, or name another file with --state\n"
        "exit 2: could not check\n"
    )
    assert running.end() == 0
    assert pages.run("watch", "--once").code == 0


def test_a_server_that_stays_silent_holds_no_other_up_and_ends_with_the_watch(
    pages: Any, watch: Start, root: Path
) -> None:
    words = pages.serve("slow", TOOL)
    pages.run("lock", "--name", "slow", *words)
    hangs = json.dumps([sys.executable, str(root / "fixtures" / "servers" / "hangs.py")])
    settings = pages.read("fusion.toml").replace(json.dumps(list(pages.command("slow"))), hangs)
    assert hangs in settings
    pages.write("fusion.toml", settings)
    pages.serve("pages", BROKEN)
    running = watch(*HOUR, "--format", "json")
    one = running.event()
    assert (one["event"], one["server"]) == ("finding", "pages")
    assert running.end() == 0
    assert running.err[-1] == "exit 0: stopped by SIGINT: 1 finding stands"


def test_a_reader_that_went_away_ends_it(pages: Any, root: Path) -> None:
    pages.serve("pages", BROKEN)
    command = [sys.executable, "-m", "fusion_contracts", "watch", *HOUR]
    with subprocess.Popen(command, cwd=pages.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 2


def test_text_is_for_people(told: Any, watch: Start) -> None:
    change(told, BROKEN)
    running = watch(*HOUR)
    lines = [plain(running.line()) for _ in range(3)]
    running.end()
    assert lines[0] == f"TIME  BREAKING  {SAID}  32df0fa\n"
