"""The page about settings: every setting, every default, every flag that cannot be set."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest
import tomli
from page_blocks import blocks

import fusion_contracts
from fusion_contracts.cli.flags import UNSETTABLE
from fusion_contracts.cli.project import read_settings
from fusion_contracts.config import Config, Limits, Server, Source, Volatile, Waiver

RULES = Path(fusion_contracts.__file__).parent / "diff" / "rules"


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "configuration.md").read_text(encoding="utf-8")


def documented(page: str) -> dict[str, dict[str, str]]:
    """The keys of each of the page's tables, by heading, with their defaults."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    sections = {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    row = re.compile(r"^\| `([\w-]+)` \| (.*?) ?\|", re.MULTILINE)
    return {heading: dict(row.findall(text)) for heading, text in sections.items()}


def settings_of(model: type) -> dict[str, str]:
    """The keys of a table of settings, with their defaults as the page writes them."""
    found = {}
    for field in dataclasses.fields(model):
        known = None if field.default is dataclasses.MISSING else field.default
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        shown = "" if required else "none" if not known and known != 0 else f"`{json.dumps(known)}`"
        found[field.name.replace("_", "-")] = shown
    return found


def test_the_page_holds_every_setting_and_its_default(page: str) -> None:
    tables = documented(page)
    assert tables.pop("") == settings_of(Config)
    assert tables.pop("`[servers.NAME]`") == settings_of(Server)
    assert tables.pop("`[limits]`") == settings_of(Limits)
    assert tables.pop("`[[waivers]]`") == settings_of(Waiver)
    assert tables.pop("In an editor") == {}
    tables.pop("Flags of commands")  # what cannot be set: below
    one_of_four = dict.fromkeys(("command", "url", "path", "object"), "")
    assert tables.pop("`[sources.NAME]`") == {**settings_of(Source), **one_of_four}
    assert tables.pop("`[[volatile]]`") == settings_of(Volatile)
    assert tables == {}


def example_of(page: str) -> str:
    (example,) = blocks(page, "toml")
    return example


def test_the_page_names_every_flag_that_cannot_be_set(page: str) -> None:
    section = page.partition("| flag | why |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    assert {flag: reason for flags, reason in rows for flag in re.findall(r"`(.+?)`", flags)} == UNSETTABLE


@pytest.mark.parametrize("nested", [False, True])
def test_the_pages_example_uses_every_setting(page: str, tmp_path: Path, nested: bool) -> None:
    example = example_of(page)
    if nested:
        example = "[tool.fusion]\n" + re.sub(r"^(\[+)", r"\g<1>tool.fusion.", example, flags=re.MULTILINE)
    (tmp_path / ("pyproject.toml" if nested else "fusion.toml")).write_text(example, encoding="utf-8")
    config, _ = read_settings(tmp_path)
    table = tomli.loads(example)
    table = table["tool"]["fusion"] if nested else table
    assert table.keys() == {*settings_of(Config), "check", "no-color"}
    assert table["servers"]["sandbox-*"].keys() == settings_of(Server).keys()
    assert table["limits"].keys() == settings_of(Limits).keys()
    assert {key for one in table["waivers"] for key in one} == settings_of(Waiver).keys()
    assert len(config.waivers) == 2
    assert {key for source in table["sources"].values() for key in source} == settings_of(Source).keys()
    assert table["volatile"][0].keys() == settings_of(Volatile).keys()
    assert config.sources.keys() == {"desk", "mcp", "pages", "saved", "shop"}
    assert set(config.levels) <= {path.stem.replace("_", "-") for path in RULES.glob("*.py")}
