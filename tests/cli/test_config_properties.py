"""Settings, drawn ones: what is taken quickly pydantic takes as well, and what is written is read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomli
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from fusion_contracts.config import Config, ConfigFile, Source, common_form, source_line, source_lines

loose = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.text(max_size=2) | st.sampled_from(["breaking", "any", "high"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
entries = st.dictionaries(st.sampled_from(["command", "path", "env", "pass-env", "other"]), loose, max_size=3)
likely = st.fixed_dictionaries(
    {"command": st.lists(st.text(max_size=2), max_size=2)},
    optional={
        "env": st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=1),
        "path": st.text(max_size=2),
    },
)


def table(keys: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(keys), loose | st.dates(), max_size=4)


waiver = st.fixed_dictionaries(
    {"reason": st.text(max_size=2)},
    optional={
        "fingerprints": st.lists(st.sampled_from(["4f2a91c", "4f"]), max_size=2),
        "rule": st.text(max_size=2),
        "until": st.dates() | st.datetimes() | st.text(max_size=2),
    },
)
tables = st.fixed_dictionaries(
    {},
    optional={
        "lockfile": loose,
        "fail-on": loose,
        "sources": st.dictionaries(st.text(max_size=2), entries | likely, max_size=2) | loose,
        "world": loose,
        "base": loose,
        "formats": loose,
        "token-growth-percent": loose,
        "levels": loose,
        "servers": st.dictionaries(st.text(max_size=2), table(["fail-on", "world", "levels", "x"]), max_size=1) | loose,
        "waivers": st.lists(table(["fingerprints", "rule", "tool", "until"]) | waiver, max_size=2) | loose,
        "volatile": st.lists(table(["pattern", "reason", "server"]), max_size=2) | loose,
    },
)


@given(tables)
def test_what_is_taken_as_it_is_pydantic_takes_as_well(table: dict[str, Any]) -> None:
    quick = common_form(table)
    if quick is not None:
        assert TypeAdapter(Config).validate_python(table) == quick


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
variables = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0="), min_size=1)
sources = st.builds(
    Source,
    command=st.lists(texts, min_size=1).map(tuple),
    env=st.dictionaries(variables, texts, max_size=2),
    pass_env=st.lists(variables, max_size=2).map(tuple),
    timeout=st.none() | st.integers(1, 999),
) | st.builds(Source, path=texts) | st.builds(
    Source,
    url=texts,
    headers=st.dictionaries(texts, texts, max_size=2),
    transport=st.sampled_from([None, "http", "sse"]),
)


@given(name=texts, source=sources, nested=st.booleans())
def test_what_is_written_is_read_again(name: str, source: Source, nested: bool) -> None:
    place = ConfigFile(Path("pyproject.toml"), nested=nested)
    table = tomli.loads(source_lines(name, source, place))
    line = tomli.loads(source_line(name, source))
    assert (table["tool"]["fusion"] if nested else table) == {"sources": line}
    told = {"path": source.path, "url": source.url, "transport": source.transport, "timeout": source.timeout}
    for key, value in {**told, "command": list(source.command) or None}.items():
        assert line[name].get(key) == value
    assert line[name].get("headers", {}) == source.headers
    assert line[name].get("env", {}) == source.env
    assert tuple(line[name].get("pass-env", ())) == source.pass_env
