"""Builders for the tests of `diff`: contracts from what a server lists, and pairs from what an example holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any, TypeAlias

import pytest

from fusion_contracts.config import Waiver
from fusion_contracts.diff import Report, Side, diff, diff_locks
from fusion_contracts.diff.rule import Example
from fusion_contracts.diff.waivers import complaints, uses
from fusion_contracts.model import (
    Lock,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    Tool,
)

Build: TypeAlias = Callable[..., ServerContract]


def tool(listed: dict[str, Any]) -> Tool:
    known = {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution", "_meta"}
    return Tool(
        name=listed["name"],
        input_schema=listed.get("inputSchema", {"type": "object"}),
        title=listed.get("title"),
        description=listed.get("description"),
        output_schema=listed.get("outputSchema"),
        annotations=listed.get("annotations", {}),
        execution=listed.get("execution", {}),
        meta=listed.get("_meta", {}),
        extra={key: value for key, value in listed.items() if key not in known},
    )


def prompt(listed: dict[str, Any]) -> Prompt:
    arguments = (
        PromptArgument(
            item["name"],
            item.get("required", False),
            item.get("description"),
            {key: value for key, value in item.items() if key not in {"name", "required", "description"}},
        )
        for item in listed.get("arguments", [])
    )
    known = {"name", "title", "description", "arguments", "_meta"}
    return Prompt(
        listed["name"],
        listed.get("title"),
        listed.get("description"),
        tuple(arguments),
        listed.get("_meta", {}),
        {key: value for key, value in listed.items() if key not in known},
    )


def contract(listing: dict[str, Any], name: str = "server") -> ServerContract:
    """A contract from a server's listing, in the words of MCP."""
    resources = listing.get("resources", [])
    templates = listing.get("resourceTemplates", [])
    return ServerContract(
        name=name,
        protocol_version=listing.get("protocolVersion"),
        info=listing.get("serverInfo", {}),
        capabilities=listing.get("capabilities", {}),
        instructions=listing.get("instructions"),
        tools={item["name"]: tool(item) for item in listing.get("tools", [])},
        prompts={item["name"]: prompt(item) for item in listing.get("prompts", [])},
        resources={item["uri"]: Resource(item["uri"], _without(item, "uri")) for item in resources},
        resource_templates={
            item["uriTemplate"]: ResourceTemplate(item["uriTemplate"], _without(item, "uriTemplate"))
            for item in templates
        },
    )


def _without(item: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name != key}


def listing_of(value: Any, of: str) -> dict[str, Any]:
    """What an example holds, as a server's listing."""
    match of:
        case "input":
            return {"tools": [{"name": "act", "inputSchema": value}]}
        case "output":
            return {"tools": [{"name": "act", "outputSchema": value}]}
        case "tool":
            return {"tools": [{"name": "act", **value}]}
        case _:
            listing: dict[str, Any] = value
            return listing


def judge_waivers(base: dict[str, Any], now: dict[str, Any]) -> Report:
    """What is said of waivers on a day, where nothing else changed since the base."""

    def read(side: dict[str, Any]) -> list[Waiver]:
        dated = [
            {**one, "until": date.fromisoformat(one["until"])} if "until" in one else one for one in side["waivers"]
        ]
        return [Waiver(**{"fingerprints": (), **one}) for one in dated]

    used = uses((), read(now), date.fromisoformat(now["today"]))
    found = complaints(used, "fusion.toml", {waiver.what for waiver in read(base)})
    return Report(Side("a", "lock"), Side("b", "lock"), tuple(found))


def compare_example(example: Example, *, same: bool = False) -> Report:
    """The report on an example's pair, or on its old side against itself."""
    sides = (example.old, example.old if same else example.new)
    if example.of == "waiver":
        return judge_waivers(*sides)
    if example.of == "server" and "servers" in sides[0]:
        locks = [Lock({name: contract(item, name) for name, item in side["servers"].items()}) for side in sides]
        return diff_locks(*locks)
    return diff(*(contract(listing_of(side, example.of)) for side in sides))


@pytest.fixture(scope="session")
def build() -> Build:
    """A contract from a server's listing."""
    return contract


@pytest.fixture(scope="session")
def compared() -> Callable[..., Report]:
    """The report on an example."""
    return compare_example


@pytest.fixture(scope="session")
def found() -> Callable[..., list[tuple[str, str, str]]]:
    """Rule, level and message of each finding between two listings."""

    def findings(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str, str]]:
        report = diff(contract(old), contract(new))
        return [(finding.rule, finding.level.name, finding.message) for finding in report.findings]

    return findings
