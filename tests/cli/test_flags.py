"""Flags in the settings: every one can stand there, the command line wins, and what is wrong is named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli
from page_blocks import blocks

from fusion_contracts.cli.app import COMMANDS, parameters
from fusion_contracts.cli.flags import UNSETTABLE, Flag, flags_of, given, judge, shared
from fusion_contracts.cli.project import read_settings
from fusion_contracts.config import ConfigFile
from fusion_contracts.errors import FusionError

HERE = ConfigFile(Path("fusion.toml"), nested=False)


def long_flags(command: str) -> list[str]:
    return [word for one in parameters(command) for word in one.opts if word.startswith("--")]


ALL = [(command, flag) for command in COMMANDS for flag in long_flags(command)]


def fitting(flag: Flag) -> Any:
    """A value that a flag takes."""
    text = flag.words[0] if flag.words else {"format": "text", "every": "5m"}.get(flag.key, "x")
    return {"flag": True, "number": 3, "text": text, "texts": [text]}[flag.kind]


@pytest.mark.parametrize(("command", "word"), ALL)
def test_every_flag_can_be_set_but_for_those_with_a_reason(command: str, word: str, tmp_path: Path) -> None:
    key = word.removeprefix("--")
    reason = UNSETTABLE.get(word) or UNSETTABLE.get(f"{command} {word}")
    if reason is not None:
        print(f"{command} {word}: {reason}")  # noqa: T201 - shown by `pytest -rP`
        with pytest.raises(FusionError, match=re.escape(f"{command}.{key} cannot be set; remove it: {reason}")):
            judge({command: {key: "x"}}, HERE)
        return
    flag = flags_of(command)[key]
    value = fitting(flag)
    (tmp_path / "fusion.toml").write_text(f"[{command}]\n{key} = {json.dumps(value)}\n", encoding="utf-8")
    assert read_settings(tmp_path)[1] is not None
    handed = str(value) if flag.kind == "number" else value
    assert given(flags_of(command).values(), {command: {key: value}}) == {flag.name: handed}


def test_every_exception_is_a_flag_that_there_is() -> None:
    known = {word for _, word in ALL} | {f"{command} {word}" for command, word in ALL} | {"-C", "--help", "--version"}
    assert UNSETTABLE.keys() <= known


@pytest.mark.parametrize("flag", shared().values(), ids=lambda flag: flag.key)
def test_a_flag_of_several_commands_holds_for_each_from_the_top(flag: Flag) -> None:
    table = {flag.key: fitting(flag)}
    judge(table, HERE)
    having = [command for command in COMMANDS if flag.key in flags_of(command)]
    assert len(having) > 1
    for command in COMMANDS:
        handed = str(fitting(flag)) if flag.kind == "number" else fitting(flag)
        expected = {flag.name: handed} if command in having else {}
        assert given(flags_of(command).values(), table) == expected


def test_a_flag_that_takes_other_words_elsewhere_is_not_shared() -> None:
    assert flags_of("check")["against"].words != flags_of("diff")["against"].words
    assert "against" not in shared()


def test_the_words_that_a_flag_shows_are_those_that_it_takes() -> None:
    for flag in (one for command in COMMANDS for one in flags_of(command).values() if one.words):
        for word in flag.words:
            assert flag.taken([word] if flag.kind == "texts" else word)
        with pytest.raises(ValueError, match=r"^is wrong: 'other' is not one of "):
            flag.taken(["other"] if flag.kind == "texts" else "other")


# --- on the command line ---------------------------------------------------------------------------------------------


def test_the_command_line_wins_over_its_table_and_that_over_the_top(pair: Any) -> None:
    diff = ("diff", "old.json", "new.json")
    pair.write("fusion.toml", 'output = "top.txt"\n[diff]\noutput = "table.txt"\nfail-on = "never"\n')
    assert pair.run(*diff, "--output", "given.txt").code == 0
    assert pair.run(*diff).code == 0
    assert pair.run(*diff, "--fail-on", "breaking").code == 1
    assert {path.name for path in pair.folder.glob("*.txt")} == {"given.txt", "table.txt"}
    pair.write("fusion.toml", 'output = "top.txt"\n')
    assert pair.run(*diff).code == 1
    assert (pair.folder / "top.txt").exists()


def test_the_table_of_a_command_wins_over_what_is_said_of_a_server(pair: Any) -> None:
    pair.write("fusion.toml", '[servers.old]\nfail-on = "any"\n[diff]\nfail-on = "never"\n')
    assert pair.run("diff", "old.json", "new.json").code == 0


def test_a_switch_is_turned_off_by_its_opposite(repository: Any, close_page: Any) -> None:
    repository.run("lock", *repository.serve("pages", close_page))
    repository.commit()
    repository.write("fusion.toml", repository.read("fusion.toml") + "[check]\noffline = true\n")
    assert "not asked (--offline)" in repository.run("check", "--base", "HEAD").out
    assert "1 server unchanged" in repository.run("check", "--base", "HEAD", "--no-offline").out


def test_formats_hold_for_the_commands_that_write_several(pair: Any) -> None:
    pair.write("fusion.toml", 'formats = ["text", "json=out.json"]\n')
    assert pair.run("diff", "old.json", "new.json").out.startswith("old.json -> new.json\n")
    assert json.loads(pair.read("out.json"))["summary"]["breaking"] == 1
    assert pair.run("show", "old.json").out.startswith("old: 1 tool\n")
    assert json.loads(pair.run("diff", "old.json", "new.json", "--format", "json").out)["schema_version"] == 1


def test_show_is_a_flag_as_a_list_and_a_command_as_a_table(pair: Any) -> None:
    pair.write("fusion.toml", 'show = ["all"]\n')
    assert "\n      next: " in pair.run("diff", "old.json", "new.json").out
    pair.write("fusion.toml", '[show]\nformat = "json"\n')
    assert json.loads(pair.run("show", "old.json").out)["tools"]


def test_a_base_in_the_settings_stands_back_where_sources_are_named(repository: Any, close_page: Any) -> None:
    repository.run("lock", *repository.serve("pages", close_page))
    repository.commit()
    old = repository.catalog("old.json", close_page)
    repository.write("fusion.toml", repository.read("fusion.toml") + '[diff]\nbase = "main"\n')
    assert repository.run("diff").out.startswith("fusion.lock at main (")
    assert repository.run("diff", old, old).out.startswith("old.json -> old.json\n")
    assert repository.run("diff", *repository.serve("pages", close_page)).out.startswith("fusion.lock -> ")
    repository.run("release", "1")
    assert repository.run("diff", "--against", "release").out.startswith("release 1 of ")


def test_a_base_at_the_top_is_where_a_base_is_looked_for(repository: Any, close_page: Any) -> None:
    repository.run("lock", *repository.serve("pages", close_page))
    repository.commit()
    repository.write("fusion.toml", 'base = "main"\n' + repository.read("fusion.toml"))
    assert "compatible  with fusion.lock at main (" in repository.run("check").out
    assert "compatible  with fusion.lock at main (" in repository.run("check", "--all").out
    assert repository.run("diff").out.startswith("fusion.lock -> 1 live server\n")


# --- what is wrong ---------------------------------------------------------------------------------------------------

WRONG = [
    ("[check]\nofline = true\n", "fusion.toml: unknown key check.ofline; did you mean offline?"),
    ("[chek]\noffline = true\n", "fusion.toml: unknown key chek; did you mean check?"),
    ("no-colour = true\n", "fusion.toml: unknown key no-colour; did you mean no-color?"),
    ("offline = true\n", "fusion.toml: unknown key offline; it is a flag: write it in [check]"),
    ("format = ['json']\n", "fusion.toml: unknown key format; did you mean formats?"),
    ("check = true\n", "fusion.toml: check must be a table; correct the value"),
    ("[check]\noffline = 'yes'\n", "fusion.toml: check.offline must be true or false; correct the value"),
    ("[release]\nkeep = '3'\n", "fusion.toml: release.keep must be a whole number; correct the value"),
    ("[release]\nkeep = true\n", "fusion.toml: release.keep must be a whole number; correct the value"),
    ("[diff]\nbase = 1\n", "fusion.toml: diff.base must be a string; correct the value"),
    ("show = 'safe'\n", "fusion.toml: show must be a list of strings; correct the value"),
    ("show = [1]\n", "fusion.toml: show must be a list of strings; correct the value"),
    (
        "[diff]\nworld = 'flat'\n",
        "fusion.toml: diff.world is wrong: 'flat' is not one of declared, open; correct the value",
    ),
    (
        "[lock]\nwrite = true\n",
        (
            "fusion.toml: lock.write cannot be set; "
            "remove it: it accepts changes where CI is set: whoever accepts them says so each time"
        ),
    ),
]


@pytest.mark.parametrize(("text", "said"), WRONG)
def test_what_is_wrong_is_named_whatever_the_command(project: Any, text: str, said: str) -> None:
    project.write("fusion.toml", text)
    project.catalog("a.json")
    result = project.run("diff", "a.json", "a.json", "--format", "json")
    assert (result.code, result.err.splitlines()[0]) == (2, f"fusion: {said}")
    assert json.loads(result.out)["errors"][0]["stage"] == "usage"


def test_a_format_that_there_is_not(project: Any) -> None:
    project.write("fusion.toml", "formats = ['xml=a']\n")
    result = project.run("diff", project.catalog("a.json"), "a.json")
    assert result.code == 2
    assert result.err.startswith("fusion: formats holds xml=a, and there is no such format; write one of text, github")


def test_faulty_settings_do_not_hide_the_help_or_the_rules(project: Any) -> None:
    project.write("fusion.toml", "ofline = true\n")
    assert project.run("check", "--help").code == 0
    assert project.run("explain", "tool-removed").code == 0


def test_init_reads_settings_with_flags_again(repository: Any, close_page: Any) -> None:
    repository.write("fusion.toml", "no-color = true\n")
    assert repository.run("init", *repository.serve("pages", close_page)).code == 0
    assert repository.read("fusion.toml").startswith("no-color = true\n")


# --- the schema for editors ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def editor(root: Path) -> Any:
    schema = json.loads((root / "docs" / "schema" / "fusion.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema, format_checker=jsonschema.FormatChecker())


def as_editors_see(text: str) -> Any:
    """TOML's dates and times are texts to an editor."""
    return json.loads(json.dumps(tomli.loads(text), default=lambda value: value.isoformat()))


def test_the_schema_takes_the_example(editor: Any, root: Path) -> None:
    page = (root / "docs" / "configuration.md").read_text(encoding="utf-8")
    (example,) = blocks(page, "toml")
    assert [error.message for error in editor.iter_errors(as_editors_see(example))] == []


def test_every_key_has_a_description(editor: Any) -> None:
    schema = editor.schema
    owners = [schema, *schema["definitions"].values()]
    owners += [one for one in schema["properties"].values() if "properties" in one and one not in owners]
    described = [key for owner in owners for key, one in owner["properties"].items() if "description" not in one]
    assert described == ["show"]  # a flag or a command: each of the two has its own


@pytest.mark.parametrize(
    "text",
    [
        *(text for text, _ in WRONG),
        "zzz = 1\n",
        "formats = ['xml']\n",
        "levels = { tool-remove = 'safe' }\n",
        "levels = { tool-removed = 'off' }\n",
        "token-growth-percent = -1\n",
        "lockfile = ''\n",
        "[sources.x]\n",
        "[sources.x]\ncommand = ['a']\npath = 'b'\n",
        "[sources.x]\npath = 'b'\npass-env = ['A']\n",
        "[servers.x]\nfail-on = 'high'\n",
        "[[waivers]]\nfingerprints = ['4f2a91c']\n",
        "[[waivers]]\nfingerprints = ['4f2a91']\nreason = 'a'\n",
        "[[waivers]]\nfingerprints = ['4f2a91c']\ntool = 'a'\nreason = 'a'\n",
        "[[waivers]]\nfingerprints = ['4f2a91c']\nreason = ' '\n",
        "[[waivers]]\nrule = 'tool-removed'\nreason = 'a'\n",
        "[[waivers]]\nrule = 'tool-remove'\nreason = 'a'\nuntil = 2026-12-31\n",
        "[[waivers]]\nreason = 'a'\n",
        "[[volatile]]\npattern = 'x'\n",
    ],
)
def test_the_schema_refuses_what_the_settings_refuse(editor: Any, text: str) -> None:
    assert not editor.is_valid(as_editors_see(text))
