"""What of an entry in a client's configuration is honoured, and what is wrong with one; literal secrets among it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import tomli
from client_entries import config, entry, sources

from tests.cli.conftest import Project

INSTEAD = "choose with -s, or name the server's command or URL"


UNSET = "set NOWHERE in the environment, or write ${NOWHERE:-default}"


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
