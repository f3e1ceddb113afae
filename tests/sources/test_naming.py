"""The NAME that a server gets where nobody gave one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.sources.naming import name_from_command, name_from_package, name_from_path, name_from_url


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("npx -y @modelcontextprotocol/server-everything@1.2", "everything"),
        ("npx @playwright/mcp@latest", "playwright"),
        ("uvx mcp-server-con", "server-con"),  # no folder on Windows is called con
        ("npx -y chrome-devtools-mcp@0.8.1", "chrome-devtools"),
        ("npx.cmd -y --package=foo-mcp foo", "foo"),
        ("npm exec -- @notionhq/notion-mcp-server", "notion"),
        ("pnpm dlx @sentry/mcp-server@0.1", "sentry"),
        ("uvx mcp-server-time --local-timezone UTC", "time"),
        ("uvx --from git+https://example.com/y mcp-foo", "foo"),
        ("uvx awslabs.aws-documentation-mcp-server@latest", "aws-documentation"),
        ("uv tool run mcp-server-git==2.0", "git"),
        ("uv run --directory /x server.py", "server"),
        ("/usr/bin/python3.11 -m mcp_server_fetch", "fetch"),
        ("python -m weather.server", "weather"),
        ("python examples/weather/server.py", "weather"),
        ("node ./packages/thing/dist/index.js", "thing"),
        ("docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:1.2", "github"),
        ("./venv/bin/mcp-server-git", "git"),
        ("C:\\tools\\weather-mcp.exe --fast", "weather"),
        ("npx -y mcp-remote https://mcp.linear.app/sse", "linear"),
        ("server", "server"),
        ("python3 -u weather.py", "weather"),
        ("pdm run weather.py", "weather"),
        ("go run ./weather/cmd/server", "weather"),
        ("npx tsx src/weather.ts", "weather"),
        ("docker run -i --memory 512m --publish 8080:80 acme/weather-mcp", "weather"),
        ("docker exec -i weather-mcp serve", "weather"),
        ("podman container run -i acme/weather-mcp", "weather"),
        ("java -cp lib/server.jar com.acme.Weather", "Weather"),
    ],
)
def test_from_a_command(command: str, name: str) -> None:
    assert name_from_command(command.split()) == name


def test_from_other_things() -> None:
    assert name_from_package("@acme/mcp") == "acme"
    assert name_from_package("ghcr.io/acme/server:2") == "acme"
    assert name_from_path("catalogs/time/server.json") == "time"
    assert name_from_path("0.8.1.json") == "0.8.1"
    assert name_from_url("https://mcp.example.com:8443/x?y") == "example"
    assert name_from_url("http://127.0.0.1:3000/mcp") == "127.0.0.1-3000"
    assert name_from_url("http://localhost/mcp") == "localhost"


@given(st.lists(st.text(max_size=12), min_size=1, max_size=4))
def test_a_name_is_always_one_safe_word(command: list[str]) -> None:
    for name in (name_from_command(command), name_from_path(command[0]), name_from_url(f"http://{command[0]}")):
        assert name
        assert all(character.isalnum() or character in "_.-" for character in name)
        assert name.isascii()
        assert not name.startswith((".", "-"))
