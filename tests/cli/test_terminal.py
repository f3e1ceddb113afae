"""What a person sees on a terminal of 80 columns: the words of a pipe, with breaks between them alone."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios
from typing import Any

import pytest

COLUMNS = 80
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
LONG = "a_rather_long_name_of_an_argument"


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
    return kept | {"NO_COLOR": "1", "TERM": "xterm"}


def on_terminal(project: Any, *arguments: str) -> str:
    """What a command prints where standard output and standard error are a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    command = [sys.executable, "-m", "fusion_contracts", *arguments]
    with subprocess.Popen(
        command, cwd=project.folder, env=environment(), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs
    ):
        os.close(theirs)
        found = b""
        while piece := _read(ours):
            found += piece
    os.close(ours)
    return found.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that nobody writes any more
        return b""


def in_pipe(project: Any, *arguments: str) -> str:
    command = [sys.executable, "-m", "fusion_contracts", *arguments]
    done = subprocess.run(
        command, cwd=project.folder, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    return done.stdout


def words(text: str) -> list[str]:
    return TIME.sub("TIME", text).split()


@pytest.fixture
def changed(project: Any) -> Any:
    """A project whose server takes fewer values of an argument with a long name than its lock says."""
    values = ["the first of the values", "the second of the values", "the third of the values"]

    def tool(allowed: list[str]) -> Any:
        schema = {"type": "object", "properties": {LONG: {"enum": allowed}}}
        return {"name": "close_page", "description": f"Close a page, {'and more ' * 12}.", "inputSchema": schema}

    project.run("lock", "--name", "pages", *project.serve("pages", tool(values)))
    project.serve("pages", tool(values[:2]))
    return project


@pytest.mark.parametrize(
    "arguments",
    [
        ("explain",),
        ("explain", "ID"),
        ("watch", "--once"),
        ("lock", "--check"),
        ("show", "no/such/file/in/a/folder/with/a/rather/long/name/that/has/no/room/on/one/line.json"),
    ],
)
def test_no_word_is_broken(changed: Any, arguments: tuple[str, ...]) -> None:
    id_of = re.compile(r" ([0-9a-f]{7})$", re.MULTILINE)
    (found,) = id_of.findall(changed.run("diff").out)
    asked = [found if word == "ID" else word for word in arguments]
    piped = in_pipe(changed, *asked)
    shutil.rmtree(changed.folder / ".fusion", ignore_errors=True)  # a watch posts once
    shown = on_terminal(changed, *asked)
    assert any(len(line) > COLUMNS for line in piped.splitlines())
    assert [line for line in shown.splitlines() if len(line) > COLUMNS and len(line.split()) > 1] == []
    assert words(shown) == words(piped)


def test_what_goes_on_stands_further_in(changed: Any) -> None:
    (found,) = re.findall(r" ([0-9a-f]{7})$", changed.run("diff").out, re.MULTILINE)
    shown = on_terminal(changed, "explain", found)
    assert (
        f"  now          refused: {LONG} must be one of 'the\n"
        "               first of the values', 'the second of the values'\n"
    ) in shown
    nowhere = "no/such/file/in/a/folder/with/a/name/that/is/long.json"
    assert on_terminal(changed, "show", nowhere) == (
        f"fusion: {nowhere} does not exist;\n"
        "  check the path; a server's command goes after --\n"
        "exit 2: could not check\n"
    )
