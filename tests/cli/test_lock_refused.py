"""`fusion lock` refused, interrupted or overtaken: what is said, and that nothing is written then."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest


def refused(project: Any, *arguments: str) -> str:
    """The sentence of a refusal, after checking that it wrote nothing and ended with 2."""
    before = project.files()
    result = project.run("lock", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.err.splitlines()[-1] == "exit 2: could not check"
    assert project.files() == before
    sentence: str = result.err.splitlines()[-2]
    return sentence


def test_nothing_is_named(project: Any) -> None:
    assert refused(project) == (
        "fusion: there is nothing to lock: no source is configured; name one: fusion lock -- COMMAND"
    )


@pytest.mark.parametrize("option", ["--name", "--pass-env"])
def test_an_option_of_a_source_without_one(project: Any, option: str) -> None:
    assert refused(project, option, "x") == (
        f"fusion: {option} goes with a SOURCE or a command; name one, or write it in the settings"
    )


def test_a_variable_that_the_settings_do_not_hand_through(project: Any, close_page: Any) -> None:
    command = project.serve("pages", close_page)
    project.run("lock", "--name", "pages", *command)
    assert refused(project, "--pass-env", "API_TOKEN", *command) == (
        "fusion: fusion.toml names this source as pages, without API_TOKEN; add it to pass-env there"
    )


def test_a_missing_file(project: Any) -> None:
    assert refused(project, "gone.json") == (
        "fusion: gone.json does not exist; check the path; a server's command goes after --"
    )


def test_broken_json(project: Any) -> None:
    project.write("broken.json", '{"tools": [')
    assert refused(project, "broken.json").startswith("fusion: broken.json is not JSON: line 1, column 12: ")


def test_an_unset_variable(project: Any) -> None:
    assert refused(project, "--name", "x", "--", "true", "${NOT_SET_HERE}") == (
        "fusion: x: the argument ${NOT_SET_HERE} needs the variable NOT_SET_HERE, which is not set; "
        "set NOT_SET_HERE in the environment, or write ${NOT_SET_HERE:-default}"
    )


def test_a_literal_secret(project: Any) -> None:
    secret = "hunter2-hunter2-hunter2"
    sentence = refused(project, "--", "some-server", "--api-key", secret)
    assert sentence == (
        "fusion: the argument after --api-key looks like a secret; "
        "write '${API_KEY}' for it (in single quotes) and set API_KEY in the environment"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "<<<<<<< ours\nlock_version = 1\n=======\n>>>>>>> theirs\n",
            "fusion.lock holds merge conflict markers, the first at line 1",
        ),
        ("lock_version = 2\n", "fusion.lock has lock_version 2; this release reads 1"),
        ("lock_version = \n", "fusion.lock is not TOML: line 1, column 16: "),
        ("", "fusion.lock is empty"),
    ],
)
def test_a_lock_that_cannot_be_read_is_not_written_over(
    project: Any, close_page: Any, text: str, sentence: str
) -> None:
    project.write("fusion.lock", text)
    project.catalog("pages.json", close_page)
    assert refused(project, "pages.json").startswith(f"fusion: {sentence}")


def test_a_folder_that_takes_no_file(project: Any, close_page: Any) -> None:
    project.catalog("pages.json", close_page)
    project.write("file", "not a folder")
    assert refused(project, "pages.json", "--lockfile", "file/fusion.lock") == (
        "fusion: cannot write file/fusion.lock: a part of its path is not a folder; nothing was changed; "
        "check the path and its permissions, then run again"
    )


@pytest.mark.parametrize("command", ["lock", "init", "check", "diff", "show"])
def test_settings_that_are_named_and_not_there(project: Any, command: str) -> None:
    result = project.run(command, "--config", "nope.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err == "fusion: no settings file nope.toml; check --config\nexit 2: could not check\n"
    assert project.files() == {}


def test_settings_that_are_named_and_not_there_take_a_source(project: Any, close_page: Any) -> None:
    project.run("lock", "--config", "new.toml", project.catalog("pages.json", close_page))
    assert tomllib.loads(project.read("new.toml")) == {"sources": {"pages": {"path": "pages.json"}}}


def test_a_missing_folder(project: Any) -> None:
    assert refused(project, "-C", "nowhere") == "fusion: there is no folder nowhere; check -C"


def test_a_name_that_the_settings_give_to_another_source(project: Any, close_page: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    project.catalog("other.json", close_page)
    assert refused(project, "--name", "pages", "other.json") == (
        "fusion: fusion.toml names another source for pages; "
        "change it there, or give another --name; nothing was written"
    )


def test_prune_where_nothing_is_to_drop(project: Any, close_page: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    assert refused(project, "--prune", "-s", "x") == "fusion: no configured source matches x; there are: pages"


def test_interrupted_while_a_server_is_read(project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from fusion_contracts.sources.stdio import StdioSource

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    monkeypatch.setattr(StdioSource, "read", interrupt)
    before = project.files()

    result = project.run("lock")
    assert (result.code, result.err) == (130, "exit 130: interrupted; nothing was written\n")
    assert project.files() == before


def test_interrupted_after_the_lock_was_written(project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fusion_contracts.cli.locking._finish", interrupt)
    result = project.run("lock", project.catalog("pages.json", close_page))
    assert result.code == 130
    assert result.err.splitlines()[-1] == "exit 130: interrupted; written: fusion.toml, fusion.lock"


def test_settings_that_cannot_be_written_leave_the_lock_alone(project: Any, close_page: Any) -> None:
    project.write("../elsewhere.toml", "")
    (project.folder / "fusion.toml").symlink_to(project.folder.parent / "elsewhere.toml")
    project.catalog("pages.json", close_page)
    assert refused(project, "pages.json").startswith("fusion: fusion.toml is a symbolic link that leaves its folder; ")
    assert not (project.folder / "fusion.lock").is_symlink()
    assert not (project.folder / "fusion.lock").exists()


def test_a_lock_that_another_run_wrote_meanwhile_is_not_undone(
    project: Any, close_page: Any, list_pages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fusion_contracts.cli import locking

    project.catalog("pages.json", close_page)
    project.run("lock", "pages.json")
    project.catalog("pages.json", close_page, list_pages)
    said = locking._say_accepted

    def meanwhile(*arguments: Any) -> None:
        said(*arguments)
        project.write("fusion.lock", project.read("fusion.lock") + "# theirs\n")

    monkeypatch.setattr(locking, "_say_accepted", meanwhile)
    result = project.run("lock")
    assert result.code == 2
    assert result.err.splitlines()[-2:] == [
        "fusion: fusion.lock was changed while the servers were read; nothing was written; run it again",
        "exit 2: could not check",
    ]
    assert project.read("fusion.lock").endswith("# theirs\n")


def test_a_lock_that_could_not_be_read_again_is_not_written(
    project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fusion_contracts.lockfile.file.MAX_BYTES", 100)
    project.catalog("pages.json", close_page)
    assert refused(project, "pages.json").startswith("fusion: fusion.lock would be larger than 0 MB, ")


def test_an_empty_name(project: Any, close_page: Any) -> None:
    project.catalog("pages.json", close_page)
    assert refused(project, "pages.json", "--name", "") == "fusion: --name is empty; give a name, or leave it out"


def test_the_name_of_a_lock_cannot_write_on_the_terminal(project: Any, close_page: Any) -> None:
    project.catalog("pages.json", close_page)
    result = project.run("lock", "pages.json", "--lockfile", "a\x1b[31m.lock")
    assert result.out.splitlines()[-1] == "wrote a\\u{1b}[31m.lock: 1 server, 1 tool"
    assert "\x1b" not in project.run("lock", "--check", "--lockfile", "a\x1b[31m.lock").out
