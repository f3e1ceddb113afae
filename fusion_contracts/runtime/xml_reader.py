"""Envelopes in text that others wrote, read as small trees.

The parser is expat, which Python ships and patches (defusedxml, the usual wrapper of it, had its last release in
March 2021, and would do no more here). A text is cut out from its own root tag on, so no declaration can precede it;
a document type or an entity is refused all the same, nothing is ever fetched, and depth and size are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from fusion_contracts.runtime.envelope import clean, escape

__all__ = ["Element", "document", "envelopes"]

MAX_LENGTH = 1_000_000  # characters of one envelope
_MAX_DEPTH = 32  # levels; the specification has three
_MAX_TRIES = 64  # candidates that are parsed, so that a text full of them costs no more than a long one

_START = re.compile(r"<(tool_error|validation_error)(?=[\s>])")

# The tags that either product writes. Anything else that opens a bracket is text that somebody forgot to escape.
_TAGS = (
    "tool_error|validation_error|message|recovery|available_actions|action|details|detail|retry_after|field|"
    "suggested_arguments|contract_awareness|system_note|change_count|max_severity|instructions|contract_changes|change|"
    "description|before|after"
)
_STRAY = re.compile(rf"<(?!/?(?:{_TAGS})(?=[\s/>]))|&(?!(?:amp|lt|gt|quot|apos|#[0-9]{{1,7}}|#x[0-9A-Fa-f]{{1,6}});)")


@dataclass(slots=True)
class Element:
    """One element: its text is all text inside it, in order, that of its children too."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All text inside it."""
        return "".join(self.texts)

    def named(self, tag: str) -> Iterator[Element]:
        """The children of that tag."""
        return (child for child in self.children if child.tag == tag)


def envelopes(text: str) -> Iterator[tuple[Element, bool]]:
    """Each envelope in the text, in order, and whether the text is nothing else. What is malformed is passed over."""
    position = tries = 0
    skipped = {"tool_error": 0, "validation_error": 0}  # up to where a tag's starts are not worth a try
    while tries < _MAX_TRIES and (start := _START.search(text, position)) is not None:
        begin, position, tag = start.start(), start.end(), start[1]
        if begin < skipped[tag]:
            continue
        end = text.find(f"</{tag}>", position)
        if end < 0:
            skipped[tag] = len(text)
            continue
        tries += 1
        after = end + len(tag) + 3
        root = _parsed(text[begin:after]) if after - begin <= MAX_LENGTH else None
        if root is None and "<![CDATA[" in text[position:end]:  # where a closing tag is text
            closing = text.find(f"</{tag}>", max(text.find("]]>", end), end + 1))
            longer = closing + len(tag) + 3
            root = _parsed(text[begin:longer]) if closing > 0 and longer - begin <= MAX_LENGTH else None
            after = after if root is None else longer
        if root is None:
            skipped[tag] = text.rfind(f"<{tag}", position, end)  # a mere mention before it: try the innermost
            continue
        yield root, not text[:begin].strip() and not text[after:].strip()
        position = after


def document(text: str, tag: str) -> Element | None:
    """The element of that tag that a text is, with nothing around it; None where the text is anything else."""
    source = text.strip()
    if len(source) > MAX_LENGTH or not (source.startswith(f"<{tag}") and source.endswith((f"</{tag}>", "/>"))):
        return None
    root = _parsed(source)
    return root if root is not None and root.tag == tag else None


def _parsed(source: str) -> Element | None:
    """The tree; a source with unescaped characters gets a second chance. None where it is no XML."""
    source = clean(source)
    root = _tree(source)
    if root is None and _STRAY.search(source):
        root = _tree(_STRAY.sub(lambda found: escape(found[0]), source))
    return root


class _RefusedError(Exception):
    """The document asks for something that no envelope needs."""


def _tree(source: str) -> Element | None:
    from xml.parsers import expat  # nothing but reading an answer needs it

    builder = _Builder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.StartDoctypeDeclHandler = _refuse
    parser.EntityDeclHandler = _refuse
    parser.ExternalEntityRefHandler = _refuse
    try:
        parser.Parse(source, True)  # noqa: FBT003 - expat's own positional flag: this is all
    except (expat.ExpatError, _RefusedError):
        return None
    return builder.root


def _refuse(*_: object) -> int:
    raise _RefusedError


class _Builder:
    """Collects what expat reports. Never deeper than the limit, so never a tree that cannot be walked."""

    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= _MAX_DEPTH:
            raise _RefusedError
        element = Element(tag, attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def end(self, _tag: str) -> None:
        self._open.pop()

    def characters(self, text: str) -> None:
        for element in self._open:
            element.texts.append(text)
