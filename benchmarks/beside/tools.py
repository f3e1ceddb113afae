"""Whole tools that hold a server to its saved catalog, ours and others: their commands, and how their answers are read.

A command runs in a folder with `old.json` and `new.json` (saved `tools/list` results), and the same as bare lists in
`old-list.json` and `new-list.json`; `{server} FILE` starts a server over stdio that offers what the file lists. Who
cannot read two files pins the old catalog from such a server and is shown the new one by another.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from beside.environments import ENVIRONMENT

__all__ = ["LONGEST", "OURS", "SERVER", "THEIRS", "Tool", "Way", "run", "write_sides"]

SERVER = shlex.join([sys.executable, "-I", "-S", str(Path(__file__).with_name("serve_catalog.py"))])
LONGEST = 60.0  # seconds for one command; after that there is no answer
Read: TypeAlias = Callable[[Any], set[str]]


@dataclass(frozen=True)
class Way:
    """Commands that prepare (they are not timed), and the one that compares. `{json}` stands for the flags for JSON."""

    prepare: tuple[str, ...]
    command: str

    @property
    def shown(self) -> str:
        """The command as a person types it."""
        return " ".join(self.command.format(json="", server="SERVER").split())


@dataclass(frozen=True, eq=False)
class Tool:
    """One tool. `diff` compares two saved catalogs; `checks` hold a server to what was saved of it, the main one first.

    A reading takes the JSON answer and gives the names of what breaks; a tool with two readings is scored by each.
    """

    name: str
    version: str
    released: str
    licence: str
    json: str
    readings: Mapping[str, Read]
    diff: Way
    checks: tuple[Way, ...] = ()
    note: str = ""

    @property
    def requirement(self) -> str:
        """What pip installs."""
        return f"{self.name}=={self.version}"


def _ours(answer: Any) -> set[str]:
    return {str(one["tool"]) for one in answer["findings"] if one["level"] == "BREAKING"}


def _contract(answer: Any) -> set[str]:
    return {str(one["tool"]) for one in answer["changes"] if one["severity"] == "breaking"}


def _diff(answer: Any) -> set[str]:
    return {str(one["tool"]) for one in answer if one["severity"] == "breaking"}


def _drift(answer: Any) -> set[str]:
    """Targets are tools, or tool and parameter with a dot between; a name with dots of its own is not cut by this."""
    changes = [one for result in answer["results"] for one in result["changes"] if one["severity"] == "breaking"]
    whole = {one["target"] for one in changes if one["kind"].startswith("tool-")}
    return whole | {one["target"].rpartition(".")[0] for one in changes if not one["kind"].startswith("tool-")}


def _compat(answer: Any) -> set[str]:
    return {str(one["tool"]) for one in answer["changes"] if one["severity"] == "BREAKING"}


def _pinned(answer: Any) -> set[str]:
    """All that is not as it was pinned: what its exit code says."""
    return {*answer["removed"], *answer["added"], *(one["name"] for one in answer["changed"])}


def _marked(answer: Any) -> set[str]:
    """What is removed, or changed in its schemas or hints and not marked as wider: what its report lets one read."""
    return {*answer["removed"], *(one["name"] for one in answer["changed"] if _narrower(one))}


def _narrower(one: Any) -> bool:
    outputs = any(change["kind"] == "enum_loosened" or not change["widened"] for change in one["output_changes"])
    return outputs or one["annotations_changed"] or any(not change["widened"] for change in one["schema_changes"])


_COMMIT = "git -c user.name=bench -c user.email=bench@example.com commit -q -m locked"
_LOCKED = ("fusion lock --name catalog --write -- {server} new.json", "git init -q .", "git add -A", _COMMIT)

OURS = Tool(
    "fusion-contracts", "this checkout", "", "MIT", "--format json", {"": _ours},
    diff=Way((), "fusion diff {json} --fail-on never old.json new.json"),
    checks=(
        Way(_LOCKED, "fusion check --base HEAD"),
        Way(_LOCKED, "fusion diff"),
        Way(_LOCKED, "fusion lock --check"),
    ),
    note="`fusion check` also reads the lock at the base, from git; `fusion lock --check` only asks if all is equal",
)  # fmt: skip


def _served(pin: str, check: str) -> tuple[Way, tuple[Way, ...]]:
    """One that compares what it pinned with a running server, and nothing else."""
    return Way((pin.format(file="old.json", server="{server}"),), check), (
        Way((pin.format(file="new.json", server="{server}"),), check),
    )


_CONTRACT = _served(
    "mcp-contract snapshot --quiet -f mcp-contract.json -- {server} {file}",
    "mcp-contract check {json} -f mcp-contract.json -- {server} new.json",
)
_DIFF = _served(
    "mcp-diff snapshot -o mcp-schema.lock {server} {file}",
    "mcp-diff check {json} -l mcp-schema.lock {server} new.json",
)
_DRIFT = _served(
    'mcpdrift snapshot --command "{server} {file}"',
    'mcpdrift check {json} --command "{server} new.json"',
)
_NO_FILES = "it compares with a running server alone: the new catalog is served"
_NO_SERVER = "it reads files alone: no check of a server"

THEIRS = (
    Tool("mcp-contract", "0.6.0", "2026-08-01", "MIT", "--json", {"": _contract}, *_CONTRACT, note=_NO_FILES),
    Tool("mcp-diff", "0.1.0", "2026-03-22", "MIT", "--json", {"": _diff}, *_DIFF, note=_NO_FILES),
    Tool("mujin-mcpdrift", "0.1.0", "2026-06-22", "MIT", "--json", {"": _drift}, *_DRIFT, note=_NO_FILES),
    Tool(
        "mcp-compat", "0.1.0", "2026-03-23", "MIT", "--json", {"": _compat},
        diff=Way((), "mcp-compat {json} old-list.json new-list.json"), note=_NO_SERVER,
    ),
    Tool(
        "mcp-tool-pin-check", "0.2.2", "2026-10-20", "MIT", "--json",
        {"by its exit code": _pinned, "by its marks": _marked},
        diff=Way(
            ("mcp-tool-pin-check pin --listing old.json --lock pins.json",),
            "mcp-tool-pin-check check {json} --listing new.json --lock pins.json",
        ),
        note=f"{_NO_SERVER}; any change is drift to its exit code, of which its report marks some as widened",
    ),
)  # fmt: skip


def write_sides(folder: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """The two catalogs, in the forms that the commands read."""
    for side, catalog in (("old", old), ("new", new)):
        (folder / f"{side}.json").write_text(json.dumps(catalog), encoding="utf-8")
        (folder / f"{side}-list.json").write_text(json.dumps(catalog["tools"]), encoding="utf-8")


def run(command: str, folder: Path, python: Path, flags: str = "") -> subprocess.CompletedProcess[bytes]:
    """Run a command of the tool that is installed beside this interpreter. Raises TimeoutExpired."""
    name, *words = shlex.split(command.format(json=flags, server=SERVER))
    program = python.parent / name
    return subprocess.run(
        [str(program) if program.exists() else name, *words], cwd=folder, env=ENVIRONMENT, timeout=LONGEST,
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
