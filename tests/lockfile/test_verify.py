"""A lock that was edited by hand or merged badly says so, entry by entry."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.verify import verify
from fusion_contracts.model import Lock, Prompt, Resource, ResourceTemplate, ServerContract, Tool

SERVER = ServerContract(
    "s",
    instructions="Be kind.",
    info={"version": "1.0"},
    protocol_version="2025-11-25",
    tools={
        "click": Tool("click", {"type": "object"}, "Click", "Clicks.", annotations={"readOnlyHint": False}),
        "wait": Tool("wait", {}),
    },
    prompts={"p": Prompt("p", description="Prompt.")},
    resources={"file:///x": Resource("file:///x", {"mimeType": "text/plain"})},
    resource_templates={"file:///{x}": ResourceTemplate("file:///{x}", {"title": "X"})},
)
TEXT = encode(Lock({"r": ServerContract("r"), "s": SERVER}))


def problems(text: str) -> list[str]:
    found = verify(text, origin="fusion.lock")
    assert all(problem.stage == "lock" and problem.server == "s" for problem in found)
    return [str(problem) for problem in found]


def told(entry: str, reason: str) -> list[str]:
    return [f"s: {entry} was edited by hand or merged badly: {reason}; run `fusion lock`"]


def without(kind: str, header: str) -> str:
    start = TEXT.index(f"{kind}_digest", TEXT.index(header))
    return TEXT[:start] + TEXT[TEXT.index("\n", start) + 1 :]


def test_a_lock_as_written_is_intact() -> None:
    assert verify(TEXT, origin="fusion.lock") == []


@pytest.mark.parametrize(
    ("old", "new", "entry", "kind"),
    [
        ('"Clicks."', '"Klicks."', "tool click", "prose"),
        ('type = "object"', 'type = "array"', "tool click", "interface"),
        ("readOnlyHint = false", "readOnlyHint = true", "tool click", "hints"),
        ('"Be kind."', '"Be quick."', "the server's own table", "prose"),
        ('"Prompt."', '"Prompts."', "prompt p", "prose"),
        ('"text/plain"', '"text/html"', "resource file:///x", "interface"),
        ('title = "X"', 'title = "Y"', "resource template file:///{x}", "prose"),
    ],
)
def test_an_edit_is_named_with_its_entry_and_kind(old: str, new: str, entry: str, kind: str) -> None:
    assert problems(TEXT.replace(old, new)) == told(entry, f"its {kind} digest does not match")


def test_a_renamed_tool_is_noticed() -> None:
    assert problems(TEXT.replace(".tools.click", ".tools.klick")) == told(
        "tool klick", "its interface digest does not match"
    )


def test_several_kinds_are_one_sentence() -> None:
    text = TEXT.replace('"Clicks."', '"K."').replace('"object"', '"array"').replace("Hint = false", "Hint = true")
    assert problems(text) == told("tool click", "its interface, prose and hints digests do not match")


def test_a_missing_digest_is_noticed_also_beside_a_wrong_one() -> None:
    assert problems(without("hints", "[servers.s.tools.wait]")) == told("tool wait", "its hints digest is missing")
    assert problems(without("prose", "[servers.s.tools.click]").replace('"object"', '"array"')) == told(
        "tool click", "its interface digest does not match and its prose digest is missing"
    )
    assert problems(
        TEXT.replace(
            "[servers.s.tools.wait]", "[servers.s.tools.new]\n[servers.s.tools.new.input]\n[servers.s.tools.wait]"
        )
    ) == told("tool new", "its interface, prose and hints digests are missing")


def test_no_problem_hides_another() -> None:
    text = TEXT.replace('"Clicks."', '"K."').replace('"Be kind."', '"B."').replace('"Prompt."', '"P."')
    assert [line.partition(" was ")[0] for line in problems(text)] == [
        "s: the server's own table", "s: tool click", "s: prompt p",
    ]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), [('"1.0"', '"2.0"'), ('"2025-11-25"', '"2026-07-28"')])
def test_versions_are_not_covered(old: str, new: str) -> None:
    assert problems(TEXT.replace(old, new)) == []


def test_what_a_server_chose_is_shown_safely() -> None:
    text = encode(Lock({"a\n": ServerContract("a\n", tools={"\x1b[2J": Tool("\x1b[2J", {"a": 1})})}))
    assert verify(text.replace("a = 1", "a = 2"), origin="fusion.lock") == [
        Problem(
            r"a\n",
            "lock",
            r"tool \u{1b}[2J was edited by hand or merged badly: its interface digest does not match",
            "run `fusion lock`",
        )
    ]


def test_what_is_no_lock_is_refused() -> None:
    with pytest.raises(FusionError, match="has no lock_version"):
        verify("a = 1", origin="fusion.lock")


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_whatever_is_written_is_intact(arbitrary: SimpleNamespace, data: st.DataObject) -> None:
    assert verify(encode(data.draw(arbitrary.lock)), origin="fusion.lock") == []
