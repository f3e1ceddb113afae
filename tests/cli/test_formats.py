"""Several formats in one run: which goes where, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest


def test_a_text_for_people_and_a_file_for_machines(pair: Any) -> None:
    plain = pair.run("diff", "old.json", "new.json")
    both = pair.run("diff", "old.json", "new.json", "--format", "text", "--format", "json=report.json")
    assert both == plain
    assert json.loads(pair.read("report.json"))["summary"]["breaking"] == 1


def test_standard_output_holds_the_report_for_machines_alone(pair: Any) -> None:
    result = pair.run("diff", "old.json", "new.json", "--format", "text=report.txt", "--format", "json")
    assert json.loads(result.out)["summary"]["verdict"] == "BREAKING"
    assert result.err == "old.json -> new.json\nexit 1: breaking findings\n"
    assert pair.read("report.txt").startswith("BREAKING  old: 1 breaking\n")


def test_a_relative_file_starts_at_the_folder(pair: Any) -> None:
    (pair.folder / "sub").mkdir()
    pair.run("diff", "-C", "sub", "../old.json", "../new.json", "--format", "json=report.json")
    assert json.loads(pair.read("sub/report.json"))["summary"]["breaking"] == 1


def test_an_early_end_is_in_every_file_for_machines(pair: Any) -> None:
    result = pair.run("diff", "old.json", "none.json", "--format", "text", "--format", "json=report.json")
    assert result.code == 2
    (error,) = json.loads(pair.read("report.json"))["errors"]
    assert error["message"] == "none.json does not exist"


def test_no_file_is_written_where_one_cannot_be(pair: Any) -> None:
    before = pair.files()
    result = pair.run("diff", "old.json", "new.json", "--format", "text=a.txt", "--format", "json=none/b.json")
    assert result.code == 2
    assert result.err.splitlines()[-2] == (
        "fusion: cannot write none/b.json: its folder does not exist; nothing was changed;"
        " check the path and its permissions, then run again"
    )
    assert pair.files() == before


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--format", "text", "--format", "json"],
            "2 formats would go to standard output; give each a file of its own: --format FORMAT=FILE",
        ),
        (
            ["--format", "text=a", "--format", "json=a"],
            "2 formats would go to a; give each a file of its own: --format FORMAT=FILE",
        ),
        (
            ["--format", "html=a", "--format", "json=none/../a"],
            "2 formats would go to a; give each a file of its own: --format FORMAT=FILE",
        ),
        (
            ["--format", "json=a", "-o", "b"],
            "-o goes with one format without a file, and none is there; write --format FORMAT=FILE for each",
        ),
        (["--format", "json="], "--format json= names no file; write json=FILE"),
    ],
)
def test_what_cannot_be_meant_is_refused(pair: Any, options: list[str], said: str) -> None:
    result = pair.run("diff", "old.json", "new.json", *options)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"fusion: {said}\nexit 2: could not check\n"


@pytest.mark.parametrize("name", ["new.json", "./old.json", "fusion.lock", "link", "other", "sub/../fusion.toml"])
def test_a_report_takes_the_place_of_nothing_that_is_read(pair: Any, name: str) -> None:
    pair.run("lock", "--lockfile", "other", "new.json")
    (pair.folder / "link").symlink_to("other")
    before = pair.files()
    result = pair.run("diff", "old.json", "new.json", "--format", f"json={name}")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"fusion: a report would take the place of {name.removeprefix('./')}; name a file of its own for it\n"
        "exit 2: could not check\n"
    )
    assert pair.files() == before


@pytest.mark.parametrize("name", ["saved.json", "./saved.json", "server.py", "start.py", "linked.json"])
def test_a_report_takes_the_place_of_no_source_in_the_settings(pair: Any, name: str) -> None:
    pair.run("lock", "old.json")
    (pair.folder / "new.json").rename(pair.folder / "saved.json")
    (pair.folder / "linked.json").symlink_to("saved.json")
    for file in ("server.py", "start.py"):
        (pair.folder / file).write_text("raise SystemExit\n", encoding="ascii")
    pair.write(
        "fusion.toml",
        "[sources]\n"
        'saved = { path = "saved.json" }\n'
        'object = { object = "server.py:mcp" }\n'
        'command = { command = ["python3", "start.py"] }\n',
    )
    before = pair.files()
    said = f"a report would take the place of {name.removeprefix('./')}; name a file of its own for it"
    for command in (["check", "--offline"], ["diff", "old.json", "old.json"], ["diff", "none"], ["show"]):
        result = pair.run(*command, "--format", "json", "-o", name)
        assert (result.code, result.out, result.err) == (2, "", f"fusion: {said}\nexit 2: could not check\n")
    assert pair.run("report", "none.jsonl", "-o", name).err == f"fusion: {said}\nexit 2: could not check\n"
    assert pair.files() == before


def test_a_report_takes_the_place_of_no_source_of_a_settings_file_that_is_named(pair: Any) -> None:
    (pair.folder / "other.toml").write_text('[sources]\nnew = { path = "new.json" }\n', encoding="ascii")
    before = pair.files()
    result = pair.run("diff", "old.json", "old.json", "--config", "other.toml", "--format", "html=new.json")
    assert (result.code, result.err.splitlines()[0]) == (
        2, "fusion: a report would take the place of new.json; name a file of its own for it"
    )  # fmt: skip
    assert pair.files() == before


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["show", "old.json", "--format", "json", "-o", "old.json"], "old.json"),
        (["show", "--format", "json", "-o", "start.py", "--", "python3", "start.py"], "start.py"),
        (["diff", "old.json", "--format", "html=start.py", "--", "python3", "start.py"], "start.py"),
        (["diff", "old.json", "start.py:mcp", "--format", "html=start.py"], "start.py"),
    ],
)
def test_a_report_takes_the_place_of_nothing_that_the_command_line_names(
    pair: Any, command: list[str], name: str
) -> None:
    (pair.folder / "start.py").write_text("raise SystemExit\n", encoding="ascii")
    before = pair.files()
    result = pair.run(*command)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"fusion: a report would take the place of {name}; name a file of its own for it\nexit 2: could not check\n"
    )
    assert pair.files() == before


@pytest.mark.parametrize("name", ["fusion.lock.d/report.lock", "link.html"])
def test_a_report_does_not_lie_among_the_files_of_a_lock(pair: Any, name: str) -> None:
    (pair.folder / "fusion.lock.d").mkdir()
    (pair.folder / "link.html").symlink_to("fusion.lock.d/report.html")
    result = pair.run("diff", "old.json", "new.json", "--format", f"html={name}")
    assert (result.code, result.out) == (2, "")
    said = f"a report would lie among the files of a lock: {name}; name a file elsewhere for it"
    assert result.err == f"fusion: {said}\nexit 2: could not check\n"
    assert list((pair.folder / "fusion.lock.d").iterdir()) == []


def test_a_report_replaces_the_one_before(pair: Any) -> None:
    for _ in range(2):
        assert pair.run("diff", "old.json", "new.json", "--format", "json=report.json").code == 1


def test_an_unknown_format(pair: Any) -> None:
    result = pair.run("diff", "old.json", "new.json", "--format", "yaml=a")
    assert result.code == 2
    assert "'yaml' is not one of text, github" in result.err
