"""What the words of a command start: which package a runner fetches, and whether any run may get another one."""

from __future__ import annotations

import pytest

from fusion_contracts.sources.runners import packages, pinned, unpinned


@pytest.mark.parametrize(
    ("command", "package"),
    [
        (["npx", "-y", "@playwright/mcp@latest"], "@playwright/mcp@latest"),
        (["npx", "-y", "@playwright/mcp"], "@playwright/mcp"),
        (["npx", "-y", "@playwright/mcp@0.0.70"], None),
        (["uvx", "mcp-server-fetch"], "mcp-server-fetch"),
        (["uvx", "mcp-server-fetch==2025.4.7"], None),
        (["uvx", "--from", "mcp-atlassian", "serve"], "mcp-atlassian"),
        (["uvx", "--from=mcp-atlassian", "serve@1"], "mcp-atlassian"),
        (["uvx", "--python", "3.12", "--with", "lxml", "mcp-atlassian==1.0"], None),
        (["uvx", "--from", ".", "serve"], None),
        (["uvx", "--from", "git+https://acme.example/thing@fe3a9c1", "serve"], None),
        (["/usr/bin/npx.cmd", "-p", "thing@1", "serve"], None),
        (["npx", "-p", "thing@1", "-p", "other", "serve"], "other"),
        (["npm", "exec", "--", "thing"], "thing"),
        (["pnpm", "dlx", "thing"], "thing"),
        (["uv", "tool", "run", "thing"], "thing"),
        (["pipx", "run", "--spec", "thing==1", "serve"], None),
        (["pipx", "run", "thing"], "thing"),
        (["docker", "run", "-i", "--rm", "thing"], None),
        (["npm", "start"], None),
        (["uv", "run", "thing"], None),
        (["python3", "server.py"], None),
        (["npx"], None),
        ([], None),
    ],
)
def test_which_package_is_unpinned(command: list[str], package: str | None) -> None:
    assert unpinned(command) == package


@pytest.mark.parametrize(
    ("command", "written"),
    [
        (["npx", "thing@latest"], "thing@VERSION"),
        (["C:\\bin\\UVX.exe", "thing"], "thing==VERSION"),
        (["uv", "tool", "run", "thing"], "thing==VERSION"),
        (["pipx", "run", "thing"], "thing==VERSION"),
        (["npx", "@acme/thing@^1.2"], "@acme/thing@VERSION"),
        (["uvx", "thing[cli]>=1.2"], "thing[cli]==VERSION"),
        (["uvx", "--from", "git+https://acme.example/thing@main", "serve"], "git+https://acme.example/thing@REVISION"),
        (["uvx", "git+https://acme.example/thing#subdirectory=a"], "git+https://acme.example/thing@REVISION#subdirectory=a"),
        (["uvx", "--from", "git+ssh://git@acme.example/a/thing", "x"], "git+ssh://git@acme.example/a/thing@REVISION"),
    ],
)
def test_how_a_version_is_written(command: list[str], written: str) -> None:
    package = unpinned(command)
    assert package is not None
    assert pinned(command, package) == written


def test_what_a_runner_fetches() -> None:
    assert packages(["docker", "run", "-e", "TOKEN", "-m", "1g", "acme/pages", "."]) == ("acme/pages",)
    assert packages(["uvx", "--from", "a", "b"]) == ("a",)
    assert packages(["npx"]) == ()
    assert packages(["npm", "run", "serve"]) is None
    assert packages(["python3", "npx"]) is None
