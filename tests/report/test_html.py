"""The HTML report: one sound page that needs nothing from elsewhere, and what stands where on it."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest
from html_report import Element, compared, contract, labelled, read

from fusion_contracts import load
from fusion_contracts.model import Tool
from fusion_contracts.report import page as page_parts
from fusion_contracts.report.formats.html import render


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
