"""What a machine may lack or have otherwise: a home, a terminal, a current folder, names and line ends of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from writing import CLOSE, NARROW, quietly

Run = Callable[..., Any]
posix = pytest.mark.skipif(sys.platform == "win32", reason="files and terminals of POSIX")
INTACT = "exit 0: fusion.lock is intact and equal to its sources: 1 server, 1 tool"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a catalog, as the current one."""
    monkeypatch.chdir(tmp_path)
    Path("pages.json").write_text(json.dumps({"tools": [CLOSE]}), encoding="utf-8")
    return tmp_path


def process(*words: str, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """`fusion WORDS` as a process; None takes a variable away."""
    merged = {**os.environ, "COLUMNS": "100", **environment}
    given = {name: value for name, value in merged.items() if value is not None}
    command = [sys.executable, "-m", "fusion_contracts", *words]
    return subprocess.run(command, env=given, capture_output=True, encoding="utf-8", check=False)


# --- home, temporary files, current folder ---------------------------------------------------------------------------


@pytest.mark.parametrize("home", [None, "", "relative", "/proc/none"])
def test_no_home_that_could_be_used(
    folder: Path, root: Path, monkeypatch: pytest.MonkeyPatch, fusion: Run, home: str | None
) -> None:
    """A server is started, which gets HOME and TMPDIR as they are; nothing of ours is kept in either."""
    for name, value in {"HOME": home, "TMPDIR": "/none", "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home}.items():
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    server = root / "fixtures" / "servers_cli" / "from_file.py"
    assert fusion("lock", "--name", "pages", "--", sys.executable, str(server), "pages.json").code == 0
    result = fusion("lock", "--check")
    assert (result.code, result.out[-1]) == (0, INTACT)
    assert {path.name for path in folder.iterdir()} == {"fusion.lock", "fusion.toml", "pages.json"}


@posix
def test_a_current_folder_that_was_removed(folder: Path, monkeypatch: pytest.MonkeyPatch, fusion: Run) -> None:
    quietly("lock", "pages.json")
    (folder / "gone").mkdir()
    monkeypatch.chdir(folder / "gone")
    (folder / "gone").rmdir()
    sentence = "the folder that this runs in is not there any more; change into one that is"
    try:
        for words in (("show", str(folder / "pages.json")), ("lock", str(folder / "pages.json"))):
            result = fusion(*words)
            assert (result.code, result.err) == (2, [f"fusion: {sentence}", "exit 2: could not check"])
        assert fusion("lock", "--check", "-C", str(folder)).out[-1] == INTACT
        assert fusion("--version", "--debug").code == 0
    finally:
        os.chdir(folder)


# --- terminals -------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_a_terminal_that_wants_it(folder: Path, environment: dict[str, str], *, coloured: bool) -> None:
    (folder / "none.json").write_text("[]", encoding="utf-8")
    ours, theirs = os.openpty()
    given = {**os.environ, "TERM": "xterm", "COLUMNS": "1", **environment}
    command = [sys.executable, "-m", "fusion_contracts", "diff", "pages.json", "none.json"]
    with subprocess.Popen(command, env=given, stdout=theirs, stderr=theirs, stdin=theirs) as run:
        os.close(theirs)
        text = b""
        while chunk := _read(ours):
            text += chunk
    os.close(ours)
    assert (run.returncode, b"\x1b[" in text) == (1, coloured)
    assert b"close_page" in text


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # Linux, when the other end is closed
        return b""


@pytest.mark.parametrize("columns", ["1", "0", "-5", "99999999", "wide", ""])
def test_any_width(folder: Path, monkeypatch: pytest.MonkeyPatch, fusion: Run, columns: str) -> None:
    """A narrow terminal gets more lines, no other words."""
    (folder / "narrow.json").write_text(json.dumps({"tools": [NARROW]}), encoding="utf-8")
    monkeypatch.setenv("COLUMNS", columns)
    result = fusion("diff", "pages.json", "narrow.json")
    assert (result.code, result.out[-1]) == (1, "exit 1: breaking findings")
    words = " ".join(result.out).split()
    assert {"close_page", "no", "longer", "accepts", "'later'"} <= set(words)
    assert fusion("--help").code == 0


@posix
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_leaves_in_the_middle(folder: Path, unbuffered: str) -> None:
    """More than a pipe holds, of which one piece is read. Containers often have PYTHONUNBUFFERED set."""
    many = [{**CLOSE, "name": f"tool_{number}"} for number in range(3_000)]
    (folder / "many.json").write_text(json.dumps({"tools": many}), encoding="utf-8")
    command = [sys.executable, "-m", "fusion_contracts", "show", "many.json"]
    given = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline() == b"many: 3,000 tools\n"
        run.stdout.close()
        told = run.stderr.read()
    assert (run.returncode, told) == (2, b"")


@pytest.mark.parametrize("environment", [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": None}])
def test_a_terminal_of_ascii(folder: Path, environment: dict[str, str | None]) -> None:
    name = "\u00e9tat \u2713"
    (folder / "\u00e9.json").write_text(json.dumps({"tools": [{**CLOSE, "name": name}]}), encoding="utf-8")
    done = process("lock", "\u00e9.json", **environment)
    assert (done.returncode, done.stderr) == (0, "added the source to [sources] in fusion.toml\n")
    assert name in (folder / "fusion.lock").read_text(encoding="utf-8")
    assert 'path = "\u00e9.json"' in (folder / "fusion.toml").read_text(encoding="utf-8")


# --- line ends, and the mark that Windows puts before a text ---------------------------------------------------------


def _with_returns(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


def _with_mark(data: bytes) -> bytes:
    return b"\xef\xbb\xbf" + data


@pytest.mark.parametrize("change", [_with_returns, _with_mark])
def test_what_an_editor_of_windows_writes_is_read(folder: Path, fusion: Run, change: Callable[[bytes], bytes]) -> None:
    """Whatever people or git may write: settings with a waiver, a catalog, a client's configuration, lock, release."""
    waived = ("waive", "--rule", "tool-removed", "--tool", "x", "--reason", "agreed", "--until", "2999-12-31")
    (folder / "client.json").write_text(json.dumps({"mcpServers": {}}, indent=1), encoding="utf-8")
    assert [quietly("lock", "pages.json"), quietly(*waived), quietly("release", "1.0")] == [0, 0, 0]
    for path in (path for path in folder.rglob("*") if path.is_file()):
        path.write_bytes(change(path.read_bytes()))
    before = (folder / "fusion.lock").read_bytes()
    result = fusion("lock", "--check")
    assert (result.code, result.out[-1]) == (0, INTACT)
    assert fusion("diff", "--against", "release").out[-1] == "exit 0: nothing at or above breaking"
    assert fusion("waive").out[-1] == "exit 0: 1 waiver in fusion.toml"
    assert fusion("show", "client.json").code == 2
    assert "no server" in " ".join(fusion("show", "client.json").err)
    assert (folder / "fusion.lock").read_bytes() == before


def test_settings_keep_their_line_ends(folder: Path) -> None:
    (folder / "fusion.toml").write_bytes(b'fail-on = "any"\r\n')
    waived = ("waive", "--rule", "tool-removed", "--tool", "x", "--reason", "agreed", "--until", "2999-12-31")
    assert [quietly("lock", "pages.json"), quietly(*waived)] == [0, 0]
    data = (folder / "fusion.toml").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 5


# --- names -----------------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    "name", ["with space", "\u00fc\u6f22 \U0001f600", "-dash", "--", "two\nlines", "quote'\"", "a" * 200]
)
def test_a_folder_of_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fusion: Run, name: str) -> None:
    """Every command that writes, in it, from above, and with reports beside it."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / name
    place.mkdir()
    (place / "pages.json").write_text(json.dumps({"tools": [CLOSE]}), encoding="utf-8")
    inside = f"./{name}"
    assert fusion("init", "-C", inside, "pages.json").code == 0
    assert fusion("release", "1.0", "-C", inside).code == 0
    assert fusion("lock", "--check", "-C", inside).out[-1].startswith("exit 0: ")
    report = f"{inside}/{name}.json"
    assert fusion("diff", f"{inside}/pages.json", f"{inside}/pages.json", "--format", f"json={report}").code == 0
    assert json.loads(Path(report).read_bytes())["summary"]["verdict"] == "NONE"
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".tmp")]


# --- a lock that is none ---------------------------------------------------------------------------------------------


def _folder() -> None:
    Path("fusion.lock").mkdir()


def _pipe() -> None:
    os.mkfifo("fusion.lock")


def _device() -> None:
    Path("fusion.lock").symlink_to("/dev/zero")


_NO_FILE = "fusion.lock is not a file; name a lock that is a plain file"


@posix
@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (_folder, "fusion.lock is a folder, not a lock; name the file, such as fusion.lock/fusion.lock"),
        (_pipe, _NO_FILE),
        (_device, _NO_FILE),
    ],
)
@pytest.mark.parametrize(
    "words", [("lock", "pages.json"), ("check",), ("release", "1"), ("show",), ("init", "pages.json")]
)
def test_a_lock_that_is_no_file(
    folder: Path, fusion: Run, make: Callable[[], None], sentence: str, words: tuple[str, ...]
) -> None:
    make()
    result = fusion(*words)
    assert (result.code, [line for line in result.err if sentence in line]) == (2, [f"fusion: {sentence}"])
    assert {path.name for path in folder.iterdir()} == {"fusion.lock", "pages.json"}
