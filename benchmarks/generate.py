"""Two catalogs of tools that look like a real server's, before and after a release; the same bytes on every machine.

Usage: python benchmarks/generate.py OLD.json NEW.json [--tools 200] [--changed 100]
"""

from __future__ import annotations

import argparse
import copy
import json
import random
from pathlib import Path
from typing import Any

VERBS = ("list", "get", "create", "update", "delete", "search", "export", "assign", "archive", "restore")
NOUNS = ("issue", "project", "user", "board", "sprint", "page", "comment", "label", "release", "report")
NAMES = ("query", "limit", "cursor", "owner", "state", "fields", "since", "format", "filters", "notify", "parent")
STATES = ("open", "pending", "closed", "archived", "draft", "review")


def catalogs(tools: int = 200, changed: int = 100) -> tuple[dict[str, Any], dict[str, Any]]:
    """A `tools/list` result of so many tools, and its successor in which so many of them differ."""
    source = random.Random(20261101)  # noqa: S311 - reproducible, not secret
    old = [_tool(source, number) for number in range(tools)]
    new = copy.deepcopy(old)
    for turn, index in enumerate(sorted(source.sample(range(tools), changed))):
        CHANGES[turn % len(CHANGES)](new[index])
    return {"tools": old}, {"tools": new}


def _tool(source: random.Random, number: int) -> dict[str, Any]:
    verb = VERBS[number % len(VERBS)]
    noun = NOUNS[number // len(VERBS) % len(NOUNS)]
    names = source.sample(NAMES, source.randint(3, 8))
    properties = {"id": {"type": "string", "description": f"The {noun}'s id.", "minLength": 1}}
    properties |= {name: _argument(source, name) for name in names}
    properties["status"] = {"type": "string", "enum": list(STATES), "description": "The wanted state."}
    return {
        "name": f"{verb}_{noun}_{number}",
        "description": f"{verb.capitalize()} one or more {noun}s. " + "Results come in pages; follow the cursor. " * 3,
        "inputSchema": {
            "type": "object",
            "properties": properties,
            "required": ["id", *names[: len(names) // 3]],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": verb in {"list", "get", "search"}},
    }


def _argument(source: random.Random, name: str) -> dict[str, Any]:
    described = {"description": f"The {name} to use; leave it out to take the server's own."}
    kinds: tuple[dict[str, Any], ...] = (
        {"type": "string", "maxLength": 200},
        {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
        {"type": "boolean", "default": False},
        {"type": "array", "items": {"type": "string", "enum": list(STATES)}, "maxItems": 20},
        {"anyOf": [{"type": "string", "pattern": "^[A-Z]{2,5}-[0-9]+$"}, {"type": "null"}], "default": None},
        {
            "type": "object",
            "properties": {"field": {"type": "string"}, "values": {"type": "array", "items": {"type": "string"}}},
            "required": ["field"],
        },
    )
    return source.choice(kinds) | described


def _rename(tool: dict[str, Any]) -> None:
    schema = tool["inputSchema"]
    schema["properties"]["item_id"] = schema["properties"].pop("id")
    schema["required"] = ["item_id", *schema["required"][1:]]


def _narrow(tool: dict[str, Any]) -> None:
    tool["inputSchema"]["properties"]["status"]["enum"] = list(STATES[:4])


def _require(tool: dict[str, Any]) -> None:
    tool["inputSchema"]["required"].append("status")


def _add(tool: dict[str, Any]) -> None:
    tool["inputSchema"]["properties"]["dry_run"] = {"type": "boolean", "default": False}


def _retype(tool: dict[str, Any]) -> None:
    tool["inputSchema"]["properties"]["id"] = {"type": "integer", "description": "The numeric id."}


def _reword(tool: dict[str, Any]) -> None:
    tool["description"] += " Ask before large requests."


def _hint(tool: dict[str, Any]) -> None:
    tool["annotations"] = {"readOnlyHint": not tool["annotations"]["readOnlyHint"]}


def _loosen(tool: dict[str, Any]) -> None:
    tool["inputSchema"]["properties"]["id"].pop("minLength")


CHANGES = (_rename, _narrow, _require, _add, _retype, _reword, _hint, _loosen)


def main() -> None:
    """Write both catalogs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--tools", type=int, default=200)
    parser.add_argument("--changed", type=int, default=100)
    options = parser.parse_args()
    for path, catalog in zip((options.old, options.new), catalogs(options.tools, options.changed), strict=True):
        path.write_text(json.dumps(catalog, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
