"""Targets of the fuzzer: catalogs, OpenAPI documents, schemas, and the reports on them."""

# ruff: noqa: S101 - an assertion that fails is what the fuzzer looks for

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fuzz_inputs import Choices, hostile, mixed
from fuzz_shared import documents, visible

from fusion_contracts.model import Lock, ServerContract


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
