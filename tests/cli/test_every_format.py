"""Every format from the command line: in files of one run, from a folder below the repository's top, and on errors."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import load
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock
from fusion_contracts.report import FORMATS

MACHINES = [form for form in FORMATS if form != "text"]
ARGUMENT = "[servers.pages.tools.close_page.input.properties.when]"


@pytest.fixture
def below(repository: Any, close_page: Any, close_page_v2: Any) -> Any:
    """A repository whose project is in `deep/a b`: the base holds one version of its server, HEAD the next."""
    repository.folder = repository.folder / "deep" / "a b"
    repository.folder.mkdir(parents=True)
    for catalog in (close_page, close_page_v2):
        repository.catalog("pages.json", catalog)
        assert repository.run("lock", "-C", "deep/a b", "--write", "pages.json").code == 0
        repository.commit()
        repository.git("switch", "-q", "-C", "change")
    return repository


def shown(lock: str, line: int) -> str:
    return lock.split("\n")[line - 1]


def test_all_formats_of_one_run(below: Any) -> None:
    files = [word for form in MACHINES for word in ("--format", f"{form}=out.{form}")]
    alone = below.run("check", "-C", "deep/a b", "--base", "main")
    result = below.run("check", "-C", "deep/a b", "--base", "main", "--format", "text", *files)
    assert (result.code, result.out) == (1, alone.out)
    texts = {form: below.read(f"out.{form}") for form in MACHINES}
    (found,) = json.loads(texts["json"])["findings"]
    assert {form for form, text in texts.items() if found["fingerprint"][:7] in text} == set(MACHINES)
    lock = below.read("fusion.lock")

    (location,) = json.loads(texts["sarif"])["runs"][0]["results"][0]["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "deep/a%20b/fusion.lock"
    assert shown(lock, location["physicalLocation"]["region"]["startLine"]) == ARGUMENT

    properties = dict(pair.split("=") for pair in texts["github"].removeprefix("::error ").split("::")[0].split(","))
    assert properties["file"] == "deep/a b/fusion.lock"
    assert shown(lock, int(properties["line"])) == ARGUMENT

    (suite,) = ET.fromstring(texts["junit"])
    assert suite.get("file") == "deep/a b/fusion.lock"
    assert [case.get("name") for case in suite] == ["(server)", "close_page"]

    assert texts["markdown"].startswith("<!-- fusion-contracts -->\n### BREAKING: pages (1 breaking)\n")
    assert "- compatible: with `fusion.lock` at main " in texts["markdown"]


@pytest.mark.parametrize("form", MACHINES)
def test_a_format_on_standard_output_is_alone_there(form: str, below: Any) -> None:
    arguments = ("check", "-C", "deep/a b", "--base", "main", "--format", form)
    result = below.run(*arguments)
    assert below.run(*arguments, "-o", "report").out == ""
    assert (below.read("report"), result.code) == (result.out, 1)
    assert result.err == "exit 1: breaking findings\n"


def test_several_locks_are_annotated_each_in_its_file(repository: Any, close_page: Any, close_page_v2: Any) -> None:
    for catalog in (close_page, close_page_v2):
        for folder in ("a", "b"):
            repository.write(f"{folder}/x", "")
            repository.catalog(f"{folder}/pages.json", catalog)
            repository.run("lock", "-C", folder, "--write", "pages.json")
        repository.commit()
        repository.git("switch", "-q", "-C", "change")
    text = repository.run("check", "--all", "--base", "main", "--format", "github").out
    assert [line.split(",")[0] for line in text.splitlines()] == [
        "::error file=a/fusion.lock",
        "::error file=b/fusion.lock",
    ]


def test_two_locks_without_a_lock_of_the_project(project: Any, close_page: Any, close_page_v2: Any) -> None:
    for name, tool in (("a", close_page), ("b", close_page_v2)):
        project.catalog(f"{name}.json", tool)
        options = ("--name", "pages", "--lockfile", f"{name}.lock", "--config", f"{name}.toml")
        assert project.run("lock", *options, f"{name}.json").code == 0
    text = project.run("diff", "a.lock", "b.lock", "--format", "github").out
    line = int(text.split("line=")[1].split(",")[0])
    assert text.startswith("::error file=b.lock,line=")
    assert shown(project.read("b.lock"), line) == ARGUMENT
    back = project.run("diff", "a.lock", "b.json", "--format", "github").out
    assert back.startswith("::error file=a.lock,line=")


@pytest.mark.parametrize("form", MACHINES)
def test_an_error_that_ends_a_run_is_in_every_format(form: str, project: Any) -> None:
    result = project.run("check", "--format", form)
    assert result.code == 2
    assert "fusion.lock" in result.out
    assert result.err.splitlines()[-1] == "exit 2: could not check"


def test_a_format_that_is_none(project: Any) -> None:
    result = project.run("diff", "--format", "yaml")
    assert result.code == 2
    assert f"is not one of {', '.join(FORMATS)}" in " ".join(result.err.replace("│", " ").split())


def test_a_name_is_no_command_to_a_runner_in_any_output(project: Any) -> None:
    for name, tools in (("old", ["::error::a", "##[add-mask]b"]), ("new", ["c"])):
        project.catalog(f"{name}.json", *({"name": tool, "inputSchema": {"type": "object"}} for tool in tools))
    contract = replace(load(project.folder / "old.json"), name="::error::s")  # as a client's configuration may call it
    project.write("fusion.lock", encode(Lock({contract.name: contract})))
    for command in (
        ("diff", "old.json", "new.json"), ("diff", "old.json", "new.json", "--format", "json"), ("show", "old.json"),
        ("diff", "::error::x", "new.json"), ("lock", "old.json", "--name", "::error::s"), ("show",),
    ):  # fmt: skip
        result = project.run(*command)
        lines = (result.out + result.err).splitlines()
        assert [line for line in lines if line.lstrip().startswith("::") or "##[" in line] == [], command


def test_files_are_written_below_the_folder_of_the_project(below: Any, tmp_path: Path) -> None:
    absolute = tmp_path / "absolute.xml"
    below.run("check", "-C", "deep/a b", "--base", "main", "--format", f"junit={absolute}")
    ET.fromstring(absolute.read_text(encoding="utf-8"))
