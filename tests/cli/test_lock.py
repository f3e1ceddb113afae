"""`fusion lock` writes: what it prints, what it puts down, in CI too, and which secrets it never shows."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from fusion_contracts.lockfile.disk import read_lock
from tests.cli.conftest import TWICE


def test_the_first_lock_of_a_command(project: Any, close_page: Any, list_pages: Any) -> None:
    result = project.run("lock", "--name", "pages", *project.serve("pages", close_page, list_pages))

    assert result.code == 0
    assert result.out == "wrote fusion.lock: 1 server, 2 tools\n"
    assert result.err == (
        f"pages: starting python serve.py pages.json\n{TWICE}added the source to [sources] in fusion.toml\n"
    )
    assert list(read_lock(project.folder / "fusion.lock").servers["pages"].tools) == ["close_page", "list_pages"]
    assert tomllib.loads(project.read("fusion.toml")) == {
        "sources": {"pages": {"command": list(project.command("pages"))}}
    }


def test_the_entry_goes_into_pyproject_and_disturbs_nothing(project: Any, close_page: Any) -> None:
    before = '# mine\r\n[project]\r\nname = "x" # odd   spacing\r\n'
    project.write("pyproject.toml", before)

    result = project.run("lock", "--name", "pages", "--pass-env", "HTTP_PROXY", *project.serve("pages", close_page))

    assert result.err.endswith("added the source to [tool.fusion.sources] in pyproject.toml\n")
    after = project.read("pyproject.toml")
    assert after.startswith(before)
    entry = {"command": list(project.command("pages")), "pass-env": ["HTTP_PROXY"]}
    assert tomllib.loads(after)["tool"]["fusion"]["sources"] == {"pages": entry}
    assert not (project.folder / "fusion.toml").exists()


def test_settings_that_take_no_table_at_their_end_are_left_alone(project: Any, close_page: Any) -> None:
    project.write("fusion.toml", 'sources = { other = { command = ["x"] } }\n')
    before = project.files()

    result = project.run("lock", "--name", "pages", *project.serve("pages", close_page))

    assert result.code == 2
    assert result.err.endswith(
        "\nfusion: fusion.toml cannot take one more source at its end; "
        'add to its sources yourself: pages = { command = ["python", "serve.py", "pages.json"] }\n'
        "exit 2: could not check\n"
    )
    assert project.files().keys() - before.keys() == {"pages.json"}


def test_a_catalog_is_locked_by_its_path(project: Any, close_page: Any) -> None:
    result = project.run("lock", project.catalog("saved/pages.json", close_page))

    assert result.out == "wrote fusion.lock: 1 server, 1 tool\n"
    assert tomllib.loads(project.read("fusion.toml")) == {"sources": {"pages": {"path": "saved/pages.json"}}}


def test_a_refresh_says_what_it_accepts(project: Any, close_page: Any, close_page_v2: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    project.serve("pages", close_page_v2, version="2.0.0")

    result = project.run("lock")

    assert result.code == 0
    assert result.out == (
        "This accepts, for fusion.lock:\n"
        "BREAKING  pages 1.0.0 -> 2.0.0: 1 breaking, 1 safe\n"
        "  close_page                     when no longer accepts 'later'                              32df0fa\n"
        '      worked  close_page {"when": "later"}\n'
        "      now     refused: when must be 'now'\n"
        "SAFE  version changed\n"
        "wrote fusion.lock: 1 server, 1 tool\n"
    )


def test_nothing_to_write_is_said(project: Any, close_page: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    before = project.files()

    result = project.run("lock")

    assert (result.code, result.out) == (0, "fusion.lock is up to date: 1 server, 1 tool\n")
    assert project.files() == before


def test_a_new_server_beside_an_old_one(project: Any, close_page: Any, list_pages: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    old = project.read("fusion.lock")

    result = project.run("lock", "--name", "lists", *project.serve("lists", list_pages))

    assert result.out == "new: lists, 1 tool\nwrote fusion.lock: 2 servers, 2 tools\n"
    kept = old[old.index("[servers.pages]") :]
    assert project.read("fusion.lock").endswith(kept)


# --- CI --------------------------------------------------------------------------------------------------------------


def changed(project: Any, old: Any, new: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", old))
    project.serve("pages", new)


def test_ci_refuses_to_change_a_lock(
    project: Any, close_page: Any, close_page_v2: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed(project, close_page, close_page_v2)
    monkeypatch.setenv("CI", "true")
    before = project.files()

    result = project.run("lock")

    assert result.code == 1
    assert result.out.splitlines()[-1] == (
        "exit 1: fusion.lock would change, and CI is set: run fusion lock elsewhere and commit it, or add --write"
    )
    assert result.out.startswith("This accepts, for fusion.lock:\nBREAKING  pages: 1 breaking\n")
    assert project.files() == before


@pytest.mark.parametrize(("value", "options"), [("true", ["--write"]), ("false", []), ("", [])])
def test_ci_is_told_to_write_or_is_none(  # noqa: PLR0913, PLR0917 - what it needs, and two columns
    project: Any, close_page: Any, close_page_v2: Any, monkeypatch: pytest.MonkeyPatch, value: str, options: list[str]
) -> None:
    changed(project, close_page, close_page_v2)
    monkeypatch.setenv("CI", value)

    result = project.run("lock", *options)

    assert (result.code, result.out.splitlines()[-1]) == (0, "wrote fusion.lock: 1 server, 1 tool")


def test_ci_may_write_a_first_lock_and_repeat_it(
    project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "1")
    assert project.run("lock", "--name", "pages", *project.serve("pages", close_page)).code == 0
    assert project.run("lock").out == "fusion.lock is up to date: 1 server, 1 tool\n"


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_a_secret_that_a_server_repeats_is_nowhere(
    project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "s3cr3t-value-0123456789"
    monkeypatch.setenv("API_TOKEN", secret)
    command = project.serve("pages", close_page, echo=["API_TOKEN"], instructions="Logged in with")

    results = [project.run("lock", "--name", "pages", "--pass-env", "API_TOKEN", *command)]
    results += [
        project.run(*words) for words in (("lock", "--check"), ("show",), ("diff",), ("show", "--format", "json"))
    ]

    assert [result.code for result in results] == [0] * 5
    assert not any(secret in result.out + result.err for result in results)
    assert not any(secret.encode() in data for data in project.files().values())
    assert "Logged in with ${API_TOKEN}" in project.read("fusion.lock")


def test_a_secret_of_the_settings_stays_in_the_settings(
    project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "s3cr3t-value-0123456789")
    project.serve("pages", close_page, echo=["API_TOKEN", "MODE_OF_USE"])
    command = ", ".join(f'"{word}"' for word in project.command("pages"))
    env = 'env = { API_TOKEN = "${MY_TOKEN}", MODE_OF_USE = "a-literal-value" }'
    project.write("fusion.toml", f"[sources.pages]\ncommand = [{command}]\n{env}\n")

    result = project.run("lock")

    assert result.code == 0
    lock = project.read("fusion.lock")
    source = read_lock(project.folder / "fusion.lock").servers["pages"].source
    assert source is not None
    assert source.env == {"API_TOKEN": "${MY_TOKEN}", "MODE_OF_USE": ""}
    assert "s3cr3t" not in lock + result.out + result.err
    assert project.run("lock", "--check").code == 0


def test_a_command_that_the_settings_know_gets_their_environment(
    project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODE_OF_USE", "quiet")
    command = project.serve("pages", close_page, echo=["MODE_OF_USE"], instructions="Mode:")
    project.run("lock", "--name", "pages", "--pass-env", "MODE_OF_USE", *command)

    result = project.run("lock", *command)

    assert (result.code, result.out) == (0, "fusion.lock is up to date: 1 server, 1 tool\n")
    assert project.run("diff", "--fail-on", "any", *command).code == 0
    assert 'instructions = "Mode: quiet"' in project.read("fusion.lock")


def test_hidden_text_is_told_when_a_server_is_locked_for_the_first_time(project: Any, close_page: Any) -> None:
    hidden = {**close_page, "description": "Close a page.\u202e"}
    result = project.run("lock", project.catalog("pages.json", hidden))
    assert result.code == 0
    assert result.out.startswith("This accepts, for fusion.lock:\nBREAKING  pages: 1 breaking\n  close_page ")
