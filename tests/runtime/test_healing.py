"""Errors on real tools: calls that worked under an older version, and calls as models get them wrong.

The texts are read as a program would that sees nothing else. jsonschema, which the code under test does not use, says
what is wrong and whether a suggestion holds.
"""

from __future__ import annotations

import csv
import json
import random
import statistics
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import referencing

from fusion_contracts import ContractAwareness, ValidationReport, explain_validation, load
from fusion_contracts.model import ServerContract

MOST_TOOLS = 120  # of all catalogs, by a fixed seed


def validator(schema: Any) -> Any:
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    return kind(schema, registry=referencing.Registry())


def failing(schema: Any, arguments: Any) -> set[str]:
    """The names that a repair needs."""
    found: set[str] = set()
    for error in validator(schema).iter_errors(arguments):
        if error.validator == "required":
            found |= {name for name in error.validator_value if name not in error.instance}
        elif error.validator in {"additionalProperties", "unevaluatedProperties"} and isinstance(error.instance, dict):
            found |= {name for name in error.instance if name not in (error.schema.get("properties") or {})}
        else:
            found |= set([step for step in error.absolute_path if isinstance(step, str)][-1:])
    return found


def judged(report: ValidationReport, schema: Any, arguments: Any) -> str:
    """The text, after what every text must hold to."""
    text = report.to_xml()
    root = ET.fromstring(text)  # our own text
    assert len(text) <= 2000
    assert text.count("<recovery>") == 1
    assert len(root.findall(".//change")) <= 5
    said = text.split("<suggested_arguments>")[0]
    names = failing(schema, arguments) if isinstance(arguments, dict) else set()
    shown = "".join(root.itertext()) + "".join(str(field.get("name")) for field in root)
    if len(names) <= 10 and (report.more == 0 or len(names) <= len(report.issues)):
        assert {name for name in names if name not in shown} == set()
    for value in arguments.values() if isinstance(arguments, dict) else ():
        assert not isinstance(value, (dict, list)) or not value or json.dumps(value) not in said
    assert "undefined" not in said
    assert "(root)" not in said
    suggestion = root.findtext("suggested_arguments")
    if suggestion is not None:
        validator(schema).validate(json.loads(suggestion))
    return text


@cache
def contract(path: Path) -> ServerContract:
    return load(path)


def test_real_breaks(shared: Path) -> None:
    folder = shared / "catalogs"
    with (folder / "witnesses.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    known: dict[tuple[str, str, str], ContractAwareness] = {}
    lengths = []
    for row in rows:
        old, new = (folder / row["server"] / f"{row[side]}.json" for side in ("old_version", "new_version"))
        key = row["server"], row["old_version"], row["new_version"]
        if key not in known:
            known[key] = ContractAwareness.between(contract(old), contract(new))
        schema = contract(new).tools[row["tool"]].input_schema
        arguments = json.loads(row["arguments"])
        report = explain_validation(schema, arguments, action=row["tool"], awareness=known[key])
        text = judged(report, schema, arguments)
        assert "<change " in text
        lengths.append(len(text))
    assert statistics.median(lengths) < 700


# --- calls as models get them wrong ----------------------------------------------------------------------------------


def example(schema: Any, root: Any, depth: int = 0) -> Any:
    """A value that a simple schema takes, or something near it."""
    if not isinstance(schema, dict) or depth > 6:
        return "x"
    if "$ref" in schema:
        return example(root.get("$defs", {}).get(schema["$ref"].rpartition("/")[2]), root, depth + 1)
    for union in ("anyOf", "oneOf", "allOf"):
        if schema.get(union):
            return example(schema[union][0], root, depth + 1)
    if "const" in schema or schema.get("enum"):
        return schema.get("const", (schema.get("enum") or [None])[0])
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object" or "properties" in schema:
        parts = schema.get("properties") or {}
        return {name: example(part, root, depth + 1) for name, part in parts.items()}
    simple = {"array": [], "integer": 1, "number": 1.5, "boolean": True, "null": None}
    if kind == "array" and isinstance(schema.get("items"), dict):
        return [example(schema["items"], root, depth + 1)]
    return simple.get(str(kind), "some text")


def camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest) if rest else name.upper()


def mistakes(good: dict[str, Any], schema: Any, pick: random.Random) -> Iterator[tuple[str, Any]]:
    names = list(good)
    one = pick.choice(names)
    yield "none", {}
    yield "missing", {name: good[name] for name in names if name != one}
    yield "renamed", {(camel(name) if name == one else name): value for name, value in good.items()}
    yield "unknown", {**good, "maxResults": 5}
    yield "wrapped", {"params": good}
    yield "wrapped text", {"arguments": json.dumps(good)}
    yield "text", json.dumps(good)
    yield "list", [good]
    yield "null", {**good, one: None}
    yield "null text", {**good, one: "null"}
    yield "nested text", {name: json.dumps(v) if isinstance(v, (dict, list)) else v for name, v in good.items()}
    yield "numbers as text", {name: str(v) if isinstance(v, (int, float)) else v for name, v in good.items()}
    yield "numbers for text", {name: 7 if isinstance(v, str) else v for name, v in good.items()}
    yield "objects", {name: {"inner": [1, {"deep": len(name)}]} for name in good}
    yield "lists", {name: [{"inner": len(name)}, {"inner": 2}] for name in good}
    yield "upper case", {name: v.upper() if isinstance(v, str) else v for name, v in good.items()}
    yield "strangers", {f"stranger_{index}": index for index in range(12)}
    yield "long", dict.fromkeys(good, "<&>" * 3000)


def tools(folder: Path) -> list[tuple[str, Any]]:
    found = []
    for path in sorted(folder.glob("*/*.json")):
        listed = json.loads(path.read_text(encoding="utf-8")).get("tools") or []
        found += [(f"{path.parent.name} {tool['name']}", tool["inputSchema"]) for tool in listed]
    distinct = {json.dumps(schema, sort_keys=True): (name, schema) for name, schema in found}
    return random.Random(4).sample(list(distinct.values()), min(MOST_TOOLS, len(distinct)))


def test_mistakes_on_real_tools(shared: Path) -> None:
    pick = random.Random(7)
    lengths, suggested = [], 0
    for name, schema in tools(shared / "catalogs"):
        good = example(schema, schema)
        if not isinstance(good, dict) or not good:
            continue
        for mistake, arguments in mistakes(good, schema, pick):
            report = explain_validation(schema, arguments, action=name.rpartition(" ")[2], formats=False)
            wrong = not validator(schema).is_valid(arguments)
            assert bool(report) == wrong, (name, mistake)
            if wrong:
                lengths.append(len(judged(report, schema, arguments)))
                suggested += report.suggested_arguments is not None
    assert len(lengths) > 500
    assert statistics.median(lengths) < 700
    assert suggested > 100


LANGUAGE = {
    "type": "object",
    "properties": {
        "user": {"$ref": "#/$defs/User"},
        "target": {"oneOf": [{"$ref": "#/$defs/ById"}, {"$ref": "#/$defs/ByName"}]},
        "filter[id]": {"type": "array", "items": {"type": "integer"}},
        "$top": {"type": "integer", "minimum": 1, "maximum": 50},
        "mode": {"type": "string", "enum": ["read", "write"]},
    },
    "required": ["user", "target"],
    "additionalProperties": False,
    "$defs": {
        "User": {
            "type": "object",
            "properties": {"mail": {"type": "string", "pattern": "@"}, "boss": {"$ref": "#/$defs/User"}},
            "required": ["mail"],
            "additionalProperties": False,
        },
        "ById": {
            "type": "object",
            "properties": {"by": {"const": "id"}, "id": {"type": "integer"}},
            "required": ["by", "id"],
        },
        "ByName": {
            "type": "object",
            "properties": {"by": {"const": "name"}, "name": {"type": "string"}},
            "required": ["by"],
        },
    },
}


@pytest.mark.parametrize("seed", range(8))
def test_mistakes_on_a_schema_with_references_and_unions(seed: int) -> None:
    good = {"user": {"mail": "a@b"}, "target": {"by": "id", "id": 1}, "filter[id]": [1], "$top": 5, "mode": "read"}
    validator(LANGUAGE).validate(good)
    for _, arguments in mistakes(good, LANGUAGE, random.Random(seed)):
        report = explain_validation(LANGUAGE, arguments, action="query")
        assert bool(report) == (not validator(LANGUAGE).is_valid(arguments))
        if report:
            judged(report, LANGUAGE, arguments)
