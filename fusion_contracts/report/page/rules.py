"""The documentation of the rules that fired, at the end of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fusion_contracts.diff.rule import Rule, find
from fusion_contracts.report.page.markup import Markup, escape, join, tag

__all__ = ["identifier", "render", "title"]

_SPOKEN = re.compile(r"`([^`]+)`|(https://[^\s,;)]+[^\s,;).])")


def identifier(rule: str) -> str:
    """Where on the page a rule's documentation stands."""
    return f"rule-{rule}"


def title(rule: str) -> str:
    """What a rule is about, in a sentence without its full stop; its id where Python dropped the documentation."""
    return find(rule).title.removesuffix(".") or rule


def render(rules: Iterable[str]) -> Markup:
    """Each of the rules, folded; nothing for none."""
    entries = [_entry(find(rule)) for rule in sorted(set(rules))]
    if not entries:
        return Markup("")
    heading = tag("h2", "Rules", id="rules-heading")
    return tag("section", heading, *entries, class_="appendix", aria_labelledby="rules-heading")


def _entry(rule: Rule) -> Markup:
    summary = tag("summary", tag("span", rule.id, class_="who"), " ", _spoken(rule.title))
    body = tag("div", tag("p", f"Level: {rule.levels}. On: {rule.about}."), *_sections(rule), class_="body")
    return tag("details", summary, body, id=identifier(rule.id), class_="entry")


def _sections(rule: Rule) -> Iterator[Markup]:
    for heading, text in rule.sections.items():
        paragraphs = [_spoken(" ".join(one.split())) for one in text.split("\n\n")]
        yield tag("p", tag("b", f"{heading}. "), paragraphs[0])
        yield from (tag("p", one) for one in paragraphs[1:])


def _spoken(text: str) -> Markup:
    """Documentation of ours: names in back quotes as code, addresses as links."""
    parts, end = [], 0
    for found in _SPOKEN.finditer(text):
        parts += [escape(text[end : found.start()]), _code(found[1]) if found[1] else _link(found[2])]
        end = found.end()
    return join([*parts, escape(text[end:])])


def _code(name: str) -> Markup:
    return tag("code", name)


def _link(address: str) -> Markup:
    return tag("a", address, href=address, rel="noreferrer")
