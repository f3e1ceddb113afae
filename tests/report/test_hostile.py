"""A hostile server through every format: each output is read in its own language, and is shaped as for harmless names.

`fixtures/hostile` holds two versions of a catalog whose names, values and texts try to break out. Its twin here is the
same catalog with every such text replaced by a harmless one that sorts to the same place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.diff import Finding, Report, diff
from fusion_contracts.errors import Problem
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.limits import lockable
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.report import FORMATS, render
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.catalog import read_catalog

Case: TypeAlias = tuple[Report, Context]

WORDS = frozenset({
    "tools", "name", "description", "inputSchema", "outputSchema", "properties", "additionalProperties", "required",
    "type", "object", "string", "enum", "stays", "annotations", "readOnlyHint", "prompts", "arguments", "resources",
    "uri", "serverInfo", "version", "capabilities", "instructions", "protocolVersion", "2025-11-25",
})  # fmt: skip
# Rules that look into names and texts themselves: these findings are of one side alone.
BY_NATURE = frozenset({"invisible-text-added", "undecided", "property-became-required", "equivalent-rewrite"})
SERVER = "::error::s`|<b>@everyone</details>\n\x1b[31m"


def tamed(values: list[Any]) -> list[Any]:
    """The same JSON values with harmless texts for all that are no words of the format, sorting as they did."""
    found = sorted({text for value in values for text in texts(value)} - WORDS)
    names = {text: f"name{number:03}" for number, text in enumerate(found)}

    def tame(value: Any) -> Any:
        if isinstance(value, dict):
            return {names.get(key, key): tame(item) for key, item in value.items()}
        if isinstance(value, list):
            return [tame(item) for item in value]
        return names.get(value, value) if isinstance(value, str) else value

    return [tame(value) for value in values]


def texts(value: Any) -> Iterator[str]:
    """Every key and every text of a JSON value."""
    if isinstance(value, str):
        yield value
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from texts(item)


def case(values: list[Any], server: str, problem: str) -> Case:
    """The two catalogs compared as `fusion check --all` would, with everything that a format may show."""
    old, new = (contract(value, server) for value in values)
    kept = [like(one) for one in diff(old, new).findings if one.rule not in BY_NATURE]
    lockfile = f"{server}/fusion.lock"
    findings = tuple(replace(one, lockfile=lockfile, waived=number % 10 == 9) for number, one in enumerate(kept))
    report = diff(old, new)
    errors = (Problem(server, "start", problem, problem), Problem(None, "git", problem, ""))
    report = Report(replace(report.base, label=problem), report.head, findings, errors)
    text = encode(Lock({server: lockable(new)}))
    answers = {"intact": ["yes"], "fresh": [problem.replace("\n", " "), f"  {problem}".replace("\n", " ")]}
    compared = Compared(Lock({server: old}), Lock({server: new}), lockfile, text, f"{server}, 1 server", answers)
    return report, Context("fusion check", {lockfile: compared}, 1, "exit 1: breaking findings", version="1")


def like(found: Finding) -> Finding:
    """Without the name of another tool that is spelled alike: which one is, the names themselves decide."""
    return replace(found, message="removed") if found.rule == "tool-removed" else found


def contract(value: Any, server: str) -> ServerContract:
    (one,) = read_catalog(value, origin="x", path="x.json", options=Options()).contracts
    return replace(one, name=server)


@pytest.fixture(scope="module")
def catalogs(root: Path) -> list[Any]:
    folder = root / "fixtures" / "hostile"
    return [json.loads((folder / f"{side}.json").read_text(encoding="utf-8")) for side in ("old", "new")]


@pytest.fixture(scope="module")
def hostile(catalogs: list[Any]) -> Case:
    return case(catalogs, SERVER, SERVER)


@pytest.fixture(scope="module")
def harmless(catalogs: list[Any]) -> Case:
    return case(tamed(catalogs), "server", "problem")


def test_the_twin_has_the_same_findings(hostile: Case, harmless: Case) -> None:
    one, other = ([(found.rule, found.level) for found in report.findings] for report, _ in (hostile, harmless))
    assert one == other
    assert len(one) > 80


@pytest.mark.parametrize("form", FORMATS)
def test_no_name_breaks_out(
    form: str, hostile: Case, harmless: Case, readers: Mapping[str, Callable[[str], Any]]
) -> None:
    text = render(form, *hostile)
    assert readers[form](text) == readers[form](render(form, *harmless))
    assert text.endswith("\n")
    text.encode()  # no lone surrogate: it can be written to any file


@pytest.mark.parametrize("form", FORMATS)
def test_no_line_is_a_command_to_a_runner(form: str, hostile: Case) -> None:
    text = render(form, *hostile)
    words = {line.split()[0] for line in text.splitlines() if re.match(r"\s*::", line)}
    assert words <= ({"::error", "::warning", "::notice"} if form == "github" else set())
    # a workflow command is not read for another one, and a page is not printed
    assert "##[" not in text or form in {"github", "html"}


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_hidden_reaches_a_reader(form: str, hostile: Case) -> None:
    lines = render(form, *hostile).split("\n")
    assert [line for line in lines if HIDDEN.search(line)] == []
