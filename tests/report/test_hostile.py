"""A hostile server through every format: each output is read in its own language, and is shaped as for harmless names.

`fixtures/hostile` holds two versions of a catalog whose names, values and texts try to break out. Its twin here is the
same catalog with every such text replaced by a harmless one that sorts to the same place.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

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


def case(values: list[Any], server: str, problem: str) -> tuple[Report, Context]:
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
def hostile(catalogs: list[Any]) -> tuple[Report, Context]:
    return case(catalogs, SERVER, SERVER)


@pytest.fixture(scope="module")
def harmless(catalogs: list[Any]) -> tuple[Report, Context]:
    return case(tamed(catalogs), "server", "problem")


def test_the_twin_has_the_same_findings(hostile: tuple[Report, Context], harmless: tuple[Report, Context]) -> None:
    one, other = ([(found.rule, found.level) for found in report.findings] for report, _ in (hostile, harmless))
    assert one == other
    assert len(one) > 80


# --- the shape of each language, by a reader of it --------------------------------------------------------------------


class Tags(HTMLParser):
    """What an HTML page consists of, but for its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[Any] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, sorted(name for name, _ in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(f"/{tag}")

    def handle_decl(self, decl: str) -> None:
        self.found.append(decl)

    def handle_pi(self, data: str) -> None:
        self.found.append(("?", data))


def of_html(text: str) -> Any:
    assert "\x1b" not in text
    return Tags(text).found


def of_markdown(text: str) -> Any:
    page = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    found = [one for one in Tags(page).found if one not in (("code", []), "/code")]
    assert {one[0] for one in found if isinstance(one, tuple)} <= {
        "h3", "p", "table", "thead", "tbody", "tr", "th", "td", "br", "strong", "ul", "li", "details", "summary",
    }  # fmt: skip
    outside = re.sub(r"<code>.*?</code>|<[^>]*>", "", page)
    assert re.findall(r"@\w|#\d|://|www\.", outside) == []
    return found


def of_json(text: str) -> Any:
    assert text.isascii()
    return shape(json.loads(text))


def of_sarif(text: str) -> Any:
    log = json.loads(text)
    messages = [result["message"]["text"] for result in log["runs"][0]["results"]]
    assert [message for message in messages if re.search(r"(?<!\\)\]\(|(?<!\{)\{\d+\}", message)] == []
    return shape(log)


def shape(value: Any) -> Any:
    """The keys of objects and the types of values, not the texts; of a contract's own values nothing."""
    if isinstance(value, dict):
        return {key: None if key in OWN else shape(item) for key, item in value.items()}
    return [shape(item) for item in value] if isinstance(value, list) else type(value).__name__


OWN = frozenset({"before", "after", "witness", "partialFingerprints"})


def of_github(text: str) -> Any:
    commands = [re.fullmatch(r"::(error|warning|notice) (.*?)::(.*)", line) for line in text.splitlines()]
    assert None not in commands
    return [(one[1], [pair.partition("=")[0] for pair in one[2].split(",")]) for one in commands if one]


def of_junit(text: str) -> Any:
    root = ET.fromstring(text)
    return [(element.tag, sorted(element.attrib)) for element in root.iter()]


def of_text(text: str) -> Any:
    for line in text.splitlines():
        assert HIDDEN.search(line) is None, line
        assert not line.lstrip().startswith("::"), line
    assert "##[" not in text
    return re.findall(r"^(?:BREAKING|RISKY|SAFE|Cost|Why|NOT CHECKED)\b", text, re.MULTILINE)


READERS: dict[str, Callable[[str], Any]] = {
    "text": of_text, "json": of_json, "markdown": of_markdown, "sarif": of_sarif, "github": of_github,
    "junit": of_junit, "html": of_html,
}  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
def test_no_name_breaks_out(form: str, hostile: tuple[Report, Context], harmless: tuple[Report, Context]) -> None:
    text = render(form, *hostile)
    assert READERS[form](text) == READERS[form](render(form, *harmless))
    assert text.endswith("\n")
    text.encode()  # no lone surrogate: it can be written to any file


@pytest.mark.parametrize("form", FORMATS)
def test_no_line_is_a_command_to_a_runner(form: str, hostile: tuple[Report, Context]) -> None:
    text = render(form, *hostile)
    words = {line.split()[0] for line in text.splitlines() if re.match(r"\s*::", line)}
    assert words <= ({"::error", "::warning", "::notice"} if form == "github" else set())
    assert "##[" not in text or form == "github"  # there, such a line is a command already, and is not read again


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_hidden_reaches_a_reader(form: str, hostile: tuple[Report, Context]) -> None:
    lines = render(form, *hostile).split("\n")
    assert [line for line in lines if HIDDEN.search(line)] == []
