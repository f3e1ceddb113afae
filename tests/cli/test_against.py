"""`--against release`: the lock compared with what agents have learned."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

Tool = dict[str, Any]
PAGES = ".fusion/releases/pages"
WORKED = "exit 0: nothing at or above breaking"


@pytest.fixture
def released(repository: Any, close_page: Tool) -> Any:
    """One server, kept as release 1.0.0, on `main`."""
    relock(repository, "pages", close_page)
    assert repository.run("release", "1.0.0").code == 0
    repository.commit("release 1.0.0")
    return repository


def relock(project: Any, name: str, *tools: Tool) -> None:
    assert project.run("lock", "--write", "--name", name, *project.serve(name, *tools)).code == 0


def compatible(project: Any, *more: str) -> tuple[int, list[str]]:
    """The exit code and what is said of compatibility."""
    result = project.run("check", "--offline", "--against", "release", "--base", "main", *more)
    lines = result.out.splitlines()
    return result.code, [line for line in lines[3:] if line.startswith(("compatible", "  "))]


def test_a_tool_that_was_never_released_is_free(released: Any, close_page: Tool, list_pages: Tool) -> None:
    relock(released, "pages", close_page, list_pages)
    base = released.commit("a new tool")[:7]
    relock(released, "pages", close_page)
    assert released.run("check", "--offline", "--base", "main").code == 1
    assert compatible(released) == (
        0, [f"compatible  with release 1.0.0 of pages at main ({base}): no changes"]
    )  # fmt: skip


def test_a_break_of_a_released_tool_fails_however_long_ago_it_was_merged(released: Any, close_page_v2: Tool) -> None:
    relock(released, "pages", close_page_v2)
    released.commit("broken, and merged")
    assert released.run("check", "--offline", "--base", "main").code == 0
    result = released.run("check", "--offline", "--base", "main", "--against", "release", "--format", "json")
    report = json.loads(result.out)
    assert result.code == 1
    commit = released.git("rev-parse", "HEAD")
    assert report["base"] == {
        "label": f"release 1.0.0 of pages at main ({commit[:7]})", "kind": "release", "revision": commit,
    }  # fmt: skip
    assert [one["rule"] for one in report["findings"]] == ["enum-value-removed"]


def test_the_newest_release_counts(released: Any, close_page_v2: Tool) -> None:
    relock(released, "pages", close_page_v2)
    released.run("release", "0.9")  # newer by its number, whatever its name
    base = released.commit("released")[:7]
    assert compatible(released) == (0, [f"compatible  with release 0.9 of pages at main ({base}): no changes"])


def test_a_release_that_the_change_brings_hides_nothing(released: Any, close_page_v2: Tool) -> None:
    released.git("switch", "-q", "-c", "change")
    relock(released, "pages", close_page_v2)
    released.run("release", "2.0.0")
    released.commit("break and release")
    assert compatible(released)[0] == 1


def test_a_server_without_a_release_breaks_nobody(
    released: Any, close_page: Tool, close_page_v2: Tool, list_pages: Tool
) -> None:
    relock(released, "saved", close_page)
    relock(released, "other", list_pages)
    base = released.commit("two more")[:7]
    relock(released, "saved", close_page_v2)
    assert compatible(released) == (0, [
        f"compatible  with release 1.0.0 of pages at main ({base}): no changes",
        "  other  no release is kept, so no agent has learned it: nothing to compare",
        "  saved  no release is kept, so no agent has learned it: nothing to compare",
    ])  # fmt: skip
    assert compatible(released, "-s", "saved") == (
        0, [f"compatible  nothing released: nothing to compare (no release at main ({base}))"]
    )  # fmt: skip


def test_a_released_server_that_is_gone_is_missed(released: Any, list_pages: Tool) -> None:
    relock(released, "other", list_pages)
    relock(released, "third", list_pages)
    text = released.read("fusion.lock")
    start = text.index("[servers.pages]")
    end = text.index("[servers.third]")
    released.write("fusion.lock", text[:start] + text[end:])
    result = released.run("check", "--offline", "--base", "main", "--against", "release", "--format", "json")
    assert [(one["rule"], one["server"]) for one in json.loads(result.out)["findings"]] == [("server-removed", "pages")]


def test_a_single_server_is_the_released_one_under_any_name(released: Any, close_page_v2: Tool) -> None:
    released.git("rm", "-q", "fusion.lock")
    relock(released, "other", close_page_v2)
    assert compatible(released)[0] == 1


def test_a_release_that_cannot_be_read_is_no_success(released: Any) -> None:
    released.write(f"{PAGES}/1.0.0.lock", "# release 1.0.0, sequence 1\nlock_version = 99\n")
    released.commit("newer")
    result = released.run("check", "--offline", "--base", "main", "--against", "release")
    assert result.code == 2
    assert "compatible  not checked: at main (" in result.out


def test_diff_takes_the_releases_of_the_folder(released: Any, close_page_v2: Tool, list_pages: Tool) -> None:
    relock(released, "pages", close_page_v2)
    relock(released, "saved", list_pages)
    result = released.run("diff", "--against", "release")
    assert result.code == 1
    assert result.out.splitlines()[:3] == [
        "release 1.0.0 of pages -> fusion.lock",
        "saved: no release is kept, so no agent has learned it: nothing to compare",
        "BREAKING  pages: 1 breaking",
    ]
    released.run("release", "2.0.0")
    assert released.run("diff", "--against", "release").code == 0


def test_diff_of_a_live_server_against_its_release(released: Any, close_page_v2: Tool) -> None:
    result = released.run("diff", "--against", "release", *released.serve("newer", close_page_v2))
    assert result.code == 1
    assert result.out.startswith("release 1.0.0 of pages -> ")


def test_diff_where_nothing_is_released(project: Any, close_page: Tool) -> None:
    relock(project, "pages", close_page)
    result = project.run("diff", "--against", "release")
    assert (result.code, result.out.splitlines()) == (0, [
        "no release -> fusion.lock",
        "pages: no release is kept, so no agent has learned it: nothing to compare",
        "no changes",
        WORKED,
    ])  # fmt: skip


def step(project: Any, *more: str) -> str:
    """The step that the report prints last but two, as words behind `fusion`."""
    lines = project.run("check", "--offline", "--against", "release", *more).out.splitlines()
    (line,) = [line for line in lines if line.startswith("Accept on purpose: fusion ")]
    return str(line.removeprefix("Accept on purpose: fusion "))


def test_the_next_step_finds_the_releases_of_the_base(
    released: Any, close_page_v2: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    relock(released, "pages", close_page_v2)
    released.run("release", "2.0.0")  # which the folder alone holds
    words = step(released, "--base", "main")
    assert words == 'waive 32df0fa --reason "..." --against release --base main'
    commit = released.git("rev-parse", "--short=7", "HEAD")
    compared = f"release 1.0.0 of pages at main ({commit}) -> fusion.lock"
    explained = released.run("explain", "32df0fa", *shlex.split(words)[4:])
    assert (explained.code, explained.err, explained.out.splitlines()[0]) == (0, "", compared)
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert step(released) == 'waive 32df0fa --reason "..." --against release --base HEAD'
    monkeypatch.delenv("PRE_COMMIT")
    waived = released.run(*shlex.split(words))
    assert (waived.code, waived.err, waived.out.splitlines()) == (
        0,
        "",
        [
            compared,
            "fusion.toml accepts: ...",
            "  32df0fa  BREAKING  close_page: when no longer accepts 'later'",
            "exit 0: wrote a waiver in fusion.toml: 1 finding",
        ],
    )
    assert compatible(released)[0] == 0


def test_the_next_step_names_the_servers_of_the_comparison(
    released: Any, close_page_v2: Tool, list_pages: Tool
) -> None:
    released.write("fusion.toml", "")
    relock(released, "other", list_pages)
    relock(released, "pagers", close_page_v2)
    assert released.run("lock", "--prune", "--write").code == 0
    words = step(released, "--base", "main", "-s", "page*")  # one server on each side is the same
    assert words == 'waive 32df0fa --reason "..." -s \'page*\' --against release --base main'
    among_all = released.run("explain", "32df0fa", "--against", "release", "--base", "main")
    assert among_all.err.startswith("fusion: no finding has an id that starts with 32df0fa; ")
    waived = released.run(*shlex.split(words))
    assert (waived.err, waived.out.splitlines()[-1]) == ("", "exit 0: wrote a waiver in fusion.toml: 1 finding")


def test_where_no_base_is_known_the_releases_of_the_folder_are_looked_at(released: Any, close_page_v2: Tool) -> None:
    relock(released, "pages", close_page_v2)
    result = released.run("explain", "32df0fa", "--against", "release")
    assert (result.code, result.out.splitlines()[0]) == (0, "release 1.0.0 of pages -> fusion.lock")
    assert result.err == (
        "note: the lock was not compared with its base: there is no base to compare with: this repository has no "
        "remote origin; name a branch, tag or commit with --base REV\n"
    )
    for word in ("base", "release"):
        result = released.run("explain", "32df0fa", "--against", word, "--base", "nowhere")
        assert (result.code, result.err.splitlines()[0]) == (
            2,
            "fusion: the revision nowhere is not in this clone; check the name, or fetch it: git fetch origin nowhere",
        )


def test_a_rule_is_accepted_since_the_release(released: Any, close_page_v2: Tool) -> None:
    relock(released, "pages", close_page_v2)
    released.commit("broken, and merged")
    rule = ("waive", "--rule", "enum-value-removed", "--reason", "told", "--until", "2999-12-31", "--base", "main")
    result = released.run(*rule, "--against", "release")
    assert result.out.splitlines()[-2:] == [
        "  32df0fa  BREAKING  close_page: when no longer accepts 'later'",
        "exit 0: wrote a waiver in fusion.toml: 1 finding",
    ]
    listed = released.run("waive", "--against", "release", "--base", "main")
    assert listed.out.splitlines()[1] == "enum-value-removed: accepts 1 finding, until 2999-12-31"


def test_two_things_cannot_be_the_old_side(released: Any) -> None:
    result = released.run("diff", "--against", "release", "--base", "main")
    assert result.code == 2
    assert result.err.splitlines()[0] == ("fusion: --base and --against both stand for OLD; leave one of them out")


def test_it_is_one_of_two_words(released: Any) -> None:
    result = released.run("check", "--against", "yesterday")
    assert result.code == 2
    assert "'yesterday' is not one of base, release." in result.err
    assert "'base' is not one of release." in released.run("diff", "--against", "base").err
