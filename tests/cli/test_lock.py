"""`fusion lock` writes: what it prints, what it puts down, and what it leaves alone."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.lockfile.disk import read_lock

TWICE = "listing twice, to find what changes by itself\n"


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
        "  close_page                     when no longer accepts 'later'                              cd16508\n"
        '      worked  close_page {"when": "later"}\n'
        '      now     refused: when is "later"\n'
        "SAFE  version changed (--show safe)\n"
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


# --- several servers, and what one of them does wrong ----------------------------------------------------------------


def two(project: Any, first: Any, second: Any) -> None:
    project.run("lock", "--name", "one", *project.serve("one", first))
    project.run("lock", "--name", "two", *project.serve("two", second))


def test_a_dead_server_hides_no_other(project: Any, close_page: Any, list_pages: Any) -> None:
    two(project, close_page, close_page)
    project.write("one.json", "no JSON: the server dies")
    project.serve("two", close_page, list_pages)

    result = project.run("lock")

    assert result.code == 2
    assert result.out == (
        "This accepts, for fusion.lock:\n"
        "SAFE  two: 1 safe\n"
        "  1 tool added (--show safe)\n"
        "Cost to the model: 29 -> 52 tokens (+79 %, estimate)\n"
        "exit 2: wrote fusion.lock: 2 servers, 3 tools; 1 server not read\n"
    )
    assert "fusion: one: stopped before it answered initialize (exit status 1), twice." in result.err
    servers = read_lock(project.folder / "fusion.lock").servers
    assert [list(server.tools) for server in servers.values()] == [["close_page"], ["close_page", "list_pages"]]


def test_only_the_chosen_servers_are_read_and_the_others_keep_every_byte(
    project: Any, close_page: Any, list_pages: Any
) -> None:
    two(project, close_page, close_page)
    text = project.read("fusion.lock").replace("[servers.one]", "# a note of mine\n[servers.one]")
    project.write("fusion.lock", text)
    project.serve("one", list_pages)
    project.serve("two", close_page, list_pages)

    result = project.run("lock", "-s", "tw*")

    assert result.code == 0
    assert result.err == f"two: starting python serve.py two.json\n{TWICE}"
    ours = text[: text.index("[servers.two]")]
    assert project.read("fusion.lock").startswith(ours)
    assert list(read_lock(project.folder / "fusion.lock").servers["two"].tools) == ["close_page", "list_pages"]


def test_a_server_of_no_source_is_kept(project: Any, close_page: Any, list_pages: Any) -> None:
    two(project, close_page, close_page)
    project.write("fusion.toml", project.read("fusion.toml").partition("[sources.two]")[0])
    before = project.read("fusion.lock")

    result = project.run("lock")

    assert (result.code, result.out) == (0, "fusion.lock is up to date: 2 servers, 2 tools\n")
    assert (
        "note: two is kept as it is in fusion.lock: no source of that name is configured; "
        "fusion lock --prune -s two drops it\n"
    ) in result.err
    assert project.read("fusion.lock") == before


def test_no_server_of_that_name(project: Any, close_page: Any) -> None:
    two(project, close_page, close_page)
    result = project.run("lock", "-s", "three")
    assert result.err.splitlines()[0] == "fusion: no configured source matches three; there are: one, two"


def test_a_malformed_tool_keeps_its_old_entry(project: Any, close_page: Any, list_pages: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    project.serve("pages", {**close_page, "inputSchema": []}, list_pages, {"description": "nameless"})

    result = project.run("lock")

    assert result.code == 2
    assert result.out.splitlines()[-1] == "exit 2: wrote fusion.lock: 1 server, 2 tools; 2 tools refused"
    assert result.err.endswith(
        "\nfusion: pages: tool close_page is refused: its input schema is a list, neither a JSON object nor null; "
        "correct it in the server; its old entry stays in the lock and the rest is read\n"
        "fusion: pages: tool 3 of 3 is refused: it has no name; "
        "correct it in the server; its old entry stays in the lock and the rest is read\n"
    )
    tools = read_lock(project.folder / "fusion.lock").servers["pages"].tools
    assert tools["close_page"].input_schema == close_page["inputSchema"]
    assert "list_pages" in tools


def test_a_tool_that_no_lock_can_hold_is_left_out(project: Any, close_page: Any) -> None:
    deep: dict[str, Any] = {"name": "deep", "inputSchema": {}}
    inner = deep["inputSchema"]
    for _ in range(70):
        inner["not"] = {}
        inner = inner["not"]

    result = project.run("lock", "--name", "pages", *project.serve("pages", close_page, deep))

    assert result.code == 2
    assert result.out == "exit 2: wrote fusion.lock: 1 server, 1 tool; 1 tool refused\n"
    assert "fusion: pages: tool deep cannot be locked: /inputSchema/not/" in result.err
    assert (
        "is nested deeper than 64 levels; its old entry stays in the lock, if it has one; the rest is locked"
        in result.err
    )


def test_text_that_differs_by_itself_is_named(project: Any, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = root / "fixtures" / "servers" / "changing.py"

    result = project.run("lock", "--name", "odd", "--", *project.command("x")[:1], str(script))

    assert result.code == 0
    differs = "differs between two listings; if it is no part of the contract, add to fusion.toml:"
    tool, instructions = (
        '[[volatile]]\nserver = "odd"\n'
        f'tool = "{tool}"\npointer = "{pointer}"\npattern = "(?<=Runs as process )[0-9]+"\n'
        'reason = "differs from one listing to the next"\n'
        for tool, pointer in (("greet", "/description"), ("", "/instructions"))
    )
    assert (
        f"note: odd: tool greet /description {differs}\n{tool}note: odd: /instructions {differs}\n{instructions}"
    ) in result.err

    project.write("fusion.toml", f"{project.read('fusion.toml')}\n{tool}{instructions}")
    again = project.run("lock")
    assert again.code == 0
    assert "differs" not in again.err
    assert "Runs as process {volatile}." in project.read("fusion.lock")


# --- servers that leave ----------------------------------------------------------------------------------------------


def unnamed(project: Any, close_page: Any) -> str:
    """Two locked servers, one of which the settings no longer name; the text of the lock."""
    two(project, close_page, close_page)
    project.write("fusion.toml", project.read("fusion.toml").partition("[sources.two]")[0])
    return str(project.read("fusion.lock"))


def test_prune_drops_what_the_settings_do_not_name(project: Any, close_page: Any) -> None:
    before = unnamed(project, close_page)
    result = project.run("lock", "--prune")
    assert result.code == 0
    assert result.out == (
        "This accepts, for fusion.lock:\n"
        "BREAKING  two: 1 breaking\n"
        "  server                         server removed                                              85042dd\n"
        "Cost to the model: 29 -> 0 tokens (-100 %, estimate)\n"
        "wrote fusion.lock: 1 server, 1 tool\n"
    )
    assert "two" not in result.err
    assert project.read("fusion.lock") == before.partition("[servers.two]")[0].rstrip("\n") + "\n"
    assert project.run("lock", "--check").code == 0
    assert project.run("lock", "--prune").out == "fusion.lock is up to date: 1 server, 1 tool\n"


def test_prune_of_one_server_reads_no_other(project: Any, close_page: Any) -> None:
    unnamed(project, close_page)
    project.write("one.json", "no JSON: the server dies")
    result = project.run("lock", "--prune", "-s", "two")
    assert (result.code, result.err) == (0, "")
    assert list(read_lock(project.folder / "fusion.lock").servers) == ["one"]


def test_prune_of_the_last_server(project: Any, close_page: Any) -> None:
    project.run("lock", project.catalog("pages.json", close_page))
    project.write("fusion.toml", "")
    assert project.run("lock", "--prune").out.splitlines()[-1] == "wrote fusion.lock: 0 servers, 0 tools"
    assert read_lock(project.folder / "fusion.lock").servers == {}


def test_prune_in_ci(project: Any, close_page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = unnamed(project, close_page)
    monkeypatch.setenv("CI", "true")
    assert project.run("lock", "--prune").code == 1
    assert project.read("fusion.lock") == before


def test_prune_where_nothing_is_to_drop(project: Any, close_page: Any) -> None:
    project.run("lock", "--name", "pages", *project.serve("pages", close_page))
    assert refused(project, "--prune", "-s", "x") == "fusion: no configured source matches x; there are: pages"


# --- what is refused, with nothing written ---------------------------------------------------------------------------


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


def test_when_no_source_can_be_read_nothing_is_written(project: Any, close_page: Any) -> None:
    two(project, close_page, close_page)
    for name in ("one", "two"):
        project.write(f"{name}.json", "no JSON")
    before = project.files()

    result = project.run("lock")

    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines()[-2:] == [
        "fusion: no source could be read; see above; nothing was written",
        "exit 2: could not check",
    ]
    assert project.files() == before


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
