"""The environment of a live server over stdio, and secrets: what it sees, and what of it is shown or stored."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from reading import Scripted, failure

from fusion_contracts.sources.base import Options
from fusion_contracts.sources.stdio import StdioSource


def test_the_environment_is_minimal_and_fixed(scripted: Scripted, options: Options) -> None:
    environ = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "de_DE", "FUSION_STRAY": "1", "HANDED": "2", "MINE": "3"}
    source = scripted("leaky", env={"CONFIGURED": "${MINE}", "API_TOKEN": "short"}, pass_env=("HANDED", "NOT_SET"))
    (contract,) = source.read(replace(options, environ=environ)).contracts
    assert contract.tools["greet"].description == "Connected with short in UTC, C.UTF-8"
    names = set((contract.instructions or "").split())
    assert {"CONFIGURED", "HANDED", "API_TOKEN", "TZ", "LC_ALL", "PATH"} <= names
    allowed = {"HOME", "TMPDIR", "TEMP", "TMP", "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}
    assert names - allowed == {"CONFIGURED", "HANDED", "API_TOKEN", "TZ", "LC_ALL", "PATH", "FUSION_LISTING"}


def test_a_secret_value_does_not_come_back_into_the_contract(scripted: Scripted, options: Options) -> None:
    environ = {**os.environ, "THE_TOKEN": "correct-horse-battery"}
    source = scripted("leaky", env={"API_TOKEN": "${THE_TOKEN}"})
    reading = source.read(replace(options, environ=environ))
    (contract,) = reading.contracts
    assert contract.tools["greet"].description == "Connected with ${API_TOKEN} in UTC, C.UTF-8"
    assert reading.notes == ("leaky: the value of API_TOKEN stood in its listing; stored as ${API_TOKEN}",)
    assert contract.source is not None
    assert contract.source.env == {"API_TOKEN": "${THE_TOKEN}"}


TOKEN = "hunter2Zq9-and-more"


def telling(scripted: Scripted, options: Options, *arguments: str, value: str = TOKEN) -> tuple[StdioSource, Options]:
    environ = {**os.environ, "THE_TOKEN": value}
    return scripted("telling", *arguments, env={"API_TOKEN": "${THE_TOKEN}"}), replace(options, environ=environ)


def test_a_secret_that_names_something_is_refused_and_in_a_uri_replaced(scripted: Scripted, options: Options) -> None:
    source, options = telling(scripted, options)
    reading = source.read(options)
    (contract,) = reading.contracts
    assert list(contract.tools) == ["greet"]
    assert list(contract.prompts) == ["ask"]
    assert {uri: one.fields for uri, one in contract.resources.items()} == {
        "db://me:${API_TOKEN}@host/x": {"name": "${API_TOKEN}"}
    }
    held = "a name in it holds the value of API_TOKEN"
    assert [problem.message for problem in reading.problems] == [
        f"tool for-${{API_TOKEN}} is refused: {held}",
        f"tool keyed is refused: {held}",
        f"tool bad-${{API_TOKEN}} is refused: {held}",
        f"prompt ask-${{API_TOKEN}} is refused: {held}",
    ]
    assert "hunter2" not in str(reading.contracts) + str(reading.problems) + str(reading.notes)


def test_a_secret_in_the_protocol_version(scripted: Scripted, options: Options) -> None:
    source, options = telling(scripted, options, "--version")
    reading = source.read(options)
    assert reading.contracts[0].protocol_version == "v${API_TOKEN}"
    assert "hunter2" not in str(reading.notes)
    assert reading.notes[0] == (
        'telling: its protocol version is "v(hidden)", which this release does not know; listed all the same'
    )


def test_a_sentence_is_cut_behind_its_secrets_not_within(scripted: Scripted, options: Options) -> None:
    source, options = telling(scripted, options, "--late")
    message = failure(source, options).message
    assert message == f"answers tools/list with error -1: {'x' * 294}(hidde"
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n", "cannot use (hidden) | (hidden)"),
        ("postgres://me:pa%24%24word@host/x", "cannot use (hidden)"),
    ],
)
def test_a_secret_of_several_lines_or_with_a_password_in_it(
    scripted: Scripted, options: Options, value: str, said: str
) -> None:
    source, options = telling(scripted, options, "--die", value=value)
    assert f'Last stderr: "{said}"' in failure(source, options).message


def test_the_password_of_a_url_is_no_part_of_a_contract(scripted: Scripted, options: Options) -> None:
    environ = {**os.environ, "DB": "postgres://me:tr0ub4dor@host/x"}
    source = scripted("leaky", env={"API_TOKEN": "tr0ub4dor", "DATABASE_URL": "${DB}"})
    (contract,) = source.read(replace(options, environ=environ)).contracts
    assert "tr0ub4dor" not in str(contract)


def test_the_record_holds_templates_and_names_alone(scripted: Scripted) -> None:
    env = {"A": "literal", "B": "Bearer ${TOKEN}", "C": "${X:-some default}${Y}"}
    source = scripted("plain", "--flag=${FLAG}", env=env, pass_env=("Z", "K", "Z"))
    assert source.record.command[-1] == "--flag=${FLAG}"
    assert source.record.env == {"A": "", "B": "${TOKEN}", "C": "${X}${Y}"}
    assert source.record.pass_env == ("K", "Z")


def test_the_label_is_one_line_for_a_shell() -> None:
    assert StdioSource(("npx", "-y", "a b", "it's", "", "x\ny")).label == "npx -y 'a b' 'it'\"'\"'s' '' 'x\\ny'"
