"""Many servers: which is compared with which."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fusion_contracts.diff import Side, diff, diff_locks
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock, ServerContract

Build = Callable[..., ServerContract]


def lock(build: Build, **servers: dict[str, Any]) -> Lock:
    return Lock({name: build(listing, name) for name, listing in servers.items()})


OPEN = {"tools": [{"name": "open"}]}
BOTH = {"tools": [{"name": "open"}, {"name": "close"}]}


def test_servers_are_paired_by_name(build: Build) -> None:
    report = diff_locks(lock(build, a=OPEN, b=BOTH), lock(build, b=OPEN, c=OPEN))
    assert [(one.rule, one.level.name, one.server, one.tool, one.side) for one in report.findings] == [
        ("server-removed", "BREAKING", "a", None, "server"),
        ("tool-removed", "BREAKING", "b", "close", "tool"),
        ("server-added", "SAFE", "c", None, "server"),
    ]
    assert (report.base, report.head) == (Side("2 servers", "contract"), Side("2 servers", "contract"))


def test_a_single_server_on_each_side_is_paired_whatever_the_names(build: Build) -> None:
    report = diff_locks(lock(build, old=OPEN), lock(build, new=BOTH))
    assert [(one.rule, one.server) for one in report.findings] == [("tool-added", "old")]


def test_hidden_text_in_a_new_server_is_told(build: Build) -> None:
    new = {"tools": [{"name": "pay", "description": "Pay.\u200b"}], "instructions": "Pay\u202e."}
    report = diff_locks(lock(build, a=OPEN, b=OPEN), lock(build, a=OPEN, b=OPEN, c=new))
    assert [(one.rule, one.server, one.tool, one.pointer) for one in report.findings] == [
        ("invisible-text-added", "c", None, "/instructions"),
        ("invisible-text-added", "c", "pay", "/description"),
        ("server-added", "c", None, ""),
    ]


def test_no_servers_at_all_is_no_finding() -> None:
    assert diff_locks(Lock(), Lock()).verdict == "NONE"


def test_the_report_says_what_was_compared(build: Build) -> None:
    old, new = (build({"serverInfo": {"name": "pages", "version": version}}, "pages") for version in ("1", "2"))
    report = diff(old, new)
    assert (report.base.label, report.head.label) == ("pages 1", "pages 2")
    named = diff(old, new, base=Side("fusion.lock", "git", "3f9c2d1"), head=Side("pages", "stdio"))
    assert named.to_dict()["base"] == {"label": "fusion.lock", "kind": "git", "revision": "3f9c2d1"}


def test_the_world_reaches_the_engine(build: Build) -> None:
    old = build({"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {}}}]})
    wait = {"type": "object", "properties": {"wait": {"type": "integer"}}}
    new = build({"tools": [{"name": "a", "inputSchema": wait}]})
    assert diff(old, new).verdict == "SAFE"
    assert diff(old, new, world="open").verdict == "BREAKING"


def test_an_unknown_world_is_one_sentence(build: Build) -> None:
    with pytest.raises(FusionError) as raised:
        diff(build(OPEN), build(BOTH), world="closed")
    assert str(raised.value) == "there is no world 'closed'; write declared or open"
