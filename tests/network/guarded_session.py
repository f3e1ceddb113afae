"""What a program sees of a server that changes under it, with the client that is installed here: tests, for pytest.

Beside it lie `faces.py`, its lock and `guarded_clients.py`. Run once for each release of each SDK by
`tests/network/test_consumers.py`.
"""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from guarded_clients import CLIENTS, FASTMCP, LOCK, Program, Story, every, play

from fusion_contracts import FusionError, ToolFault, load, tool_error
from fusion_contracts.integrations import Ending, ToolCall
from fusion_contracts.integrations.drift import DriftError, Verdict
from fusion_contracts.integrations.mcp_client import guarded
from fusion_contracts.loop.log import ErrorLog

NEVER_SILENT = FASTMCP and version("fastmcp").startswith("2.")  # its servers tell of tools that are added in a call

VERSION = load(LOCK).info["version"]  # a server of the SDK has that of the SDK, or none
SINCE = f' since="{VERSION}"' if VERSION else ""
SAID_SINCE = f" since {VERSION}" if VERSION else ""

REFUSED_TOOL = """<tool_error code="CONTRACT_CHANGED" severity="critical">
  <message>close_page is refused: it changed in a way that nobody has accepted.</message>
  <recovery>Do not call close_page again in this run. Go on without it or report what is missing.</recovery>
</tool_error>"""
REFUSED_SERVER = """<tool_error code="CONTRACT_CHANGED" severity="critical">
  <message>This server is refused: it changed in a way that nobody has accepted.</message>
  <recovery>Do not call its tools again in this run. Go on without them or report what is missing.</recovery>
</tool_error>"""
RENAMED = f"""<validation_error action="close_page">
  <field name="pageId">Missing. You sent: pageIdx 1. Expected an integer: "The ID of the page. Call list_pages."</field>
  <contract_awareness{SINCE}>
    <change severity="BREAKING" field="pageId">replaces pageIdx; do not reuse its value</change>
  </contract_awareness>
  <recovery>Fix the fields above and call the tool again. Do not explain the error.</recovery>
</validation_error>"""
BLOCK = f"""<contract_awareness{SINCE}>
  <change severity="BREAKING" field="pageId">replaces pageIdx; do not reuse its value</change>
</contract_awareness>"""
GONE = f"""<tool_error code="UNKNOWN_ACTION" severity="error">
  <message>No tool close_page. Removed{SAID_SINCE}.</message>
  <recovery>Do not call close_page again. Go on without it. Do not explain the error.</recovery>
</tool_error>"""


@every
def test_a_server_that_is_as_it_was_locked_is_not_noticed(name: str) -> None:
    async def story(program: Program) -> None:
        assert program.guard.verdict.report.verdict in {"NONE", "SAFE", "RISKY"}
        assert [one.tool for one in program.guard.verdict.report.findings if one.tool is not None] == []
        assert await program.tools() == ["close_page", "ping", "turn"]
        assert await program.call("close_page", pageIdx=1) == "closed 1"

    play(name, story, on_breaking="refuse-all", on_added="refuse-all")


@every
def test_results_and_listings_are_the_clients_own(name: str) -> None:
    async def main() -> None:
        async with CLIENTS[name]() as client:
            program = Program(client)
            if hasattr(client, "initialize") and not FASTMCP:
                given = {"initialize_result": await client.initialize()}
            else:
                given = {}
            before = await client.list_tools(), await program.raw("ping")
            async with guarded(client, lock=LOCK, **given):
                during = await client.list_tools(), await program.raw("ping")
            after = await client.list_tools(), await program.raw("ping")
            assert before == during == after
            assert not {"list_tools", "call_tool", "list_tools_mcp", "call_tool_mcp"} & client.__dict__.keys()

    asyncio.run(main())


@every
def test_a_broken_tool_is_kept_from_the_model(name: str) -> None:
    heard: list[Verdict] = []

    async def story(program: Program) -> None:
        await program.turn("new")  # nothing else is asked for: the server says it
        assert await program.tools() == ["ping", "turn"]
        assert await program.call("close_page", pageIdx=1) == f"failed: {REFUSED_TOOL}"
        assert await program.call("ping") == "pong"
        assert [set(one.refused) for one in heard] == [{"close_page"}]

    play(name, story, on_change=heard.append)


SAID = [
    "1 run, 4 calls. No call failed.",
    "| errors | 0.0 % | 0 of 1 call |",
    "| calls refused | 3 | answered by the guard, without running the tool |",
]


@every
def test_what_was_refused_is_no_call_and_no_error_in_the_report(name: str, tmp_path: Path) -> None:
    async def story(program: Program) -> None:
        await program.turn("new")
        for _ in range(3):
            assert await program.call("close_page", pageIdx=1) == f"failed: {REFUSED_TOOL}"

    path = str(tmp_path / "log.sqlite")
    with ErrorLog(path, server="pages", run="r1") as log:
        play(name, story, on_error=(log,), on_success=(log,))
    command = [sys.executable, "-m", "fusion_contracts", "report", path, "--format", "markdown"]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    lines = [line.rpartition(" UTC: ")[2] for line in printed]
    assert [line for line in lines if line.startswith(("1 run", "| errors", "| calls refused"))] == SAID


@every
def test_a_call_on_the_old_contract_is_healed_before_it_is_sent(name: str) -> None:
    async def story(program: Program) -> None:
        await program.turn("new")
        assert await program.tools() == ["close_page", "ping", "turn"]
        assert await program.call("close_page", pageIdx=1) == f"failed: {RENAMED}"
        assert await program.call("close_page", pageId=3) == "closed 3"

    play(name, story, on_breaking="warn")


@every
def test_a_change_in_silence_is_found_where_a_call_fails(name: str) -> None:
    async def story(program: Program) -> None:
        await program.turn("new", quiet=True)
        text = await program.call("close_page", pageIdx=1)
        if NEVER_SILENT:
            assert text == f"failed: {RENAMED}"
            return
        own, _, ours = text.removeprefix("failed: ").partition("\n<validation_error")
        assert "pageId" in own
        assert "<" not in own
        assert f"<validation_error{ours}" == RENAMED
        assert await program.call("close_page", pageIdx=1) == f"failed: {RENAMED}"

    play(name, story, on_breaking="warn")


@every
def test_a_change_in_silence_is_found_where_tools_are_listed(name: str) -> None:
    async def story(program: Program) -> None:
        await program.turn("evil", quiet=True)
        assert await program.tools() == []

    play(name, story)


@every
def test_the_servers_own_error_is_kept(name: str) -> None:
    async def story(program: Program) -> None:
        await program.turn("new")
        text = await program.call("close_page", pageId=99)
        assert "close_page" in text
        assert text.endswith(f"\n{BLOCK}")
        assert text.count("<contract_awareness") == 1

    play(name, story, on_breaking="warn")


@every
def test_an_error_of_the_protocol_stays_one(name: str) -> None:
    kinds: list[str | None] = []

    async def story(program: Program) -> None:
        await program.turn("new")
        kind: str | None = "protocol_error"
        try:
            said = [await program.call("close_page", pageId=66)]
            kind = None  # this release answers with a result that is flagged
        except Exception as error:  # noqa: BLE001 - of a class of the SDK's own, which has two names
            raised: Any = error
            said = [str(raised), raised.error.message]
        for text in said:
            assert "it is pinned" in text
            assert text.endswith(f"\n{BLOCK}")
        assert kinds == [kind]

    play(name, story, on_breaking="warn", on_error=(lambda _, ending: kinds.append(ending.kind),))


@pytest.mark.parametrize("name", [name for name in CLIENTS if name.endswith("stdio")])
def test_a_connection_that_is_lost_is_an_error_of_the_protocol(name: str) -> None:
    kinds: list[str | None] = []

    async def story(program: Program) -> None:
        for _ in range(2):
            with pytest.raises(Exception, match=r"^(Connection closed)?$"):
                await program.raw("turn", face="dead", quiet=True)
        assert kinds == ["protocol_error"] * 2

    play(name, story, on_error=(lambda _, ending: kinds.append(ending.kind),))


@every
def test_a_rug_pull_ends_the_server_for_the_model(name: str) -> None:
    async def story(program: Program) -> None:
        assert await program.call("close_page", pageIdx=1) == "closed 1"
        await program.turn("evil")
        for call in (program.call("close_page", pageIdx=1), program.call("ping")):
            assert await call == f"failed: {REFUSED_SERVER}"
        assert await program.tools() == []

    play(name, story)


@every
def test_a_tool_that_is_gone_is_told_as_gone(name: str) -> None:
    async def story(program: Program) -> None:
        await program.turn("gone")
        assert await program.call("close_page", pageIdx=1) == f"failed: {GONE}"

    play(name, story)


@every
def test_a_server_that_flaps_is_told_once_for_each_face(name: str, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[bool] = []

    async def story(program: Program) -> None:
        for face in ("new", "old") * 3:
            await program.turn(face)
            await program.tools()

    caplog.set_level(logging.WARNING, "fusion_contracts")
    play(name, story, on_change=lambda verdict: heard.append(verdict.accepts("close_page")))
    assert heard == [False, True] * 3
    assert len([one for one in caplog.records if one.name.startswith("fusion_contracts")]) == 1


@every
def test_calls_at_the_same_time(name: str) -> None:
    async def story(program: Program) -> None:
        await program.turn("new")
        calls = (program.call("close_page", **{argument: 1}) for argument in ("pageId", "pageIdx") * 10)
        assert await asyncio.gather(*calls) == ["closed 1", f"failed: {RENAMED}"] * 10

    play(name, story, on_breaking="warn")


@every
def test_a_server_that_is_refused_at_the_start_is_one_error(name: str) -> None:
    async def story(program: Program) -> None:
        await program.turn("new", quiet=True)
        with pytest.raises(DriftError) as refused:
            async with guarded(program.client, lock=LOCK, on_breaking="refuse-all"):
                pytest.fail("the block is not entered")
        assert str(refused.value) == (
            "pages: close_page: pageIdx replaced by pageId; values may not carry over (property-renamed);"
            " review it: fusion diff -s pages; accept it: fusion lock -s pages, or fusion waive ID"
        )

    play(name, story, on_breaking="ignore")


@every
def test_a_server_that_the_lock_does_not_hold(name: str) -> None:
    async def story(program: Program) -> None:
        with pytest.raises(FusionError, match='holds no server "desk"; name one of: pages'):
            async with guarded(program.client, lock=LOCK, server="desk"):
                pytest.fail("the block is not entered")

    play(name, story)


class Loop:
    """A guard of the agent loop, and a sink."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str | None]] = []

    def before(self, call: ToolCall) -> ToolFault | None:
        return tool_error("RETRY_LIMIT", "Enough.") if call.arguments == {"pageIdx": 7} else None

    async def after(self, call: ToolCall, ending: Ending | None) -> None:
        self.told.append((f"after {call.tool}", ending.fault.code if ending and ending.fault else None))

    def sink(self, call: ToolCall, ending: Ending) -> None:
        self.told.append((f"sink {call.tool}", ending.fault.code if ending.fault else None))


@every
def test_hooks_of_the_agent_loop_and_near_misses(name: str) -> None:
    loop = Loop()

    async def story(program: Program) -> None:
        assert (await program.call("close_page", pageIdx=7)).startswith('failed: <tool_error code="RETRY_LIMIT"')
        assert await program.call("close_page", page_idx="1") == "closed 1"
        assert (await program.call("close_page", pageIdx=[])).startswith("failed: <validation_error")

    play(name, story, guard=loop, on_error=(loop.sink,), coerce=True)
    assert loop.told == [
        ("sink close_page", "RETRY_LIMIT"),
        ("after close_page", None),
        ("sink close_page", "VALIDATION_ERROR"),
        ("after close_page", "VALIDATION_ERROR"),
    ]


class Cancels(Loop):
    """A guard that cancels the task of a call as soon as it is let through."""

    def __init__(self) -> None:
        super().__init__()
        self.left: list[str] = []

    def before(self, _call: ToolCall) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()

    async def after(self, call: ToolCall, ending: Ending | None) -> None:
        await asyncio.sleep(0.01)
        assert ending is None
        self.left.append(call.tool)


@every
def test_a_call_that_is_cancelled_has_no_ending(name: str) -> None:
    loop = Cancels()

    async def story(program: Program) -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(program.call("close_page", pageIdx=1))
        assert loop.left == ["close_page"]

    play(name, story, guard=loop, on_error=(loop.sink,))
    assert loop.told == []


def test_what_is_no_client() -> None:
    async def main() -> None:
        async with guarded(object(), lock=LOCK):
            pytest.fail("the block is not entered")

    known = "fastmcp.Client, mcp.Client, mcp.ClientSession"
    with pytest.raises(TypeError, match=rf"^a client is one of {known}, not builtins\.object$"):
        asyncio.run(main())


def test_an_option_that_makes_no_sense_here() -> None:
    async def main() -> None:
        async with guarded(object(), lock=LOCK, releases="."):
            pytest.fail("the block is not entered")

    with pytest.raises(TypeError, match=r"^guarded\(\) takes no releases: a lock says what was learned"):
        asyncio.run(main())


def test_the_programs_own_exception_is_its_own() -> None:
    async def story(_program: Program) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        play("fastmcp-memory", story) if FASTMCP else _alone(story)


def _alone(story: Story) -> None:
    """The SDK's transports group what is raised inside them: what the guard itself lets through is caught there."""

    async def main() -> None:
        caught: list[BaseException] = []
        async with next(iter(CLIENTS.values()))() as client:
            try:
                async with guarded(client, lock=LOCK) as guard:
                    await story(Program(client, guard))
            except KeyError as error:
                caught.append(error)
        raise caught[0]

    asyncio.run(main())
