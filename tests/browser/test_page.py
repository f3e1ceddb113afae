"""The HTML report in Chromium: copying, keys, unfolding, print, without scripts, narrow, hostile, for everyone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fusion_contracts.diff import Finding, Level, Report, Side, diff
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.html import render

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser

CLIPBOARD = ["clipboard-read", "clipboard-write"]
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined});"
NARROW = {"width": 360, "height": 740}


def group(page: Page, rule: str) -> Locator:
    return page.locator(f'.group[data-rule="{rule}"]')


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


# --- copying ---------------------------------------------------------------------------------------------------------


def test_the_call_is_copied_as_it_stands_and_as_json(open_page: Any, html: str) -> None:
    page = open_page(html, permissions=CLIPBOARD)
    renamed = group(page, "property-renamed")
    renamed.get_by_role("button", name="Copy the call of close", exact=True).click()
    page.locator("#said", has_text="Copied").wait_for()
    assert clipboard(page) == 'close {"id": 1}'
    renamed.get_by_role("button", name="JSON: copy the call of close as it is sent").click()
    renamed.locator(".copy", has_text="Copied").nth(1).wait_for()
    assert json.loads(clipboard(page)) == {"name": "close", "arguments": {"id": 1}}


def test_the_commands_are_copied(open_page: Any, html: str, report: Report) -> None:
    page = open_page(html, permissions=CLIPBOARD)
    renamed = group(page, "property-renamed")
    renamed.get_by_text("Explain or waive").click()
    renamed.get_by_role("button", name="fusion waive").click()
    renamed.locator(".commands .copy", has_text="Copied").wait_for()
    (finding,) = [one for one in report.findings if one.rule == "property-renamed"]
    assert clipboard(page) == f'fusion waive {finding.fingerprint[:7]} --reason "..."'


def test_what_no_reader_sees_is_copied_exactly(open_page: Any) -> None:
    name, arguments = 'tool\u200b"\\', {"a\u202eb": "\u2028 </script> \U000e0041"}
    call = Finding(
        rule="property-removed", level=Level.BREAKING, server="s", tool=name, action=name, side="input",
        pointer="/inputSchema/properties/a", message="a removed", hint="", has_witness=True, witness=arguments,
    )  # fmt: skip
    page = open_page(render(Report(Side("a", "lock"), Side("b", "lock"), (call,)), Context()), permissions=CLIPBOARD)
    page.get_by_role("button", name="JSON").click()
    page.locator(".copy", has_text="Copied").wait_for()
    assert json.loads(clipboard(page)) == {"name": name, "arguments": arguments}


def test_without_a_clipboard_the_call_is_selected(open_page: Any, html: str) -> None:
    page = open_page(html, init=NO_CLIPBOARD)
    group(page, "property-renamed").get_by_role("button", name="Copy the call of close", exact=True).click()
    page.locator("#said", has_text="Copied").wait_for()
    assert page.evaluate("getSelection().toString()") == 'close {"id": 1}'


# --- keys ------------------------------------------------------------------------------------------------------------


def heading_in_focus(page: Page) -> str:
    return str(page.evaluate("document.activeElement.closest('.group')?.querySelector('h4').textContent ?? ''"))


def test_keys_lead_from_finding_to_finding(open_page: Any, html: str) -> None:
    page = open_page(html)
    headings = [" ".join(one.split()) for one in page.locator("h4").all_text_contents()]
    page.keyboard.press("j")
    assert heading_in_focus(page) == headings[0]
    page.keyboard.press("j")
    assert heading_in_focus(page) == headings[1]
    assert page.locator(".group:focus").evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.press("k")
    page.keyboard.press("k")
    assert heading_in_focus(page) == headings[0]
    page.locator("#said", has_text="This is the first finding").wait_for()


def test_keys_pass_over_what_is_filtered_away(open_page: Any, html: str) -> None:
    page = open_page(html)
    page.keyboard.press("/")
    page.keyboard.type("jk/?x")
    assert page.get_by_role("searchbox").input_value() == "jk/?x"
    page.get_by_role("searchbox").fill("output")
    page.locator("h1").click()
    page.keyboard.press("j")
    assert heading_in_focus(page).startswith("read")
    page.keyboard.press("x")
    assert page.locator("#matches").inner_text() == "10 findings"


def test_the_list_of_keys_opens_closes_and_turns_them_off(open_page: Any, html: str) -> None:
    page = open_page(html)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    assert dialog.is_visible()
    dialog.get_by_role("checkbox").uncheck()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.keyboard.press("j")
    assert heading_in_focus(page) == ""
    page.get_by_role("button", name="Keys").click()
    dialog.get_by_role("button", name="Close").press("Enter")
    assert not dialog.is_visible()


def test_the_tab_key_reaches_everything_in_order(open_page: Any, html: str) -> None:
    page = open_page(html)
    wanted = page.evaluate(
        """() => {
            const every = document.querySelectorAll("a, button:enabled, input, select, summary");
            const list = [...every].filter((one) => one.checkVisibility() && !one.closest("dialog"));
            list.forEach((one, index) => { one.dataset.stop = index; });
            return list.length;
        }"""
    )
    stops = []
    for _ in range(wanted):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("Number(document.activeElement.dataset.stop ?? -1)"))
    assert stops == list(range(wanted))
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.matches(':focus-visible')")


def test_the_first_stop_skips_to_the_findings(open_page: Any, html: str) -> None:
    page = open_page(html)
    page.keyboard.press("Tab")
    assert page.get_by_role("link", name="Skip to the findings").is_visible()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "findings"


# --- unfolding -------------------------------------------------------------------------------------------------------


def test_schemas_and_rules_unfold_where_they_are_asked_for(open_page: Any, html: str) -> None:
    page = open_page(html)
    renamed = group(page, "property-renamed")
    link = renamed.get_by_role("link", name="Schemas side by side")
    assert link.get_attribute("aria-expanded") == "false"
    link.press("Enter")
    changed = renamed.locator("tr.changed td").all_inner_texts()
    assert [text.split(":")[0].strip() for text in changed] == ['"id"', '"ticket_id"', '"required"', '"required"']
    assert link.get_attribute("aria-expanded") == "true"
    link.click()
    assert renamed.locator("table").count() == 0
    renamed.get_by_role("link", name="Why: property-renamed").click()
    assert renamed.get_by_text("Agents go on sending the old name.").is_visible()
    assert page.evaluate("new Set([...document.querySelectorAll('[id]')].map((one) => one.id)).size") == (
        page.locator("[id]").count()
    )


def test_an_address_unfolds_what_it_names(open_page: Any, html: str) -> None:
    page = open_page(html, hash="#schema-1")
    assert page.locator("#schema-1 table").is_visible()


# --- paper, no scripts, narrow, motion -------------------------------------------------------------------------------


def test_paper_gets_everything_unfolded_and_nothing_to_press(open_page: Any, html: str) -> None:
    page = open_page(html)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator("table:visible").count() == page.locator("table").count() > 0
    assert page.locator("button:visible, form:visible, select:visible, a.inline:visible").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.entry[open]").count() == 0


def test_paper_is_unfolded_without_scripts_too(open_page: Any, html: str) -> None:
    page = open_page(html, java_script_enabled=False)
    page.emulate_media(media="print")
    for table in page.locator("table").all():
        box = table.bounding_box()
        assert box is not None
        assert box["height"] > 0


def test_paper_shows_what_was_chosen(open_page: Any, html: str, shown: Any, expected: Any) -> None:
    page = open_page(html, hash="#side=output")
    page.emulate_media(media="print")
    assert shown(page) == expected(lambda one: one.side == "output")


def test_without_scripts_everything_is_there(open_page: Any, html: str, report: Report) -> None:
    page = open_page(html, java_script_enabled=False)
    assert page.locator(".finding").count() == len(report.findings)
    assert page.locator("form:visible, button:visible").count() == 0
    assert page.get_by_role("heading", name="desk 1 \u2192 2").first.is_visible()
    assert page.get_by_text("exit 1: breaking findings").is_visible()
    for summary in page.locator("details:not([open]) > summary:visible").all()[::-1]:
        summary.click()
    assert page.locator(".finding dl:visible").count() == len(report.findings)
    page.locator('a.inline[href="#schema-1"]').first.click()
    assert page.url.endswith("#schema-1")


@pytest.mark.parametrize("width", [320, 360, 768, 1280, 2560])
def test_nothing_runs_out_of_the_window(open_page: Any, html: str, width: int) -> None:
    page = open_page(html, viewport={"width": width, "height": 800})
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.locator('a.inline:visible[href^="#schema"]').first.click()
    wide, seen = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert wide == seen


def test_a_narrow_window_shows_every_answer_of_several_locks(open_page: Any) -> None:
    answers = {"intact": ("yes",), "fresh": ("1 server unchanged",), "compatible": ("with main: 1 safe",)}
    names: tuple[str | None, ...] = ("a/fusion.lock", "b/fusion.lock")
    locks = {name: Compared(title=str(name), answers=answers) for name in names}
    text = render(Report(Side("a", "lock"), Side("b", "lock")), Context("fusion check", locks))
    page = open_page(text, viewport=NARROW)
    assert page.locator(".locks td:visible").count() == len(names) * len(answers)


def test_nothing_moves_by_itself(open_page: Any, html: str) -> None:
    page = open_page(html)
    page.get_by_role("link", name="Schemas side by side").first.click()
    page.keyboard.press("j")
    assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


# --- hostile ---------------------------------------------------------------------------------------------------------

EVIL = [
    "</script><script>window.hacked = 1</script>", '"><img src=x onerror="window.hacked = 1">',
    "</title><svg onload=hacked=1>",
    "<iframe srcdoc='<script>parent.hacked=1</script>'>", "javascript:window.hacked=1", "</details></article></main>",
    "' autofocus onfocus='window.hacked=1", "<style>*{display:none}</style>",
    "<meta http-equiv=refresh content='0;url=x'>",
    "\u202e\u200b\u2066", "<base href='https://example.invalid/'>", "=", "&side=output", "%", "*/ }",
]  # fmt: skip


def evil(name: str, *, new: bool) -> Tool:
    properties = {name: {"type": "string", "description": name + (" new" if new else ""), "enum": [name, *"ab"[new:]]}}
    return Tool(name, {"type": "object", "properties": properties}, description=f"{name} {new}")


def test_a_hostile_catalog_runs_nothing_and_breaks_nothing(open_page: Any, shown: Any) -> None:
    old, new = (
        ServerContract(
            EVIL[0], info={"version": EVIL[1 + side]}, tools={name: evil(name, new=bool(side)) for name in EVIL}
        )
        for side in (0, 1)
    )
    report = diff(old, new, base=Side(EVIL[0], "catalog"), head=Side(EVIL[1], "catalog"))
    sides = Compared(Lock({old.name: old}), Lock({new.name: new}), title=EVIL[0], answers={"intact": EVIL})
    page = open_page(render(report, Context(EVIL[0], {None: sides}, ending=EVIL[0])))
    assert len(shown(page)) == len(report.findings) > len(EVIL)
    for summary in page.locator("summary:visible").all():
        summary.click()
    for link in page.locator("a.inline:visible").all():
        link.click()
    for name in filter(str.isascii, EVIL):
        page.get_by_role("combobox", name="Tool").select_option(f"={name}")
        assert {one[3] for one in shown(page)} == {name}
        page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        assert {one[3] for one in shown(page)} == {name}, "the address names it too"
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, svg, iframe, base, main style, main script, [onerror], [onfocus]").count() == 0
    assert page.locator("body > main").count() == 1


def test_a_script_that_got_in_would_not_run(open_page: Any, html: str, complaints: list[str]) -> None:
    got_in = "<script>window.hacked = 1</script><p onclick='window.hacked = 1' id='in'>in</p>"
    page = open_page(html.replace("</main>", f"{got_in}</main>"))
    page.locator("#in").click()
    assert page.evaluate("window.hacked") is None
    assert ["Content Security Policy" in one for one in complaints] == [True, True]
    complaints.clear()


# --- for everyone ----------------------------------------------------------------------------------------------------


def violations(page: Page, axe: str) -> list[str]:
    """What the checker finds, a line each."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [f"{one['id']}: {node['html'][:200]}" for one in found["violations"] for node in one["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 900}, NARROW], ids=["wide", "narrow"])
def test_no_rule_of_accessibility_is_broken(
    open_page: Any, html: str, axe: str, scheme: str, viewport: dict[str, int]
) -> None:
    page = open_page(html, color_scheme=scheme, viewport=viewport, reduced_motion="reduce")
    assert violations(page, axe) == []
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    for link in page.locator("a.inline:visible").all():
        link.click()
    assert violations(page, axe) == []
    page.get_by_role("searchbox").fill("nothing is called so")
    assert violations(page, axe) == []
    page.get_by_role("button", name="Keys").click()
    assert violations(page, axe) == []


def test_an_empty_report_is_for_everyone_too(open_page: Any, axe: str) -> None:
    page = open_page(render(Report(Side("a", "lock"), Side("b", "lock")), Context(ending="exit 0: nothing")))
    assert violations(page, axe) == []
