"""Live servers over stdio: what is listed, once and twice."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reading import Scripted

from fusion_contracts.model import SourceRecord
from fusion_contracts.sources import mcp_session
from fusion_contracts.sources.base import Options, VolatileRule
from fusion_contracts.sources.twice import read_twice

NO_ARGUMENTS = "which says that there are no arguments; read as an empty object"


# -- what is listed ------------------------------------------------------------------------------------------------


def test_a_server_is_listed_in_full(scripted: Scripted, options: Options) -> None:
    said: list[str] = []
    source = scripted("plain")
    reading = source.read(replace(options, progress=said.append))
    (contract,) = reading.contracts
    assert contract.name == "plain"
    assert contract.protocol_version == "2025-11-25"
    assert contract.info == {"name": "scripted", "version": "1.0.0"}
    assert contract.capabilities == {"tools": {"listChanged": True}, "prompts": {}, "resources": {}}
    assert contract.instructions == "Be kind."
    assert list(contract.tools) == ["bow", "greet", "wave"]
    assert [(one.name, one.required, one.description) for one in contract.prompts["letter"].arguments] == [
        ("tone", True, "How to speak")
    ]
    assert contract.resources["a://b"].fields == {"name": "b"}
    assert contract.resource_templates["a://{c}"].fields == {"name": "c"}
    assert contract.source == SourceRecord(kind="stdio", command=source.command)
    assert (reading.problems, reading.notes, reading.refused, reading.unread) == ((), (), {}, {})
    assert said == [f"plain: starting {source.label}"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_locked_version_is_asked_for(scripted: Scripted, options: Options, version: str) -> None:
    for server in (scripted("plain"), scripted("stateless", "--both")):
        (contract,) = server.read(replace(options, protocol_version=version)).contracts
        assert contract.protocol_version == version


def test_a_stateless_server_is_listed_without_a_handshake(scripted: Scripted, options: Options) -> None:
    for arguments in ([], ["--both"]):
        (contract,) = scripted("stateless", *arguments).read(options).contracts
        assert contract.protocol_version == "2026-07-28"
        assert contract.info == {"name": "scripted", "version": "2.0.0"}
        assert contract.instructions == "Be kind."
        assert list(contract.tools) == ["greet"]


def test_a_server_that_no_longer_offers_the_locked_version_gives_what_it_has(
    scripted: Scripted, options: Options
) -> None:
    (contract,) = scripted("stateless").read(replace(options, protocol_version="2025-06-18")).contracts
    assert contract.protocol_version == "2026-07-28"
    (contract,) = scripted("plain").read(replace(options, protocol_version="2026-07-28")).contracts
    assert contract.protocol_version == "2025-11-25"


def test_a_server_that_dies_of_the_probe_is_started_again_without_it(scripted: Scripted, options: Options) -> None:
    said: list[str] = []
    (contract,) = scripted("fragile").read(replace(options, progress=said.append)).contracts
    assert contract.protocol_version == "2025-11-25"
    assert said[1:] == ["fragile: stopped before it answered initialize (exit status 1); starting it once more"]


def test_a_server_that_ignores_the_probe_is_greeted_in_the_old_way(
    scripted: Scripted, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_session, "PROBE_SECONDS", 0.05)
    for server, version in (("deaf", "2025-11-25"), ("stateless", "2026-07-28")):
        (contract,) = scripted(server).read(options).contracts
        assert contract.protocol_version == version
        assert list(contract.tools) == ["greet"]


def test_noise_and_requests_of_the_server_are_lived_with(scripted: Scripted, options: Options) -> None:
    (contract,) = scripted("noisy").read(options).contracts
    assert contract.tools["greet"].extra["x-answers"] == {
        "ping": {},
        "roots/list": {"roots": []},
        "sampling/createMessage": {"code": -32601, "message": "Method not found"},
    }


def test_malformed_tools_are_refused_by_name_and_the_rest_kept(scripted: Scripted, options: Options) -> None:
    reading = scripted("malformed").read(options)
    (contract,) = reading.contracts
    assert list(contract.tools) == ["greet", "old", "older", "stringly"]
    assert contract.tools["stringly"].input_schema == {"type": "string"}
    assert contract.tools["old"].input_schema == {}
    assert contract.tools["older"].input_schema == {}
    assert reading.refused == {"malformed": frozenset({"twin", "listy", "texty", "odd\x1b[31m"})}
    assert [problem.message for problem in reading.problems] == [
        "tool 2 of 13 is refused: it has no name",
        "tool 3 of 13 is refused: its name is empty",
        "tool 4 of 13 is refused: its name is a number, not a text",
        "tool 5 of 13 is refused: it is a text, not a JSON object",
        "tool twin is refused: it is listed twice",
        "tool listy is refused: its input schema is a list, neither a JSON object nor null",
        "tool texty is refused: its input schema is a text, neither a JSON object nor null",
        "tool odd\\u{1b}[31m is refused: its input schema is a number, neither a JSON object nor null",
    ]
    assert {(problem.server, problem.stage) for problem in reading.problems} == {("malformed", "normalise")}
    assert reading.notes == (
        'malformed: tool stringly: its input schema has the type "string", not "object"; kept as it is',
        f"malformed: tool old: its input schema is null, {NO_ARGUMENTS}",
        f"malformed: tool older: its input schema is missing, {NO_ARGUMENTS}",
    )


# -- listing twice -------------------------------------------------------------------------------------------------


def test_what_differs_between_two_listings_is_named(scripted: Scripted, options: Options) -> None:
    reading, candidates = read_twice(scripted("changing"), options)
    assert list(reading.contracts[0].tools) == ["greet"]
    assert [candidate.sentence for candidate in candidates] == [
        "changing: tool greet /description differs between two listings",
        "changing: /instructions differs between two listings",
    ]
    rules = tuple(candidate.rule for candidate in candidates if candidate.rule)
    assert len(rules) == 2
    assert read_twice(scripted("changing"), replace(options, volatile=rules))[1] == []


def test_a_volatile_rule_settles_it(scripted: Scripted, options: Options) -> None:
    rule = VolatileRule("chang*", "*", "*", r"process \d+", "the process id")
    reading, candidates = read_twice(scripted("changing"), replace(options, volatile=(rule,)))
    assert candidates == []
    assert reading.contracts[0].tools["greet"].description == "Runs as {volatile}."
    assert reading.contracts[0].instructions == "Runs as {volatile}."


def test_an_equal_second_listing_gives_no_candidate(scripted: Scripted, options: Options) -> None:
    assert read_twice(scripted("stateless", "--both"), options)[1] == []
