"""What a reviewer sees, and that its shape depends on depth and type alone, never on width."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import (
    Lock,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)

SERVER = ServerContract(
    name="files",
    protocol_version="2025-11-25",
    info={"name": "Files", "version": "1.2.0"},
    capabilities={"tools": {"listChanged": True}, "logging": {}},
    instructions="Read before you write.\nNever guess a path.",
    source=SourceRecord("stdio", ("npx", "-y", "files-mcp@1.2.0"), env={"TOKEN": "${TOKEN}"}, pass_env=("HOME",)),
    prompts={
        "review": Prompt(
            "review", arguments=(PromptArgument("path", required=True), PromptArgument("depth", description="How deep"))
        )
    },
    resources={"file:///readme": Resource("file:///readme", {"mimeType": "text/plain", "name": "readme"})},
    resource_templates={"file:///{path}": ResourceTemplate("file:///{path}", {"name": "any"})},
    tools={
        "read": Tool(
            "read",
            {
                "type": "object",
                "required": ["path"],
                "additionalProperties": False,
                "properties": {
                    "path": {"type": "string", "description": "Where"},
                    "a.b": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
                    "any": {},
                    "never": False,
                    "edits": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"at": {"type": "array", "items": {"enum": [1, 2]}}}},
                    },
                },
            },
            description="Read a file.",
            title="Read",
            output_schema=True,
            annotations={"readOnlyHint": True},
        )
    },
)

TEXT = '''\
# What agents rely on from these servers, in full. `fusion lock` writes this file; do not edit it by hand.
lock_version = 1

[servers.files]
hints_digest = "sha256:..."
instructions = """
Read before you write.
Never guess a path."""
interface_digest = "sha256:..."
prose_digest = "sha256:..."
protocol_version = "2025-11-25"

[servers.files.source]
command = [
  "npx",
  "-y",
  "files-mcp@1.2.0",
]
kind = "stdio"
pass_env = [
  "HOME",
]

[servers.files.source.env]
TOKEN = "${TOKEN}"

[servers.files.info]
name = "Files"
version = "1.2.0"

[servers.files.capabilities.logging]

[servers.files.capabilities.tools]
listChanged = true

[servers.files.prompts.review]
arguments = [
  { name = "path", required = true },
  { description = "How deep", name = "depth" },
]
hints_digest = "sha256:..."
interface_digest = "sha256:..."
prose_digest = "sha256:..."

[servers.files.resources."file:///readme"]
hints_digest = "sha256:..."
interface_digest = "sha256:..."
prose_digest = "sha256:..."

[servers.files.resources."file:///readme".fields]
mimeType = "text/plain"
name = "readme"

[servers.files.resource_templates."file:///{path}"]
hints_digest = "sha256:..."
interface_digest = "sha256:..."
prose_digest = "sha256:..."

[servers.files.resource_templates."file:///{path}".fields]
name = "any"

[servers.files.tools.read]
description = "Read a file."
hints_digest = "sha256:..."
interface_digest = "sha256:..."
output = true
prose_digest = "sha256:..."
title = "Read"

[servers.files.tools.read.annotations]
readOnlyHint = true

[servers.files.tools.read.input]
additionalProperties = false
required = [
  "path",
]
type = "object"

[servers.files.tools.read.input.properties]
never = false

[servers.files.tools.read.input.properties."a.b"]
anyOf = [
  { type = "integer" },
  { type = "null" },
]
default = { "$null" = true }

[servers.files.tools.read.input.properties.any]

[servers.files.tools.read.input.properties.edits]
type = "array"

[servers.files.tools.read.input.properties.edits.items]
type = "object"

[servers.files.tools.read.input.properties.edits.items.properties.at]
type = "array"

[servers.files.tools.read.input.properties.edits.items.properties.at.items]
enum = [
  1,
  2,
]

[servers.files.tools.read.input.properties.path]
description = "Where"
type = "string"
'''


def without_digests(text: str) -> str:
    return "".join(
        f'{line.partition("sha256:")[0]}sha256:..."\n' if "_digest = " in line else line
        for line in text.splitlines(keepends=True)
    )


def test_a_server_looks_like_this() -> None:
    assert without_digests(encode(Lock({"files": SERVER}))) == TEXT


def test_below_eight_names_objects_are_inline() -> None:
    schema: Any = {"type": "null"}
    for name in ("9", "8", "7", "6", "5", "4", "3", "2", "1"):
        schema = {"properties" if name in "1357" else f"k{name}": schema}
    text = without_digests(encode(Lock({"s": ServerContract("s", tools={"t": Tool("t", schema)})})))
    assert text.endswith(
        '\n[servers.s.tools.t.input.properties.k2.properties.k4.properties.k6.properties.k8]\nk9 = { type = "null" }\n'
    )


def edited(text: str, *, at: str = "description") -> Lock:
    schema = {
        "type": "object",
        "properties": {
            "a": {
                at: text,
                "anyOf": [{"type": "string", "description": "short"}, {"type": "null"}],
                "enum": ["x", "y"],
            },
            "b": {"type": "object", "properties": {"c": {"d": {"e": {"f": {"g": {"h": {"i": 1}}}}}}}},
        },
    }
    return Lock({"s": ServerContract("s", tools={name: Tool(name, schema) for name in ("t",)})})


@pytest.mark.parametrize("width", [5, 60, 100, 300, 3000])
def test_a_longer_text_changes_its_own_line_and_the_digest(width: int) -> None:
    before, after = encode(edited("text")).splitlines(), encode(edited("x" * width)).splitlines()
    changed = [line for line in difflib.ndiff(before, after) if line.startswith("+ ")]
    assert [line.partition(" = ")[0] for line in changed] == ["+ prose_digest", "+ description"]


@pytest.mark.parametrize("width", [5, 300])
def test_a_longer_element_changes_its_own_line(width: int) -> None:
    def lock(text: str) -> Lock:
        schema = {"anyOf": [{"type": "integer"}, {"description": text, "type": "string"}, {"type": "null"}]}
        return Lock({"s": ServerContract("s", tools={"t": Tool("t", schema)})})

    before, after = encode(lock("t")).splitlines(), encode(lock("x" * width)).splitlines()
    changed = [line for line in difflib.ndiff(before, after) if line.startswith("+ ")]
    assert changed[1:] == [f'+   {{ description = "{"x" * width}", type = "string" }},']
    assert [line.partition(" = ")[0] for line in changed[:1]] == ["+ prose_digest"]


def test_an_edit_of_one_tool_leaves_every_other_line() -> None:
    def lock(text: str) -> Lock:
        tools = {name: Tool(name, {}, description=text if name == "b" else "same") for name in "abc"}
        return Lock({"s": ServerContract("s", tools=tools)})

    before, after = encode(lock("x")).splitlines(), encode(lock("y")).splitlines()
    changed = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert [line.partition(" = ")[0] for line in changed] == [
        "- description", "+ description", "- prose_digest", "+ prose_digest",
    ]  # fmt: skip
