"""Saved catalogs in every form in which people keep them, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import SourceRecord
from fusion_contracts.sources.base import Options, Reading
from fusion_contracts.sources.catalog import CatalogSource

TOOLS = [{"name": "a", "inputSchema": {"type": "object"}}]
EXPECTED = (
    'give a list of tools, an object with "tools", the JSON-RPC answer to tools/list, an OpenAPI document, '
    "or a lock that fusion wrote"
)


def save(folder: Path, value: Any, name: str = "weather.json") -> CatalogSource:
    text = value if isinstance(value, (str, bytes)) else json.dumps(value)
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return CatalogSource(Path(name))


def failure(source: CatalogSource, options: Options) -> Problem:
    with pytest.raises(FusionError) as caught:
        source.read(options)
    return caught.value.problem


@pytest.mark.parametrize(
    "value",
    [
        TOOLS,
        {"tools": TOOLS},
        {"tools": TOOLS, "nextCursor": None},
        {"result": {"tools": TOOLS}},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS, "resultType": "complete"}},
        {"server": {"name": "x"}, "tools": TOOLS, "prompts": [], "resources": None},
        [{"name": "a", "input_schema": {"type": "object"}, "annotations": None}],
    ],
)
def test_every_form_gives_the_same_tools(options: Options, value: Any) -> None:
    reading = save(options.root, value).read(options)
    (contract,) = reading.contracts
    assert contract.name == "weather"
    assert contract.source == SourceRecord(kind="file", path="weather.json")
    assert {name: tool.input_schema for name, tool in contract.tools.items()} == {"a": {"type": "object"}}
    assert reading == Reading(contracts=(contract,))


def test_what_the_file_says_of_the_server_is_kept(options: Options) -> None:
    server = {
        "name": "ignored", "package": "@acme/weather-mcp", "protocolVersion": "2025-06-18",
        "serverInfo": {"name": "weather", "version": "1.2"}, "capabilities": {"tools": {}},
        "instructions": "Ask first.",
    }  # fmt: skip
    sections = {
        "prompts": [{"name": "p"}], "resources": [{"uri": "a:b"}], "resourceTemplates": [{"uriTemplate": "a:{b}"}],
    }  # fmt: skip
    for value in ({"server": server, "tools": TOOLS, **sections}, {**server, "tools": TOOLS, **sections}):
        (contract,) = save(options.root, value).read(options).contracts
        assert contract.protocol_version == "2025-06-18"
        assert contract.capabilities == {"tools": {}}
        assert contract.info == {"name": "weather", "version": "1.2"}
        assert contract.instructions == "Ask first."
        assert (list(contract.prompts), list(contract.resources), list(contract.resource_templates)) == (
            ["p"], ["a:b"], ["a:{b}"],
        )  # fmt: skip


def test_the_name_is_the_asked_one_else_the_packages_else_the_files(options: Options) -> None:
    package = {"server": {"package": "@acme/weather-mcp"}, "tools": TOOLS}
    assert save(options.root, package, "x.json").read(options).contracts[0].name == "weather"
    assert save(options.root, TOOLS, "rain server.json").read(options).contracts[0].name == "rain-server"
    asked = Options(root=options.root, name="mine")
    assert save(options.root, package).read(asked).contracts[0].name == "mine"


def test_the_name_that_a_catalog_of_ours_gives_is_kept(options: Options) -> None:
    server = {"name": "My mcp-server", "serverInfo": {"name": "other"}}
    assert save(options.root, {"server": server, "tools": TOOLS}).read(options).contracts[0].name == "My mcp-server"


def test_several_catalogs_in_one_file(options: Options) -> None:
    other = [{"name": "b", "inputSchema": {}}, {"inputSchema": {}}]
    source = save(options.root, {"catalogs": {"one": {"tools": TOOLS}, "two": {"tools": other}}})
    reading = source.read(options)
    assert {contract.name: list(contract.tools) for contract in reading.contracts} == {"one": ["a"], "two": ["b"]}
    assert [contract.source for contract in reading.contracts] == [SourceRecord(kind="file", path="weather.json")] * 2
    assert [(problem.server, problem.message) for problem in reading.problems] == [
        ("two", "tool 2 of 2 is refused: it has no name")
    ]
    (chosen,) = source.read(Options(root=options.root, name="two")).contracts
    assert chosen == reading.contracts[1]


@pytest.mark.parametrize(
    ("value", "name", "sentence"),
    [
        ({"one": {"tools": TOOLS}}, "three", "weather.json holds no server three; it holds: one"),
        ({}, None, "weather.json holds no server; save one first"),
        ({"one": {"a": 1}}, None, f"weather.json: one is neither a catalog of tools nor a lock; {EXPECTED}"),
    ],
)
def test_several_catalogs_that_are_none(options: Options, value: Any, name: str | None, sentence: str) -> None:
    source = save(options.root, {"catalogs": value})
    assert str(failure(source, Options(root=options.root, name=name))) == sentence


def test_the_path_is_stored_relative_to_the_root(options: Options) -> None:
    (options.root / "sub").mkdir()
    save(options.root, TOOLS)
    inside = Options(root=options.root / "sub")
    for path in (Path("../weather.json"), options.root / "weather.json"):
        (contract,) = CatalogSource(path).read(inside).contracts
        assert contract.source == SourceRecord(kind="file", path="../weather.json")


def test_malformed_tools_are_refused_as_from_a_live_server(options: Options) -> None:
    reading = save(options.root, [*TOOLS, {"inputSchema": {}}, {"name": "b"}, {"name": "b"}]).read(options)
    assert list(reading.contracts[0].tools) == ["a"]
    assert [problem.message for problem in reading.problems] == [
        "tool 2 of 4 is refused: it has no name",
        "tool b is refused: it is listed twice",
    ]


def test_a_first_page_is_noted(options: Options) -> None:
    reading = save(options.root, {"tools": TOOLS, "nextCursor": "more"}).read(options)
    assert reading.notes == ("weather: the catalog has a nextCursor: it holds the first page alone",)


@pytest.mark.parametrize(
    "value",
    [
        {}, {"tools": {}}, {"tools": "x"}, {"a": 1}, 5, "text", None, [1, 2], [{"type": "function"}],
        {"result": {}}, {"result": []}, {"server": {}},
    ],
)  # fmt: skip
def test_json_that_is_no_catalog(options: Options, value: Any) -> None:
    source = save(options.root, json.dumps(value))
    assert failure(source, options) == Problem(
        None, "read", "weather.json is neither a catalog of tools nor a lock", EXPECTED
    )


def test_an_error_answer(options: Options) -> None:
    source = save(options.root, {"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}})
    assert str(failure(source, options)) == (
        "weather.json holds an error answer, not a list of tools; save the answer of a call that worked"
    )


def test_a_client_configuration(options: Options) -> None:
    source = save(options.root, {"mcpServers": {"a": {"command": "x"}}})
    assert str(failure(source, options)) == (
        "weather.json is a client's configuration, whose servers are started only from the file in the folder; "
        "name that file"
    )


def test_listings_under_a_root_of_clients_are_no_configuration_of_one(options: Options) -> None:
    source = save(options.root, {"servers": {"a": {"tools": TOOLS}}})
    assert failure(source, options).message == "weather.json is neither a catalog of tools nor a lock"


def test_a_section_that_is_no_list(options: Options) -> None:
    source = save(options.root, {"tools": TOOLS, "prompts": {}})
    assert (
        str(failure(source, options)) == 'weather.json: "prompts" is not a list; correct the catalog, or save it again'
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"", "weather.json is empty"),
        (b'{"tools": [', "weather.json is not JSON: line 1, column 12: expecting value"),
        (b'{"tools": [], "tools": []}', 'weather.json holds the key "tools" twice in one object'),
        (b'{"tools": [NaN]}', "weather.json holds NaN, which JSON does not have"),
        (b'{"tools": ["\xff"]}', "weather.json is not UTF-8: line 1 holds the byte 0xff"),
    ],
)
def test_broken_files(options: Options, text: bytes, sentence: str) -> None:
    assert failure(save(options.root, text), options).message == sentence


def test_files_that_cannot_be_read(options: Options) -> None:
    assert str(failure(CatalogSource(Path("none.json")), options)) == "none.json does not exist; check the path"
    (options.root / "folder.json").mkdir()
    assert str(failure(CatalogSource(Path("folder.json")), options)) == (
        "folder.json is a folder, not a file; name a file in it"
    )
    huge = options.root / "huge.json"
    with huge.open("wb") as file:
        file.truncate(100 * 2**20)
    assert failure(CatalogSource(Path("huge.json")), options).message == "huge.json is larger than 64 MiB"


def test_a_byte_order_mark_is_no_fault(options: Options) -> None:
    source = save(options.root, b"\xef\xbb\xbf" + json.dumps(TOOLS).encode())
    assert list(source.read(options).contracts[0].tools) == ["a"]


def test_every_catalog_of_the_corpus_is_read_whole(shared: Path, options: Options) -> None:
    files = sorted((shared / "catalogs").glob("*/*.json"))
    assert files
    for file in files:
        reading = CatalogSource(file).read(options)
        listed = json.loads(file.read_text(encoding="utf-8"))
        assert (reading.problems, reading.notes) == ((), ()), file
        assert sorted(reading.contracts[0].tools) == sorted(tool["name"] for tool in listed["tools"])
        assert len(reading.contracts[0].prompts) == len(listed["prompts"])
        assert len(reading.contracts[0].resources) == len(listed["resources"])
