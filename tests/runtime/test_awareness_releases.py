"""Kept and packed releases, and what is said of tools that are gone."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from fusion_contracts import ContractAwareness, FusionError, unknown_action
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.file import RELEASES
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.runtime.deltas import Delta
from fusion_contracts.runtime.releases import PACKED, pack, read_releases, release_head

STRING = {"type": "string"}


def takes(properties: Mapping[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict(properties), "required": required or []}
    return {**schema, "additionalProperties": False}


def contract(tools: Mapping[str, Any], version: str = "", name: str = "server") -> ServerContract:
    """A server of tools, each given by its input schema or by its fields."""
    made = {
        key: Tool(key, **value) if "input_schema" in value else Tool(key, value) for key, value in sorted(tools.items())
    }
    return ServerContract(name, info={"version": version} if version else {}, tools=made)


def test_a_removed_tool_is_said_to_be_removed() -> None:
    dispatcher = takes({"name": STRING, "arguments": {"type": "object"}}, ["name", "arguments"])
    live = contract({"execute_sentry_tool": dispatcher})
    awareness = ContractAwareness.between(contract({"whoami": takes({})}, "0.33.0"), live)
    fault = unknown_action("whoami", live, awareness)
    assert fault.to_xml() == (
        '<tool_error code="UNKNOWN_ACTION" severity="error">\n'
        "  <message>No tool whoami. Removed since 0.33.0.</message>\n"
        '  <recovery>Call execute_sentry_tool with {"name":"whoami","arguments":{}}. '
        "Do not explain the error.</recovery>\n"
        "  <available_actions>\n"
        "    <action>execute_sentry_tool</action>\n"
        "  </available_actions>\n"
        "</tool_error>"
    )
    text = fault.to_xml()
    assert awareness.enrich(text, "whoami") is text


def test_of_a_renamed_tool_the_successor_comes_first() -> None:
    schema = takes({"code": STRING}, ["code"])
    tools = {"browser_run_code_unsafe": {"input_schema": schema, "description": "Run a snippet of code in the page."}}
    older = {"browser_run_code": tools["browser_run_code_unsafe"]}
    live = contract({**tools, "browser_close": takes({})})
    fault = unknown_action("browser_run_code", live, ContractAwareness.between(contract(older, "2"), live))
    assert fault.message == "No tool browser_run_code. Renamed to browser_run_code_unsafe since 2."
    assert fault.available_actions[0] == "browser_run_code_unsafe"
    assert fault.recovery == "Call browser_run_code_unsafe instead. Do not explain the error."


def test_of_a_name_that_never_was_the_five_nearest_are_offered() -> None:
    names = [f"close_page_{index}" for index in range(20)]
    assert len(unknown_action("close_page", contract(dict.fromkeys(names, takes({})))).available_actions) == 5
    fault = unknown_action("closePage", ["list_pages", "close_page"])
    assert (fault.message, fault.available_actions[0]) == ("No tool closePage.", "close_page")
    assert unknown_action("zzz", ["list_pages"]).available_actions == ()
    assert unknown_action("zzz", []).recovery == "Do not call zzz again. Do not explain the error."


def keep(folder: Path, name: str, sequence: int, server: ServerContract) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = release_head(name, sequence) + encode(Lock({server.name: server}))
    (folder / f"{name}.lock").write_text(text, encoding="utf-8", newline="\n")


GENERATIONS = [takes({"a": STRING, "b": STRING}), takes({"b": STRING}), takes({"b": STRING})]
LIVE = contract({"t": takes({})})


def test_releases_are_read_by_their_number_and_equal_changes_are_one(tmp_path: Path) -> None:
    folder = tmp_path / RELEASES / "server"
    for sequence, (name, schema) in enumerate(zip(["1.9", "1.10", "2.0"], GENERATIONS, strict=True), 1):
        keep(folder, name, sequence, contract({"t": schema}, name))
    assert [release.name for release in read_releases(folder, "server")] == ["1.9", "1.10", "2.0"]
    assert [release.name for release in read_releases(folder, "server", last=1)] == ["2.0"]
    for place in (tmp_path, tmp_path / RELEASES, folder, str(folder)):
        awareness = ContractAwareness.from_releases(place, LIVE)
        found = {delta.field: delta.since for delta in awareness.deltas("t")}
        assert found == {"a": "1.9", "b": "2.0"}  # the release after which each changed
        assert ET.fromstring(awareness.render("t")).get("since") == "1.9"  # our own text
    assert ET.fromstring(ContractAwareness.from_releases(folder, LIVE, last=2).render("t")).get("since") == "2.0"


def test_locks_without_a_number_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    for name in ("0.10", "0.9", "0.8"):
        (tmp_path / f"{name}.lock").write_text(encode(Lock({"server": LIVE})), encoding="utf-8")
    assert [release.name for release in read_releases(tmp_path, "server")] == ["0.8", "0.9", "0.10"]


def test_no_release_is_one_line_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="fusion_contracts"):
        awareness = ContractAwareness.from_releases(tmp_path, LIVE)
    assert awareness.actions == ()
    (line,) = (record.getMessage() for record in caplog.records)
    assert line.startswith("no release of server found: agents are not told what changed. Searched: ")
    assert str(tmp_path / RELEASES / "server") in line
    assert str(tmp_path / PACKED) in line


def test_a_release_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "1.lock").write_text("nothing", encoding="utf-8")
    with pytest.raises(FusionError, match=r"1\.lock is not TOML"):
        ContractAwareness.from_releases(tmp_path, LIVE)


def test_packed_deltas_come_from_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "my_server"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    known = ContractAwareness.between(contract({"t": GENERATIONS[0]}, "1.9"), LIVE)
    text = pack(known.all_deltas, LIVE)
    (package / PACKED).write_text(text, encoding="utf-8")
    for place in ("my_server", package):
        assert ContractAwareness.from_releases(place, LIVE).deltas("t") == known.deltas("t")
    moved = contract({"t": takes({"c": STRING})})  # not the contract that the deltas lead to
    assert ContractAwareness.from_releases("my_server", moved).deltas("t") == ()
    (package / PACKED).write_text(json.dumps({"fusion_deltas": 2}), encoding="utf-8")
    with pytest.raises(FusionError, match="no file of deltas that this release reads"):
        ContractAwareness.from_releases("my_server", LIVE)


def test_deltas_may_come_from_anywhere() -> None:
    delta = Delta("close_page", "RISKY", "pageId", "a < b & c")
    block = ContractAwareness(LIVE, [delta]).render("close_page")
    assert block == (
        "<contract_awareness>\n"
        '  <change severity="RISKY" field="pageId">a &lt; b &amp; c</change>\n'
        "</contract_awareness>"
    )
