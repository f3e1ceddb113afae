"""What the documentation shows is what the code does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fusion_contracts import diff, load


def fenced(root: Path, page: str, language: str) -> str:
    """The one block of that language on that page."""
    text = (root / "docs" / page).read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return str(block)


def test_every_page_is_listed_and_every_link_leads_somewhere(root: Path) -> None:
    folder = root / "docs"
    pages = {path.name for path in folder.glob("*.md")}
    for page in pages:
        targets = re.findall(r"\]\(([^)#]+)\)", (folder / page).read_text(encoding="utf-8"))
        assert [target for target in targets if not (folder / target).exists()] == [], page
    listed = re.findall(r"\]\((\S+?\.md)\)", (folder / "index.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(pages - {"index.md"})


def test_the_page_of_rules_is_what_the_rules_say(root: Path) -> None:
    command = [sys.executable, "-B", "-c", "import generate; print(generate.page(), end='')"]
    page = subprocess.run(command, cwd=root / "docs", check=True, capture_output=True, encoding="utf-8").stdout
    stale = "docs/rules.md is stale: run python docs/generate.py"
    assert (root / "docs" / "rules.md").read_text(encoding="utf-8") == page, stale


def test_the_lockfile_page_shows_a_tool_as_it_is_locked(root: Path, tmp_path: Path) -> None:
    server = root / "fixtures" / "example" / "helpdesk_v1.py"
    fusion = Path(sys.executable).with_name("fusion")
    command = [str(fusion), "lock", "--name", "helpdesk", "--", sys.executable, str(server)]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    lock = (tmp_path / "fusion.lock").read_text(encoding="utf-8")
    assert fenced(root, "lockfile.md", "toml") in lock


@pytest.mark.parametrize("part", [None, "base", "summary"])
def test_the_report_page_shows_the_keys_that_a_report_has(root: Path, tmp_path: Path, part: str | None) -> None:
    catalog = tmp_path / "catalog.json"
    catalog.write_text('{"tools": [{"name": "add", "inputSchema": {"type": "object"}}]}', encoding="utf-8")
    real = diff(load(catalog), load(catalog)).to_dict()
    shown = json.loads(fenced(root, "json-report.md", "json"))
    assert list(shown if part is None else shown[part]) == list(real if part is None else real[part])


def test_the_report_page_names_every_key_of_a_finding(root: Path, tmp_path: Path) -> None:
    for name, argument in (("old", "id"), ("new", "ticket_id")):
        number = {"type": "integer", "description": "The ticket's number."}
        schema = {"type": "object", "properties": {argument: number}, "required": [argument]}
        catalog = {"tools": [{"name": "close", "inputSchema": schema}]}
        (tmp_path / f"{name}.json").write_text(json.dumps(catalog), encoding="utf-8")
    findings = diff(load(tmp_path / "old.json"), load(tmp_path / "new.json")).to_dict()["findings"]
    (finding,) = [finding for finding in findings if "successor" in finding]
    page = (root / "docs" / "json-report.md").read_text(encoding="utf-8")
    table = page.partition("## A finding\n")[2].partition("\n## ")[0]
    named = {key for row in re.findall(r"^\| (`.+?) \|", table, re.MULTILINE) for key in re.findall(r"`(\w+)`", row)}
    assert named - set(finding) <= {"silent", "waived"}
    assert set(finding) <= named
