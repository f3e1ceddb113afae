"""What the fuzzer calls: each target takes bytes, and may raise FusionError, or its own refusal, and nothing else.

The seeds of a target are what an honest file holds. An AssertionError is a wrong answer: what was read and written
again is not the same, or a hidden character reaches a reader.
"""

# ruff: noqa: S101 - an assertion that fails is what the fuzzer looks for

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from fuzz_inputs import Choices, hostile, mixed

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock, ServerContract

__all__ = ["TARGETS", "Target"]

ROOT = Path(__file__).parents[1]
FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


class Target(NamedTuple):
    """A function of bytes, and the inputs that it begins with."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]


@cache
def documents(pattern: str) -> tuple[Any, ...]:
    """The JSON documents of the fixtures that fit a pattern."""
    return tuple(json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "fixtures").glob(pattern)))


def nothing() -> Sequence[bytes]:
    """For targets that make their documents themselves."""
    return [bytes(range(size)) for size in (0, 8, 32, 128, 255)]


# --- locks -----------------------------------------------------------------------------------------------------------


def locks() -> list[bytes]:
    """The locks of some catalogs."""
    from fusion_contracts.lockfile.codec import encode

    return [encode(Lock({one.name: one for one in read(each)})).encode() for each in documents("diff/o*/old.json")]


def lock(data: bytes) -> None:
    """A lock is read; what can be read can be judged, and written so that it says the same."""
    from fusion_contracts.lockfile.codec import decode, encode, open_lock
    from fusion_contracts.lockfile.fragments import fragments
    from fusion_contracts.lockfile.splice import split
    from fusion_contracts.lockfile.verify import damage

    text = data.decode(errors="ignore")
    opened = open_lock(text, origin="x")
    for problem in damage(opened):
        visible(str(problem))
    with suppress(FusionError):
        split(text, [*opened.lock.servers][:1])
    fragments(text.replace("\r\n", "\n"))
    again = decode(encode(opened.lock), origin="y")
    assert encode(again) == encode(opened.lock)
    assert again == opened.lock


def merge(data: bytes) -> None:
    """Three locks are merged; what has no conflict is an intact lock."""
    from fusion_contracts.lockfile.merge_text import merge_texts
    from fusion_contracts.lockfile.verify import verify

    done = merge_texts(*mixed(data, 3))
    assert done.conflicts or not done.text.strip() or not verify(done.text, origin="merged")


def merges() -> list[bytes]:
    """Three times the same lock."""
    return [b"\f".join([one] * 3) for one in locks()]


def journal(data: bytes) -> None:
    """The journal of a run that was killed, whose second line and all after it are the input."""
    from fusion_contracts.sources.installed import release
    from fusion_contracts.sources.journal import Journal

    folder = FOLDER / "fusion.lock.journal"
    folder.mkdir(exist_ok=True)
    head = json.dumps({"journal": 1, "release": release(), "lock": None, "since": "x"}).encode()
    (folder / "servers.jsonl").write_bytes(data[1:] if data[:1] == b"!" else head + b"\n" + data)
    found = Journal.opened(FOLDER / "fusion.lock", None, resume=True)
    visible(found.note + found.since)
    found.close()


def journals() -> list[bytes]:
    """Two answers."""
    from fusion_contracts.lockfile.codec import encode

    rest: dict[str, Any] = {"problems": [], "refused": {}, "unread": {}, "notes": [], "volatile": []}
    texts = [encode(Lock({one.name: one for one in read(each)})) for each in documents("diff/o*/old.json")[:2]]
    return [b"\n".join(json.dumps({"key": "k", "contracts": text, **rest}).encode() for text in texts) + b"\n"]


# --- settings and configurations -------------------------------------------------------------------------------------


def settings(data: bytes) -> None:
    """Settings are read, and take one more waiver and one more source."""
    from fusion_contracts.cli.flags import judge
    from fusion_contracts.config.model import Source, Waiver
    from fusion_contracts.config.place import ConfigFile
    from fusion_contracts.config.reading import read as read_settings
    from fusion_contracts.config.waiving import with_waiver, without_waivers
    from fusion_contracts.config.writing import with_source

    nested = data[:1] == b"!"
    path = FOLDER / ("pyproject.toml" if nested else "fusion.toml")
    path.write_bytes(data)
    config, place = read_settings(FOLDER, path, judge=judge)
    text = data.decode()
    assert place == ConfigFile.named(path)
    with suppress(FusionError):
        with_waiver(text, Waiver(fingerprints=("1105067",), reason="a\x00`\u202e"), place)
    with suppress(FusionError):
        with_source(text, "a\nb", Source(command=("a", "\x1b")), place)
    if config.waivers:
        with suppress(FusionError):
            without_waivers(text, [0], place)


def pages() -> list[bytes]:
    """The example of the page on settings."""
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```toml\n")[1:]]
    return [block.encode() for block in blocks]


def client(data: bytes) -> None:
    """A client's configuration: its servers, and what is wrong with the others."""
    from fusion_contracts.sources.clients import entries_of, may_hold_servers, parse_document, secret_inputs
    from fusion_contracts.sources.sniff import kind_of

    kind_of(data, "x")
    may_hold_servers(data)
    document = parse_document(data, "x")
    if document is not None:
        _, problems = entries_of(document)
        secret_inputs(document)
        for problem in problems:
            visible(problem.message + problem.next)


def clients() -> list[bytes]:
    """Those of the fixtures."""
    return [path.read_bytes() for path in sorted((ROOT / "fixtures" / "clients").iterdir())]


def client_tree(data: bytes) -> None:
    """A client's configuration with hostile values."""
    client(json.dumps(hostile(Choices(data), documents("clients/[acfgw]*.json"))).encode())


def variables(data: bytes) -> None:
    """A file of variables."""
    from fusion_contracts.sources.env_file import read_env_file

    path = FOLDER / "variables"
    path.write_bytes(data)
    read_env_file(path, "x")


# --- catalogs --------------------------------------------------------------------------------------------------------


def read(value: Any, name: str = "") -> tuple[ServerContract, ...]:
    """The contracts of a parsed catalog."""
    from fusion_contracts.sources.base import Options
    from fusion_contracts.sources.catalog import read_catalog

    reading = read_catalog(value, origin="x", path="x.json", options=Options(name=name or None))
    for said in (*reading.notes, *map(str, reading.problems)):
        visible(said)
    return reading.contracts


def catalog(data: bytes, name: str = "x.json") -> None:
    """A catalog is read, and what is read can be locked."""
    from fusion_contracts.sources.catalog import parsed

    locked(read(parsed(data, "x", name)))


def locked(contracts: Sequence[ServerContract]) -> None:
    """What a lock can hold of a contract comes back from it as it was."""
    from fusion_contracts.lockfile.codec import decode, encode
    from fusion_contracts.lockfile.limits import lockable

    for contract in contracts:
        kept = lockable(contract)
        assert decode(encode(Lock({kept.name: kept})), origin="x").servers == {kept.name: kept}


def catalogs() -> list[bytes]:
    """A few catalogs, as files."""
    return [json.dumps(one).encode() for one in (*documents("diff/p*/old.json"), *documents("hostile/*.json"))]


def yamls() -> list[bytes]:
    """A document with aliases."""
    head, rest = b"openapi: 3.0.3\ninfo: &a {title: P, version: 1}\nx-a: *a\n", b"{type: integer, nullable: true}"
    return [head + b"paths:\n  /p: {get: {parameters: [{name: l, in: query, schema: " + rest + b"}]}}\n"]


OPENAPI: Any = {
    "openapi": "3.0.3", "info": {"title": "P", "version": "1"}, "paths": {
        "/p/{id}": {
            "parameters": [{"name": "id", "in": "path", "schema": {"$ref": "#/components/schemas/I"}}],
            "post": {
                "operationId": "x", "requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}},
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/P"}}}}},
            },
        },
    }, "components": {"schemas": {
        "I": {"type": "integer", "nullable": True, "readOnly": True},
        "P": {"type": "object", "required": ["i"], "properties": {
            "i": {"$ref": "#/components/schemas/I"}, "p": {"$ref": "#/components/schemas/P"},
        }},
    }},
}  # fmt: skip


def openapi(data: bytes) -> None:
    """An OpenAPI document with hostile values."""
    locked(read(hostile(Choices(data), [OPENAPI])))


def report(data: bytes) -> None:
    """Two catalogs with hostile values are compared, and every format can say what was found."""
    from fusion_contracts.diff import diff
    from fusion_contracts.lockfile.codec import encode
    from fusion_contracts.lockfile.limits import lockable
    from fusion_contracts.report import FORMATS, render
    from fusion_contracts.report.context import Compared, Context

    choices = Choices(data)
    old = read(hostile(choices, documents("diff/*/old.json")), "s")
    new = read(hostile(choices, documents("diff/*/new.json")), "s")
    found = diff(old[0], new[0])
    sides = Lock({old[0].name: old[0]}), Lock({new[0].name: new[0]})
    text = encode(Lock({new[0].name: lockable(new[0])}))
    context = Context(compared={None: Compared(*sides, "fusion.lock", text)})
    for form in FORMATS:
        said = render(form, found, context)
        said.encode()
        for line in said.split("\n"):
            visible(line)
    names = replace(old[0], name="\x1b[31m\u202e")
    locked([names])


def schemas(data: bytes) -> None:
    """Two schemas are compared and explained."""
    from fusion_contracts.schema import compare, explain

    choices = Choices(data)
    seeds = [tool["inputSchema"] for one in documents("diff/*/old.json") for tool in one["tools"]]
    old = hostile(choices, seeds)
    new = hostile(choices, [old])
    compare(old, new)
    explain(old, new, output=True)


def pattern(data: bytes) -> None:
    """A pattern in a schema is read, or is said to be unreadable."""
    from fusion_contracts.schema import compare

    one, other = mixed(data, 2)
    compare({"type": "string", "pattern": one}, {"type": "string", "pattern": other})


# --- what servers and logs say ---------------------------------------------------------------------------------------


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


def visible(text: str) -> None:
    """Nothing in a line of a report is hidden from its reader."""
    assert not [line for line in text.split("\n") if HIDDEN.search(line)], ascii(text[:300])


TARGETS: dict[str, Target] = {
    "lock": Target(lock, locks), "merge": Target(merge, merges), "journal": Target(journal, journals),
    "settings": Target(settings, pages), "client": Target(client, clients), "client-tree": Target(client_tree, nothing),
    "variables": Target(variables, lambda: [b"A=b\nexport C='d' # e\n"]), "catalog": Target(catalog, catalogs),
    "yaml": Target(partial(catalog, name="x.yaml"), yamls), "openapi": Target(openapi, nothing),
    "report": Target(report, nothing), "schemas": Target(schemas, nothing),
    "pattern": Target(pattern, lambda: [b"^(a|[^b-d])*?\\w{2,3}$\f^(?=x)\\p{L}+\\u0041\\b$"]),
    "envelope": Target(envelope, lambda: ENVELOPES), "arguments": Target(arguments, nothing),
    "deltas": Target(deltas, nothing), "stream": Target(stream, lambda: [b"event: message\ndata: {}\r\n\r\nid: 1\n\n"]),
    "log": Target(log, nothing), "database": Target(database, databases),
    "argument": Target(argument, lambda: [b"git:HEAD@{1}:a", b"https://a/b", b"release:s/1", b"a.py:b", b"a.b:c"]),
}  # fmt: skip
