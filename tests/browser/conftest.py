"""Shared by the tests in a real browser: Chromium, a page that may fetch nothing, and the reports that it opens."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from fusion_contracts.diff import Finding, Report, Side, diff
from fusion_contracts.errors import Problem
from fusion_contracts.model import Lock, ServerContract, Tool
from fusion_contracts.report.context import Compared, Context
from fusion_contracts.report.formats.html import render

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

Open = Callable[..., "Page"]


def missing(what: str) -> NoReturn:
    """Skip, and where the browser is required, as in CI, fail."""
    if os.environ.get("BROWSER") == "required":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="module")  # not longer: it keeps an event loop running, which other tests must not meet
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of a file, with an empty profile of its own."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed: no browser was driven")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        missing("there is no Chromium on the path: the HTML report was not opened")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def axe(root: Path) -> str:
    """The accessibility checker's script, from a folder that npm made."""
    folders = [Path(os.environ.get("AXE_CORE", "")), root / "node_modules" / "axe-core"]
    for folder in folders:
        if (folder / "axe.min.js").is_file():
            return (folder / "axe.min.js").read_text(encoding="utf-8")
    missing("axe-core is not here (npm install --no-save axe-core): accessibility was not checked by rules")


@pytest.fixture
def complaints() -> list[str]:
    """What windows write to their consoles, and errors of scripts; a test that expects one clears the list."""
    return []


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path, complaints: list[str]) -> Iterator[Open]:
    """Opens a report in a window of its own; at the end none has complained, or asked for more than its file."""
    contexts: list[BrowserContext] = []
    requests: list[str] = []
    file = tmp_path / "report.html"

    def opened(text: str, *, hash: str = "", init: str = "", **options: Any) -> Page:  # noqa: A002 - of the address
        file.write_text(text, encoding="ascii")
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)  # for a slow machine: no test waits for it to pass
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: requests.append(request.url.partition("#")[0]))
        if init:
            page.add_init_script(init)
        page.goto(f"{file.as_uri()}{hash}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert set(requests) == {file.as_uri()}


# --- reports ---------------------------------------------------------------------------------------------------------

ID = {"type": "integer", "description": "The ticket's number."}
STATE = {"type": "string", "enum": ["open", "pending", "closed"]}


def schema(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def contract(*tools: Tool, version: str = "1") -> ServerContract:
    return ServerContract("desk", info={"version": version}, tools={tool.name: tool for tool in tools})


OUTPUT = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
BEFORE = contract(
    Tool("close", schema(["id"], id=ID), description="Close a ticket, and tell whoever opened it by mail."),
    Tool("list", schema([], state=STATE), annotations={"readOnlyHint": True}),
    Tool("read", schema(["id"], id=ID), output_schema=OUTPUT, annotations={"readOnlyHint": True}),
    Tool("reopen", schema(["id"], id=ID)),
    Tool("search", schema([], state=STATE)),
)
AFTER = contract(
    Tool("close", schema(["ticket_id"], ticket_id=ID), description="Close a ticket, and tell nobody."),
    Tool("list", schema([], state=STATE | {"enum": ["open", "closed"]}), annotations={"readOnlyHint": False}),
    Tool("read", schema(["id"], id=ID), output_schema=OUTPUT | {"required": []}, annotations={"readOnlyHint": True}),
    Tool("search", schema([], state=STATE | {"enum": ["open", "closed"]}, text={"type": "string"})),
    Tool("assign", schema(["id"], id=ID)),
    version="2",
)


@pytest.fixture(scope="session")
def report() -> Report:
    """Findings of every level and side, one of them waived."""
    found = diff(BEFORE, AFTER, base=Side("old.json", "catalog"), head=Side("new.json", "catalog"))
    return replace(found, findings=tuple(replace(one, waived=one.rule == "tool-removed") for one in found.findings))


def html_of(report: Report, **more: Any) -> str:
    sides = Compared(Lock({"desk": BEFORE}), Lock({"desk": AFTER}), **more)
    return render(report, Context(compared={None: sides}, code=1, ending="exit 1: breaking findings"))


@pytest.fixture(scope="session")
def html(report: Report) -> str:
    """The page of that report, after a check that could not ask one server."""
    answers = {
        "intact": ("yes",),
        "fresh": ("1 server unchanged, 1 not checked", "mail  not checked: no answer in 60 s"),
        "compatible": ("with main: 5 breaking",),
    }
    problem = Problem("mail", "source", "no answer in 60 s", "start it by hand")
    return html_of(replace(report, errors=(problem,)), title="fusion.lock, 2 servers", answers=answers)


@pytest.fixture
def shown() -> Callable[[Page], list[tuple[str, ...]]]:
    """The findings of a page that can be seen: level, rule, side, tool."""
    script = """() => [...document.querySelectorAll(".finding")].filter((one) => one.checkVisibility()).map((one) => {
        const group = one.closest(".group").dataset;
        return [group.level, group.rule, one.dataset.side, one.dataset.tool];
    })"""
    return lambda page: sorted(map(tuple, page.evaluate(script)))


@pytest.fixture
def expected(report: Report) -> Callable[..., list[tuple[str, ...]]]:
    """The findings of the report that a filter keeps, as `shown` gives them."""

    def kept(keep: Callable[[Finding], bool] = lambda _: True) -> list[tuple[str, ...]]:
        return sorted(
            ("WAIVED" if one.waived else one.level.name, one.rule, one.side, one.tool or "")
            for one in report.findings
            if keep(one)
        )

    return kept
