"""The JSON Schema of the settings, for editors: what pydantic says of them, the flags, and what pydantic is not told.

Draft-07, with `definitions`: what editors of TOML read. TOML's dates are texts of the format `date` to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

from pydantic import TypeAdapter

from fusion_contracts.cli.app import COMMANDS
from fusion_contracts.cli.flags import Flag, flags_of, shared
from fusion_contracts.config import Config, model
from fusion_contracts.diff.rule import find, rule_ids
from fusion_contracts.report import FORMATS

__all__ = ["text"]

Json: TypeAlias = dict[str, Any]


def text() -> str:
    """The schema for editors, ending in a newline."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def schema() -> Json:
    """The whole schema."""
    plain = json.dumps(TypeAdapter(Config).json_schema()).replace("#/$defs/", "#/definitions/")
    found: Json = json.loads(plain)
    definitions = {name: _plain(one, getattr(model, name)) for name, one in found.pop("$defs").items()}
    root = _plain(found, Config)
    _require_more(root, definitions)
    own = dict(root["properties"])
    flags = {key: _flag(flag) for key, flag in sorted(shared().items())}
    commands = {name: _command(name, told) for name, told in COMMANDS.items() if flags_of(name)}
    both = {key: {"anyOf": [flags[key], commands[key]]} for key in flags.keys() & commands.keys()}
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "Settings of fusion-contracts"}
    return {**head, **root, "properties": own | flags | commands | both, "definitions": definitions}


def _plain(schema: Json, kind: type) -> Json:
    """Without titles, which repeat the key, and null, which TOML does not have.

    What the class's docstring says and the order of keys: releases of pydantic differ in both.
    """
    said = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    named = {key: _property(value) for key, value in schema["properties"].items()}
    others = {key: value for key, value in schema.items() if key not in {"title", "description", "properties"}}
    return {"description": said, **others, "properties": named}


def _property(schema: Json) -> Json:
    choices = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if "anyOf" in schema:
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **choices[0]}
    empty = schema.get("default") in (None, [], {})
    return {key: value for key, value in schema.items() if key != "title" and not (key == "default" and empty)}


def _require_more(root: Json, definitions: Json) -> None:
    """Add what the settings' own checks require and types cannot say, and the ids of rules."""
    words = root["properties"]["levels"]["additionalProperties"]
    known = {identifier: {**words, "description": find(identifier).title} for identifier in rule_ids()}
    for owner in (root, definitions["Server"]):
        levels = owner["properties"]["levels"]
        levels.update({"properties": known, "additionalProperties": False})
    root["properties"]["lockfile"]["minLength"] = 1
    for owner in (root, definitions["Server"]):
        owner["properties"]["token-growth-percent"]["minimum"] = 0
    root["properties"]["formats"]["items"]["pattern"] = f"^({'|'.join(FORMATS)})(=.+)?$"
    root["properties"]["sources"]["propertyNames"] = {"minLength": 1}
    source, waiver = definitions["Source"], definitions["Waiver"]
    source["properties"]["command"]["minItems"] = 1
    source["properties"]["timeout"]["minimum"] = 1
    ways = {
        "command": ("url", "path", "object", "headers", "transport"),
        "url": ("command", "path", "object", "env", "pass-env"),
        "path": ("command", "url", "object", "env", "pass-env", "headers", "transport", "timeout"),
        "object": ("command", "url", "path", "env", "pass-env", "headers", "transport"),
    }
    source["oneOf"] = [{"required": [way], **_without(others)} for way, others in ways.items()]
    waiver["properties"]["reason"]["pattern"] = r"\S"
    waiver["properties"]["fingerprints"]["minItems"] = 1
    waiver["properties"]["fingerprints"]["items"]["pattern"] = "^[0-9a-f]{7,16}$"
    waiver["properties"]["rule"]["enum"] = list(rule_ids())
    by_id = {"required": ["fingerprints"], **_without(("rule", "server", "tool", "pointer"))}
    waiver["oneOf"] = [by_id, {"required": ["rule", "until"], **_without(("fingerprints",))}]


def _without(keys: Iterable[str]) -> Json:
    return {"not": {"anyOf": [{"required": [key]} for key in keys]}}


def _command(name: str, told: str) -> Json:
    return {
        "description": f"Flags of `fusion {name}`. {told}",
        "type": "object",
        "properties": {key: _flag(flag) for key, flag in sorted(flags_of(name).items())},
        "additionalProperties": False,
    }


def _flag(flag: Flag) -> Json:
    kinds: dict[str, Json] = {
        "flag": {"type": "boolean"},
        "number": {"type": "integer", "minimum": 0 if flag.parameter.metavar == "N|0" else 1},
        "text": _text(flag.words),
        "texts": {"type": "array", "items": _text(flag.words)},
    }
    return {"description": f"As `--{flag.key}`: {flag.help}", **kinds[flag.kind]}


def _text(words: Iterable[str]) -> Json:
    return {"type": "string", "enum": list(words)} if words else {"type": "string"}
