"""`fusion changelog`: what each release changed, from git history."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

Tool = dict[str, Any]
DATE = "2026-03-04"
FIRST = f"## v1.0.0 ({DATE})\n\nThe first lock:\n\n- `pages` 1.0.0: 1 tool\n"
BROKEN = (
    "Least version bump: major (1.0.0 → 2.0.0).\n"
    "\n"
    "### Breaking\n"
    "\n"
    '- `close_page`: `when` no longer accepts \'later\'. Worked: `close_page {"when": "later"}`; '
    "now: refused: `when` must be 'now'. List the tools again, and build the call from the new schema.\n"
)


@pytest.fixture
def released(repository: Any, close_page: Tool, monkeypatch: pytest.MonkeyPatch) -> Any:
    """One server, locked and tagged v1.0.0; every commit is made on one day."""
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"{DATE}T12:00:00+02:00")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2020-01-01T00:00:00Z")
    repository.write("README", "first")
    repository.commit("before there was a lock")
    relock(repository, close_page)
    repository.commit("lock")
    repository.git("tag", "v1.0.0")
    return repository


def relock(project: Any, *tools: Tool, name: str = "pages") -> None:
    assert project.run("lock", "--write", "--name", name, *project.serve(name, *tools)).code == 0


def change(project: Any, *tools: Tool, tag: str | None = None) -> str:
    relock(project, *tools)
    commit: str = project.commit("change")
    if tag is not None:
        project.git("tag", "-a", "-m", "annotated", tag)
    return commit


def changelog(project: Any, *more: str) -> str:
    result = project.run("changelog", *more)
    assert (result.code, result.err) == (0, "")
    return str(result.out)


def test_since_the_last_release(released: Any, close_page_v2: Tool) -> None:
    commit = change(released, close_page_v2)
    assert changelog(released) == f"## Unreleased ({DATE}, {commit[:7]})\n\n{BROKEN}"


def test_a_section_for_each_release_newest_first(released: Any, close_page_v2: Tool, list_pages: Tool) -> None:
    change(released, close_page_v2, tag="v2.0.0")
    released.write("README", "the lock is as it was")
    released.commit()
    released.git("tag", "v2.0.1")
    commit = change(released, {**close_page_v2, "description": "Shut it."}, list_pages)
    assert changelog(released, "..HEAD") == (
        f"## Unreleased ({DATE}, {commit[:7]})\n"
        "\n"
        "Least version bump: minor (2.0.1 → 2.1.0).\n"
        "\n"
        "### Changed\n"
        "\n"
        "- descriptions reworded: 1 tool\n"
        "\n"
        "### Added\n"
        "\n"
        "- `list_pages`: added\n"
        "\n"
        f"## v2.0.1 ({DATE})\n"
        "\n"
        "No change to the contract.\n"
        "\n"
        f"## v2.0.0 ({DATE})\n"
        "\n"
        f"{BROKEN}"
        "\n"
        f"{FIRST}"
    )
    assert changelog(released, "v1.0.0..v2.0.0") == f"## v2.0.0 ({DATE})\n\n{BROKEN}"
    assert changelog(released, "v2.0.0..v2.0.1") == f"## v2.0.1 ({DATE})\n\nNo change to the contract.\n"
    assert changelog(released, "v2.0.1") == changelog(released, "v2.0.1..") == changelog(released)


def test_on_a_tag_the_notes_are_of_that_release(released: Any, close_page_v2: Tool) -> None:
    change(released, close_page_v2, tag="v2.0.0")
    assert changelog(released) == f"## v2.0.0 ({DATE})\n\n{BROKEN}"


def test_nothing_since_the_last_release(released: Any) -> None:
    released.write("README", "other")
    commit = released.commit()
    assert changelog(released) == f"## Unreleased ({DATE}, {commit[:7]})\n\nNo change to the contract.\n"


def test_the_first_release_tells_what_was_locked(released: Any) -> None:
    assert changelog(released) == FIRST


def test_what_is_not_committed_is_no_history(released: Any, close_page_v2: Tool) -> None:
    relock(released, close_page_v2)
    assert changelog(released) == FIRST


def test_without_release_tags_each_commit_has_a_section(released: Any, close_page_v2: Tool) -> None:
    released.git("tag", "-d", "v1.0.0")
    released.git("tag", "nightly")
    released.git("tag", "v1")  # a tag that moves
    first = released.git("rev-parse", "HEAD")[:7]
    second = change(released, close_page_v2)[:7]
    assert changelog(released) == (
        f"## {DATE} ({second})\n\n{BROKEN.replace(' (1.0.0 → 2.0.0)', '')}\n"
        f"{FIRST.replace(f'v1.0.0 ({DATE})', f'{DATE} ({first})')}"
    )
    assert changelog(released, first).startswith(f"## {DATE} ({second})\n")
    assert changelog(released, first).count("## 2026") == 1


def test_a_branch_counts_where_it_was_merged(released: Any, close_page_v2: Tool, close_page: Tool) -> None:
    released.git("switch", "-q", "-c", "side")
    change(released, close_page_v2, tag="v1.9.0")
    change(released, close_page)
    released.git("switch", "-q", "main")
    released.write("README", "main went on")
    released.commit()
    released.git("-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "--no-ff", "-m", "merge", "side")
    said = changelog(released, "v1.0.0..HEAD")
    assert said.startswith("## Unreleased")
    assert "No change to the contract." in said


@pytest.mark.parametrize("tagged", [True, False])
def test_a_renamed_lock_is_followed(released: Any, close_page_v2: Tool, tagged: bool) -> None:
    if not tagged:
        released.git("tag", "-d", "v1.0.0")
    released.write("keep", "")
    (released.folder / "locks").mkdir()
    released.git("mv", "fusion.lock", "locks/old.lock")
    released.commit("rename")
    released.git("mv", "locks/old.lock", "locks/new.lock")
    released.commit("and again")
    relocked = released.run(
        "lock", "--write", "--lockfile", "locks/new.lock", "--name", "pages", *released.serve("pages", close_page_v2)
    )
    assert relocked.code == 0
    released.commit()
    said = changelog(released, "--lockfile", "locks/new.lock", "..HEAD")
    assert "no longer accepts 'later'" in said
    assert "The first lock:\n\n- `pages` 1.0.0: 1 tool\n" in said
    assert said.count("The first lock") == 1


def test_a_lock_that_was_away_for_a_while(released: Any, close_page_v2: Tool) -> None:
    released.git("rm", "-q", "fusion.lock")
    released.commit()
    released.git("tag", "v1.1.0")
    change(released, close_page_v2, tag="v2.0.0")
    assert changelog(released, "..HEAD") == (
        f"## v2.0.0 ({DATE})\n\n{BROKEN}\n## v1.1.0 ({DATE})\n\nThe lock is not there.\n\n{FIRST}"
    )


def test_a_lock_that_cannot_be_read_hides_no_other(released: Any, close_page_v2: Tool) -> None:
    released.write("fusion.lock", "lock_version = 99\n")
    released.commit()
    released.git("tag", "v1.1.0")
    (released.folder / "fusion.lock").unlink()
    change(released, close_page_v2, tag="v2.0.0")
    result = released.run("changelog", "..HEAD")
    assert result.code == 2
    newest, unread, oldest = result.out.split("\n\n## ")
    assert f"{newest}\n" == f"## v2.0.0 ({DATE})\n\n{BROKEN}"
    assert unread.startswith(f"v1.1.0 ({DATE})\n\nNot known: `fusion.lock` at v1.1.0 ")
    assert f"## {oldest}" == FIRST
    assert result.err.splitlines()[-1] == "exit 2: could not read the lock at 1 of 3 points"


def test_several_servers(released: Any, close_page: Tool, close_page_v2: Tool, list_pages: Tool) -> None:
    relock(released, close_page, name="saved")
    released.commit()
    released.git("tag", "v1.1.0")
    relock(released, close_page_v2)
    relock(released, list_pages, close_page, name="saved")
    released.commit()
    said = changelog(released)
    assert [line for line in said.splitlines() if line.startswith("#")][1:] == [
        "### `pages`", "#### Breaking", "### `saved`", "#### Added",
    ]  # fmt: skip
    only = changelog(released, "-s", "saved")
    assert "close_page" not in only
    assert "- `list_pages`: added" in only


def test_a_version_alone_is_no_bare_heading(released: Any, close_page: Tool, list_pages: Tool) -> None:
    relock(released, list_pages, name="saved")
    released.commit()
    released.git("tag", "-d", "v1.0.0")
    assert released.run("lock", "--write", *released.serve("pages", close_page, version="1.0.1")).code == 0
    commit = released.commit("a version")[:7]
    relock(released, close_page, list_pages, name="saved")
    released.commit("a tool")
    assert changelog(released).partition(f"({commit})")[2].partition("\n## ")[0] == (
        "\n\nLeast version bump: none.\n\n### `pages` 1.0.0 → 1.0.1\n\nThe version, and nothing else.\n"
    )
    assert changelog(released, "-s", "none").endswith("\n\nThe first lock, without a server.\n")


def test_for_machines(released: Any, close_page_v2: Tool) -> None:
    commit = change(released, close_page_v2, tag="v2.0.0")
    found = json.loads(changelog(released, "--format", "json"))
    assert list(found) == ["changelog_version", "sections"]
    (section,) = found["sections"]
    rules = [finding["rule"] for finding in section.pop("findings")]
    assert rules == ["enum-value-removed"]
    assert section == {
        "title": "v2.0.0", "tag": "v2.0.0", "commit": commit, "date": DATE, "bump": "major", "first": [], "error": None,
    }  # fmt: skip


def test_into_a_file(released: Any, close_page_v2: Tool) -> None:
    change(released, close_page_v2)
    said = changelog(released)
    assert changelog(released, "-o", "notes.md") == ""
    assert released.read("notes.md") == said


def test_names_that_a_server_chose_are_no_markup(released: Any, close_page: Tool) -> None:
    hostile = "x`|<img src=//e>\n# @team ![a](http://e) "
    change(released, close_page, {**close_page, "name": hostile})
    change(released, close_page, {**close_page, "name": hostile, "inputSchema": {
        "type": "object", "properties": {"when": {"enum": ["now"]}, "<b>*@all*": {"type": "string"}},
        "required": ["<b>*@all*"],
    }}, tag="v2.0.0")  # fmt: skip
    change(released, close_page)
    for said in (changelog(released, "v1.0.0"), changelog(released, "..HEAD")):
        assert "\n# " not in said
    line = next(line for line in changelog(released).splitlines() if line.startswith("- "))
    assert line == (
        "- <code>x&#96;&#124;&#60;img src&#61;&#47;&#47;e&#62;&#92;n&#35; &#64;<!-- -->team "
        "&#33;&#91;a&#93;&#40;http&#58;&#47;&#47;e&#41; </code>: removed. Take it out of prompts and plans."
    )


def test_only_part_of_the_history(released: Any, close_page_v2: Tool, tmp_path: Path) -> None:
    change(released, close_page_v2)
    clone = tmp_path / "clone"
    source = f"file://{released.folder}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, str(clone)], check=True)
    result = released.run("changelog", "-C", str(clone))
    assert result.code == 2
    assert result.err.splitlines()[0] == (
        "fusion: the history is not whole in this clone, and no release is in it; "
        "fetch the history: `fetch-depth: 0` for actions/checkout, `git fetch --unshallow` elsewhere"
    )


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ("v1.0.0...HEAD", "v1.0.0...HEAD is no range; write A..B, with two dots"),
        ("", "the range is empty; write A..B"),
        (
            "nowhere..HEAD",
            "the revision nowhere is not in this clone; check the name, or fetch it: git fetch origin nowhere",
        ),
        ("HEAD..v1.0.0", "v1.0.0 does not descend from HEAD; compare the two: fusion diff git:HEAD git:v1.0.0"),
        ("..v1.0.0~1", "the history of v1.0.0~1 holds no fusion.lock; commit the lock, or name it with --lockfile"),
        ("--all..x", None),
    ],
)  # fmt: skip
def test_ranges_that_are_none(released: Any, close_page_v2: Tool, span: str, said: str | None) -> None:
    change(released, close_page_v2)
    result = released.run("changelog", span)
    assert result.code == 2
    if said is not None:
        assert result.err.splitlines()[0] == f"fusion: {said}"


def test_no_commit_yet(repository: Any, close_page: Tool) -> None:
    relock(repository, close_page)
    said = "fusion: HEAD names nothing: the branch has no commit yet; commit first\nexit 2: could not check\n"
    for command in (["changelog"], ["diff", "git:HEAD", "fusion.lock"]):
        result = repository.run(*command)
        assert (result.code, result.out, result.err) == (2, "", said)


def test_no_repository(project: Any, close_page: Tool) -> None:
    relock(project, close_page)
    result = project.run("changelog")
    assert result.code == 2
    assert result.err.startswith("fusion: git cannot resolve HEAD: ")


@pytest.mark.parametrize("until", ["2000-01-01", "2999-12-31"])
def test_waivers_count_for_nothing(released: Any, close_page_v2: Tool, until: str) -> None:
    waiver = f'[[waivers]]\nrule = "enum-value-removed"\nreason = "told"\nuntil = {until}\n'
    released.write("fusion.toml", released.read("fusion.toml") + waiver)
    commit = change(released, close_page_v2)
    assert changelog(released) == f"## Unreleased ({DATE}, {commit[:7]})\n\n{BROKEN}"
    (section,) = json.loads(changelog(released, "--format", "json"))["sections"]
    assert [(one["rule"], "waived" in one) for one in section["findings"]] == [("enum-value-removed", False)]
