"""What a person may write for a source, in order, and the sentence for what cannot be read."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.sources import schemes
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.catalog import CatalogSource
from fusion_contracts.sources.client_config import ClientConfigSource
from fusion_contracts.sources.git import GitSource
from fusion_contracts.sources.http import HttpSource
from fusion_contracts.sources.lock import LockSource
from fusion_contracts.sources.objects.target import Target
from fusion_contracts.sources.python_object import PythonSource
from fusion_contracts.sources.release import ReleaseSource
from fusion_contracts.sources.resolve import resolve
from fusion_contracts.sources.schemes import forms
from fusion_contracts.sources.stdio import StdioSource

LOCK = encode(Lock({"s": ServerContract("s")}))
CATALOG = json.dumps([{"name": "a"}])


@pytest.fixture
def folder(options: Options) -> Path:
    files = {
        "fusion.lock": LOCK,
        "saved.txt": LOCK,
        "tools.json": CATALOG,
        "tools": CATALOG,
        "git:x": CATALOG,
        "api.yaml": "a: 1",
        "api": "info: {}\nopenapi: 3.1.0\n",
        "sub/fusion.lock": LOCK,
    }
    for name, text in files.items():
        (options.root / name).parent.mkdir(exist_ok=True)
        (options.root / name).write_text(text, encoding="utf-8")
    return options.root


@pytest.mark.parametrize(
    ("argument", "source"),
    [
        ("git:x", GitSource("x")),
        ("git:x:tools.json", GitSource("x", "tools.json")),
        ("release:1.0", ReleaseSource("1.0")),
        ("release:s/1.0", ReleaseSource("1.0", "s")),
        ("fusion.lock", LockSource(Path("fusion.lock"))),
        ("saved.txt", LockSource(Path("saved.txt"))),
        ("tools.json", CatalogSource(Path("tools.json"))),
        ("tools", CatalogSource(Path("tools"))),
        ("server.py", PythonSource(Target(file="server.py"))),
        ("a/server.py:mcp", PythonSource(Target(file="a/server.py", attr="mcp"))),
        ("server.py:make()", PythonSource(Target(file="server.py", attr="make", call=True))),
        ("pkg.mod:app.mcp", PythonSource(Target(module="pkg.mod", attr="app.mcp"))),
        ("api.yaml", CatalogSource(Path("api.yaml"))),
        ("api", CatalogSource(Path("api"))),
        ("sub", LockSource(Path("sub/fusion.lock"))),
        (".", LockSource(Path("fusion.lock"))),
    ],
)
@pytest.mark.usefixtures("folder")
def test_an_argument(options: Options, argument: str, source: object) -> None:
    assert resolve(argument, (), options) == source


def test_a_command_comes_first_and_alone(options: Options) -> None:
    found = resolve(None, ["npx", "-y", "thing"], replace(options, pass_env=("A",)))
    assert found == StdioSource(("npx", "-y", "thing"), pass_env=("A",))
    with pytest.raises(FusionError) as caught:
        resolve("tools.json", ["npx"], options)
    assert (
        str(caught.value) == "both tools.json and a command are given; give one source: a SOURCE, or a command after --"
    )


def test_a_url_is_taken_with_its_headers(options: Options) -> None:
    given = replace(options, headers={"A": "${B}"}, transport="sse")
    found = resolve("https://example.com/mcp", (), given)
    assert found == HttpSource("https://example.com/mcp", {"A": "${B}"}, "sse")
    with pytest.raises(FusionError, match=r"^the user part of the URL at example\.com looks like a secret; "):
        resolve("https://me:hunter2@example.com/mcp", (), options)


def test_locks_and_catalogs_are_read_alike(folder: Path, options: Options) -> None:
    for argument, name in (("saved.txt", "s"), ("tools", "tools"), (str(folder / "tools.json"), "tools")):
        assert [one.name for one in resolve(argument, (), options).read(options).contracts] == [name]


def test_the_folders_lock_has_the_configured_name(folder: Path, options: Options) -> None:
    (folder / "sub" / "mine.lock").write_text(LOCK, encoding="utf-8")
    assert resolve("sub", (), replace(options, lockfile="locks/mine.lock")) == LockSource(Path("sub/mine.lock"))
    with pytest.raises(FusionError, match=r"^the folder sub holds no other\.lock; name a file in it$"):
        resolve("sub", (), replace(options, lockfile="other.lock"))


WAYS = f"give a URL, a file, FILE.py:ATTR, {', '.join(forms())}, or a server's command after --"


def test_the_words_before_a_colon_are_the_files_of_schemes() -> None:
    files = [path.stem for path in sorted(Path(schemes.__file__).parent.glob("[a-z]*.py"))]
    assert {"git", "release"} <= set(files)
    assert [form.partition(":")[0] for form in forms()] == files




@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        (None, f"no source is given; {WAYS}"),
        ("", f"no source is given; {WAYS}"),
        (
            "server.py:1",
            "server.py:1 names no Python object; write FILE.py[:ATTR] or package.module:ATTR, with () behind a factory",
        ),
        ("missing.json", "missing.json does not exist; check the path; a server's command goes after --"),
        ("a/b", "a/b does not exist; check the path; a server's command goes after --"),
        ("npx thing", "npx thing does not exist; to start it as a server, write: fusion lock -- npx thing"),
        ("\x1b[1m", "\\u{1b}[1m does not exist; check the path; a server's command goes after --"),
        ("git:-x", "-x is not a revision; name a branch, a tag or a commit"),
        ("empty", "empty is empty; check that it is the right file, and complete"),
        ("prose", f"prose is neither a catalog of tools nor a lock; {WAYS}"),
        ("void", "the folder void holds no fusion.lock; name a file in it"),
    ],
)  # fmt: skip
def test_what_names_no_source(options: Options, argument: str | None, sentence: str) -> None:
    (options.root / "empty").write_text("  \n", encoding="utf-8")
    (options.root / "prose").write_text("Hello.\n", encoding="utf-8")
    (options.root / "void").mkdir()
    with pytest.raises(FusionError) as caught:
        resolve(argument, (), options)
    assert str(caught.value) == sentence


def test_a_client_configuration_is_told_apart(options: Options) -> None:
    (options.root / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}', encoding="utf-8")
    assert resolve(".mcp.json", (), options) == ClientConfigSource(Path(".mcp.json"))
    (options.root / "catalog.json").write_text('{"servers": {"a": {"tools": []}}}', encoding="utf-8")
    assert resolve("catalog.json", (), options) == CatalogSource(Path("catalog.json"))


@pytest.mark.parametrize(
    "text", ["<<<<<<< ours\nlock_version = 1\n=======\n", "lock_version = 99\n", "lock_version = [", "[servers.a]\n"]
)
def test_a_broken_lock_is_still_a_lock(options: Options, text: str) -> None:
    (options.root / "fusion.lock").write_text(text, encoding="utf-8")
    source = resolve("fusion.lock", (), options)
    assert source == LockSource(Path("fusion.lock"))
    with pytest.raises(FusionError) as caught:
        source.read(options)
    assert "fusion.lock" in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
@pytest.mark.parametrize("name", ["pipe", "pipe.json", "pipe.lock"])
def test_a_pipe_is_not_waited_for(options: Options, name: str) -> None:
    os.mkfifo(options.root / name)
    with pytest.raises(FusionError) as caught:
        resolve(name, (), options)
    assert str(caught.value) == f"{name} is not a plain file; save it to one first"
    with pytest.raises(FusionError, match="is not a plain file; save it to one first"):
        CatalogSource(Path(name)).read(options)


@pytest.mark.parametrize("name", ["a" * 5000, "a\0b"])
def test_a_name_that_no_system_takes(options: Options, name: str) -> None:
    with pytest.raises(FusionError, match="does not exist; check the path; a server's command goes after --"):
        resolve(name, (), options)
