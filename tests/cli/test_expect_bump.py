"""`fusion check --expect-bump`: the declared version moved as far as what changed since the last release asks."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

Tool = dict[str, Any]


@pytest.fixture
def ours(repository: Any, close_page: Tool) -> Any:
    """A project of version 1.4.0 with a server of its own, released as v1.4.0 on `main`."""
    repository.write("server.py", repository.script.read_text(encoding="utf-8"))
    declare(repository, "1.4.0")
    serve(repository, close_page)
    command = ("--", repository.command("pages")[0], "server.py", "pages.json")
    assert repository.run("lock", "--name", "pages", *command).code == 0
    repository.commit("first")
    repository.git("tag", "v1.4.0")
    return repository


def declare(project: Any, version: str) -> None:
    path = project.folder / "pyproject.toml"
    text = path.read_text(encoding="utf-8") if path.exists() else '[project]\nname = "acme-pages"\nversion = ""\n'
    project.write("pyproject.toml", re.sub(r'version = ".*"', f'version = "{version}"', text))


def serve(project: Any, *tools: Tool, version: str = "3.2.1") -> None:
    project.serve("pages", *tools, version=version)


def relock(project: Any, *tools: Tool, version: str = "3.2.1") -> None:
    serve(project, *tools, version=version)
    assert project.run("lock", "--write").code == 0


def branch(project: Any, name: str, *tools: Tool, version: str | None = None) -> None:
    """A branch from `main` that locks these tools, and declares this version."""
    project.git("switch", "-q", "-c", name, "main")
    if tools:
        relock(project, *tools)
    if version is not None:
        declare(project, version)
    project.commit(name)


def merge(project: Any, name: str) -> None:
    project.git("switch", "-q", "main")
    project.git("-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "--no-ff", "-m", f"merge {name}", name)


def asked(project: Any, *more: str, base: str = "main") -> tuple[int, list[str]]:
    """The exit code, and what is said of versions: the answer and the last line."""
    result = project.run("check", "--offline", "--expect-bump", "--fail-on", "never", "--base", base, *more)
    lines = result.out.splitlines()
    at = next((number for number, line in enumerate(lines) if line.startswith("version")), len(lines))
    end = next((number for number in range(at, len(lines)) if not lines[number]), len(lines) - 1)
    return result.code, [*lines[at:end], lines[-1]]


ENOUGH = "exit 0: findings do not count (fail-on is never)"
TOO_LITTLE = "exit 1: the version did not move enough for fusion.lock"


def test_as_a_test_the_version_alone_fails_where_findings_do_not_count(ours: Any, close_page_v2: Tool) -> None:
    branch(ours, "change", close_page_v2)
    asked(ours, "--format", "text", "--format", "junit=report.xml")
    failures = ET.fromstring(ours.read("report.xml")).iter("failure")
    assert [failure.get("type") for failure in failures] == ["version-bump-missing"]


def test_a_break_without_a_bump_fails(ours: Any, close_page_v2: Tool) -> None:
    branch(ours, "change", close_page_v2)
    assert asked(ours) == (1, [
        "version     not enough",
        "  pages  1.4.0 (v1.4.0) -> 1.4.0 (pyproject.toml); least: 2.0.0 or later, a major bump",
        TOO_LITTLE,
    ])  # fmt: skip


def test_only_what_did_not_move_enough_is_told_as_that(ours: Any, close_page_v2: Tool, list_pages: Tool) -> None:
    def foreign(name: str, version: str, tool: Tool) -> None:  # it reads no file of the project
        ours.run("lock", "--write", "--name", name, *ours.serve(f"../{name}", tool, version=version))

    foreign("zebra", "0.1.0", list_pages)
    foreign("aside", "next", list_pages)
    base = ours.commit("foreign servers beside it")[:7]
    branch(ours, "change", close_page_v2)
    offender = "  pages  1.4.0 (v1.4.0) -> 1.4.0 (pyproject.toml); least: 2.0.0 or later, a major bump"
    assert asked(ours) == (1, ["version     not enough for 1 of 2 servers", offender, TOO_LITTLE])
    foreign("aside", "next", close_page_v2)
    problem = [
        "  aside  not checked: the version now, next in serverInfo, is no semantic version",
        "      next: pass the version to be released: --next-version X.Y.Z",
    ]
    assert asked(ours)[1][:-1] == ["version     not enough for 1 of 3 servers", offender, *problem]
    declare(ours, "2.0.0")
    assert asked(ours)[1][:-1] == ["version     not checked", *problem]
    foreign("aside", "next", list_pages)
    zebra = f"  zebra  0.1.0 (fusion.lock at main ({base})) -> 0.1.0 (serverInfo); least: 0.1.0 or later"
    assert asked(ours) == (0, ["version     enough", offender.replace("-> 1.4.0", "-> 2.0.0"), zebra, ENOUGH])


def test_the_finding_is_in_the_report(ours: Any, close_page_v2: Tool) -> None:
    branch(ours, "change", close_page_v2, version="1.5.0")
    result = ours.run("check", "--offline", "--expect-bump", "--base", "main", "--format", "json")
    report = json.loads(result.out)
    assert result.code == 1
    (finding,) = [one for one in report["findings"] if one["rule"] == "version-bump-missing"]
    assert (finding["level"], finding["server"], finding["before"], finding["after"]) == (
        "BREAKING", "pages", "1.4.0", "1.5.0",
    )  # fmt: skip
    assert finding["message"] == (
        "version went from 1.4.0 to 1.5.0; the changes since v1.4.0 need a major bump: 2.0.0 or later in pyproject.toml"
    )
    assert report["bumps"] == [{
        "server": "pages", "since": "v1.4.0", "bump": "major", "before": "1.4.0", "after": "1.5.0", "least": "2.0.0",
        "place": "pyproject.toml", "enough": False,
    }]  # fmt: skip


def test_without_the_option_a_report_keeps_its_shape(ours: Any, close_page_v2: Tool) -> None:
    branch(ours, "change", close_page_v2)
    report = json.loads(ours.run("check", "--offline", "--base", "main", "--format", "json").out)
    assert list(report) == ["schema_version", "base", "head", "summary", "findings", "errors"]


@pytest.mark.parametrize("version", ["2.0.0", "2.0.0-rc.1", "2.0.0rc1", "3.0.0"])
def test_a_break_with_a_bump_passes(ours: Any, close_page_v2: Tool, version: str) -> None:
    branch(ours, "change", close_page_v2, version=version)
    code, lines = asked(ours)
    assert (code, lines[0], lines[-1]) == (0, "version     enough", ENOUGH)


def test_the_second_pull_request_rides_on_the_bump_of_the_first(
    ours: Any, close_page: Tool, close_page_v2: Tool
) -> None:
    branch(ours, "first", close_page_v2, version="2.0.0")
    merge(ours, "first")
    branch(ours, "second", {**close_page_v2, "name": "shut_page"})
    assert asked(ours)[0] == 0

    merge(ours, "second")
    ours.git("tag", "v2.0.0")
    branch(ours, "third", close_page)
    assert asked(ours) == (1, [
        "version     not enough",
        "  pages  2.0.0 (v2.0.0) -> 2.0.0 (pyproject.toml); least: 3.0.0 or later, a major bump",
        TOO_LITTLE,
    ])  # fmt: skip


def test_a_second_pull_request_that_adds_rides_on_a_patch_no_longer(
    ours: Any, close_page: Tool, list_pages: Tool
) -> None:
    branch(ours, "first", {**close_page, "description": "Close one page."}, version="1.4.1")
    assert asked(ours)[0] == 0
    merge(ours, "first")
    branch(ours, "second", {**close_page, "description": "Close one page."}, list_pages)
    assert asked(ours)[1][1] == (
        "  pages  1.4.0 (v1.4.0) -> 1.4.1 (pyproject.toml); least: 1.5.0 or later, a minor bump"
    )


def test_the_tag_on_another_branch_does_not_count(ours: Any, close_page_v2: Tool, close_page: Tool) -> None:
    ours.git("switch", "-q", "-c", "next")
    relock(ours, close_page_v2)
    declare(ours, "2.0.0")
    ours.commit("next")
    ours.git("tag", "v2.0.0")
    ours.git("switch", "-q", "main")
    branch(ours, "fix", {**close_page, "description": "Shut."}, version="1.4.1")
    assert asked(ours)[1][1] == (
        "  pages  1.4.0 (v1.4.0) -> 1.4.1 (pyproject.toml); least: 1.4.1 or later, a patch bump"
    )


def test_a_release_is_compared_with_the_one_before(ours: Any, close_page_v2: Tool) -> None:
    branch(ours, "change", close_page_v2)
    merge(ours, "change")
    ours.git("tag", "v1.5.0")
    assert asked(ours) == (1, [
        "version     not enough",
        "  pages  1.4.0 (v1.4.0) -> 1.5.0 (the tag); least: 2.0.0 or later, a major bump",
        TOO_LITTLE,
    ])  # fmt: skip
    ours.git("tag", "v2.0.0")
    assert asked(ours)[0] == 0


def test_what_was_not_committed_is_not_the_release_that_head_is(ours: Any, close_page_v2: Tool) -> None:
    relock(ours, close_page_v2)
    assert asked(ours)[1][1] == (
        "  pages  1.4.0 (v1.4.0) -> 1.4.0 (pyproject.toml); least: 2.0.0 or later, a major bump"
    )


def test_without_tags_the_base_counts(ours: Any, close_page_v2: Tool) -> None:
    ours.git("tag", "-d", "v1.4.0")
    base = ours.git("rev-parse", "HEAD")[:7]
    branch(ours, "change", close_page_v2, version="1.4.1")
    assert asked(ours)[1][1] == (
        f"  pages  1.4.0 (fusion.lock at main ({base})) -> 1.4.1 (pyproject.toml); least: 2.0.0 or later, a major bump"
    )


def test_without_tags_a_kept_release_counts_that_the_base_holds(
    ours: Any, close_page: Tool, close_page_v2: Tool
) -> None:
    ours.run("release")
    ours.commit("release 1.4.0")
    ours.git("tag", "-d", "v1.4.0")
    branch(ours, "first", close_page_v2, version="2.0.0")
    merge(ours, "first")
    branch(ours, "second", {**close_page, "name": "shut"})
    assert ours.run("release").code == 0  # brought by the change itself, so it hides nothing
    ours.commit("release 2.0.0")
    assert asked(ours)[1][1] == (
        "  pages  1.4.0 (the last release) -> 2.0.0 (pyproject.toml); least: 2.0.0 or later, a major bump"
    )
    assert asked(ours, "--against", "release")[1][1] == (
        "  pages  1.4.0 (the last release) -> 2.0.0 (pyproject.toml); least: 2.0.0 or later, a major bump"
    )


def test_a_tag_from_before_the_lock_is_passed_over(repository: Any, close_page: Tool, close_page_v2: Tool) -> None:
    declare(repository, "1.0.0")
    repository.commit("no lock yet")
    repository.git("tag", "v1.0.0")
    repository.write("server.py", repository.script.read_text(encoding="utf-8"))
    serve(repository, close_page)
    repository.run("lock", "--name", "pages", "--", repository.command("pages")[0], "server.py", "pages.json")
    assert asked(repository) == (0, ["version     nothing to compare", ENOUGH])
    repository.commit("locked")
    branch(repository, "change", close_page_v2)
    assert asked(repository)[1][1].endswith("-> 1.0.0 (pyproject.toml); least: 2.0.0 or later, a major bump")


def test_a_renamed_lock_is_found_at_the_tag(ours: Any, close_page_v2: Tool) -> None:
    ours.git("mv", "fusion.lock", "other.lock")
    ours.commit("rename")
    serve(ours, close_page_v2)
    assert ours.run("lock", "--write", "--lockfile", "other.lock").code == 0
    ours.git("switch", "-q", "-c", "change")
    ours.commit("change")
    assert asked(ours, "--lockfile", "other.lock")[1][1] == (
        "  pages  1.4.0 (v1.4.0) -> 1.4.0 (pyproject.toml); least: 2.0.0 or later, a major bump"
    )


def test_a_foreign_server_speaks_for_itself(
    repository: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, close_page: Tool, close_page_v2: Tool
) -> None:
    python, script = repository.command("pages")[:2]
    runner = tmp_path / "bin" / "npx"
    runner.parent.mkdir()
    runner.write_text(f'#!/bin/sh\nexec "{python}" "{script}" pages.json\n', encoding="utf-8")
    runner.chmod(0o755)
    monkeypatch.setenv("PATH", f"{runner.parent}:/usr/bin:/bin")
    declare(repository, "1.0.0")
    serve(repository, close_page, version="0.4.2")
    repository.run("lock", "--name", "pages", "--", "npx", "-y", "other-mcp", "--config", "pages.json")
    base = repository.commit("first")[:7]
    repository.git("tag", "v1.0.0")
    branch(repository, "update")
    relock(repository, close_page_v2, version="0.4.3")
    assert asked(repository) == (1, [
        "version     not enough",
        f"  pages  0.4.2 (fusion.lock at main ({base})) -> 0.4.3 (serverInfo); least: 0.5.0 or later, a minor bump",
        TOO_LITTLE,
    ])  # fmt: skip
    relock(repository, close_page_v2, version="0.5.0")
    assert asked(repository)[0] == 0


def test_package_json_is_read_as_well(ours: Any, close_page_v2: Tool) -> None:
    ours.write("pyproject.toml", ours.read("pyproject.toml").partition("[tool")[2].join(["[tool", ""]))
    ours.write("package.json", '{"name": "acme-pages", "version": "1.4.0"}')
    ours.commit("node")
    branch(ours, "change", close_page_v2)
    assert asked(ours)[1][1] == ("  pages  1.4.0 (v1.4.0) -> 1.4.0 (package.json); least: 2.0.0 or later, a major bump")


def test_a_version_that_went_back_is_told(ours: Any) -> None:
    branch(ours, "change", version="1.3.0")
    result = ours.run("check", "--offline", "--expect-bump", "--base", "main")
    assert result.code == 1
    assert "version went back from 1.4.0 to 1.3.0; it was 1.4.0" in " ".join(result.out.split())


def test_the_level_that_the_project_gives_a_rule_counts(ours: Any, close_page_v2: Tool) -> None:
    ours.write("pyproject.toml", ours.read("pyproject.toml") + '[tool.fusion.levels]\nenum-value-removed = "risky"\n')
    branch(ours, "change", close_page_v2)
    assert asked(ours)[1][1].endswith("least: 1.5.0 or later, a minor bump")


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("2026.11.30", "is a calendar version, which says nothing of what breaks"),
        ("1.4.0-3-g1a2b3c4", "is what git describe says of a commit between two releases"),
        ("next", "is no semantic version"),
    ],
)
def test_what_cannot_be_compared_is_said(ours: Any, close_page_v2: Tool, version: str, said: str) -> None:
    branch(ours, "change", close_page_v2, version=version)
    code, lines = asked(ours)
    assert code == 2
    assert lines[:3] == [
        "version     not checked",
        f"  pages  not checked: the version now, {version} in pyproject.toml, {said}",
        "      next: pass the version to be released: --next-version X.Y.Z",
    ]
    assert asked(ours, "--next-version", "1.5.0")[1] == [
        "version     not enough",
        "  pages  1.4.0 (v1.4.0) -> 1.5.0 (--next-version); least: 2.0.0 or later, a major bump",
        TOO_LITTLE,
    ]
    assert asked(ours, "--next-version", "2.0.0")[0] == 0


def test_a_version_that_cannot_be_compared_is_no_matter_where_nothing_changed(ours: Any, close_page: Tool) -> None:
    branch(ours, "change", close_page, version="2026.11.30")
    assert asked(ours) == (0, ["version     nothing to compare", ENOUGH])


def test_each_lock_of_a_repository_has_its_own_version(repository: Any, close_page: Tool, close_page_v2: Tool) -> None:
    for package in ("a", "b"):
        repository.write(f"{package}/server.py", repository.script.read_text(encoding="utf-8"))
        repository.write(f"{package}/pages.json", json.dumps({"tools": [close_page]}))
        repository.write(f"{package}/package.json", json.dumps({"name": f"@acme/{package}", "version": "1.0.0"}))
        command = (repository.command("pages")[0], "server.py", "pages.json")
        assert repository.run("lock", "-C", package, "--name", "pages", "--", *command).code == 0
    repository.commit("first")
    for tag in ("@acme/a@1.0.0", "@acme/b@1.0.0"):
        repository.git("tag", tag)
    for package in ("a", "b"):
        repository.write(f"{package}/pages.json", json.dumps({"tools": [close_page_v2]}))
        repository.run("lock", "-C", package, "--write")
    repository.write("a/package.json", json.dumps({"name": "@acme/a", "version": "2.0.0"}))
    repository.commit("break both, and say so for one")
    repository.git("tag", "@acme/a@2.0.0")

    result = repository.run(
        "check", "--all", "--offline", "--expect-bump", "--fail-on", "never", "--base", "HEAD~1", "--format", "json"
    )

    assert result.code == 1
    found = [(one["lockfile"], one["since"], one["after"], one["enough"]) for one in json.loads(result.out)["bumps"]]
    assert found == [
        ("a/fusion.lock", "@acme/a@1.0.0", "2.0.0", True),
        ("b/fusion.lock", "@acme/b@1.0.0", "1.0.0", False),
    ]
    assert result.err.splitlines()[-1] == "exit 1: the version did not move enough for b/fusion.lock"


def test_a_level_of_the_server_is_the_level_of_its_finding(ours: Any, close_page_v2: Tool) -> None:
    branch(ours, "change", close_page_v2)
    ours.write("pyproject.toml", ours.read("pyproject.toml") + (
        '[tool.fusion.servers.pages]\nlevels = { version-bump-missing = "risky" }\n'
    ))  # fmt: skip
    assert asked(ours)[0] == 0
    assert asked(ours, "--fail-on", "risky")[0] == 1


@pytest.mark.parametrize("more", [(), ("-s", "pages")])
def test_a_waived_version_fails_no_run_whatever_is_selected(
    ours: Any, close_page_v2: Tool, more: tuple[str, ...]
) -> None:
    branch(ours, "change", close_page_v2)
    ours.write("pyproject.toml", ours.read("pyproject.toml") + (
        '[[tool.fusion.waivers]]\nrule = "version-bump-missing"\nreason = "next week"\nuntil = 2999-12-31\n'
    ))  # fmt: skip
    code, lines = asked(ours, *more)
    assert (code, lines[-1]) == (0, ENOUGH)


def test_how_to_accept_it_is_said_by_its_rule_for_no_comparison_has_its_id(ours: Any, close_page_v2: Tool) -> None:
    branch(ours, "change", close_page_v2)
    out = ours.run("check", "--offline", "--expect-bump", "--base", "main").out
    said = 'fusion waive --rule version-bump-missing --reason "..." --until YYYY-MM-DD --base main'
    assert f"Accept on purpose: {said}\n" in out
    words = [word.replace("YYYY-MM-DD", "2999-12-31").strip('"') for word in said.split()[1:]]
    assert ours.run(*words).code == 0
    assert asked(ours)[0] == 0


def test_before_the_first_commit_there_is_nothing_to_compare(repository: Any, close_page: Tool) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    result = repository.run("check", "--offline", "--expect-bump")
    assert result.code == 0
    assert "version     nothing to compare\n" in result.out
