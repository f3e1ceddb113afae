"""Whatever answers in GitHub's place, and however long, the script says so in a sentence and goes on."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import repeat
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / ".github" / "actions" / "check"
HEAD = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"


@pytest.fixture
def comment(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module; it does not wait between two tries."""
    monkeypatch.syspath_prepend(str(FOLDER))
    module = import_module("comment")
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    yield module
    sys.modules.pop("comment")


@pytest.fixture
def serve() -> Iterator[Callable[[Any], str]]:
    """Start a server that sends the same chunks to each request, and return its URL."""
    listening = socket.create_server(("127.0.0.1", 0))
    threads: list[Thread] = []

    def start(chunks: Any) -> str:
        def answer() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection, suppress(OSError):
                        connection.recv(65536)
                        for chunk in chunks:
                            connection.sendall(chunk)

        threads.append(Thread(target=answer, daemon=True))
        threads[-1].start()
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield start
    # A thread that still waits when its socket is closed takes the next connection of whoever gets that descriptor.
    listening.shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join()
    listening.close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"SSH-2.0-OpenSSH_9.9\r\n", "SSH-2.0-OpenSSH_9.9"),
        (HEAD + b"Content-Length: 100\r\n\r\n[", "Expecting value: line 1 column 2 (char 1)"),
        (HEAD + b"\r\n<html>", "Expecting value: line 1 column 1 (char 0)"),
        (HEAD + b"\r\n" + b"[" * 100_000, "recursion"),
        (HEAD + b'\r\n{"message": "no"}', "the answer is no list of comments"),
        (HEAD + b"\r\n", "the answer is no list of comments"),
        (HEAD + b'\r\n["x"]', "the answer is no list of comments"),
    ],
)
def test_what_is_no_answer_is_said(comment: Any, serve: Callable[[Any], str], answer: bytes, said: str) -> None:
    api = comment.Api(serve([answer]), "o/r", "secret")
    with pytest.raises(comment.ApiError) as caught:
        comment.stick(api, 7, "key", "body", calm=False)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_answer_without_end_is_not_read_to_its_end(
    comment: Any, serve: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comment, "_LARGEST", 2**20)
    api = comment.Api(serve([HEAD + b"\r\n", *repeat(b" " * 65536, 4096)]), "o/r", "secret")
    with pytest.raises(comment.ApiError, match=r"the answer is too large$"):
        list(api.comments(7))


def test_no_more_is_asked_when_the_time_is_over(
    comment: Any, serve: Callable[[Any], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comment, "_TOTAL", 0)
    api = comment.Api(serve([HEAD + b"\r\n[]"]), "o/r", "secret")
    with pytest.raises(comment.ApiError, match=r"the answer takes too long$"):
        list(api.comments(7))


def test_a_comment_of_nobody_is_not_ours(comment: Any, serve: Callable[[Any], str]) -> None:
    marked = f'[{{"body": "{comment.marker("key")}", "user": "bot"}}, {{"user": null}}, {{}}]'
    api = comment.Api(serve([HEAD + b"\r\n" + marked.encode()]), "o/r", "secret")
    assert comment.stick(api, 7, "key", "body", calm=True) == "no comment: there is nothing to tell"
