"""Targets of the fuzzer: settings, configurations of clients, and files of variables."""

# ruff: noqa: S101 - an assertion that fails is what the fuzzer looks for

from __future__ import annotations

import json
from contextlib import suppress

from fuzz_inputs import Choices, hostile
from fuzz_shared import FOLDER, ROOT, documents, visible

from fusion_contracts.errors import FusionError


def settings(data: bytes) -> None:
    """Settings are read, and take one more waiver and one more source."""
    from fusion_contracts.cli.flags import judge
    from fusion_contracts.config.model import Source, Waiver
    from fusion_contracts.config.place import ConfigFile
    from fusion_contracts.config.reading import read as read_settings
    from fusion_contracts.config.waiving import with_waiver, without_waivers
    from fusion_contracts.config.writing import with_source

    nested = data[:1] == b"!"
    path = FOLDER / ("pyproject.toml" if nested else "fusion.toml")
    path.write_bytes(data)
    config, place = read_settings(FOLDER, path, judge=judge)
    text = data.decode()
    assert place == ConfigFile.named(path)
    with suppress(FusionError):
        with_waiver(text, Waiver(fingerprints=("1105067",), reason="a\x00`\u202e"), place)
    with suppress(FusionError):
        with_source(text, "a\nb", Source(command=("a", "\x1b")), place)
    if config.waivers:
        with suppress(FusionError):
            without_waivers(text, [0], place)


def pages() -> list[bytes]:
    """The example of the page on settings."""
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```toml\n")[1:]]
    return [block.encode() for block in blocks]


def client(data: bytes) -> None:
    """A client's configuration: its servers, and what is wrong with the others."""
    from fusion_contracts.sources.client_document import may_hold_servers, parse_document
    from fusion_contracts.sources.clients import entries_of, secret_inputs
    from fusion_contracts.sources.sniff import kind_of

    kind_of(data, "x")
    may_hold_servers(data)
    document = parse_document(data, "x")
    if document is not None:
        _, problems = entries_of(document)
        secret_inputs(document)
        for problem in problems:
            visible(problem.message + problem.next)


def clients() -> list[bytes]:
    """Those of the fixtures."""
    return [path.read_bytes() for path in sorted((ROOT / "fixtures" / "clients").iterdir())]


def client_tree(data: bytes) -> None:
    """A client's configuration with hostile values."""
    client(json.dumps(hostile(Choices(data), documents("clients/[acfgw]*.json"))).encode())


def variables(data: bytes) -> None:
    """A file of variables."""
    from fusion_contracts.sources.env_file import read_env_file

    path = FOLDER / "variables"
    path.write_bytes(data)
    read_env_file(path, "x")
