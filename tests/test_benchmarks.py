"""The benchmarks run, each page shows what they print, and how other tools' answers are read."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

COMMAND = r"python (\S+)(?: --only (\w+))?"
BLOCK = re.compile(rf"^<!-- printed by: {COMMAND} -->$(.*?)^<!-- until here -->$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def benchmarks(request: pytest.FixtureRequest) -> Iterator[Path]:
    folder = request.config.rootpath / "benchmarks"
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def peers(benchmarks: Path) -> Any:
    assert benchmarks.exists()
    return import_module("peers")


def headers(text: str) -> set[str]:
    return set(re.findall(r"^(\|.*\|)\n\| -", text, re.MULTILINE))


@pytest.mark.parametrize("section", ["tools", "accuracy", "speed", "engine", "errors", "parts", "growth"])
def test_the_page_shows_the_tables_that_the_command_prints(
    peers: Any, root: Path, tmp_path: Path, section: str
) -> None:
    (own, pairs), *_ = peers.labels.collections().items()
    bench = peers.Bench(None, tmp_path, 1, sizes=((8, 8),), grown=(8, 16), collections={own: pairs[:2]})
    text = peers.measured(section, bench)
    page = (root / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    blocks = {only: shown for _, only, shown in BLOCK.findall(page)}
    assert list(blocks) == list(peers.SECTIONS)
    assert headers(text)
    assert headers(text) == headers(blocks[section])


def test_ours_sees_what_our_own_cases_say(peers: Any) -> None:
    pairs = next(iter(peers.labels.collections().values()))
    (tally,) = peers.accuracy.scored({peers.OURS: Path(sys.executable)}, pairs[:6]).values()
    assert set(tally) <= {"caught", "right"}
    assert tally["caught"] == sum(truth for pair in pairs[:6] for truth in pair.breaks.values())


def test_every_page_with_a_measured_number_names_a_command_that_is_there(root: Path) -> None:
    named: dict[str, set[str]] = {}
    for page in (root / "docs").glob("*.md"):
        for command, _, shown in BLOCK.findall(page.read_text(encoding="utf-8")):
            assert (root / command).is_file()
            assert shown.strip(), page.name
            named.setdefault(page.name, set()).add(command)
    assert named == {
        "benchmarks.md": {"benchmarks/peers.py"},
        "engine.md": {"benchmarks/steps.py"},
        "fleets.md": {"benchmarks/fleet.py"},
        "html-report.md": {"benchmarks/html_page.py"},
        "runtime.md": {"benchmarks/runtime.py"},
    }


def test_what_is_printed_takes_the_place_of_what_was(benchmarks: Path, tmp_path: Path) -> None:
    printed = import_module("printed")
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n\n{printed.block('it')}\n\nold\n\n{printed.END}\n\nAfter.\n", encoding="utf-8")
    printed.put(page, "it", printed.table(("a", "b"), [("x", 1)]))
    assert page.read_text(encoding="utf-8") == (
        "Before.\n\n<!-- printed by: it -->\n\n| a | b |\n| --- | ---: |\n| x | 1 |\n\n<!-- until here -->\n\nAfter.\n"
    )
    with pytest.raises(SystemExit, match=r"it has no place for `other`: write <!-- printed by: other -->"):
        printed.put(page, "other", "")
    assert benchmarks.is_dir()


def test_answers_of_other_tools_are_read_as_they_write_them(peers: Any) -> None:
    changed = {"name": "a", "schema_changes": [{"widened": True}], "output_changes": [], "annotations_changed": False}
    narrowed = {**changed, "name": "b", "schema_changes": [{"widened": True}, {"widened": False}]}
    enum = {**changed, "name": "c", "output_changes": [{"kind": "enum_loosened", "widened": True}]}
    target = {"severity": "breaking", "kind": "param-removed", "target": "a.b.id"}
    removed = {"severity": "breaking", "kind": "tool-removed", "target": "c.d"}
    answers = {
        "mcp-contract": {"changes": [{"tool": "a", "severity": "breaking"}, {"tool": "b", "severity": "routing"}]},
        "mcp-diff": [{"tool": "a", "severity": "breaking"}, {"tool": "b", "severity": "warning"}],
        "mujin-mcpdrift": {"results": [{"changes": [target, removed, {**removed, "severity": "info", "target": "x"}]}]},
        "mcp-compat": {"changes": [{"tool": "a", "severity": "BREAKING"}, {"tool": "b", "severity": "WARN"}]},
        "mcp-tool-pin-check": {"removed": ["x"], "added": ["y"], "changed": [changed, narrowed, enum]},
    }
    read = {
        (tool.name, reading): broken(answers[tool.name])
        for tool in peers.THEIRS
        for reading, broken in tool.readings.items()
    }
    assert read == {
        ("mcp-contract", ""): {"a"},
        ("mcp-diff", ""): {"a"},
        ("mujin-mcpdrift", ""): {"a.b", "c.d"},
        ("mcp-compat", ""): {"a"},
        ("mcp-tool-pin-check", "by its exit code"): {"x", "y", "a", "b", "c"},
        ("mcp-tool-pin-check", "by its marks"): {"x", "b", "c"},
    }
