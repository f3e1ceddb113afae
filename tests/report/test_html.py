"""The HTML report: one sound page, whatever servers call their things."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts import load
from fusion_contracts.canonical import HIDDEN, printable
from fusion_contracts.diff import Finding, Level, Report, Side, diff
from fusion_contracts.errors import Problem
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.report import page as page_parts
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


# --- the page --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real() -> Element:
    old = Tool("close", {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]})
    new = Tool("close", {"type": "object", "properties": {"ticket_id": {"type": "integer"}}, "required": ["ticket_id"]})
    gone = Tool("reopen", {"type": "object"}, description="Open a closed ticket again.")
    text = Tool("list", {"type": "object"}, description="List the tickets of one state, the newest first, in pages.")
    other = replace(text, description="List the tickets of one state, the oldest first, in pages.")
    return read(render(*compared(contract(old, gone, text), contract(new, other))))


def test_it_needs_nothing_from_elsewhere(real: Element) -> None:
    for element in real.walk():
        assert not any(name.startswith("on") or name in {"style", "src", "srcset"} for name in element.attributes)
        address = element.attributes.get("href", "#")
        assert address is not None
        assert address.startswith(("#", "data:,", "https://")), "a link leads on; it fetches nothing"
        assert element.tag == "a" or not address.startswith("https")
    assert len(real.all("style")) == len(real.all("script")) == 1
    assert "@import" not in real.all("style")[0].text
    assert "url(" not in real.all("style")[0].text


def test_the_policy_lets_in_this_style_and_this_script_alone(real: Element) -> None:
    (policy,) = [one for one in real.all("meta") if one.attributes.get("http-equiv") == "Content-Security-Policy"]
    allowed = dict(part.split(" ", 1) for part in (policy.attributes["content"] or "").split("; "))
    for name in ("style", "script"):
        digest = b64encode(sha256(real.all(name)[0].text.encode()).digest()).decode()
        assert allowed.pop(f"{name}-src") == f"'sha256-{digest}'"
    assert allowed == {
        "default-src": "'none'", "img-src": "data:", "base-uri": "'none'", "form-action": "'none'",
        "require-trusted-types-for": "'script'", "trusted-types": "'none'",
    }  # fmt: skip


def test_ids_are_given_once_and_every_reference_finds_one(real: Element) -> None:
    ids = [element.attributes["id"] for element in real.walk() if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    for element in real.walk():
        wanted = [element.attributes.get("aria-labelledby")]
        wanted += [(element.attributes.get("href") or "")[1:]] if element.tag == "a" else []
        assert {one for one in wanted if one and not one.startswith("ttps")} <= set(ids)


def test_headings_go_down_one_step_at_a_time(real: Element) -> None:
    steps = [int(one.tag[1]) for one in real.walk() if re.fullmatch("h[1-6]", one.tag)]
    assert steps[0] == 1
    assert steps.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(steps))


def test_the_first_glance_says_verdict_counts_and_ending(real: Element) -> None:
    (header,) = real.all("header")
    said = " ".join(header.text.split())
    assert "fusion diff: old.json \u2192 new.json" in said
    assert [one.text for one in header.all("li")] == ["2 breaking", "1 risky", "0 safe"]
    assert header.all("h1")[0].text == "BREAKING desk"
    assert header.all("p", "ending")[0].text == "exit 1: breaking findings"
    assert real.all("title")[0].text == "BREAKING: desk - fusion diff"


def test_a_finding_shows_its_call_and_what_it_gets_now(real: Element) -> None:
    (article,) = [one for one in real.all("article") if one.attributes["data-rule"] == "property-renamed"]
    assert article.all("h4")[0].text == "close id replaced by ticket_id; values may not carry over"
    assert labelled(article) == {
        "worked": 'close {"id": 1}',
        "now": "refused: it takes ticket_id instead",
        "same": '{"type": "integer"}',
        "next": "Accept the old name beside the new one for one release.",
        "where": "/inputSchema/properties/id \u00b7 input \u00b7 " + labelled(article)["where"][-7:],
    }
    group = article.attributes["id"] or ""
    commands = [one.text for one in article.all("code", "command")]
    identifier = group.removeprefix("group-")
    assert commands == [
        f"fusion explain {identifier} old.json new.json",
        f'fusion waive {identifier} --reason "..." old.json new.json',
    ]


def test_a_server_says_how_much_changed_and_what_to_call_the_release() -> None:
    old, new = (replace(contract(Tool(name, {"type": "object"})), info={"version": "1.2.0"}) for name in "ab")
    page = read(render(*compared(old, new)))
    (section,) = page.all("section", "server")
    assert section.all("p", "muted")[0].text == "1 breaking, 1 safe. Least version bump: major (1.2.0 \u2192 2.0.0)"


def test_reworded_prose_marks_the_words(real: Element) -> None:
    (prose,) = real.all("div", "prose")
    assert prose.text == "List the tickets of one state, the newestoldest first, in pages."
    assert [one.text for one in prose.all("del")] == ["newest"]
    assert [one.text for one in prose.all("ins")] == ["oldest"]


def test_schemas_stand_side_by_side_once(real: Element) -> None:
    tables = real.all("table")
    assert len(tables) == 1
    changed = [[cell.text for cell in row.all("td")] for row in tables[0].all("tr", "changed")]
    assert changed == [
        ['    "id": {\n      "type": "integer"\n    }', '    "ticket_id": {\n      "type": "integer"\n    }'],
        ['  "required": ["id"]', '  "required": ["ticket_id"]'],
    ]
    links = [one for one in real.all("a", "inline") if one.attributes["href"] == "#schema-1"]
    assert len(links) == 1


def test_the_schemas_of_a_renamed_tool_are_compared() -> None:
    schema = {"type": "object", "properties": {"state": {"enum": ["open", "closed"]}}}
    narrower = {"type": "object", "properties": {"state": {"enum": ["open"]}}}
    old = Tool("close_ticket", schema, description="Close one ticket of the desk.")
    page = read(render(*compared(contract(old), contract(replace(old, name="close-ticket", input_schema=narrower)))))
    changed = [[cell.text.strip() for cell in row.all("td")] for row in page.all("tr", "changed")]
    assert changed == [['"enum": ["open", "closed"]', '"enum": ["open"]']]


def test_the_documentation_of_each_rule_stands_once(real: Element) -> None:
    entries = [one for one in real.all("details", "entry") if (one.attributes["id"] or "").startswith("rule-")]
    assert [one.attributes["id"] for one in entries] == [
        "rule-description-changed", "rule-property-renamed", "rule-tool-removed",
    ]  # fmt: skip
    assert "What to do. Accept the old name beside the new one for one release." in entries[1].text


# --- what a report may hold ------------------------------------------------------------------------------------------


def test_no_findings() -> None:
    page = read(page_of())
    assert page.all("h1")[0].text == "NO CHANGES new.json"
    assert page.all("main")[0].text == "There are no findings."
    assert page.all("form") == []


def test_a_run_that_an_error_ended() -> None:
    unknown = Side("unknown", "unknown")
    report = Report(unknown, unknown, errors=(Problem(None, "source", "old.json does not exist", "check the path"),))
    page = read(render(report, Context(code=2, ending="exit 2: could not check")))
    assert page.all("title")[0].text == "NOT CHECKED: nothing was compared - fusion diff"
    assert page.all("p", "kicker")[0].text == "fusion diff"
    assert labelled(page) == {"all": "old.json does not existnext: check the path"}


def test_the_three_answers_about_a_lock_and_no_problem_twice() -> None:
    answers = {"intact": ("yes",), "fresh": ("1 server not checked", "desk  not checked: no answer"), "compatible": ()}
    lock = Compared(title="fusion.lock, 1 server", answers={**answers, "compatible": ("with main: no changes",)})
    context = Context("fusion check", {None: lock})
    errors = (Problem("desk", "source", "no answer", "try again"), Problem(None, "lock", "b/fusion.lock is gone", ""))
    page = read(page_of(context=context, errors=errors))
    assert labelled(page) == {
        "intact": "yes",
        "fresh": "1 server not checkeddesk  not checked: no answer",
        "compatible": "with main: no changes",
        "all": "b/fusion.lock is gone",
    }


def test_several_locks_have_a_row_each() -> None:
    ok = {"intact": ("yes",), "fresh": ("yes", "  of late")}
    names: tuple[str | None, ...] = ("a/fusion.lock", "b/fusion.lock")
    locks = {name: Compared(title=f"{name}, 1 server", answers=ok) for name in names}
    page = read(page_of(context=Context("fusion check", locks)))
    rows = [[cell.text for cell in row.walk() if cell.tag in {"th", "td"}] for row in page.all("tr")]
    assert rows == [
        ["lock", "intact", "fresh"],
        ["a/fusion.lock, 1 server", "yes", "yes  of late"],
        ["b/fusion.lock, 1 server", "yes", "yes  of late"],
    ]


def test_several_locks_with_the_same_server_stay_apart() -> None:
    page = read(page_of(finding(lockfile="a/fusion.lock"), finding(lockfile="b/fusion.lock")))
    assert [one.text for one in page.all("h2")][:2] == ["a/fusion.lock: desk", "b/fusion.lock: desk"]
    first, second = (one.attributes["id"] for one in page.all("article"))
    assert second == f"{first}-2"


def test_one_change_in_many_tools_is_one_article_with_a_row_each() -> None:
    calls = {"close": {"id": 1}, "reopen": {"id": 2}}
    page = read(
        page_of(*(finding(tool=one, action=one, has_witness=True, witness=call) for one, call in calls.items()))
    )
    (article,) = page.all("article")
    rows = article.all("details", "finding")
    assert [row.attributes["data-tool"] for row in rows] == ["close", "reopen"]
    assert ["open" in row.attributes for row in rows] == [True, False]
    assert [row.all("code", "call")[0].text for row in rows] == ['close {"id": 1}', 'reopen {"id": 2}']


def test_waived_findings_are_marked_and_come_last() -> None:
    page = read(page_of(finding(waived=True), finding(tool="b", level=Level.SAFE, message="b")))
    assert [one.text for one in page.all("h3")] == ["SAFE 1", "Waived: accepted on purpose 1"]
    assert page.all("article")[1].attributes["data-level"] == "WAIVED"
    assert page.all("article")[1].all("p", "muted")[0].text == "BREAKING, waived"
    assert [one.text for one in page.all("li")] == ["0 breaking", "0 risky", "1 safe", "1 waived"]
    assert not any("waive" in one.text for one in page.all("code", "command"))


def test_the_call_of_an_action_names_its_tool_for_json() -> None:
    page = read(page_of(finding(tool="ticket", action="ticket.close", has_witness=True, witness={"do": "close"})))
    (call,) = page.all("code", "call")
    assert call.text == 'ticket.close {"do": "close"}'
    assert json.loads(call.attributes["data-name"] or "") == "ticket"


def test_hidden_characters_of_a_call_are_seen_and_still_json() -> None:
    name, arguments = "clo\u200bse", {"i\u202ed": "a\U000e0041", "\u2764\ufe0f": "\ud800"}
    page = read(page_of(finding(tool=name, action=name, has_witness=True, witness=arguments)))
    (call,) = page.all("code", "call")
    (shown,) = call.all("span", "value")
    assert HIDDEN.search(shown.text) is None
    assert json.loads(shown.text) == arguments
    assert json.loads(call.attributes["data-name"] or "") == name


def test_an_old_call_that_is_answered_in_silence_is_said_to_be() -> None:
    shown = labelled(read(page_of(finding(silent=True, successor="ticket"))))
    assert shown["silent"] == "no error may tell the agent: the old call can be answered as if nothing were wrong"
    assert shown["instead"] == "ticket"


def test_a_page_is_ascii_and_says_so_to_every_encoding() -> None:
    page = page_of(finding(tool="\u5de5\u5177", message="\u5de5\u5177 removed"))
    assert page.isascii()
    assert "\u5de5\u5177 removed" in read(page).text


def test_a_large_report_keeps_within_its_room() -> None:
    schema = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(400)}}
    tools = [Tool(f"tool_{number}", schema | {"required": ["p1"]}) for number in range(150)]
    newer = [replace(tool, input_schema=schema | {"required": ["p1", "p2"]}) for tool in tools]
    page = render(*compared(contract(*tools), contract(*newer)))
    assert len(page) < 2_000_000
    assert "more rows are left out, for the size of this page" in page
    assert len(read(page).all("code", "call")) == 150


# --- names that want to be more --------------------------------------------------------------------------------------

HOSTILE = (
    "</title><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onmouseover='alert(1)", "<!--", "]]>",
    "</style><style>*{display:none}", "</script><script>alert(1)//", "&lt;b&gt;", "javascript:alert(1)",
    "\u202egnp.exe",
    "a\x00b", "\r\n\r\n", "</textarea></details></main>", "{{7*7}}${7*7}", "\ud800",
)  # fmt: skip
texts = st.sampled_from(HOSTILE) | st.text(st.characters(codec=None), max_size=30)


def structure(page: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements and which attributes they have, but for what hidden characters bring."""
    shown = [one for one in read(page).walk() if one.tag not in {"del", "ins", "mark"}]
    return [(one.tag, tuple(name for name in one.attributes if name != "data-name")) for one in shown]


def everything_named(name: str) -> str:
    witness = {name: name, "more": [name]}
    schema = {"type": "object", "properties": {name: {"type": "string", "description": name}}}
    known = contract(Tool(name, schema))
    lock = Compared(Lock({name: replace(known, name=name)}), Lock({name: replace(known, name=name)}), title=name)
    lock = replace(lock, answers={"intact": (name, name)})
    found = finding(
        server=name, tool=name, action=name, pointer=f"/inputSchema/properties/{name}", message=name, successor=name,
        before={name: name}, after={name: [name]}, has_witness=True, witness=witness, hint=name, silent=True,
    )  # fmt: skip
    report = Report(Side(name, "catalog"), Side(name, "git", name), (found,), (Problem(name, "x", "not read", name),))
    return render(report, Context(compared={None: lock}, ending=name))


PLAIN = structure(everything_named("plain"))


@given(texts.filter(lambda text: text not in {"", "more"}))
def test_no_name_breaks_out(name: str) -> None:
    page = everything_named(name)
    assert structure(page) == PLAIN
    assert HIDDEN.search(page.replace("\n", "")) is None
    assert printable(name) in read(page).all("main")[0].text


# --- what is built and shipped ---------------------------------------------------------------------------------------


def test_the_parts_that_a_page_is_made_of_are_in_the_package() -> None:
    from importlib.resources import files

    import fusion_contracts.report.page as package

    names = {entry.name for entry in files(package).iterdir()}
    assert {"page.css", "page.js"} <= names


def test_style_and_script_cannot_end_their_element() -> None:
    folder = Path(page_parts.__file__).parent
    for name in ("page.css", "page.js"):
        text = (folder / name).read_text(encoding="utf-8")
        assert text.isascii()
        assert "</" not in text
        assert "<!--" not in text


def test_every_real_pair_makes_a_sound_page(shared: Path) -> None:
    rows = (shared / "catalogs" / "pairs.tsv").read_text(encoding="utf-8").splitlines()[1:]
    for row in rows[::4]:
        server, old, new = row.split("\t")[:3]
        before, after = (load(shared / "catalogs" / server / f"{version}.json") for version in (old, new))
        report, context = compared(before, after)
        page = read(render(report, context))
        assert sum("finding" in one.classes for one in page.walk()) == len(report.findings), row
