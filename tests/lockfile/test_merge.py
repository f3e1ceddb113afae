"""Two branches that change two entries merge in git, and the result is what `encode` writes for both changes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import decode, encode
from fusion_contracts.lockfile.verify import verify
from fusion_contracts.model import Lock, ServerContract, Tool

Edit = Callable[[Tool], Tool]

FEED = """\
commit refs/heads/base
mark :1
committer T <t@example.org> 1 +0000
data 4
base
M 100644 inline fusion.lock
data {base_size}
{base}
commit refs/heads/ours
mark :2
committer T <t@example.org> 2 +0000
data 4
ours
from :1
M 100644 inline fusion.lock
data {ours_size}
{ours}
commit refs/heads/theirs
mark :3
committer T <t@example.org> 3 +0000
data 6
theirs
from :1
M 100644 inline fusion.lock
data {theirs_size}
{theirs}
"""


class Repository:
    """A scratch repository in which two branches are merged by plain `git merge`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "--quiet")

    def git(self, *arguments: str, feed: bytes | None = None, check: bool = True) -> subprocess.CompletedProcess[bytes]:
        settings = ("user.name=T", "user.email=t@example.org", "core.autocrlf=false", "commit.gpgsign=false")
        options = [option for setting in settings for option in ("-c", setting)]
        return subprocess.run(
            ["git", *options, *arguments], cwd=self.folder, input=feed, capture_output=True, check=check
        )

    def merge(self, base: str, ours: str, theirs: str) -> str:
        """The merged text, with git's markers where it found a conflict."""
        texts = {"base": base, "ours": ours, "theirs": theirs}
        sizes = {f"{name}_size": str(len(text.encode())) for name, text in texts.items()}
        self.git("fast-import", "--quiet", "--force", feed=FEED.format(**texts, **sizes).encode())
        self.git("checkout", "--quiet", "--force", "-B", "work", "ours")
        self.git("merge", "--quiet", "--no-edit", "theirs", check=False)
        text = (self.folder / "fusion.lock").read_bytes().decode()
        self.git("reset", "--quiet", "--hard")
        return text


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return Repository(tmp_path_factory.mktemp("merge"))


def server(tools: dict[str, Tool], **parts: Any) -> Lock:
    name = parts.pop("name", "s")
    return Lock({name: ServerContract(name, tools=dict(sorted(tools.items())), **parts)})


def alike(name: str) -> Tool:
    """Tools that resemble one another as much as tools of one server do: the hardest case for a line merge."""
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["id"],
    }
    return Tool(name, schema, description="Does it.", annotations={"readOnlyHint": True})


def with_argument(tool: Tool, name: str, *, required: bool = False) -> Tool:
    schema = dict(tool.input_schema)
    schema["properties"] = {**schema["properties"], name: {"type": "string", "description": "New."}}
    if required:
        schema["required"] = [*schema["required"], name]
    return replace(tool, input_schema=schema)


EDITS: dict[str, Edit] = {
    "an argument at the end": lambda tool: with_argument(tool, "zone"),
    "an argument at the start": lambda tool: with_argument(tool, "after", required=True),
    "a longer description": lambda tool: replace(tool, description="Does it.\n\n" + "And more. " * 40 + "\n"),
    "no description": lambda tool: replace(tool, description=None),
    "a title": lambda tool: replace(tool, title="It"),
    "no hints": lambda tool: replace(tool, annotations={}),
    "an output schema": lambda tool: replace(tool, output_schema={"type": "object", "properties": {"id": {}}}),
    "no arguments": lambda tool: replace(tool, input_schema={"type": "object"}),
    "an empty input schema": lambda tool: replace(tool, input_schema={}),
    "everything": lambda tool: Tool(
        tool.name, {"anyOf": [{}, {"x": 1}]}, "t", "d", True, {"a": 1}, {"b": 1}, {"c": 1}, {"d": 1}
    ),
}


@pytest.mark.parametrize("theirs", EDITS)
@pytest.mark.parametrize("ours", ["an argument at the end", "a longer description", "everything"])
@pytest.mark.parametrize(("first", "second"), [("b", "c"), ("c", "b"), ("a", "d")])
def test_edits_of_two_tools_merge(repository: Repository, ours: str, theirs: str, first: str, second: str) -> None:
    tools = {name: alike(name) for name in "abcd"}
    one, two = {first: EDITS[ours](tools[first])}, {second: EDITS[theirs](tools[second])}
    merged = repository.merge(*(encode(server(tools | edits)) for edits in ({}, one, two)))
    assert merged == encode(server(tools | one | two))
    assert verify(merged, origin="fusion.lock") == []


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({"instructions": "New."}, {"tools": {"a": replace(alike("a"), title="A"), "b": alike("b")}}),
        ({"info": {"name": "S", "version": "2"}}, {"tools": {"a": with_argument(alike("a"), "zone"), "b": alike("b")}}),
        ({"protocol_version": "2026-07-28"}, {"tools": {"b": alike("b")}}),
        ({"tools": {"b": alike("b")}}, {"info": {"name": "S", "version": "2"}}),
    ],
)
def test_an_edit_of_the_server_and_one_of_a_tool_merge(
    repository: Repository, ours: dict[str, Any], theirs: dict[str, Any]
) -> None:
    base: dict[str, Any] = {
        "tools": {"a": alike("a"), "b": alike("b")}, "info": {"name": "S", "version": "1"},
        "capabilities": {"tools": {}}, "protocol_version": "2025-11-25", "instructions": "Old.",
    }  # fmt: skip
    merged = repository.merge(*(encode(server(**(base | edits))) for edits in ({}, ours, theirs)))
    assert merged == encode(server(**(base | ours | theirs)))


def test_the_same_new_version_on_both_branches_is_no_conflict(repository: Repository) -> None:
    tools = {name: alike(name) for name in "ab"}
    one, two = {"a": replace(tools["a"], title="A")}, {"b": replace(tools["b"], title="B")}
    new: dict[str, Any] = {"info": {"version": "2"}, "protocol_version": "2026-07-28"}
    old: dict[str, Any] = {"info": {"version": "1"}, "protocol_version": "2025-11-25"}
    merged = repository.merge(
        encode(server(tools, **old)), encode(server(tools | one, **new)), encode(server(tools | two, **new))
    )
    assert merged == encode(server(tools | one | two, **new))


@pytest.mark.parametrize(("first", "second"), [("r", "s"), ("s", "r")])
def test_edits_of_two_servers_merge(repository: Repository, first: str, second: str) -> None:
    base = {name: server({"a": alike("a")}, name=name).servers[name] for name in "rs"}
    one = {first: replace(base[first], tools={"a": with_argument(alike("a"), "zone")})}
    two = {second: replace(base[second], instructions="New.", tools={"a": replace(alike("a"), description=None)})}
    merged = repository.merge(*(encode(Lock(base | edits)) for edits in ({}, one, two)))
    assert merged == encode(Lock(base | one | two))


def test_two_edits_of_one_tool_conflict_and_the_markers_are_found(repository: Repository) -> None:
    texts = [encode(server({"a": replace(alike("a"), title=title)})) for title in ("Old", "One", "Two")]
    with pytest.raises(FusionError, match=r"^fusion\.lock holds merge conflict markers, the first at line 13;"):
        decode(repository.merge(*texts), origin="fusion.lock")


def test_prose_that_looks_like_markers_is_no_conflict(repository: Repository) -> None:
    prose = "Setext\n=======\n<<<<<<< HEAD\n||||||| a\n>>>>>>> b\n"
    tools = {name: replace(alike(name), description=prose) for name in "ab"}
    one, two = {"a": with_argument(tools["a"], "zone")}, {"b": replace(tools["b"], description=prose + prose)}
    merged = repository.merge(*(encode(server(tools | edits)) for edits in ({}, one, two)))
    assert decode(merged, origin="fusion.lock") == server(tools | one | two)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_any_edits_of_two_tools_merge(repository: Repository, arbitrary: SimpleNamespace, data: st.DataObject) -> None:
    tools = data.draw(arbitrary.tools) | {name: alike(name) for name in "klm"}
    first, second = data.draw(st.permutations(sorted(tools)).map(lambda names: names[:2]))
    donors = [*data.draw(arbitrary.tools.filter(lambda found: len(found) > 1)).values()]
    one, two = ({name: replace(donor, name=name)} for name, donor in zip((first, second), donors, strict=False))
    merged = repository.merge(*(encode(server(tools | edits)) for edits in ({}, one, two)))
    assert merged == encode(server(tools | one | two))
