"""Where findings stand in the text of a lock."""

from __future__ import annotations

from typing import Any

import pytest
import tomli
from hypothesis import given, settings
from hypothesis import strategies as st

from fusion_contracts.diff import Finding, Level
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, Prompt, PromptArgument, Resource, ServerContract, Tool
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.lines import Lines, Place, Places

CONTRACT = ServerContract(
    name="desk",
    protocol_version="2025-11-25",
    info={"name": "desk", "version": "2"},
    capabilities={"tools": {"listChanged": True}},
    instructions="One.\nTwo.",
    tools={
        "close": Tool(
            "close",
            {
                "type": "object",
                "properties": {
                    "ticket_id": {"type": "integer", "enum": [1, 2]},
                    "a.b": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"y": {}}}]},
                },
                "required": ["ticket_id"],
            },
            description="Close it.\n[servers.x]\n",
            output_schema={"type": "object", "properties": {"done": {"type": "boolean"}}},
            annotations={"readOnlyHint": False},
            meta={"vendor": {"k": 1}},
            extra={"icons": []},
        ),
        "a/b~c": Tool("a/b~c", {"type": "object"}),
    },
    prompts={"ask": Prompt("ask", arguments=(PromptArgument("x"), PromptArgument("y"))), "old": Prompt("old")},
    resources={"file:///a": Resource("file:///a", {"mimeType": "text/plain"})},
)
TEXT = encode(Lock({"desk": CONTRACT}))


def finding(pointer: str, tool: str | None = "close", **more: Any) -> Finding:
    fields: dict[str, Any] = {"server": "desk", "action": tool, "side": "input", **more}
    return Finding(
        rule="property-removed", level=Level.BREAKING, tool=tool, pointer=pointer, message="m", hint="", **fields
    )


CLOSE = "[servers.desk.tools.close]"
INPUT = "[servers.desk.tools.close.input]"
TICKET = "[servers.desk.tools.close.input.properties.ticket_id]"


@pytest.mark.parametrize(
    ("found", "line"),
    [
        (finding("/inputSchema/properties/ticket_id"), TICKET),
        (finding("/inputSchema/properties/ticket_id/enum"), "enum = ["),
        (finding("/inputSchema/properties/ticket_id/enum/1"), "  2,"),
        (finding("/inputSchema/properties/ticket_id/enum/7"), "enum = ["),
        (finding("/inputSchema/properties/ticket_id/minimum"), TICKET),
        (finding("/inputSchema/required"), "required = ["),
        (finding("/inputSchema/properties/a.b"), '[servers.desk.tools.close.input.properties."a.b"]'),
        (
            finding("/inputSchema/properties/a.b/anyOf/1/properties/y"),
            '  { properties = { y = {} }, type = "object" },',
        ),
        (finding("/inputSchema/properties/gone"), INPUT),
        (finding("/inputSchema/properties/id", successor="ticket_id"), TICKET),
        (finding("/inputSchema"), INPUT),
        (finding("/outputSchema/properties/done/type"), 'type = "boolean"'),
        (finding("/annotations/readOnlyHint"), "readOnlyHint = false"),
        (finding("/annotations/destructiveHint"), "[servers.desk.tools.close.annotations]"),
        (finding("/description"), 'description = """'),
        (finding("/title"), CLOSE),
        (finding("/_meta/vendor/k"), "k = 1"),
        (finding("/icons"), "icons = []"),
        (finding(""), CLOSE),
        (finding("", "a/b~c"), '[servers.desk.tools."a/b~c"]'),
        (finding("", "gone"), "[servers.desk]"),
        (finding("", "shut", successor="close", action=None), CLOSE),
        (finding("/serverInfo/version", None), 'version = "2"'),
        (finding("/protocolVersion", None), 'protocol_version = "2025-11-25"'),
        (finding("/instructions", None), 'instructions = """'),
        (finding("/capabilities/tools/listChanged", None), "listChanged = true"),
        (finding("/prompts/ask", None), "[servers.desk.prompts.ask]"),
        (finding("/prompts/ask/arguments/y", None), '  { name = "y" },'),
        (finding("/prompts/ask/arguments/z", None), "arguments = ["),
        (finding("/prompts/was", None, successor="old"), "[servers.desk.prompts.old]"),
        (finding("/resources/file:~1~1~1a/mimeType", None), 'mimeType = "text/plain"'),
        (finding("/resources/gone", None), "[servers.desk]"),
        (finding("/tools", None), "[servers.desk]"),
        (finding("", None), "[servers.desk]"),
        (finding("/inputSchema", server="named otherwise"), INPUT),
    ],
)
def test_the_line_of_a_finding(found: Finding, line: str) -> None:
    assert TEXT.split("\n")[Lines(TEXT).of(found) - 1] == line


def test_a_server_among_several_that_is_not_there() -> None:
    text = encode(Lock({name: ServerContract(name) for name in ("a", "b")}))
    assert Lines(text).of(finding("")) == 1


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "lock_version = 1"])
def test_a_text_without_servers(text: str) -> None:
    assert Lines(text).of(finding("/inputSchema")) == 1


def test_a_lock_written_by_hand() -> None:
    text = (
        "\ufefflock_version = 1\r\n"
        "servers.desk.tools . 'close' .title = 'x' # [servers.desk.tools.close.input]\r\n"
        '[ servers . desk . tools . "close" . input ] # = \r\n'
        "type = 'object'\r\n"
        "required = [ 'a', # one\r\n  'b' ]\r\n"
        "properties = { a = { enum = ['''\r\nx''', 1] } }\r\n"
    )  # fmt: skip
    lines = Lines(text)
    assert lines.of(finding("/title")) == 2
    assert lines.of(finding("/inputSchema")) == 3
    assert lines.of(finding("/inputSchema/required/1")) == 5
    assert lines.of(finding("/inputSchema/properties/a")) == 7


def test_places_read_each_lock_once_and_know_where_none_is() -> None:
    context = Context(compared={"a.lock": Compared(path="x/a.lock", text=TEXT), "b.lock": Compared()})
    places = Places(context)
    assert places.of(finding("", lockfile="a.lock")) == Place("x/a.lock", TEXT.split("\n").index(CLOSE) + 1)
    assert places.of(finding("", lockfile="b.lock")) is None
    assert places.of(finding("", lockfile="c.lock")) is None


NAMES = st.sampled_from(["a", "type", "x.y", "", "q\"'", "\n", "=", "[a]", "# b", "\u202e", "é", "0", "$null"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from([None, True, 1, 2.5, "text", 'two\nlines """', "\\", "[servers.a]", "\n[x]\n", "a\r\nb", 2**70]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
CONTRACTS = st.builds(
    lambda name, tools: ServerContract(name, tools={key: Tool(key, schema) for key, schema in tools.items()}),
    NAMES,
    st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), max_size=3),
)


@settings(max_examples=60)
@given(contract=CONTRACTS)
def test_a_table_or_key_starts_at_its_line(contract: ServerContract) -> None:
    """By another reader: what stands above the line lacks it, and up to the end of the next statement it is there."""
    text = encode(Lock({contract.name: contract}))
    rows = text.split("\n")
    lines = Lines(text)
    for path in written(tomli.loads(text)):
        found, line = lines.at(path)
        if found < len(path):  # a table that only its sub-tables write down, or what is inline
            continue
        assert not holds("\n".join(rows[: line - 1]), path)
        ends = (end for end in range(line, len(rows) + 1) if parses("\n".join(rows[:end])))
        assert holds("\n".join(rows[: next(ends)]), path)


@settings(max_examples=60)
@given(contract=CONTRACTS)
def test_every_header_and_every_key_of_a_table_is_found(contract: ServerContract) -> None:
    text = encode(Lock({contract.name: contract}))
    lines = Lines(text)
    starts = {lines.at(path)[1] for path in written(tomli.loads(text)) if lines.at(path)[0] == len(path)}
    for number, row in enumerate(text.split("\n"), 1):
        if row.startswith("[servers.") and parses("\n".join(text.split("\n")[: number - 1])):
            assert number in starts


def written(value: Any, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of all tables and keys of a document."""
    if not isinstance(value, dict):
        return []
    below = [(*path, key) for key in value]
    return below + [deeper for key in value for deeper in written(value[key], (*path, key))]


def holds(text: str, path: tuple[str, ...]) -> bool:
    value: Any = tomli.loads(text)
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return True


def parses(text: str) -> bool:
    try:
        tomli.loads(text)
    except tomli.TOMLDecodeError:
        return False
    return True
