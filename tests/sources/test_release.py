"""Releases: locks that are kept under a name."""

from __future__ import annotations

from pathlib import Path

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.release import ReleaseSource

BY_HAND = """\
lock_version = 1

[servers.weather]
protocol_version = "2025-06-18"

[servers.weather.tools.now]
description = "Tells the weather"

[servers.weather.tools.now.input]
type = "object"
required = ["city"]

[servers.weather.tools.now.input.properties]
city = { type = "string" }
"""


def keep(root: Path, server: str, name: str, *tools: str) -> None:
    file = root / ".fusion" / "releases" / server / f"{name}.lock"
    file.parent.mkdir(parents=True, exist_ok=True)
    contract = ServerContract(server, tools={tool: Tool(tool, {"type": "object"}) for tool in tools})
    file.write_text(encode(Lock({server: contract})), encoding="utf-8")


def test_a_release_of_one_server_and_of_all(options: Options) -> None:
    keep(options.root, "a", "1.0", "x")
    keep(options.root, "b", "1.0", "y")
    keep(options.root, "b", "2.0", "z")
    (contract,) = ReleaseSource.parse("release:b/1.0").read(options).contracts
    assert (contract.name, list(contract.tools)) == ("b", ["y"])
    assert [one.name for one in ReleaseSource.parse("release:1.0").read(options).contracts] == ["a", "b"]
    assert [list(one.tools) for one in ReleaseSource.parse("release:2.0").read(options).contracts] == [["z"]]


def test_a_release_written_by_hand(options: Options) -> None:
    file = options.root / ".fusion" / "releases" / "weather" / "v1.lock"
    file.parent.mkdir(parents=True)
    file.write_text(BY_HAND, encoding="utf-8")
    (contract,) = ReleaseSource.parse("release:weather/v1").read(options).contracts
    assert contract.protocol_version == "2025-06-18"
    assert contract.tools == {
        "now": Tool(
            name="now",
            description="Tells the weather",
            input_schema={"type": "object", "required": ["city"], "properties": {"city": {"type": "string"}}},
        )
    }


def test_a_release_that_is_not_there(options: Options) -> None:
    for step in ("make one with fusion release", "there are: a/1.0"):
        with pytest.raises(FusionError) as caught:
            ReleaseSource.parse("release:a/9").read(options)
        assert str(caught.value) == f"there is no release:a/9 under .fusion/releases; {step}"
        keep(options.root, "a", "1.0")


@pytest.mark.parametrize(
    "argument",
    [
        "release:",
        "release:/x",
        "release:x/",
        "release:a/b/c",
        "release:..",
        "release:../x",
        "release:x/..",
        "release:a\\b",
        "release:a\nb",
    ],
)
def test_a_name_never_leaves_the_folder(argument: str) -> None:
    with pytest.raises(FusionError, match="names no release; write release:NAME or release:SERVER/NAME"):
        ReleaseSource.parse(argument)
