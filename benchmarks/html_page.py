"""What the HTML report of 500 findings costs: writing it, its size, and in Chromium opening it and choosing in it.

    python benchmarks/html_page.py [--runs 11] [--write docs/html-report.md]

Writing is also told as a ratio to the JSON report of the same findings, written in turn: seconds depend on the machine.
Without playwright or a Chromium on the path, what happens in the browser is left out and said to be.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import printed
from generate import catalogs

from fusion_contracts import diff, load
from fusion_contracts.diff import Report
from fusion_contracts.model import Lock
from fusion_contracts.report import render
from fusion_contracts.report.context import Compared, Context

TOOLS, CHANGED, FINDINGS = 500, 400, 500
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
CHOICES = {
    "a level": ["level", False],
    "a tool": ["tool", "=search_board_225"],
    "a side": ["side", "=input"],
    "a letter": ["text", "s"],
    "two words": ["text", "longer status"],
    "all again, from none": ["all", ""],
}
CHOOSE = """async ([name, value]) => {
    const form = document.querySelector("#filters");
    const told = () => form.dispatchEvent(new Event("input"));
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    form.reset();
    if (name === "all") form.elements.text.value = "no finding says this";
    told();
    await painted();
    if (name === "all") form.elements.text.value = "";
    else if (name === "level") form.querySelector("input[value=SAFE]").checked = value;
    else form.elements[name].value = value;
    const start = performance.now();
    told();
    document.body.getBoundingClientRect(); // lays the page out again
    const laidOut = performance.now() - start;
    await painted();
    return [laidOut, performance.now() - start];
}"""
"""Starts from all findings, or from none, and takes the time of one choice."""


def sample() -> tuple[Report, Context]:
    """A report of 500 findings in 400 tools, and what surrounds it."""
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"{side}.json" for side in ("old", "new")]
        for file, catalog in zip(files, catalogs(TOOLS, CHANGED), strict=True):
            file.write_text(json.dumps(catalog), encoding="utf-8")
        old, new = map(load, files)
    report = diff(old, new)
    if len(report.findings) != FINDINGS:
        sys.exit(f"the sample has {len(report.findings)} findings, not {FINDINGS}")
    return report, Context(compared={None: Compared(Lock({old.name: old}), Lock({new.name: new}))})


def writing(report: Report, context: Context, runs: int) -> dict[str, list[float]]:
    """Processor seconds to write each form, one after the other, after one round that warms up."""
    times: dict[str, list[float]] = {"json": [], "html": []}
    for turn in range(runs + 1):
        for form, taken in times.items():
            start = time.process_time()
            render(form, report, context)
            if turn:
                taken.append(time.process_time() - start)
    return times


@contextmanager
def opened(page: str) -> Iterator[Any]:
    """A window of Chromium that shows the page, and how long it took to open it."""
    from playwright.sync_api import sync_playwright

    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        raise FileNotFoundError("there is no Chromium on the path")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="ascii")
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        window = browser.new_page()
        window.goto(file.as_uri())
        yield window
        browser.close()


def choosing(page: str, runs: int) -> Iterator[tuple[str, list[float], list[float]]]:
    """Milliseconds of each choice: until all is laid out again, and until the next frame was painted."""
    with opened(page) as window:
        for name, choice in CHOICES.items():
            each = [window.evaluate(CHOOSE, choice) for _ in range(runs)]
            yield name, [one[0] for one in each], [one[1] for one in each]
        window.reload()
        timing = window.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
        yield "opening the page", [timing["domContentLoadedEventEnd"]], [timing["loadEventEnd"]]


def browsed(page: str, runs: int) -> str:
    """The table of what happens in the browser, or that there is none."""
    try:
        rows = list(choosing(page, runs))
    except (ImportError, FileNotFoundError):
        return "Choosing was not measured: there is no playwright or no Chromium."
    head = ("milliseconds, aim: under 100", "laid out", "worst", "painted", "worst")
    lines = (
        (name, *(f"{told(taken):.0f}" for taken in both for told in (statistics.median, max))) for name, *both in rows
    )
    return printed.table(head, lines)


def main() -> None:
    """Measure and print."""
    parser = printed.writing(argparse.ArgumentParser(description=__doc__))
    parser.add_argument("--runs", type=int, default=11, help="runs of each, at least 5")
    options = parser.parse_args()
    runs = max(5, options.runs)
    report, context = sample()
    times = writing(report, context, runs)
    page = render("html", report, context)
    slower = printed.spread(printed.ratios(times["html"], times["json"]), 0)
    written = f"{statistics.median(times['html']):.2f} s to write (aim: under 1 s)"
    size = f"{slower} times as long as the JSON report, and {len(page) / 1e6:.2f} MB (aim: under 2 MB)"
    text = f"{FINDINGS} findings in {CHANGED} tools take {written}, {size}.\n\n{browsed(page, runs)}\n\n"
    text += f"{runs} runs. {printed.machine()}"
    printed.shown("python benchmarks/html_page.py", text, options.write)


if __name__ == "__main__":
    main()
