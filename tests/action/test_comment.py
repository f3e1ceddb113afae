"""The comment on a pull request: when there is one, whose it is, and what it does when the API refuses."""

from __future__ import annotations

from typing import Any

import pytest

from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, Tool
from tests.action.conftest import MARKER, MERGE

CALM = "fusion check: no breaking or risky changes."


def test_a_comment_is_created_updated_left_and_mended(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    clone = world.checkout(MERGE)
    assert "fusion check: wrote a comment\n" in world.run(clone, "pull_request", event).log
    assert "fusion check: the comment is up to date\n" in world.run(clone, "pull_request", event).log
    first = world.github.bodies
    (clone.folder / "fusion.lock").write_text(world.lock("later"), encoding="utf-8")
    assert "fusion check: updated the comment\n" in world.run(clone, "pull_request", event).log
    assert world.github.bodies != first
    (clone.folder / "fusion.lock").write_text(world.WIDER, encoding="utf-8")
    assert "fusion check: updated the comment\n" in world.run(clone, "pull_request", event).log
    assert world.github.bodies == [f"{MARKER}\r\n{CALM}\r\n"]
    assert [line.split()[0] for line in world.github.writes] == ["POST", "PATCH", "PATCH"]


def test_nothing_to_tell_makes_no_comment(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.WIDER})
    assert "no comment: there is nothing to tell" in world.run(world.checkout(MERGE), "pull_request", event).log
    assert world.github.writes == []


def test_a_change_that_judges_itself_is_told_though_nothing_fails(world: Any) -> None:
    levels = '[levels]\nenum-value-removed = "safe"\n'
    event = world.pull_request({"fusion.lock": world.BROKEN, "fusion.toml": f"{world.SETTINGS}{levels}"})
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert (done.code, done.outputs["verdict"]) == (0, "SAFE")
    assert done.commands[-1].endswith("settings changed in this change: levels")
    (body,) = world.github.bodies
    assert "changed in this change: levels\r\n" in body


def test_findings_that_do_not_fail_are_told_all_the_same(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    assert world.run(world.checkout(MERGE), "pull_request", event, fail_on="never").code == 0
    assert len(world.github.comments) == 1


def test_nobody_asked_for_a_comment(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    assert world.run(world.checkout(MERGE), "pull_request", event, comment="false").code == 1
    assert world.github.asked == []


def test_the_comment_is_found_on_a_later_page_and_keys_keep_apart(world: Any) -> None:
    for number in range(250):
        world.github.add(f"talk {number}", login="a", kind="User")
    world.github.add("<!-- fusion check: other -->\nother")
    mine = world.github.add("<!-- fusion check: a__b_ -->\nold")
    event = world.pull_request({"fusion.lock": world.BROKEN})
    world.run(world.checkout(MERGE), "pull_request", event, key="a<>b-")
    assert world.github.writes == [f"PATCH /repos/o/r/issues/comments/{mine['id']}"]
    assert len([line for line in world.github.asked if line.startswith("GET")]) == 3


def test_a_strangers_comment_with_our_first_line_is_not_ours(world: Any) -> None:
    world.github.add(f"{MARKER}\nall is well", login="stranger", kind="User")
    event = world.pull_request({"fusion.lock": world.BROKEN})
    world.run(world.checkout(MERGE), "pull_request", event)
    assert world.github.bodies[0] == f"{MARKER}\nall is well"
    assert len(world.github.comments) == 2


def test_with_a_token_of_a_person_their_comment_is_ours(world: Any) -> None:
    world.github.login = "robot"
    world.github.add(f"{MARKER}\nold", login="robot", kind="User")
    event = world.pull_request({"fusion.lock": world.BROKEN})
    world.run(world.checkout(MERGE), "pull_request", event)
    assert len(world.github.comments) == 1
    assert "close_page" in world.github.bodies[0]


def test_a_limit_that_passes_is_waited_for(world: Any) -> None:
    world.github.answers = [(429, {"Retry-After": "0"}), (403, {"Retry-After": "0"}), (502, {"Retry-After": "0"})]
    event = world.pull_request({"fusion.lock": world.BROKEN})
    assert "wrote a comment" in world.run(world.checkout(MERGE), "pull_request", event).log
    assert len(world.github.asked) == 5


@pytest.mark.parametrize(
    ("answer", "tries", "why"),
    [
        ((403, {}), 1, "it needs the permission pull-requests: write"),
        ((404, {}), 1, "it needs the permission pull-requests: write"),
        ((403, {"Retry-After": "3600"}), 1, "GitHub's API did not take it"),
        ((302, {"Location": "http://127.0.0.1:1/elsewhere"}), 1, "GitHub's API did not take it"),
        ((503, {"Retry-After": "0"}), 4, "GitHub's API did not take it"),
    ],
)
def test_an_api_that_refuses_is_a_notice_and_the_result_decides(
    world: Any, answer: tuple[int, dict[str, str]], tries: int, why: str
) -> None:
    world.github.answers = [answer] * 9
    event = world.pull_request({"fusion.lock": world.BROKEN})
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert done.code == 1
    assert done.commands[-1].startswith(f"::notice title=fusion check::no comment: {why}; ")
    assert len(world.github.asked) == tries


def test_an_api_that_is_down(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.WIDER})
    world.github.url = "http://127.0.0.1:1"
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert done.code == 0
    assert done.commands[-1].startswith("::notice title=fusion check::no comment: GitHub's API did not take it; ")


def test_a_huge_report_is_cut_to_what_github_takes(world: Any) -> None:
    def many(*values: str) -> str:
        schema = {"type": "object", "properties": {"when": {"enum": ["x" * 900, *values]}}}
        tools = {f"t{number:04}": Tool(f"t{number:04}", schema, description="y" * number) for number in range(1200)}
        return encode(Lock({"pages": ServerContract("pages", tools=tools)}))

    world.work.commit({"fusion.lock": many("a", "b")})
    event = world.pull_request({"fusion.lock": many("a")})
    done = world.run(world.checkout(MERGE), "pull_request", event, args="--show all")
    assert done.code == 1
    assert len(done.summary.encode()) <= 1024 * 1024
    (body,) = world.github.bodies
    assert len(body.replace("\r\n", "\n")) <= 65_536
    assert body.count("```") % 2 == 0
