"""What the product never does, whoever asks: no code out of data, no shell, no network that nobody asked for."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

RUNS = frozenset({
    "eval", "exec", "compile", "__import__", "os.system", "os.popen", "pty.spawn", "subprocess.getoutput",
    "subprocess.getstatusoutput", "asyncio.create_subprocess_shell", "pickle.load", "pickle.loads", "pickle.Unpickler",
    "marshal.load", "marshal.loads", "shelve.open", "yaml.load", "yaml.unsafe_load", "yaml.full_load",
    "runpy.run_path", "runpy.run_module", "importlib.import_module", "urllib.request.urlopen", "shutil.unpack_archive",
})  # fmt: skip
# Each with the reason why it must be there; of a module's name, where the name comes from.
ALLOWED = {
    ("sources/parcel.py", "pickle.loads"): "what the scheduler of one's own cluster brings, named by --scheduler",
    ("sources/objects/importing.py", "importlib.import_module"): "the Python object that the command line names",
}
OWN = "fusion_contracts"  # a module of ours, found by a name of ours


@pytest.fixture(scope="module")
def calls(root: Path) -> list[tuple[str, str, ast.Call]]:
    """Every call of the product: its file, the whole name of what is called, and the call."""
    folder = root / "fusion_contracts"
    return [
        (path.relative_to(folder).as_posix(), name, node)
        for path in sorted(folder.rglob("*.py"))
        for name, node in calls_in(list(ast.walk(ast.parse(path.read_bytes()))))
    ]


def calls_in(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.Call]]:
    whole: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            whole |= {one.asname or one.name: one.name for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            whole |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    for node in nodes:
        if isinstance(node, ast.Call):
            first, dot, rest = ast.unparse(node.func).partition(".")
            yield f"{whole.get(first, first)}{dot}{rest}", node


def is_own_module(node: ast.Call) -> bool:
    name = ast.unparse(node.args[0]).removeprefix("f").lstrip("'\"")
    return name.startswith((OWN, "{__name__}.", "{_PACKAGE}.", "_PACKAGE"))


def test_nothing_runs_what_is_only_data(calls: list[tuple[str, str, ast.Call]]) -> None:
    found = {
        (file, name)
        for file, name, node in calls
        if name in RUNS and not (name == "importlib.import_module" and is_own_module(node))
    }
    assert found == ALLOWED.keys()


def test_no_shell_is_ever_asked_for(calls: list[tuple[str, str, ast.Call]]) -> None:
    asked = [(file, name) for file, name, node in calls if any(one.arg == "shell" for one in node.keywords)]
    assert asked == []


# --- the network -----------------------------------------------------------------------------------------------------

GUARDED = """
import sys

def refuse(event, arguments):
    if event.startswith(("socket.connect", "socket.getaddrinfo", "socket.gethostby", "socket.sendto")):
        print("NETWORK", event, arguments, file=sys.__stderr__)

sys.addaudithook(refuse)
from fusion_contracts.cli import main

for command in {commands!r}:
    print(command[0], main(command))
"""
ELSEWHERE = "https://127.0.0.1:9/schema.json"
SCHEMA = {
    "$schema": ELSEWHERE, "$id": ELSEWHERE, "type": "object",
    "properties": {"a": {"$ref": ELSEWHERE}, "b": {"$ref": "other.json"}, "c": {"$dynamicRef": ELSEWHERE}},
}  # fmt: skip


@pytest.mark.parametrize("document", ["catalog", "openapi"])
def test_no_command_that_reads_files_asks_the_network(document: str, tmp_path: Path) -> None:
    for side, kind in (("old", "string"), ("new", "integer")):
        schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "d": {"type": kind}}}  # type: ignore[dict-item]
        body = {"content": {"application/json": {"schema": schema}}}
        paths = {"/a": {"post": {"operationId": "a", "requestBody": body}}}
        whole = {
            "catalog": {"tools": [{"name": "a", "inputSchema": schema, "outputSchema": schema}]},
            "openapi": {"openapi": "3.1.0", "info": {"title": "x", "version": "1"}, "paths": paths},
        }[document]
        (tmp_path / f"{side}.json").write_text(json.dumps(whole), encoding="utf-8")
    commands = [
        ["lock", "old.json", "--name", "s"], ["show", "--lint"], ["show", "old.json"], ["diff", "old.json", "new.json"],
        ["diff", "old.json", "new.json", "--format", "html=x.html"], ["check", "--offline"], ["lock", "--check"],
        ["awareness", "old.json", "new.json"], ["explain", "property-removed"], ["report", "none.db"],
        ["release", "1.0"], ["diff", "release:1.0", "new.json"],
    ]  # fmt: skip
    code = GUARDED.format(commands=commands)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100
    )
    assert "NETWORK" not in done.stderr
    assert "fault in fusion-contracts" not in done.stderr
    ended = [line for line in done.stdout.splitlines() if re.fullmatch(r"(\w+) [012]", line)]
    assert len(ended) == len(commands)
