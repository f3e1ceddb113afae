"""Settings of some servers: which entry counts, and how runs with several limits end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fusion_contracts.config.policies import by_exactness

ENTRIES = {"*": 1, "p*": 2, "pages": 3, "p[a]ges": 4, "?ages": 5, "page*": 6, "a*b": 7}


@pytest.mark.parametrize(
    ("name", "order"),
    [
        ("pages", [3, 4, 5, 6, 2, 1]),  # of globs with as many letters the first of the settings
        ("pages-two", [6, 2, 1]),
        ("p[a]ges", [4, 2, 1]),
        ("mail", [1]),
        ("PAGES", [1]),
    ],
)
def test_the_most_exact_entry_counts(name: str, order: list[int]) -> None:
    assert by_exactness(name, ENTRIES) == order


@pytest.fixture
def two(project: Any, close_page: Any, close_page_v2: Any) -> Any:
    """Locks of two servers, a and b; a loses an enum value, b a description."""
    reworded = {**close_page, "description": "Close one page."}
    for name, tools in (("old", (close_page, close_page)), ("new", (close_page_v2, reworded))):
        for server, tool in zip("ab", tools, strict=True):
            project.run("lock", project.catalog(f"{server}.json", tool), "--name", server, "--lockfile", f"{name}.lock")
    project.write("fusion.toml", "")
    return project


def end(two: Any, settings: str, *more: str) -> tuple[int, str]:
    two.write("fusion.toml", settings)
    result = two.run("diff", "old.lock", "new.lock", *more)
    return result.code, result.out.splitlines()[-1]


@pytest.mark.parametrize(
    ("settings", "code", "last"),
    [
        ("", 1, "exit 1: breaking findings"),
        ('[servers.a]\nfail-on = "never"\n', 0, "exit 0: nothing at or above the fail-on of its server"),
        (
            '[servers.b]\nfail-on = "risky"\n',
            1,
            "exit 1: risky or breaking findings (fail-on is risky for b in fusion.toml)",
        ),
        ('fail-on = "any"\n', 1, "exit 1: findings (fail-on is any in fusion.toml)"),
        (
            '[servers.a]\nfail-on = "never"\n[servers.b]\nfail-on = "risky"\n',
            1,
            "exit 1: risky or breaking findings (fail-on is risky for b in fusion.toml)",
        ),
        ('[servers."*"]\nfail-on = "never"\n[servers.a]\nfail-on = "breaking"\n', 1, "exit 1: breaking findings"),
        ('[servers.a]\nfail-on = "breaking"\n[servers."*"]\nfail-on = "never"\n', 1, "exit 1: breaking findings"),
        ('[servers."*"]\nfail-on = "never"\n', 0, "exit 0: findings do not count (fail-on is never)"),
        ('fail-on = "never"\n[servers.a]\nworld = "open"\n', 0, "exit 0: findings do not count (fail-on is never)"),
        ('[servers.a]\nlevels = { enum-value-removed = "risky" }\n', 0, "exit 0: nothing at or above breaking"),
        (
            '[servers."?"]\nlevels = { enum-value-removed = "safe" }\n[servers.a]\nlevels = { tool-added = "safe" }\n',
            0,
            "exit 0: nothing at or above breaking",
        ),
        (
            (
                'levels = { description-changed = "breaking" }\n[servers.a]\nfail-on = "never"\n'
                '[servers.b]\nlevels = { description-changed = "safe" }\n'
            ),
            0,
            "exit 0: nothing at or above the fail-on of its server",
        ),
    ],
)
def test_each_server_fails_by_its_own_limit(two: Any, settings: str, code: int, last: str) -> None:
    assert end(two, settings) == (code, last)


def test_the_command_line_wins(two: Any) -> None:
    settings = '[servers."*"]\nfail-on = "never"\n'
    assert end(two, settings, "--fail-on", "risky") == (1, "exit 1: risky or breaking findings")


def test_the_world_and_the_cost_of_a_server(project: Any) -> None:
    def tool(**more: Any) -> dict[str, Any]:
        return {"name": "a", "inputSchema": {"type": "object", "properties": {}, **more}}

    new = tool(properties={"size": {"type": "integer", "description": "A size. " * 300}})
    for name, listed in (("old.lock", tool()), ("new.lock", new)):
        for server in "ab":
            project.run("lock", project.catalog(f"{server}.json", listed), "--name", server, "--lockfile", name)
    project.write("fusion.toml", '[servers.a]\nworld = "open"\ntoken-growth-percent = 1000000\n')
    report = json.loads(project.run("diff", "old.lock", "new.lock", "--format", "json").out)
    assert [(one["server"], one["level"], one["rule"]) for one in report["findings"]] == [
        ("a", "BREAKING", "property-name-taken"),
        ("b", "RISKY", "catalog-tokens-grew"),
        ("b", "SAFE", "optional-property-added"),
    ]


def test_an_unknown_rule_of_a_server_is_named(two: Any) -> None:
    two.write("fusion.toml", '[servers.a]\nlevels = { tool-remove = "safe" }\n')
    result = two.run("diff", "old.lock", "new.lock")
    assert (result.code, result.err.splitlines()[0]) == (
        2,
        ('fusion: there is no rule "tool-remove"; '
        "the nearest: tool-removed, tool-renamed, action-removed; fusion explain lists them all"),
    )


@pytest.mark.parametrize(("limit", "failures"), [("never", 0), ("breaking", 1)])
def test_formats_show_as_failed_what_fails_by_its_servers_limit(
    repository: Any, close_page: Any, close_page_v2: Any, limit: str, failures: int
) -> None:
    repository.run("lock", "--name", "pages", *repository.serve("pages", close_page))
    repository.commit()
    repository.serve("pages", close_page_v2)
    repository.run("lock")
    repository.write("fusion.toml", repository.read("fusion.toml") + f'[servers.pages]\nfail-on = "{limit}"\n')
    for command in (["check", "--offline", "--base", "HEAD"], ["diff", "--base", "HEAD"]):
        result = repository.run(*command, "--format", "junit")
        assert result.code == failures
        assert f'failures="{failures}"' in result.out
