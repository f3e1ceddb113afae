"""Targets of the fuzzer: what servers answer, what logs hold, and what names a source."""

# ruff: noqa: S101 - an assertion that fails is what the fuzzer looks for

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from fuzz_inputs import Choices, hostile
from fuzz_shared import FOLDER, documents, visible

from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract


def envelope(data: bytes) -> None:
    """A failed result's text, and a partial one's."""
    from fusion_contracts.loop import Outcome
    from fusion_contracts.loop.partial_reading import from_text
    from fusion_contracts.runtime import parse_tool_error

    text = data.decode("utf-8", "surrogateescape")
    fault = parse_tool_error(text)
    if fault is not None:
        again = parse_tool_error(fault.to_xml())
        assert again is not None
        assert again.code == fault.code
    from_text(text)
    Outcome.of({"content": [{"type": "text", "text": text}], "isError": True})


ENVELOPES = [
    each.encode()
    for each in """<tool_error code="A" severity="error"><message>a &amp; b</message><recovery>r</recovery>\
<available_actions><action>x</action></available_actions><details><detail key="k">v</detail></details>\
<retry_after>3 seconds</retry_after></tool_error>
<validation_error action="a"><field name="f">m</field><suggested_arguments>{"a": 1}</suggested_arguments>\
</validation_error>
<tool_result status="partial" done="1" total="2"><items>[1]</items><failed item="a" code="B">m</failed></tool_result>
<!DOCTYPE x [<!ENTITY a "b">]><tool_error code="&a;"><message><![CDATA[</tool_error>]]></message></tool_error>\
""".splitlines()
]


def arguments(data: bytes) -> None:
    """A schema and arguments, both with hostile values: the error explains itself."""
    from fusion_contracts.loop import Outcome
    from fusion_contracts.runtime import explain_validation

    choices = Choices(data)
    seeds = [tool["inputSchema"] for one in documents("diff/*/old.json") for tool in one["tools"]]
    schema = hostile(choices, seeds)
    sent = hostile(choices, [{"id": 1, "status": "open", "filter": {"a": [1, {"b": None}]}, "text": '{"a": 1}'}])
    if isinstance(schema, dict):
        explain_validation(schema, sent, action="a").to_xml()
    Outcome.of(sent)


def deltas(data: bytes) -> None:
    """A packed file of deltas."""
    from fusion_contracts.runtime.releases import unpack

    known = {
        "fusion_deltas": 1, "server": "s", "tools": {"a": "b"}, "deltas": [
            {"action": "a", "field": "f", "text": "t", "since": "1", "severity": "RISKY", "kind": "prose", "age": 0},
        ],
    }  # fmt: skip
    unpack(json.dumps(hostile(Choices(data), [known])), ServerContract("s"), origin="x")


def stream(data: bytes) -> None:
    """An event stream, in pieces of a few bytes."""
    from fusion_contracts.sources.http_url import parse
    from fusion_contracts.sources.sse_events import events

    size = 1 + data[0] % 7 if data else 1
    whole = list(events([data]))
    assert list(events(data[at : at + size] for at in range(0, len(data), size))) == whole
    for event in whole:
        with suppress(ValueError):
            parse("http://a/b").joined(event.data.decode(errors="ignore"))


def log(data: bytes) -> None:
    """A log whose rows hold anything that SQLite can hold."""
    import sqlite3

    from fusion_contracts.loop.log.entry import COLUMNS
    from fusion_contracts.loop.usage.queries import TABLE

    path = FOLDER / "log.db"
    path.unlink(missing_ok=True)
    choices = Choices(data)
    odd = (None, "a\0b", '["\\ud800"]', 0, 1, -1,
           2**62, -(2**63), 1.5, 1e308, "x", "", b"\xff", "a\x1b[31m\u202e", '["a"]', "[" * 5000, "{}",
           "execution_error", "ok", 1_700_000_000_000_000)  # fmt: skip
    plain = {"id": 1, "time_us": 1_700_000_000_000_000, "run": "r", "server": "s", "tool": "t", "action": "a",
             "outcome": "execution_error", "deltas": 0, "attempt": 1, "stopped": 0}  # fmt: skip
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE {TABLE} ({', '.join(COLUMNS)})")
        while choices:
            row = {**dict.fromkeys(COLUMNS), **plain}
            for _ in range(choices.below(4)):
                row[choices.pick([*COLUMNS])] = choices.pick(odd)
            connection.execute(f"INSERT INTO {TABLE} VALUES ({', '.join('?' * len(COLUMNS))})", [*row.values()])
    connection.close()
    usage(path)


def usage(path: Path) -> None:
    """The report on a log, in every format."""
    from fusion_contracts.loop.usage.counting import count, servers
    from fusion_contracts.loop.usage.engines import opened
    from fusion_contracts.loop.usage.queries import Filter
    from fusion_contracts.report.usability import FORMATS, render
    from fusion_contracts.report.usability.model import Report

    with opened(str(path)) as engine:
        servers(engine)
        periods = (count(engine, Filter(), ""),)
    for form in FORMATS:
        visible(render(form, Report("x", periods, ())))


def database(data: bytes) -> None:
    """A file that says it is a database."""
    path = FOLDER / "log.db"
    path.write_bytes(data)
    usage(path)


def databases() -> list[bytes]:
    """A small log."""
    with suppress(FusionError):
        log(bytes(16))
    return [(FOLDER / "log.db").read_bytes()]


def argument(data: bytes) -> None:
    """What names a source is taken apart; nothing is read, started or contacted."""
    from fusion_contracts.sources.base import Options
    from fusion_contracts.sources.resolve import resolve

    text = data.decode("utf-8", "surrogateescape").replace("\x00", "")
    visible(resolve(text, (), Options(root=FOLDER)).label)
