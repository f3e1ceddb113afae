"""What the Action does, event by event: which base is fetched, what is started, and how it ends."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.model import SourceRecord
from tests.action.conftest import MARKER, MERGE


def catalog(*values: str) -> str:
    schema = {"type": "object", "properties": {"when": {"enum": list(values)}}}
    return json.dumps({"tools": [{"name": "close_page", "inputSchema": schema}]})


# --- pull requests ---------------------------------------------------------------------------------------------------


def test_the_first_pull_request_has_nothing_to_compare_and_says_so(world: Any) -> None:
    world.work.commit({"fusion.lock": None})
    event = world.pull_request({"fusion.lock": world.OLD})
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert done.code == 0
    assert "first lock: nothing to compare (fusion.lock at origin/main (" in done.log
    assert (done.outputs["verdict"], done.outputs["exit-code"]) == ("NONE", "0")
    assert world.github.comments == []


def test_a_pull_request_without_any_lock_is_told_what_to_do(world: Any) -> None:
    event = world.pull_request({"fusion.lock": None, "fusion.toml": None})
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert done.code == 2
    assert "fusion: no lock at fusion.lock; run `fusion lock SOURCE` to write one\n" in done.log
    assert done.outputs["verdict"] == "UNKNOWN"
    assert "no lock at" in world.github.bodies[0]


def test_a_breaking_pull_request(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert done.code == 1
    assert 'worked  close_page {"when": "later"}' in done.log
    assert "fresh       not asked (--local: no server is part of this repository)\n" in done.log
    assert (done.outputs["verdict"], done.outputs["exit-code"]) == ("BREAKING", "1")
    assert done.base == f"fusion.lock at origin/main ({event['pull_request']['base']['sha'][:7]})"
    assert "close_page" in done.summary
    assert Path(done.outputs["html"]).read_text(encoding="ascii").startswith("<!doctype html>")
    (body,) = world.github.bodies
    assert body.startswith(f"{MARKER}\r\n")
    assert "close_page" in body


def test_only_servers_of_the_repository_are_started(live: Any) -> None:
    there = (live.work.folder / "fusion.lock").read_text(encoding="utf-8")
    other = live.lock("now").replace("servers.pages", "servers.other").partition("\n\n")[2]
    settings = (live.work.folder / "fusion.toml").read_text(encoding="utf-8")
    more = live.SETTINGS.replace("pages", "other")
    files = {"fusion.lock": f"{there}\n{other}", "fusion.toml": settings + more, "pages.json": catalog("now")}
    event = live.pull_request(files)
    done = live.run(live.checkout(MERGE), "pull_request", event)
    assert done.code == 1
    assert "pages: starting " in done.log
    assert "other: starting" not in done.log
    assert "fresh       1 server changed, 1 server not asked (--local)\n" in done.log
    assert "exit 1: fusion.lock is stale\n" in done.log


def test_a_branch_that_moved_on_is_compared_where_the_change_began(world: Any) -> None:
    """The event names the base's commit of back then; what main changed since is not this change's."""
    before = world.work.git("rev-parse", "main")
    world.work.commit({"fusion.lock": world.BROKEN})
    event = world.pull_request({"README.md": "x"})
    event["pull_request"]["base"]["sha"] = before
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert (done.code, done.outputs["verdict"]) == (0, "NONE")


@pytest.mark.parametrize("ref", [MERGE, "refs/pull/7/head"])
def test_a_shallow_clone_is_deepened_as_far_as_needed_and_no_further(world: Any, ref: str) -> None:
    world.work.git("switch", "-q", "--detach")
    world.work.lengthen("main", 600)
    world.work.git("switch", "-q", "main")
    event = world.pull_request({"fusion.lock": world.BROKEN})
    world.work.git("switch", "-q", "--detach")
    world.work.lengthen("main", 40)  # a head that is 40 commits behind
    world.push("main")
    clone = world.checkout(ref)
    assert clone.depth == 1
    done = world.run(clone, "pull_request", event)
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")
    assert clone.git("rev-parse", "--is-shallow-repository") == "true"
    assert clone.depth < 300


def test_the_whole_history_is_the_last_resort(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    world.work.git("switch", "-q", "--detach")
    world.work.lengthen("main", 1500)
    world.push("main")
    clone = world.checkout("refs/pull/7/head")
    done = world.run(clone, "pull_request", event)
    assert "fetching the whole history" in done.log
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")


def test_a_whole_clone_fetches_nothing(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    clone = world.checkout(MERGE, depth=None)
    clone.git("remote", "set-url", "origin", "https://127.0.0.1:1/nobody")
    done = world.run(clone, "pull_request", event)
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")


def test_the_base_branch_was_renamed(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    world.origin.git("branch", "-m", "main", "trunk")
    done = world.run(world.checkout(MERGE), "pull_request", event)
    assert "the branch 'main' is not there, and cannot be fetched from origin" in done.log
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")
    assert event["pull_request"]["base"]["sha"][:7] in done.base


def test_a_fork_gets_a_notice_and_no_other_failure(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.WIDER})
    event["pull_request"]["head"]["repo"]["full_name"] = "stranger/r"
    world.github.writable = False
    world.github.add(f"{MARKER}\nold")
    done = world.run(world.checkout(MERGE), "pull_request", event, sarif="true")
    assert done.code == 0
    assert done.outputs["upload"] == "false"
    assert done.commands[-1] == (
        "::notice title=fusion check::no comment: a fork's token cannot write; the report is in the step's summary "
        f"(PATCH {world.github.url}/repos/o/r/issues/comments/1000: 403 Forbidden)"
    )
    assert len(world.github.writes) == 1


def test_the_repository_of_a_fork_may_be_deleted(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.WIDER})
    event["pull_request"]["head"]["repo"] = None
    assert world.run(world.checkout(MERGE), "pull_request", event).code == 0


def test_hostile_names_are_only_names(world: Any) -> None:
    branch = "a$(touch${IFS}x)`touch${IFS}y`;'\"&&|"
    world.work.git("switch", "-q", "-c", branch)
    base = world.work.commit({})
    tool = "t\n::error::x\n::add-mask::close\n\x1b[2J</details>`"
    world.work.git("switch", "-q", "-c", "other")
    world.work.commit({"fusion.lock": world.lock("now", tool=tool, instructions="::warning::y")})
    world.push("other", branch)
    event = world.event(base_ref=branch, base_sha=base, head_ref="--upload-pack=touch z")
    clone = world.checkout("refs/heads/other")
    done = world.run(clone, "pull_request", event)
    assert done.code == 1
    told = re.compile("::(error|warning|notice) (file|title)=")
    assert [line for line in done.commands if not told.match(line)] == []
    assert not list(clone.folder.glob("[xyz]"))
    assert "\x1b" not in done.log


def test_pull_request_target_is_refused(world: Any) -> None:
    event = world.pull_request({"fusion.lock": world.BROKEN})
    done = world.run(world.checkout(MERGE), "pull_request_target", event)
    assert done.code == 2
    assert done.log == (
        "::error title=fusion check::fusion check does not run on pull_request_target, which hands a stranger's change "
        "the repository's secrets; use pull_request\n"
    )
    assert world.github.asked == []


# --- other events ----------------------------------------------------------------------------------------------------


def test_a_merge_queue(world: Any) -> None:
    base = world.work.git("rev-parse", "main")
    world.work.git("switch", "-q", "-c", "queue")
    head = world.work.commit({"fusion.lock": world.BROKEN})
    world.push("queue:refs/heads/gh-readonly-queue/main/pr-7")
    event = {"merge_group": {"base_sha": base, "base_ref": "refs/heads/main", "head_sha": head}}
    done = world.run(world.checkout("refs/heads/gh-readonly-queue/main/pr-7"), "merge_group", event)
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")
    assert "not asked (--local" in done.log
    assert base[:12] in done.base
    assert world.github.asked == []


def push(world: Any, before: str, ref: str = "refs/heads/main") -> dict[str, Any]:
    return {"before": before, "ref": ref, "repository": {"default_branch": "main"}}


def test_a_push_is_compared_with_what_was_there_and_asks_every_server(live: Any, release: Any) -> None:
    before = live.work.git("rev-parse", "main")
    release(live, "now")
    live.push("main")
    done = live.run(live.checkout("refs/heads/main"), "push", push(live, before), ref="refs/heads/main")
    assert "pages: starting" in done.log
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")
    assert before[:12] in done.base
    assert live.github.asked == []


def test_the_first_push_of_the_default_branch(live: Any) -> None:
    done = live.run(live.checkout("refs/heads/main"), "push", push(live, live.ZEROS), ref="refs/heads/main")
    assert (done.code, done.outputs["verdict"]) == (0, "NONE")
    assert "fusion.lock at HEAD (" in done.base


def test_the_first_push_of_a_branch_is_compared_with_the_default_one(live: Any, release: Any) -> None:
    live.work.git("switch", "-q", "-c", "new")
    release(live, "now")
    live.push("new")
    event = push(live, live.ZEROS, "refs/heads/new")
    done = live.run(live.checkout("refs/heads/new"), "push", event, ref="refs/heads/new")
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")
    assert "origin/main" in done.base


def test_a_forced_push_whose_past_is_gone(live: Any) -> None:
    done = live.run(live.checkout("refs/heads/main"), "push", push(live, "1" * 40), ref="refs/heads/main")
    assert f"the commit '{'1' * 40}' is not there, and cannot be fetched from origin" in done.log
    assert "compared with HEAD: the lock's own history is not checked" in done.log
    assert done.code == 0


def test_a_schedule_with_a_server_that_does_not_start(world: Any) -> None:
    source = SourceRecord("stdio", ("no-such-command-anywhere",))
    settings = '[sources.pages]\ncommand = ["no-such-command-anywhere"]\n'
    world.work.commit({"fusion.toml": settings, "fusion.lock": world.lock("now", source=source)})
    world.push("main")
    event = {"schedule": "17 5 * * *", "repository": {"default_branch": "main"}}
    done = world.run(world.checkout("refs/heads/main"), "schedule", event, ref="refs/heads/main")
    assert done.code == 2
    assert "the command no-such-command-anywhere is not on PATH" in done.log
    assert done.outputs["verdict"] == "UNKNOWN"
    assert "no-such-command-anywhere" in done.summary
    assert world.github.asked == []


def test_a_run_by_hand_for_a_branch(live: Any, release: Any) -> None:
    live.work.git("switch", "-q", "-c", "new")
    release(live, "now")
    live.push("new")
    event = {"repository": {"default_branch": "main"}, "inputs": None}
    done = live.run(live.checkout("refs/heads/new"), "workflow_dispatch", event, ref="refs/heads/new")
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")


@pytest.mark.parametrize("named", ["main", "the commit"])
def test_a_base_that_the_workflow_names(world: Any, named: str) -> None:
    base = world.work.git("rev-parse", "main")
    event = world.pull_request({"fusion.lock": world.BROKEN})
    event["pull_request"]["base"] = {"ref": "gone", "sha": world.ZEROS, "repo": {"full_name": "o/r"}}
    done = world.run(world.checkout(MERGE), "pull_request", event, base=base if named == "the commit" else named)
    assert (done.code, done.outputs["verdict"]) == (1, "BREAKING")


# --- inputs ----------------------------------------------------------------------------------------------------------


def test_options_reach_fusion(world: Any) -> None:
    event = world.pull_request({"sub dir/fusion.lock": world.BROKEN, "sub dir/fusion.toml": world.SETTINGS})
    clone = world.checkout(MERGE)
    done = world.run(clone, "pull_request", event, directory="sub dir", args="-s 'pa*'", fail_on="never")
    assert done.code == 0
    assert "first lock" in done.log
    every = world.run(clone, "pull_request", event, all="true")
    assert every.code == 0
    assert "sub dir/fusion.lock" in every.log
    bad = world.run(clone, "pull_request", event, args="-s 'pa")
    assert (bad.code, bad.log) == (
        2, "::error title=fusion check::args cannot be read as in a shell: No closing quotation\n",
    )  # fmt: skip
    none = world.run(clone, "pull_request", event, args="-s nobody")
    assert none.code == 2
    assert "holds no server that matches nobody" in none.log


def test_nothing_in_the_checkout_is_taken_for_a_module(world: Any) -> None:
    evil = "raise SystemExit('taken')\n"
    event = world.pull_request({f"{name}.py": evil for name in ("typer", "json", "fusion_contracts", "publish")})
    assert world.run(world.checkout(MERGE), "pull_request", event).code == 0


def test_the_server_does_not_see_the_token(live: Any) -> None:
    spy = "import os, sys\nopen('seen', 'w').write(repr(dict(os.environ)))\nsys.exit(1)\n"
    settings = f'[sources.pages]\ncommand = [{json.dumps(sys.executable)}, "spy.py"]\npass-env = ["FUSION_TOKEN"]\n'
    event = live.pull_request({"spy.py": spy, "fusion.toml": settings})
    clone = live.checkout(MERGE)
    live.run(clone, "pull_request", event)
    seen = (clone.folder / "seen").read_text(encoding="utf-8")
    assert "PATH" in seen
    assert live.TOKEN not in seen
