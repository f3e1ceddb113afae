"""What the tests of the HTML report share: pages, and a reader that takes sound ones alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from fusion_contracts.diff import Finding, Level, Report, Side, diff
from fusion_contracts.errors import Problem
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.html import render

OLD, NEW = Side("old.json", "catalog"), Side("new.json", "catalog")
VOID = {"br", "input", "link", "meta"}


@dataclass
class Element:
    """An element, what it is called, and what stands in it."""

    tag: str
    attributes: dict[str, str | None] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def classes(self) -> list[str]:
        return (self.attributes.get("class") or "").split()

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str, class_: str | None = None) -> list[Element]:
        return [one for one in self.walk() if one.tag == tag and (class_ is None or class_ in one.classes)]


class Reader(HTMLParser):
    """Reads a page strictly: every element is closed in order."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open = [Element("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute of {tag} is there twice"
        made = Element(tag, dict(attrs))
        self.open[-1].children.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def read(page: str) -> Element:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert len(reader.open) == 1, "an element is left open"
    return reader.open[0]


def finding(**more: Any) -> Finding:
    fields: dict[str, Any] = {
        "rule": "property-renamed", "level": Level.BREAKING, "server": "desk", "tool": "close", "action": "close",
        "side": "input", "pointer": "/inputSchema/properties/id", "message": "id replaced by ticket",
        "hint": "Accept the old name beside the new one for one release.",
    }  # fmt: skip
    return Finding(**fields | more)


def page_of(*findings: Finding, context: Context | None = None, errors: tuple[Problem, ...] = ()) -> str:
    return render(Report(OLD, NEW, findings, errors), context or Context())


def labelled(within: Element) -> dict[str, str]:
    """The rows of the lists of labels."""
    parts = [child for dl in within.all("dl") for child in dl.children if isinstance(child, Element)]
    return {label.text: said.text for label, said in zip(parts[::2], parts[1::2], strict=True)}


def contract(*tools: Tool) -> ServerContract:
    return ServerContract("desk", tools={tool.name: tool for tool in tools})


def compared(old: ServerContract, new: ServerContract, **more: Any) -> tuple[Report, Context]:
    lock = Compared(Lock({old.name: old}), Lock({new.name: new}), **more)
    context = Context(compared={None: lock}, ending="exit 1: breaking findings", again=("old.json", "new.json"))
    return diff(old, new, base=OLD, head=NEW), context
