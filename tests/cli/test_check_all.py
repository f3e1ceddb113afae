"""`fusion check --all`: every tracked lock, each with the settings of its project, in one report that ends once."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest


@pytest.fixture
def monorepo(repository: Any, close_page: Any, list_pages: Any) -> Any:
    """Two packages, each with a lock of one server called `pages`, committed on `main`."""
    for package, tool in (("a", close_page), ("b", list_pages)):
        (repository.folder / package).mkdir()
        repository.write(f"{package}/pages.json", json.dumps({"tools": [tool]}))
        command = repository.command("pages")
        assert repository.run("lock", "-C", package, "--name", "pages", "--", *command).code == 0
    repository.commit("first")
    return repository


def change(monorepo: Any, package: str, *tools: Any) -> None:
    monorepo.write(f"{package}/pages.json", json.dumps({"tools": list(tools)}))
    assert monorepo.run("lock", "-C", package).code == 0


def test_a_lock_without_servers_passes_among_others(monorepo: Any) -> None:
    for package in ("a", "b"):
        monorepo.write(f"{package}/fusion.toml", "")
        assert monorepo.run("lock", "-C", package, "--prune", "--write").code == 0
        result = monorepo.run("check", "--all", "--offline", "--base", "main")
        assert (result.code, result.out.splitlines()[-1]) == (1, "exit 1: breaking findings")
        monorepo.commit()
        after = monorepo.run("check", "--all", "--offline", "--base", "main")
        refused = "fusion: none of 2 locks holds a server; lock one first: fusion lock SOURCE"
        said = "" if package == "a" else f"{refused}\nexit 2: could not check\n"
        assert (after.code, after.err) == (2 if said else 0, said)


def test_each_lock_is_checked_and_one_line_ends_it(monorepo: Any, close_page_v2: Any) -> None:
    base = monorepo.git("rev-parse", "HEAD")[:7]
    change(monorepo, "a", close_page_v2)
    result = monorepo.run("check", "--all", "--offline", "--base", "main")
    assert (result.code, result.err) == (1, "")
    assert result.out == (
        "fusion check: a/fusion.lock, 1 server\n"
        "intact      yes\n"
        "fresh       not asked (--offline)\n"
        f"compatible  with a/fusion.lock at main ({base}): 1 breaking\n"
        "fusion check: b/fusion.lock, 1 server\n"
        "intact      yes\n"
        "fresh       not asked (--offline)\n"
        f"compatible  with b/fusion.lock at main ({base}): no changes\n"
        "\n"
        "BREAKING  a/fusion.lock: pages: 1 breaking\n"
        "  close_page                     when no longer accepts 'later'                              32df0fa\n"
        '      worked  close_page {"when": "later"}\n'
        "      now     refused: when must be 'now'\n"
        "Least version bump: major (1.0.0 -> 2.0.0)\n"
        "\n"
        'Accept on purpose: fusion waive 32df0fa --reason "..." -C a --base main\n'
        "Why: fusion explain enum-value-removed\n"
        "exit 1: breaking findings\n"
    )


def test_one_report_names_each_finding_s_lock(monorepo: Any, close_page: Any, close_page_v2: Any) -> None:
    change(monorepo, "a", close_page_v2)
    change(monorepo, "b")
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "--format", "json")
    report = json.loads(result.out)
    assert [(one["lockfile"], one["server"], one["rule"]) for one in report["findings"]] == [
        ("a/fusion.lock", "pages", "enum-value-removed"),
        ("b/fusion.lock", "pages", "tool-removed"),
    ]
    assert report["head"] == {"label": "2 locks", "kind": "lock"}
    assert report["base"]["revision"] == monorepo.git("rev-parse", "HEAD")


def test_each_lock_has_the_settings_beside_it(monorepo: Any, close_page_v2: Any) -> None:
    change(monorepo, "a", close_page_v2)
    settings = monorepo.read("a/fusion.toml")
    monorepo.write("a/fusion.toml", 'fail-on = "never"\n' + settings)
    assert monorepo.run("check", "--all", "--offline", "--base", "main").code == 0
    assert monorepo.run("check", "--all", "--offline", "--base", "main", "--fail-on", "breaking").code == 1


def test_settings_that_name_a_lock_elsewhere_are_its_own(repository: Any, close_page: Any, close_page_v2: Any) -> None:
    (repository.folder / "locks").mkdir()
    repository.write("fusion.toml", 'lockfile = "locks/fusion.lock"\nfail-on = "never"\n')
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit("first")
    repository.serve("pages", close_page_v2)
    repository.run("lock")
    result = repository.run("check", "--all", "--base", "main")
    assert result.code == 0
    assert result.out.startswith("fusion check: locks/fusion.lock, 1 server\nintact      yes\nfresh       1 server")
    assert "BREAKING  locks/fusion.lock: pages: 1 breaking\n" in result.out
    assert 'fusion waive 32df0fa --reason "..." --base main\n' in result.out  # beside the settings, not beside the lock


def test_one_that_cannot_be_read_hides_no_other(monorepo: Any, close_page_v2: Any) -> None:
    monorepo.write("b/fusion.lock", "not = [a lock")
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "--format", "json")
    (error,) = json.loads(result.out)["errors"]
    assert error["message"].startswith("b/fusion.lock: ")
    assert result.code == 2
    change(monorepo, "a", close_page_v2)
    assert monorepo.run("check", "--all", "--offline", "--base", "main").code == 1


def test_a_lock_that_is_no_more_took_its_servers_along(monorepo: Any) -> None:
    monorepo.git("rm", "-q", "-r", "b")
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "--format", "json")
    assert result.code == 1
    (finding,) = json.loads(result.out)["findings"]
    assert (finding["lockfile"], finding["rule"], finding["level"]) == ("b/fusion.lock", "server-removed", "BREAKING")


def test_a_lock_that_moved_is_compared_with_where_it_was(monorepo: Any) -> None:
    monorepo.git("mv", "b", "c")
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "--format", "json")
    assert (result.code, json.loads(result.out)["findings"]) == (0, [])


def test_a_folder_of_a_project_may_be_called_as_a_lock_s_own(monorepo: Any) -> None:
    monorepo.git("mv", "b", "conf.d")
    result = monorepo.run("check", "--all", "--offline", "--base", "main")
    assert (result.code, "fusion check: conf.d/fusion.lock, 1 server" in result.out) == (0, True)
    monorepo.commit("moved")
    monorepo.git("rm", "-q", "-r", "conf.d")
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "--format", "json")
    assert [finding["lockfile"] for finding in json.loads(result.out)["findings"]] == ["conf.d/fusion.lock"]


def test_a_server_is_checked_in_the_locks_that_concern_it(monorepo: Any, list_pages: Any) -> None:
    monorepo.catalog("a/docs.json", list_pages)
    assert monorepo.run("lock", "-C", "a", "--name", "docs", "--", *monorepo.command("docs")).code == 0
    monorepo.commit("docs")
    checked = ("check", "--all", "--offline", "--base", "main", "-s", "docs")
    result = monorepo.run(*checked)
    assert (result.code, "a/fusion.lock, 1 server" in result.out, "b/fusion.lock" in result.out) == (0, True, False)
    settings = monorepo.read("a/fusion.toml").splitlines(keepends=True)
    monorepo.write("a/fusion.toml", "".join(line for line in settings if "docs" not in line))
    assert monorepo.run("lock", "-C", "a", "--prune", "-s", "docs").code == 0
    removed = monorepo.run(*checked, "--format", "json")  # where it was, it is no more
    found = [(one["lockfile"], one["server"], one["rule"]) for one in json.loads(removed.out)["findings"]]
    assert (removed.code, found) == (1, [("a/fusion.lock", "docs", "server-removed")])
    monorepo.write("b/fusion.toml", '[sources]\ndocs = { command = ["true"] }\n')
    stale = monorepo.run("check", "--all", "--base", "main", "-s", "docs", "--format", "json")  # where it should be
    (error,) = json.loads(stale.out)["errors"]
    assert error["message"] == "b/fusion.lock: the lock is stale: it is in the settings and not in the lock"


def test_a_server_that_no_lock_holds_is_an_error(monorepo: Any) -> None:
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "-s", "nowhere")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("fusion: none of 2 locks holds a server that matches nowhere; check -s\n")


def test_kept_releases_are_no_locks_to_check(monorepo: Any) -> None:
    kept = monorepo.folder / "a" / ".fusion" / "releases" / "pages"
    kept.mkdir(parents=True)
    shutil.copy(monorepo.folder / "a" / "fusion.lock", kept / "fusion.lock")
    monorepo.commit("kept")
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "--format", "json")
    assert json.loads(result.out)["head"]["label"] == "2 locks"


@pytest.mark.parametrize("option", ["--lockfile", "--config"])
def test_what_names_one_lock_is_refused(monorepo: Any, option: str) -> None:
    result = monorepo.run("check", "--all", option, "x.toml")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"fusion: --all goes without {option}; each lock has the settings of its own folder\nexit 2: could not check\n"
    )


@pytest.mark.parametrize("name", ["a/saved.json", "b/pages.json", "link.json", "a/../b/fusion.lock", "a/other.toml"])
def test_a_report_takes_the_place_of_nothing_that_a_project_reads(monorepo: Any, list_pages: Any, name: str) -> None:
    monorepo.catalog("a/saved.json", list_pages)
    monorepo.run("lock", "-C", "a", "saved.json")
    monorepo.write("fusion.toml", 'lockfile = "a/other.toml"\n')
    shutil.copy(monorepo.folder / "a" / "fusion.lock", monorepo.folder / "a" / "other.toml")
    (monorepo.folder / "link.json").symlink_to("a/saved.json")
    monorepo.commit("saved")
    before = monorepo.files()
    said = f"a report would take the place of {name}; name a file of its own for it"
    for options in (["--format", "json", "-o", name], ["--format", "text", "--format", f"html={name}"]):
        result = monorepo.run("check", "--all", "--offline", *options)
        assert (result.code, result.out, result.err) == (2, "", f"fusion: {said}\nexit 2: could not check\n")
    assert monorepo.files() == before


def test_a_report_may_lie_beside_what_a_project_reads(monorepo: Any) -> None:
    result = monorepo.run("check", "--all", "--offline", "--base", "main", "--format", "json", "-o", "a/report.json")
    assert (result.code, json.loads(monorepo.read("a/report.json"))["head"]["label"]) == (0, "2 locks")


def test_why_there_is_nothing_to_check_is_in_the_report(repository: Any) -> None:
    repository.commit("empty")
    result = repository.run("check", "--all", "--format", "json", "-o", "report.json")
    assert (result.code, result.out) == (2, "")
    (error,) = json.loads(repository.read("report.json"))["errors"]
    assert error["message"].startswith("git tracks no fusion.lock in ")
    assert repository.run("check", "--all", "-C", "none", "--format", "json", "-o", "report.json").code == 2


def test_no_lock_at_all(repository: Any) -> None:
    repository.commit("empty")
    result = repository.run("check", "--all")
    assert result.code == 2
    assert result.err.startswith(
        "fusion: git tracks no fusion.lock in DIR; write one with fusion lock SOURCE, and git add it\n"
    )


def test_not_a_repository(project: Any) -> None:
    result = project.run("check", "--all")
    assert result.code == 2
    assert "run this inside the repository" in result.err


def test_what_could_not_be_checked_is_counted_lock_by_lock(monorepo: Any) -> None:
    """Servers of one name are two; one reason for all locks is said once."""
    for package in ("a", "b"):
        (monorepo.folder / package / "pages.json").unlink()
    result = monorepo.run("check", "--all", "--base", "main")
    assert (result.code, result.out.splitlines()[-1]) == (2, "exit 2: could not check: 2 servers not checked")
    result = monorepo.run("check", "--all", "--offline", "--base", "nowhere")
    assert result.out.splitlines()[-1] == "exit 2: could not check: the revision nowhere is not in this clone"


def test_the_last_line_speaks_of_all_locks(monorepo: Any, close_page_v2: Any, close_page: Any, list_pages: Any) -> None:
    """Each with a level of its own from which on it fails: that of the first lock is not that of all."""
    last = ("check", "--all", "--offline", "--base", "main")
    monorepo.write("a/fusion.toml", f'fail-on = "never"\n{monorepo.read("a/fusion.toml")}')
    assert monorepo.run(*last).out.splitlines()[-1] == "exit 0: nothing at or above the fail-on of its server"
    monorepo.write("a/fusion.toml", monorepo.read("a/fusion.toml").replace("never", "breaking"))
    monorepo.write("b/fusion.toml", f'fail-on = "any"\n{monorepo.read("b/fusion.toml")}')
    change(monorepo, "a", close_page_v2)
    change(monorepo, "b", list_pages, close_page)
    assert monorepo.run(*last).out.splitlines()[-1] == "exit 1: findings (fail-on is any in fusion.toml)"


def test_a_lock_that_is_no_more_is_judged_by_the_settings_that_stayed(monorepo: Any) -> None:
    monorepo.write("b/fusion.toml", f'fail-on = "never"\n{monorepo.read("b/fusion.toml")}')
    monorepo.git("rm", "-q", "b/fusion.lock")
    result = monorepo.run("check", "--all", "--offline", "--base", "main")
    assert result.code == 0
    assert "BREAKING  b/fusion.lock: pages: 1 breaking\n" in result.out


def test_a_first_lock_and_the_base_of_all_name_where_they_are(monorepo: Any) -> None:
    base = monorepo.git("rev-parse", "HEAD")
    shutil.copytree(monorepo.folder / "a", monorepo.folder / "sub" / "c")
    monorepo.commit("a third")
    formats = ("--format", "text", "--format", "json=all.json")
    result = monorepo.run("check", "--all", "--offline", "--base", base, *formats)
    compatible = [line.split(None, 1)[1] for line in result.out.splitlines() if line.startswith("compatible")]
    assert compatible == [
        f"with a/fusion.lock at {base[:12]}: no changes",
        f"with b/fusion.lock at {base[:12]}: no changes",
        f"first lock: nothing to compare (sub/c/fusion.lock at {base[:12]} does not exist)",
    ]
    report = json.loads(monorepo.read("all.json"))
    assert report["base"] == {"label": f"3 locks at {base[:12]}", "kind": "git", "revision": base}
