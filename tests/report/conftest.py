"""Shared by the tests of formats: two contracts compared, and a reader of each format that tells its shape."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from markdown_it import MarkdownIt

from fusion_contracts import diff, load
from fusion_contracts.canonical import HIDDEN
from fusion_contracts.diff import Report
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.limits import lockable
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.report.context import Compared, Context

Case: TypeAlias = tuple[Report, Context]


def run(old: ServerContract, new: ServerContract, *, path: str | None = "fusion.lock", **more: Any) -> Case:
    """A comparison with the lock of `new`; `more` is for `Compared`."""
    report = diff(old, new)
    text = encode(Lock({new.name: lockable(new)})) if path else None
    sides = Lock({old.name: old}), Lock({new.name: new})
    return report, Context(compared={None: Compared(*sides, path, text, **more)})


@pytest.fixture(scope="session")
def compared() -> Callable[..., Case]:
    """Compares two contracts: report and context."""
    return run


@pytest.fixture(scope="session")
def case(root: Path) -> Callable[..., Case]:
    """Compares the two sides of a folder of `fixtures`, such as `diff/tool-removed` or `hostile`."""

    def of(name: str, **more: Any) -> Case:
        old, new = (load(root / "fixtures" / name / f"{side}.json") for side in ("old", "new"))
        return run(old, new, **more)

    return of


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
    """What a page may do, not how it lays out what it says: that differs with the length and the signs of names."""
    found = Tags(text).found
    tags = [one for one in found if isinstance(one, tuple)]
    assert [attribute for _, attributes in tags for attribute in attributes if attribute.startswith("on")] == []
    unclosed: list[str] = []
    for one in found:
        if isinstance(one, tuple) and one[0] not in VOID:
            unclosed.append(one[0])
        elif isinstance(one, str) and one.startswith("/") and one[1:] not in VOID:
            assert unclosed.pop() == one[1:]
    assert unclosed == []
    return [(tag, attributes) for tag, attributes in tags if tag in ACTIVE]


VOID = frozenset({"meta", "link", "base", "br", "hr", "img", "input", "wbr", "source", "path", "use"})
ACTIVE = frozenset({
    "html", "head", "title", "meta", "base", "link", "style", "script", "noscript", "template", "body", "iframe",
    "object", "embed", "img", "picture", "video", "audio", "svg", "math", "form", "textarea", "main",
})  # fmt: skip


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


@pytest.fixture(scope="session")
def readers() -> Mapping[str, Callable[[str], Any]]:
    """For each format a reader of its language: it checks the text and returns its shape, without what texts say."""
    return READERS
