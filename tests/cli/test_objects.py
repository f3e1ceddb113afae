"""Python objects on the command line: locked, checked, and never imported because a lock says so."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import pytest

from fusion_contracts import load
from fusion_contracts.model import SourceRecord

TOOLS = """
import pathlib
pathlib.Path("imported").touch()
TOOLS = [{{"name": "find", "inputSchema": {{"type": "object", "properties": {{"{field}": {{"type": "string"}}}}}}}}]
"""


def write(project: Any, name: str = "shop_tools.py", field: str = "query") -> None:
    project.write(name, TOOLS.format(field=field))


def again(name: str) -> None:
    """Forget a module, as a new process would."""
    sys.modules.pop(name, None)
    importlib.invalidate_caches()


def test_an_object_is_locked_and_its_source_is_written_into_the_settings(project: Any) -> None:
    write(project)
    result = project.run("lock", "shop_tools.py:TOOLS")
    assert (result.code, result.out) == (0, "wrote fusion.lock: 1 server, 1 tool\n")
    assert result.err == (
        "shop_tools: importing shop_tools.py:TOOLS\n"
        "listing twice, to find what changes by itself\n"
        "added the source to [sources] in fusion.toml\n"
    )
    assert project.read("fusion.toml") == '[sources.shop_tools]\nobject = "shop_tools.py:TOOLS"\n'
    assert '[servers.shop_tools.source]\nkind = "python"\nobject = "shop_tools.py:TOOLS"\n' in project.read(
        "fusion.lock"
    )
    assert load(project.folder / "fusion.lock").source == SourceRecord(kind="python", object="shop_tools.py:TOOLS")


def test_it_is_read_again_like_a_command(project: Any) -> None:
    write(project)
    project.run("lock", "./shop_tools.py:TOOLS")
    assert project.run("lock", "--check").code == 0
    again("shop_tools")
    write(project, field="keywords")  # of another length: what Python compiled of the first is told by time and size
    stale = project.run("lock", "--check")
    assert (stale.code, stale.out.splitlines()[-1]) == (1, "exit 1: fusion.lock is stale")
    diff = project.run("diff")
    assert "query removed" in diff.out
    alone = project.run("diff", "shop_tools.py:TOOLS")  # what runs is NEW, as a command is
    assert alone.out.splitlines()[0] == "fusion.lock -> shop_tools.py:TOOLS"
    assert "query removed" in alone.out
    beside = project.run("diff", "fusion.lock", "shop_tools.py:TOOLS")
    assert beside.out == alone.out
    accepted = project.run("lock", "shop_tools.py:TOOLS")
    assert accepted.out.splitlines()[-1] == "wrote fusion.lock: 1 server, 1 tool"
    assert project.read("fusion.toml") == '[sources.shop_tools]\nobject = "shop_tools.py:TOOLS"\n'


def test_what_a_lock_alone_names_is_never_imported(project: Any) -> None:
    write(project, "evil_tools.py")
    project.run("lock", "evil_tools.py:TOOLS")
    (project.folder / "imported").unlink()
    (project.folder / "fusion.toml").unlink()
    again("evil_tools")
    for arguments in (("lock", "--check"), ("check", "--base", "HEAD"), ("diff",), ("show",), ("lock",)):
        project.run(*arguments)
        assert not (project.folder / "imported").exists(), arguments
    result = project.run("lock", "--check")
    assert (result.code, result.out.splitlines()[0]) == (
        2,
        (
            "evil_tools: its source stands in the lock alone, and nothing that only a lock names is started; "
            "drop it with fusion lock --prune -s evil_tools, or add to [sources] in fusion.toml: "
            'evil_tools = { object = "evil_tools.py:TOOLS" }'
        ),
    )


def test_a_path_of_the_settings_imports_nothing(project: Any) -> None:
    write(project, "quiet_tools.py")
    project.write("fusion.toml", '[sources.x]\npath = "quiet_tools.py:TOOLS"\n')
    result = project.run("lock")
    assert result.code == 2
    assert "quiet_tools.py:TOOLS is Python code, and no catalog" in result.err
    assert 'write it as object = "quiet_tools.py:TOOLS": importing it runs its code' in result.err
    assert not (project.folder / "imported").exists()


def test_from_another_folder_and_as_a_module(project: Any) -> None:
    write(project, "app/src/shop_pkg/__init__.py")
    result = project.run("lock", "-C", "app", "shop_pkg:TOOLS")
    assert result.code == 0
    assert project.read("app/fusion.toml") == '[sources.shop_pkg]\nobject = "shop_pkg:TOOLS"\n'
    assert project.run("lock", "-C", "app", "--check").code == 0
    assert (project.folder / "app" / "imported").exists()


def test_the_workflow_of_init_reads_an_object_of_the_repository(repository: Any) -> None:
    write(repository, "local_tools.py")
    repository.write("requirements.txt", "x\n")
    result = repository.run("init", "local_tools.py:TOOLS")
    assert result.code == 0
    assert "on pull requests the workflow also reads local_tools (local_tools.py)" in result.out + result.err
    workflow = repository.read(".github/workflows/fusion.yml")
    assert "pip install -r requirements.txt" in workflow


def test_a_lock_that_names_no_object_in_words_is_told(project: Any) -> None:
    project.write("fusion.toml", '[sources.x]\nobject = "not an object"\n')
    result = project.run("lock")
    assert result.err.splitlines()[0] == (
        "fusion: x: not an object names no Python object; "
        "write FILE.py[:ATTR] or package.module:ATTR, with () behind a factory"
    )


@pytest.mark.parametrize("form", ["text", "json"])
def test_show_lint_shows_and_ends_with_0(project: Any, form: str) -> None:
    write(project, "linted_tools.py")
    project.run("lock", "linted_tools.py:TOOLS")
    for arguments in (("linted_tools.py:TOOLS",), ()):
        result = project.run("show", *arguments, "--lint", "--format", form)
        assert result.code == 0
        if form == "text":
            assert result.out == (
                "linted_tools: 1 tool; refused by OpenAI strict (2)\n"
                "  OpenAI strict  find /inputSchema: an object must be closed: additionalProperties must be false\n"
                "  OpenAI strict  find /inputSchema/properties/query: "
                "every property must be required; an optional one takes null\n"
            )
        else:
            assert [one["limit"] for one in json.loads(result.out)["breaches"]] == [
                "openai-strict-closed", "openai-strict-required",
            ]  # fmt: skip
