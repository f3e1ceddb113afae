"""A client's configuration as a source: what is read, honoured, written down and told, through the command line."""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.cli.conftest import Project

TWICE = "listing twice, to find what changes by itself\n"


INSTEAD = "choose with -s, or name the server's command or URL"


UNSET = "set NOWHERE in the environment, or write ${NOWHERE:-default}"


def closed_url() -> str:
    """A URL at which nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/mcp"


def entry(project: Project, name: str, **more: Any) -> dict[str, Any]:
    program, *args = project.command(name)
    return {"command": program, "args": args, **more}


def config(project: Project, name: str = ".mcp.json", **entries: Any) -> str:
    project.write(name, json.dumps({"mcpServers": entries}))
    return name


@pytest.fixture
def two(project: Project, close_page: Any, list_pages: Any) -> Project:
    """A configuration with two servers."""
    project.serve("pages", close_page, list_pages)
    project.serve("desk", list_pages)
    config(project, pages=entry(project, "pages"), desk=entry(project, "desk"))
    return project


def sources(project: Project) -> dict[str, Any]:
    return {name: one.get("source") for name, one in tomli.loads(project.read("fusion.lock"))["servers"].items()}


# -- locked, and found again ------------------------------------------------------------------------------------------


def test_every_server_is_locked_under_the_clients_key_and_the_file_vouches_for_it(two: Project) -> None:
    done = two.run("lock", ".mcp.json")
    assert done.out == "wrote fusion.lock: 2 servers, 3 tools\n"
    assert done.err == (
        "desk: starting python serve.py desk.json\n"
        "pages: starting python serve.py pages.json\n"
        f"{TWICE}"
        "added the source to [sources] in fusion.toml\n"
    )
    assert two.read("fusion.toml") == '[sources.mcp]\npath = ".mcp.json"\n'
    assert sources(two) == {name: {"kind": "stdio", "command": list(two.command(name))} for name in ("desk", "pages")}
    assert two.run("lock", "--check").code == 0
    assert two.run("lock").out == "fusion.lock is up to date: 2 servers, 3 tools\n"
    assert two.run("lock", ".mcp.json").out == "fusion.lock is up to date: 2 servers, 3 tools\n"
    assert two.run("diff").code == 0
    assert two.read("fusion.toml") == '[sources.mcp]\npath = ".mcp.json"\n'


def test_a_changed_server_is_stale_and_one_that_left_the_file_is_told(two: Project, list_pages: Any) -> None:
    two.run("lock", ".mcp.json")
    two.serve("pages", list_pages)
    config(two, pages=entry(two, "pages"))
    done = two.run("lock", "--check")
    assert done.code == 1
    assert done.out.splitlines() == [
        (
            "desk: its source stands in the lock alone, and nothing that only a lock names is started; drop it with "
            "fusion lock --prune -s desk, or add to [sources] in fusion.toml: "
            'desk = { command = ["python", "serve.py", "desk.json"] }'
        ),
        (
            "pages: the lock is stale: tool close_page (removed); "
            "fusion diff -s pages shows what changed, fusion lock -s pages accepts it"
        ),
        "exit 1: fusion.lock is stale; 1 server not checked",
    ]
    assert "pruned" not in two.run("lock").err
    assert set(sources(two)) == {"desk", "pages"}
    assert two.run("lock", "--prune").code == 0
    assert set(sources(two)) == {"pages"}


def test_another_command_in_the_file_is_a_change_of_the_source(two: Project) -> None:
    two.run("lock", ".mcp.json")
    config(two, desk=entry(two, "desk"), pages=entry(two, "desk"))
    done = two.run("lock", "--check", "-s", "pages")
    assert done.code == 1
    assert (
        "pages: the lock is stale: the source changed: locked from python serve.py pages.json, settings name "
        in done.out
    )


def test_the_key_of_the_settings_selects_the_whole_file(two: Project, close_page: Any) -> None:
    two.serve("alone", close_page)
    two.run("lock", "--name", "alone", *two.serve("alone", close_page))
    two.run("lock", ".mcp.json")
    assert set(sources(two)) == {"alone", "desk", "pages"}
    done = two.run("lock", "--check", "-s", "mcp")
    assert done.out == "exit 0: fusion.lock is intact and equal to its sources: 2 servers, 3 tools\n"
    assert two.run("diff", "-s", "mcp").out.startswith("fusion.lock -> 2 live servers\n")


def test_a_broken_file_loses_nothing_of_the_lock(two: Project) -> None:
    two.run("lock", ".mcp.json")
    before = two.read("fusion.lock")
    two.write(".mcp.json", '{"mcpServers": {,}}')
    for arguments in (["lock"], ["lock", "--prune"]):
        done = two.run(*arguments)
        assert done.code == 2
        assert "mcp: .mcp.json is no JSON, with comments or without: line 1 Unexpected" in done.err
        assert two.read("fusion.lock") == before


def test_a_file_at_a_revision_starts_nothing(repository: Project) -> None:
    repository.write(".mcp.json", '{"mcpServers": {"a": {"command": "touch", "args": ["started"]}}}')
    repository.commit()
    done = repository.run("show", "git:HEAD:.mcp.json")
    assert done.code == 2
    assert "whose servers are started only from the file in the folder" in done.err
    assert not (repository.folder / "started").exists()


def test_findings_about_servers_of_others_count_whatever_their_level(two: Project, close_page: Any) -> None:
    two.run("lock", ".mcp.json")
    two.serve("desk", close_page, {"name": "list_pages", "description": "List the pages.", "inputSchema": {}})
    two.serve("desk", close_page, json.loads(two.read("pages.json"))["tools"][1])
    done = two.run("diff")
    assert (done.code, done.out.splitlines()[-1]) == (1, "exit 1: findings")
    assert two.run("diff", "--fail-on", "breaking").code == 0
    two.write("fusion.toml", '[sources.mcp]\npath = ".mcp.json"\n[servers.desk]\nfail-on = "breaking"\n')
    assert two.run("diff").code == 0
    two.write("fusion.toml", 'fail-on = "risky"\n[sources.mcp]\npath = ".mcp.json"\n')
    assert two.run("diff").code == 0


# -- what is honoured --------------------------------------------------------------------------------------------------


def test_disabled_servers_are_named_and_not_started(two: Project) -> None:
    touch = {"command": "touch", "args": ["started"], "disabled": True}
    config(two, pages=entry(two, "pages"), off=touch)
    done = two.run("lock", ".mcp.json")
    assert done.out == "wrote fusion.lock: 1 server, 2 tools\n"
    assert "note: disabled, and not read: off in .mcp.json\n" in done.err
    assert not (two.folder / "started").exists()
    done = two.run("lock", "-s", "off")
    assert done.err.splitlines()[0] == (
        "fusion: nothing can be read, since this is disabled: off in mcp (.mcp.json); enable one there, or name its "
        "command or URL"
    )


def test_a_locked_server_that_is_disabled_now_is_no_fault(two: Project) -> None:
    two.run("lock", ".mcp.json")
    config(two, pages=entry(two, "pages"), desk=entry(two, "desk", disabled=True))
    for arguments in (
        ["lock", "--check"],
        ["lock"],
        ["lock", "--prune"],
        ["diff"],
        ["diff", "fusion.lock", ".mcp.json"],
    ):
        assert two.run(*arguments).code == 0, arguments
    assert set(sources(two)) == {"desk", "pages"}


def test_only_tools_that_the_client_offers_are_locked(two: Project) -> None:
    config(two, pages=entry(two, "pages", excludeTools=["close_page"]), desk=entry(two, "desk", includeTools=[]))
    done = two.run("lock", ".mcp.json")
    assert "note: pages: 1 of 2 tools left out, as the client's configuration says\n" in done.err
    assert {
        name: len(one.get("tools", {})) for name, one in tomli.loads(two.read("fusion.lock"))["servers"].items()
    } == {
        "desk": 0,
        "pages": 1,
    }
    assert two.run("lock", "--check").code == 0


def test_folder_and_file_of_variables(project: Project, list_pages: Any) -> None:
    project.write("sub/desk.json", json.dumps({"tools": [list_pages], "echo": ["COLOUR", "NAME", "KEY"]}))
    project.write(
        "sub/.env", "# ours\nexport COLOUR='dark blue'\nNAME=env-file-wins-not\nKEY=\"s3cret-value-77\" # hm\n"
    )
    config(project, desk=entry(project, "desk", cwd="sub", envFile="sub/.env", env={"NAME": "plain"}))
    done = project.run("lock", ".mcp.json")
    assert done.code == 0
    lock = project.read("fusion.lock")
    assert 'instructions = "${COLOUR} plain ${KEY}"' in lock
    assert "s3cret" not in lock + done.out + done.err
    project.write("sub/.env", "COLOUR\nnot a variable\n")
    done = project.run("lock")
    assert done.err.splitlines()[-2] == (
        "fusion: desk: its envFile sub/.env has a line that sets no variable: line 2; write NAME=VALUE"
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"envFile": "none.env"}, "its envFile none.env does not exist; write it, or correct the entry"),
        ({"envFile": "."}, "its envFile . cannot be read: Is a directory; check the path"),
        ({"envFile": "bytes.env"}, "its envFile bytes.env is not UTF-8 text; save it as UTF-8"),
        ({"cwd": "nowhere"}, "its folder nowhere does not exist; make it, or correct cwd"),
        (
            {"cwd": "${NOWHERE}"},
            "its cwd needs the variable NOWHERE, which is not set; " + UNSET,
        ),
    ],
)
def test_what_is_wrong_with_folder_and_file(two: Project, more: dict[str, Any], said: str) -> None:
    (two.folder / "bytes.env").write_bytes(b"A=\xff\n")
    config(two, pages=entry(two, "pages"), desk=entry(two, "desk", **more))
    done = two.run("lock", ".mcp.json")
    assert f"fusion: desk: {said}\n" in done.err
    assert done.out == "exit 2: wrote fusion.lock: 1 server, 2 tools; 1 server not read\n"


def test_inputs_from_the_command_line_and_the_environment(
    two: Project, list_pages: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.serve("desk", list_pages, echo=["KEY", "REGION"])
    servers = {"desk": entry(two, "desk", env={"KEY": "${input:desk-key}", "REGION": "${input:region}"})}
    asked = [{"id": "desk-key", "type": "promptString", "password": True}, {"id": "region", "type": "promptString"}]
    two.write("mcp.json", json.dumps({"inputs": asked, "servers": servers}))
    done = two.run("lock", "mcp.json", "--input", "region=north")
    assert done.err.splitlines()[0] == (
        "fusion: desk: needs the input desk-key, which is not set; give --input desk-key=..., or set DESK_KEY in the "
        "environment"
    )
    done = two.run("lock", "mcp.json", "--input", "region=north", "--input", "desk-key=ab=cd-1234")
    assert done.code == 0
    lock = two.read("fusion.lock")
    assert 'instructions = "${DESK_KEY} north"' in lock
    assert 'KEY = "${DESK_KEY}"' in lock
    assert "ab=cd-1234" not in lock + done.out + done.err
    monkeypatch.setenv("DESK_KEY", "ab=cd-1234")
    monkeypatch.setenv("REGION", "north")
    assert two.run("lock", "--check").code == 0
    assert two.run("check", "--offline", "--input", "region=south").code == 2  # no repository: it still takes the flag


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--input", "nobody=1"], "no client configuration asks for the input nobody; leave --input out"),
        (["--name", "x"], "--name goes with one server, and .mcp.json names its own; " + INSTEAD),
        (["-s", "none"], ".mcp.json names no server that matches none; there are: desk, pages"),
    ],
)  # fmt: skip
def test_what_the_command_line_gets_wrong(two: Project, arguments: list[str], said: str) -> None:
    done = two.run("lock", ".mcp.json", *arguments)
    assert (done.code, done.err) == (2, f"fusion: {said}\nexit 2: could not check\n")
    assert not (two.folder / "fusion.lock").exists()


@pytest.mark.parametrize("word", ["nothing", "=value-of-a-secret"])
def test_an_input_without_a_value_is_refused_and_not_repeated(two: Project, word: str) -> None:
    done = two.run("lock", ".mcp.json", "--input", word)
    assert done.code == 2
    assert "write ID=VALUE." in done.err
    assert "value-of-a-secret" not in done.err


@pytest.mark.parametrize("word", ["0", "x", "1000", "-1"])
def test_a_number_of_jobs_that_is_none(two: Project, word: str) -> None:
    assert two.run("lock", ".mcp.json", "--jobs", word).code == 2


# -- secrets -----------------------------------------------------------------------------------------------------------


def test_literal_secrets_cost_their_server_alone_and_are_not_repeated(two: Project) -> None:
    secret = "sk-abcdefghijklmnopqrstuvwx"
    config(
        two,
        pages=entry(two, "pages", env={"API_KEY": secret}),
        argument={"command": "npx", "args": ["x@1.0.0", "--api-key", secret]},
        header={"url": "https://desk.example.com/mcp", "headers": {"Authorization": f"Bearer {secret}"}},
        query={"url": f"https://desk.example.com/mcp?api_key={secret}"},
        user={"url": f"https://me:{secret}@desk.example.com/mcp"},
    )
    done = two.run("lock", ".mcp.json")
    assert done.out == "exit 2: wrote fusion.lock: 1 server, 2 tools; 4 servers not read\n"
    told = [line for line in done.err.splitlines() if line.startswith("fusion: ")]
    assert [line.partition(";")[0] for line in told] == [
        "fusion: argument: the argument after --api-key looks like a secret",
        "fusion: header: the value of the header Authorization looks like a secret",
        "fusion: query: api_key in the query of the URL at desk.example.com looks like a secret",
        "fusion: user: the user part of the URL at desk.example.com looks like a secret",
    ]
    assert sources(two)["pages"]["env"] == {"API_KEY": ""}
    for text in (done.out, done.err, two.read("fusion.lock"), two.read("fusion.toml")):
        assert secret not in text
    for arguments in (
        ["show", ".mcp.json"],
        ["lock", "--check"],
        ["diff", "--format", "json"],
        ["diff", "fusion.lock", ".mcp.json"],
    ):
        done = two.run(*arguments)
        assert secret not in done.out + done.err, arguments


# -- two servers of one NAME -------------------------------------------------------------------------------------------


def test_the_same_server_in_two_files_is_one_and_two_of_one_name_are_a_problem(two: Project) -> None:
    config(two, ".cursor/mcp.json", pages=entry(two, "pages"), desk=entry(two, "pages"))
    assert two.run("lock", ".mcp.json").code == 0
    two.write("fusion.toml", '[sources.claude]\npath = ".mcp.json"\n[sources.cursor]\npath = ".cursor/mcp.json"\n')
    done = two.run("lock", "--check")
    assert done.out == (
        "desk: different servers have this NAME, in claude (.mcp.json) and cursor (.cursor/mcp.json); "
        "rename or disable one of them; neither is read\n"
        "exit 2: could not check: 1 server not checked\n"
    )
    two.write("fusion.toml", f'{two.read("fusion.toml")}[sources.desk]\ncommand = ["x"]\n')
    assert "in claude (.mcp.json) and cursor (.cursor/mcp.json) and the settings;" in two.run("lock", "--check").out


def test_a_second_file_gets_a_key_of_its_own(two: Project) -> None:
    config(two, ".cursor/mcp.json", pages=entry(two, "pages"))
    config(two, "sub/.mcp.json", desk=entry(two, "desk"))
    for file in (".mcp.json", ".cursor/mcp.json", "sub/.mcp.json"):
        assert two.run("lock", file).code == 0
    assert {key: one["path"] for key, one in tomli.loads(two.read("fusion.toml"))["sources"].items()} == {
        "mcp": ".mcp.json",
        "cursor": ".cursor/mcp.json",
        "mcp-2": "sub/.mcp.json",
    }


def test_a_server_that_the_settings_name_otherwise_is_not_replaced(two: Project, close_page: Any) -> None:
    two.run("lock", "--name", "desk", *two.serve("other", close_page))
    before = two.files()
    done = two.run("lock", ".mcp.json")
    assert done.code == 2
    assert "fusion.toml names another source for desk" in done.err
    assert two.files() == before


# -- what may be away --------------------------------------------------------------------------------------------------


def test_what_may_be_away_keeps_its_entry_and_has_no_effect(two: Project, close_page: Any) -> None:
    two.run("lock", ".mcp.json")
    url = closed_url()
    config(two, pages=entry(two, "pages"), desk=entry(two, "gone"), new={"url": url})
    assert two.run("lock", "--check", "--timeout", "20").code == 1
    two.serve("pages", close_page)
    done = two.run("lock", "--allow-unreachable", "desk", "--allow-unreachable", "n?w")
    assert done.code == 0
    assert done.out.splitlines()[-1] == "wrote fusion.lock: 2 servers, 2 tools"
    assert "(--allow-unreachable: no effect on the exit code)\n" in done.err
    assert set(sources(two)) == {"desk", "pages"}
    two.write("fusion.toml", f'allow-unreachable = ["desk", "new"]\n{two.read("fusion.toml")}')
    done = two.run("lock", "--check")
    assert done.code == 0
    assert done.out == "exit 0: fusion.lock is intact and equal to its sources: 1 server, 1 tool\n"
    assert two.run("diff").code == 0
    assert two.run("diff", "fusion.lock", ".mcp.json").code == 0


def test_one_that_may_be_away_and_answers_is_treated_as_any_other(two: Project) -> None:
    config(two, pages=entry(two, "pages"))
    two.run("lock", ".mcp.json")
    config(two, pages=entry(two, "pages"), desk=entry(two, "desk"))
    done = two.run("lock", "--check", "--allow-unreachable", "*")
    assert (done.code, done.out.splitlines()[0]) == (
        1,
        (
            "desk: the lock is stale: it is not in the lock; "
            "fusion diff -s desk shows what changed, fusion lock -s desk accepts it"
        ),
    )


def test_nothing_at_all_that_can_be_read_writes_nothing(two: Project) -> None:
    config(two, pages=entry(two, "gone"))
    done = two.run("lock", ".mcp.json", "--allow-unreachable", "*")
    assert (done.code, done.out) == (
        0,
        "exit 0: fusion.lock was not written: no server could be read, which is allowed\n",
    )
    assert not (two.folder / "fusion.lock").exists()


# -- told --------------------------------------------------------------------------------------------------------------


def test_unpinned_packages_are_noted_once_in_one_line(two: Project) -> None:
    fake = two.write("bin/npx", f"#!/bin/sh\nexec {sys.executable} {two.script} pages.json\n")
    fake.chmod(0o755)
    other = two.write("bin/uvx", f"#!/bin/sh\nexec {sys.executable} {two.script} pages.json\n")
    other.chmod(0o755)
    config(
        two,
        a={"command": str(fake), "args": ["-y", "@acme/pages@latest"]},
        b={"command": str(fake), "args": ["-y", "@acme/pages@latest"]},
        c={"command": str(fake), "args": ["-y", "@acme/pages@1.4.0"]},
        d={"command": str(other), "args": ["desk-mcp"]},
    )
    done = two.run("lock", ".mcp.json")
    (told,) = [line for line in done.err.splitlines() if "unpinned" in line]
    assert told == (
        "note: unpinned, so that any run may get another version: @acme/pages@latest, desk-mcp; "
        "pin by writing @acme/pages@VERSION, desk-mcp==VERSION"
    )


def test_names_of_a_hostile_file_are_fit_for_a_terminal(project: Project) -> None:
    hostile = {
        "\x1b[31mred": {"command": "no-such-program"},
        "new\nline": {"command": "no-such-program"},
        "": {"command": "x"},
        "odd": 3,
        "both": {"command": "x", "url": "http://x"},
    }
    project.write(".mcp.json", json.dumps({"mcpServers": hostile}))
    done = project.run("lock", ".mcp.json")
    assert done.code == 2
    assert "\x1b" not in done.out + done.err
    assert len([line for line in done.err.splitlines() if line.startswith("fusion: ")]) == 6
    assert not Path(project.folder / "fusion.lock").exists()


def test_show_tells_of_each_server_and_of_what_is_wrong(two: Project) -> None:
    config(two, pages=entry(two, "pages"), gone={"command": "no-such-program"})
    done = two.run("show", ".mcp.json")
    assert done.code == 2
    assert done.out.startswith("pages 1.0.0: 2 tools\n")
    assert done.err.splitlines()[-2:] == [
        "fusion: gone: the command no-such-program is not on PATH; install it, or correct the command",
        "exit 2: could not read everything",
    ]


def test_two_files_are_compared_server_by_server(two: Project, close_page_v2: Any, list_pages: Any) -> None:
    two.serve("newer", close_page_v2, list_pages)
    config(two, "new.json", pages=entry(two, "newer"), desk=entry(two, "desk"), gone={"command": "no-such-program"})
    done = two.run("diff", ".mcp.json", "new.json")
    assert done.out.splitlines()[0] == ".mcp.json -> new.json"
    assert "BREAKING  pages: 1 breaking" in done.out
    assert "gone" in done.out
    assert done.code == 1


# -- init --------------------------------------------------------------------------------------------------------------


def test_init_speaks_of_a_configuration_that_is_here_and_starts_nothing(project: Project) -> None:
    config(project, touch={"command": "touch", "args": ["started"]})
    done = project.run("init")
    assert (
        "no lock yet: name what to lock: fusion lock -- COMMAND, or .mcp.json, which is here: fusion lock .mcp.json\n"
        in done.out
    )
    assert not (project.folder / "started").exists()


def test_init_takes_a_configuration_once(two: Project, close_page: Any) -> None:
    assert two.run("init", ".mcp.json").code == 0
    before = two.read("fusion.lock")
    two.serve("pages", close_page)
    assert "fusion.lock is there already; left as it is\n" in two.run("init", ".mcp.json").out
    assert two.read("fusion.lock") == before


def test_each_source_is_told_once_before_anything_starts(two: Project) -> None:
    two.write("tools.py", 'TOOLS = [{"name": "a", "inputSchema": {"type": "object"}}]\n')
    two.write("fusion.toml", 'jobs = 2\n[sources.z]\nobject = "tools.py:TOOLS"\n[sources.mcp]\npath = ".mcp.json"\n')
    assert two.run("lock").err == (
        "z: importing tools.py:TOOLS\n"
        "desk: starting python serve.py desk.json\n"
        "pages: starting python serve.py pages.json\n"
        f"{TWICE}"
    )
