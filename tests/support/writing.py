"""Every command that writes, as a table: what is there before, what is called, and what comes of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from fusion_contracts.cli import main
from fusion_contracts.lockfile.splice import joined

__all__ = ["COMMANDS", "Writing", "is_leftover", "quietly", "state"]

CLOSE = {"name": "close_page", "inputSchema": {"type": "object", "properties": {"when": {"enum": ["now", "later"]}}}}
NARROW = {"name": "close_page", "inputSchema": {"type": "object", "properties": {"when": {"enum": ["now"]}}}}
LIST = {"name": "list_pages", "inputSchema": {"type": "object", "properties": {}}}


@dataclass(frozen=True)
class Writing:
    """`prepare` fills the current folder; then `fusion WORDS` writes and ends with `code`.

    The same again changes nothing more, and ends with `again`, or the same code.
    """

    name: str
    prepare: Callable[[], None]
    words: tuple[str, ...]
    code: int = 0
    again: int | None = None

    def __str__(self) -> str:
        return self.name


def quietly(*words: str) -> int:
    """Run `fusion WORDS` in this process; what it prints goes nowhere."""
    with Path(os.devnull).open("w", encoding="utf-8") as null, redirect_stdout(null), redirect_stderr(null):
        return main(words)


def is_leftover(path: str) -> bool:
    """Whether a path is, or lies in, a temporary file of a write."""
    return any(part.startswith(".fusion-") and part.endswith(".tmp") for part in path.split("/"))


def state(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder and its bytes, and every folder, which has none; not what SQLite keeps for readers."""
    found: dict[str, bytes | None] = {}
    for above, folders, files in os.walk(folder):
        place = os.path.relpath(above, folder)
        for name in sorted([*folders, *files]):
            path = name if place == "." else f"{place}/{name}"
            if not name.endswith(("-shm", "-wal")):
                found[path] = None if name in folders else (folder / path).read_bytes()
    return found


# --- what is there before --------------------------------------------------------------------------------------------


def catalog(name: str, *tools: object) -> None:
    """A file of tools."""
    Path(name).write_text(json.dumps({"tools": tools}), encoding="utf-8")


def _settings(names: list[str]) -> None:
    lines = (f'[sources.{name}]\npath = "{name}.json"\n' for name in names)
    Path("fusion.toml").write_text("".join(lines), encoding="utf-8")


def _catalog() -> None:
    catalog("pages.json", CLOSE)


def _done(*words: str) -> None:
    assert quietly(*words) == 0, words


def _locked() -> None:
    _catalog()
    _done("lock", "pages.json")


def _changed() -> None:
    _locked()
    catalog("pages.json", NARROW, LIST)


def _servers(number: int, *tools: object) -> list[str]:
    names = [f"s{one:02}" for one in range(number)]
    for name in names:
        catalog(f"{name}.json", *tools)
    _settings(names)
    return names


def _many(number: int) -> Callable[[], None]:
    return lambda: (_servers(number, CLOSE), None)[1]


def _many_changed(before: int, after: int | None = None) -> Callable[[], None]:
    def prepare() -> None:
        _servers(before, CLOSE)
        _done("lock")
        _servers(after or before, NARROW)

    return prepare


def _fewer(before: int, after: int) -> Callable[[], None]:
    def prepare() -> None:
        _servers(before, CLOSE)
        _done("lock")
        _settings([f"s{one:02}" for one in range(after)])

    return prepare


def _cut_off() -> None:
    """A switch from one file to a folder was killed before the file went: both are there."""
    _many_changed(12)()
    texts = (path.read_bytes() for path in sorted(Path("fusion.lock.d").iterdir()))
    Path("fusion.lock").write_text(joined(text.decode() for text in texts), encoding="utf-8", newline="")


def _released() -> None:
    _locked()
    _done("release", "1.0")
    catalog("pages.json", NARROW, LIST)
    _done("lock")
    Path("package").mkdir()
    Path("package/__init__.py").touch()


def _logged() -> None:
    from fusion_contracts.loop.log import ErrorLog

    with ErrorLog("log.sqlite") as log:
        log.record(run="1", action="close_page")


def _merged() -> None:
    for name, tools in (("base", (CLOSE,)), ("ours", (NARROW,)), ("theirs", (CLOSE, LIST))):
        catalog("pages.json", *tools)
        _done("lock", "pages.json", "--lockfile", f"{name}.lock", "--write")


def _two() -> None:
    catalog("one.json", CLOSE, LIST)
    catalog("none.json", NARROW)
    for name in ("report.json", "report.html"):
        Path(name).write_text("old", encoding="utf-8")


def _attributed() -> None:
    _catalog()
    Path(".gitattributes").write_text("*.png binary\n", encoding="utf-8")


WAIVE = ("waive", "--rule", "tool-removed", "--tool", "close_page", "--reason", "agreed", "--until", "2999-12-31")
FILES = ("--format", "json=report.json", "--format", "html=report.html")

COMMANDS = (
    Writing("lock, the first", _catalog, ("lock", "pages.json")),
    Writing("lock, changed", _changed, ("lock",)),
    Writing("lock, a journal", _many_changed(3), ("lock", "--resume")),
    Writing("lock, the first folder", _many(12), ("lock",)),
    Writing("lock, a changed folder", _many_changed(25), ("lock",)),
    Writing("lock, a folder from here on", _many_changed(10, 12), ("lock",)),
    Writing("lock, a switch that was cut off", _cut_off, ("lock",)),
    Writing("lock --prune", _fewer(14, 9), ("lock", "--prune")),
    Writing("lock --prune, all of a folder", _fewer(12, 0), ("lock", "--prune"), again=2),  # nothing is named any more
    Writing("release", _released, ("release", "2.0", "--package", "package")),
    Writing("release --keep", _released, ("release", "2.0", "--keep", "1")),
    Writing("waive", _locked, WAIVE),
    Writing("init", _attributed, ("init", "pages.json")),
    Writing("diff", _two, ("diff", "one.json", "none.json", *FILES), code=1),
    Writing("check", _changed, ("check", *FILES), code=1),
    Writing("awareness", _released, ("awareness", "-o", "report.json")),
    Writing("report", _logged, ("report", "log.sqlite", "-o", "report.txt")),
    Writing("merge-driver", _merged, ("merge-driver", "base.lock", "ours.lock", "theirs.lock", "fusion.lock")),
)
