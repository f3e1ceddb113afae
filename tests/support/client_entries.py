"""What the tests of client configurations share: entries of servers, files that hold them, sources in a lock."""

from __future__ import annotations

import json
from typing import Any

import tomli

from tests.cli.conftest import Project


def entry(project: Project, name: str, **more: Any) -> dict[str, Any]:
    program, *args = project.command(name)
    return {"command": program, "args": args, **more}


def config(project: Project, name: str = ".mcp.json", **entries: Any) -> str:
    project.write(name, json.dumps({"mcpServers": entries}))
    return name


def sources(project: Project) -> dict[str, Any]:
    return {name: one.get("source") for name, one in tomli.loads(project.read("fusion.lock"))["servers"].items()}
