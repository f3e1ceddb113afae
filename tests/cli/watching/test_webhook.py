"""Events posted to a receiver on loopback: one request each, tried again until it is taken, and no secret shown."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest
from http_site import Exchange, Site, closed_port
from watching import BROKEN, SAID, TOOL, Receiver, Watching

Receivers = Callable[..., Receiver]
Start = Callable[..., Watching]
SECONDS = "fusion_contracts.cli.watching.webhook._SECONDS"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries follow each other at once, and none is given up because a machine is slow."""
    monkeypatch.setattr("fusion_contracts.cli.watching.delivery._FIRST", 0.01)
    monkeypatch.setattr(SECONDS, 60.0)
    monkeypatch.setenv("TOKEN", "very-secret-token")
    monkeypatch.setenv("HOOK", "T0-secret-path")


def test_an_event_is_one_request_with_its_id_and_what_was_configured(pages: Any, receiver: Receivers) -> None:
    hook = receiver()
    pages.serve("pages", BROKEN)
    header = "Authorization: Bearer ${TOKEN}"
    result = pages.run(
        "watch", "--once", "--format", "json", "--webhook", f"{hook.url}/${{HOOK}}", "--webhook-header", header
    )
    assert result.code == 1
    (exchange,) = hook.site.seen
    assert exchange.message == json.loads(result.out)
    assert (exchange.method, exchange.path) == ("POST", "/hook/T0-secret-path")
    wanted = {
        "authorization": "Bearer very-secret-token",
        "content-type": "application/json",
        "idempotency-key": exchange.message["id"],
    }
    assert {name: exchange.headers[name] for name in wanted} == wanted
    shown = result.out + result.err + str(list((pages.folder / ".fusion").rglob("*")))
    kept = b"".join(path.read_bytes() for path in (pages.folder / ".fusion" / "watch").iterdir())
    assert "secret" not in shown
    assert b"secret" not in kept
    assert pages.run("watch", "--once", "--webhook", f"{hook.url}/${{HOOK}}").code == 1
    assert len(hook.site.seen) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_posted_to_by_no_proxy(
    pages: Any, receiver: Receivers, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid:3128")
    monkeypatch.delenv("NO_PROXY")
    hook = receiver()
    pages.serve("pages", BROKEN)
    result = pages.run("watch", "--once", "--webhook", f"http://{host}:{hook.site.port}/hook")
    assert result.err.splitlines()[-2:] == ["1 server checked: 1 finding stands", "exit 1: breaking findings"]
    assert [one["event"] for one in hook.seen] == ["finding"]


def test_one_that_fails_is_tried_again_with_the_same_id(pages: Any, receiver: Receivers) -> None:
    hook = receiver(500, 503, 204)
    pages.serve("pages", BROKEN)
    result = pages.run("watch", "--once", "--webhook", hook.url)
    assert result.code == 1
    assert len(hook.seen) == 3
    assert len({one["id"] for one in hook.seen}) == 1
    failed = f"fusion: the webhook at {hook.site.authority}: it answers HTTP status 500 (Internal Server Error)"
    told = result.err.splitlines()
    assert [line for line in told if line.startswith("fusion: ")] == [
        f"{failed}; what it did not take is kept, and tried again",
        f"fusion: the webhook at {hook.site.authority} takes what is posted again",
    ]
    assert told[-1] == "exit 1: breaking findings"


def test_what_was_not_taken_is_kept_for_the_next_run_and_others_have_it(pages: Any, receiver: Receivers) -> None:
    hook = receiver(500)
    pages.serve("pages", {**TOOL, "description": "Shut a page."})
    first = pages.run("watch", "--once", "--webhook", hook.url)
    assert first.code == 2
    assert "description reworded" in first.out
    assert first.err.splitlines()[-1] == (
        f"exit 2: could not post: 1 event not taken by the webhook at {hook.site.authority}"
    )
    assert len(hook.seen) == 4
    hook.statuses = [204]
    second = pages.run("watch", "--once", "--webhook", hook.url)
    assert (second.code, second.out) == (0, "")
    assert len(hook.seen) == 5
    assert len({one["id"] for one in hook.seen}) == 1


def test_a_receiver_that_asks_for_time_is_left_alone(pages: Any, receiver: Receivers) -> None:
    hook = receiver(429, Retry_After="3600")
    pages.serve("pages", BROKEN, {"name": "a", "inputSchema": {}}, {"name": "b", "inputSchema": {}})
    result = pages.run("watch", "--once", "--webhook", hook.url)
    assert len(hook.seen) == 1
    assert result.err.splitlines()[-1] == (
        f"exit 1: breaking findings; 3 events not taken by the webhook at {hook.site.authority}"
    )


def test_an_event_that_is_refused_alone_lets_the_others_past(pages: Any, serve: Callable[..., Site]) -> None:
    def picky(exchange: Exchange) -> None:
        exchange.status(422 if exchange.message["finding"]["tool"] == "a" else 204)

    site = serve(picky)
    tools = [{"name": name, "inputSchema": {}} for name in "abc"]
    pages.serve("pages", TOOL, *tools)
    result = pages.run("watch", "--once", "--webhook", site.url)
    asked = [exchange.message["finding"]["tool"] for exchange in site.seen]
    assert sorted(asked) == ["a", "a", "a", "a", "b", "c"]
    assert (
        result.err.splitlines()[-1] == f"exit 2: could not post: 1 event not taken by the webhook at {site.authority}"
    )
    assert f"fusion: the webhook at {site.authority} refuses an event: it answers HTTP status 422" in result.err


@pytest.mark.parametrize("way", ["silent", "dripping", "closed"])
def test_a_receiver_that_does_not_answer_holds_nobody_up(
    pages: Any, serve: Callable[..., Site], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    def answer(exchange: Exchange) -> None:
        if way == "dripping":
            exchange.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            while not exchange.stopping.wait(0.05):
                exchange.raw(b"x")
        elif way == "silent":
            exchange.stopping.wait(30)
        else:
            exchange.handler.close_connection = True

    site = serve(answer)
    pages.serve("pages", BROKEN)
    if way != "closed":
        monkeypatch.setattr(SECONDS, 0.5)
    result = pages.run("watch", "--once", "--webhook", site.url)
    said = {
        "silent": "it does not answer in 0.5 s",
        "dripping": "it does not answer in 0.5 s",
        "closed": "ends the connection without an answer",
    }[way]
    assert f"fusion: the webhook at {site.authority}: {said}" in result.err
    assert result.out.count("\n") == 3
    assert (
        result.err.splitlines()[-1]
        == f"exit 1: breaking findings; 1 event not taken by the webhook at {site.authority}"
    )


def test_one_that_is_not_there_is_said_in_words(pages: Any) -> None:
    pages.serve("pages", BROKEN)
    with closed_port() as port:
        result = pages.run("watch", "--once", "--webhook", f"http://127.0.0.1:{port}/${{HOOK}}")
    assert f"cannot be reached: 127.0.0.1, port {port}: it refuses the connection; what it did not take" in result.err
    assert "T0-secret" not in result.err


def test_a_redirect_is_followed_without_what_was_configured(
    pages: Any, receiver: Receivers, serve: Callable[..., Site]
) -> None:
    there = receiver()
    here = serve(lambda exchange: exchange.status(307, Location=f"{there.url}/other"))
    pages.serve("pages", BROKEN)
    header = "Authorization: Bearer ${TOKEN}"
    assert pages.run("watch", "--once", "--webhook", here.url, "--webhook-header", header).code == 1
    (exchange,) = there.site.seen
    assert exchange.message["finding"]["rule"] == "enum-value-removed"
    assert "authorization" not in exchange.headers


def test_a_redirect_to_where_others_read_along_is_not_followed(pages: Any, serve: Callable[..., Site]) -> None:
    site = serve(lambda exchange: exchange.status(307, Location="http://192.0.2.1/hook"))
    pages.serve("pages", BROKEN)
    result = pages.run("watch", "--once", "--webhook", site.url)
    refused = "redirects to http://192.0.2.1/hook, which is plain http to another machine; what it did not take"
    assert f"fusion: the webhook at {site.authority}: {refused}" in result.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--webhook", "https://hooks.example.com/x?token=abcdefgh12345678"], "looks like a secret; write '${TOKEN}'"),
        (["--webhook", "https://a:b@example.com/"], "looks like a secret"),
        (["--webhook-header", "Authorization: Bearer abcdefgh12345678"], "looks like a secret; write '${TOKEN}'"),
        (["--webhook-header", "Idempotency-Key: 1"], "the header Idempotency-Key is set for each event; leave it out"),
        (["--webhook-header", "Content-Type: text/plain"], "the header Content-Type is set by the protocol"),
        (["--webhook-header", "nonsense"], "--webhook-header takes a name, a colon and a value; write 'NAME: VALUE'"),
    ],
)
def test_a_secret_that_is_written_out_is_refused_and_not_repeated(pages: Any, arguments: list[str], said: str) -> None:
    words = arguments if arguments[0] == "--webhook" else ["--webhook", "https://hooks.example.com/", *arguments]
    result = pages.run("watch", "--once", *words)
    assert result.code == 2
    assert said in result.err
    assert "abcdefgh" not in result.err


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_watch_that_is_killed_between_post_and_note_posts_the_same_event_again(
    pages: Any, watch: Start, serve: Callable[..., Site]
) -> None:
    killed: list[int] = []
    starting = threading.Lock()  # nothing is killed before the test knows it

    def answer(exchange: Exchange) -> None:
        if not killed:
            with starting:
                killed.append(running.process.pid)
            os.kill(killed[0], signal.SIGKILL)
        exchange.status(204)

    site = serve(answer)
    pages.serve("pages", BROKEN)
    log = pages.folder / "log.jsonl"
    with starting:
        running = watch("--webhook", site.url, "--output", "log.jsonl", "--format", "json")
    assert running.wait() == -signal.SIGKILL
    again = pages.run("watch", "--once", "--webhook", site.url, "--output", "log.jsonl")
    assert again.code == 1
    first, second = (exchange.message for exchange in site.seen)
    assert first == second
    assert [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] == [first]
    assert pages.run("watch", "--once", "--webhook", site.url).out == ""
    assert len(site.seen) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_file_has_each_of_many_events_once_whenever_the_kill_comes(
    pages: Any, watch: Start, serve: Callable[..., Site]
) -> None:
    tools = [{"name": f"tool_{number}", "inputSchema": {}} for number in range(60)]
    pages.serve("pages", TOOL, *tools)
    log = pages.folder / "log.jsonl"
    kills: list[int] = [1, 2, 5]
    starting = threading.Lock()

    def answer(exchange: Exchange) -> None:
        if kills and len(site.seen) >= kills[0]:
            kills.pop(0)
            site.seen.clear()
            with starting:
                os.kill(running.process.pid, signal.SIGKILL)
        exchange.status(204)

    site = serve(answer)
    while kills:
        with starting:
            running = watch("--webhook", site.url, "--output", "log.jsonl")
        assert running.wait() == -signal.SIGKILL
    assert pages.run("watch", "--once", "--webhook", site.url, "--output", "log.jsonl").code == 0
    found = [json.loads(text) for text in log.read_text(encoding="utf-8").splitlines()]
    assert len({one["id"] for one in found}) == len(found)
    assert {one["finding"]["tool"] for one in found} >= {tool["name"] for tool in tools}


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_of_what_may_have_been_posted_before_a_kill_the_end_is_told(
    pages: Any, watch: Start, serve: Callable[..., Site]
) -> None:
    starting = threading.Lock()

    def answer(exchange: Exchange) -> None:
        if len(site.seen) == 1:
            with starting:
                os.kill(running.process.pid, signal.SIGKILL)
        exchange.status(204)

    site = serve(answer)
    pages.serve("pages", BROKEN)
    with starting:
        running = watch("--webhook", site.url)
    running.wait()
    pages.serve("pages", TOOL)
    assert pages.run("watch", "--once", "--webhook", site.url).code == 0
    told = [(exchange.message["event"], exchange.message["finding"]["message"]) for exchange in site.seen]
    said = SAID.partition(": ")[2]
    assert told == [("finding", said), ("finding", said), ("resolved", said)]
