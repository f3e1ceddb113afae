"""`assert_contract` in real runs of pytest, each in a folder and a process of its own."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

import pytest

from fusion_contracts import FusionError, load
from fusion_contracts.cli import main
from fusion_contracts.testing import assert_contract

pytest_plugins = ["pytester"]

TEST = '''
from pydantic import BaseModel
from fusion_contracts.testing import assert_contract

class Find(BaseModel):
    """Find a thing."""
    {field}: str
    limit: int = 3

def test_shop():
    assert_contract([Find], {more})
'''
FIND = {"name": "Find", "description": "Find a thing.", "inputSchema": {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 3}},
    "required": ["query"],
}}  # fmt: skip


@pytest.fixture
def here(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder with the test of one server, whose lock says what the object says."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    (pytester.path / "shop.json").write_text(json.dumps([FIND]), encoding="utf-8")
    assert main(["lock", "shop.json", "-C", str(pytester.path)]) == 0
    write(pytester)
    return pytester


def write(pytester: pytest.Pytester, field: str = "query", more: str = "") -> None:
    pytester.makepyfile(test_shop=TEST.format(field=field, more=more))


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)


def failure(result: pytest.RunResult) -> str:
    """What the failure says, as pytest shows it."""
    return textwrap.dedent("\n".join(line[1:] for line in result.outlines if line.startswith("E   ")))


def test_an_object_that_is_as_locked_passes(here: pytest.Pytester) -> None:
    before = (here.path / "fusion.lock").read_bytes()
    run(here).assert_outcomes(passed=1)
    run(here, "--fusion-update").assert_outcomes(passed=1)
    assert (here.path / "fusion.lock").read_bytes() == before


def test_a_difference_is_a_readable_failure_in_the_test_itself(here: pytest.Pytester) -> None:
    write(here, field="words")
    result = run(here)
    result.assert_outcomes(failed=1)
    assert re.sub("[0-9a-f]{7}$", "GROUP", failure(result), flags=re.MULTILINE) == (
        "AssertionError: shop is not what fusion.lock says\n"
        "BREAKING  shop: 1 breaking, 1 risky\n"
        "  Find                           words is new and required                               GROUP\n"
        '      worked  Find {"query": "example"}\n'
        "      now     refused: words is missing\n"
        "RISKY\n"
        "  Find                           query removed                                           GROUP\n"
        "Accept it: pytest --fusion-update, or fusion lock -s shop"
    )
    assert not any("snapshot.py" in line for line in result.outlines)


def test_a_failure_advises_no_option_that_pytest_has_not(here: pytest.Pytester) -> None:
    more = "limit: int = 3\n    page: int = 1"
    (here.path / "test_shop.py").write_text(
        TEST.format(field="words", more='fail_on="breaking"').replace("limit: int = 3", more), encoding="utf-8"
    )
    assert failure(run(here)).splitlines()[-2:] == [
        "SAFE  1 optional argument added",
        "Accept it: pytest --fusion-update, or fusion lock -s shop",
    ]


def test_what_cannot_be_compared_is_told_in_the_test_itself(here: pytest.Pytester) -> None:
    (here.path / "other.json").write_text(json.dumps([FIND]), encoding="utf-8")
    assert main(["lock", "other.json", "-C", str(here.path), "--write"]) == 0
    result = run(here)
    result.assert_outcomes(failed=1)
    assert failure(result) == (
        "fusion_contracts.errors.FusionError: fusion.lock holds 2 servers; "
        'say which: assert_contract(server, name="..."); there are: other, shop'
    )
    frames = [line for line in result.outlines if re.match(r"\S+\.py:\d+:", line)]
    assert [line.partition(":")[0] for line in frames] == ["test_shop.py"]


def test_the_update_accepts_it_and_keeps_the_source(here: pytest.Pytester) -> None:
    write(here, field="words")
    before = load(here.path / "fusion.lock")
    run(here, "--fusion-update").assert_outcomes(passed=1)
    after = load(here.path / "fusion.lock")
    assert list(after.tools["Find"].input_schema["properties"]) == ["limit", "words"]
    assert after.source == before.source
    run(here).assert_outcomes(passed=1)


@pytest.mark.parametrize("ci", ["true", "1"])
def test_in_ci_nothing_is_updated(here: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str) -> None:
    monkeypatch.setenv("CI", ci)
    write(here, field="words")
    before = (here.path / "fusion.lock").read_bytes()
    result = run(here, "--fusion-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "ERROR: --fusion-update changes locks, and CI is set: run it elsewhere and commit the lock" in result.errlines
    )
    assert (here.path / "fusion.lock").read_bytes() == before
    run(here).assert_outcomes(failed=1)


def test_what_is_below_the_level_is_let_pass(here: pytest.Pytester) -> None:
    optional = TEST.replace("limit: int = 3", "limit: int = 3\n    page: int = 1")
    here.makepyfile(test_shop=optional.format(field="query", more='fail_on="risky"'))
    run(here).assert_outcomes(passed=1)
    here.makepyfile(test_shop=optional.format(field="query", more=""))
    result = run(here)
    result.assert_outcomes(failed=1)
    assert "SAFE  shop: 1 safe\n  Find                           page added " in failure(result)
    write(here, field="words", more='fail_on="breaking"')
    run(here).assert_outcomes(failed=1)


def test_the_settings_of_the_folder_hold(here: pytest.Pytester) -> None:
    with (here.path / "fusion.toml").open("a", encoding="utf-8") as file:
        file.write('[levels]\nrequired-property-added = "safe"\nproperty-removed = "safe"\n')
    write(here, field="words", more='fail_on="breaking"')
    run(here).assert_outcomes(passed=1)


def test_the_fixture_is_the_function(here: pytest.Pytester) -> None:
    here.makepyfile(
        test_shop="""
import pytest

@pytest.fixture
def server():
    return [{"name": "Find", "inputSchema": {"type": "object"}}]

def test_shop(server, assert_contract):
    assert_contract(server, name="other", lockfile="locks/other.lock")
"""
    )
    (here.path / "locks").mkdir()
    result = run(here)
    assert failure(result) == (
        "AssertionError: there is no locks/other.lock; the object offers 1 tool\n"
        "Accept it: pytest --fusion-update, or fusion lock SOURCE --name other"
    )
    run(here, "--fusion-update").assert_outcomes(passed=1)
    assert list(load(here.path / "locks" / "other.lock").tools) == ["Find"]
    run(here).assert_outcomes(passed=1)


def test_relative_paths_start_at_pytests_root(here: pytest.Pytester) -> None:
    (here.path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (here.path / "sub").mkdir()
    (here.path / "test_shop.py").rename(here.path / "sub" / "test_shop.py")
    here.chdir()
    run(here, "sub").assert_outcomes(passed=1)
    here.syspathinsert()
    result = here.runpytest_subprocess("-p", "no:cacheprovider", "--rootdir", str(here.path), "sub/test_shop.py")
    result.assert_outcomes(passed=1)


def test_it_works_while_an_event_loop_runs(here: pytest.Pytester) -> None:
    code = TEST.format(field="query", more="") + "\ndef test_async():\n    import asyncio\n    async def inner():\n"
    here.makepyfile(test_shop=f"{code}        test_shop()\n    asyncio.run(inner())\n")
    run(here).assert_outcomes(passed=2)


def test_two_workers_update_one_lock(here: pytest.Pytester) -> None:
    """Sixteen servers new in one lock, written by two processes at once: none is lost."""
    here.makepyfile(
        test_shop="""
import pytest
from fusion_contracts.testing import assert_contract

@pytest.mark.parametrize("number", range(16))
def test_shop(number):
    tool = {"name": f"tool_{number}", "inputSchema": {"type": "object"}}
    assert_contract([tool], name=f"server-{number}")
"""
    )
    result = run(here, "--fusion-update", "-n", "2")
    result.assert_outcomes(passed=16)
    lock = load(here.path / "fusion.lock", server="server-7")
    assert list(lock.tools) == ["tool_7"]
    run(here, "-n", "2").assert_outcomes(passed=16)
    assert sorted(path.name for path in here.path.iterdir() if path.name.startswith((".fusion", "fusion"))) == [
        "fusion.lock.d", "fusion.toml",
    ]  # fmt: skip


# --- without pytest --------------------------------------------------------------------------------------------------


def test_without_pytest_the_current_folder_counts(
    here: pytest.Pytester, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fusion_contracts.testing.sessions", [])
    monkeypatch.chdir(here.path)
    assert_contract([FIND])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match=r"^there is no fusion\.lock; the object offers 1 tool\n"):
        assert_contract([FIND], name="shop")
    assert_contract([FIND], folder=here.path)


SAY = 'assert_contract(server, name="...")'


@pytest.mark.parametrize(
    ("locked", "server", "name", "sentence"),
    [
        ((), [], None, f"fusion.lock holds no server yet, and no name is given for the first; name it: {SAY}"),
        (("a", "b"), [], None, f"fusion.lock holds 2 servers; say which: {SAY}; there are: a, b"),
        (
            ("a",),
            3,
            None,
            (
                "the object of a is of the type int, which offers no tools that are known here; name a FastMCP or MCP "
                "server, a toolset, tools, pydantic models, or a list or mapping of these"
            ),
        ),
        (("a",), {"x": [FIND], "y": []}, "a", "the object of a holds no server a; it holds: x, y"),
        (
            ("a",),
            [FIND, FIND],
            None,
            (
                "a: tool Find is refused: it is listed twice; correct it in the server; "
                "its old entry stays in the lock and the rest is read"
            ),
        ),
    ],
)
def test_what_cannot_be_compared(
    tmp_path: Path, locked: tuple[str, ...], server: object, name: str | None, sentence: str
) -> None:
    for one in locked:
        (tmp_path / f"{one}.json").write_text(json.dumps([FIND]), encoding="utf-8")
        assert main(["lock", f"{one}.json", "-C", str(tmp_path), "--write"]) == 0
    with pytest.raises(FusionError) as caught:
        assert_contract(server, name=name, folder=tmp_path)
    assert str(caught.value) == sentence


def test_a_broken_lock_is_no_failure_of_the_server(tmp_path: Path) -> None:
    (tmp_path / "fusion.lock").write_text("<<<<<<< ours\n", encoding="utf-8")
    with pytest.raises(FusionError, match=r"fusion\.lock"):
        assert_contract([FIND], name="shop", folder=tmp_path)
