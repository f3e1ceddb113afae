"""What the documentation shows is what the code does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from page_blocks import blocks

import fusion_contracts
from fusion_contracts import Lock, diff, load
from fusion_contracts.lockfile.codec import encode


def fenced(root: Path, page: str, language: str) -> str:
    """The one block of that language on that page."""
    text = (root / "docs" / page).read_text(encoding="utf-8")
    (block,) = blocks(text, language)
    return block


def test_every_page_is_listed_and_every_link_leads_somewhere(root: Path) -> None:
    folder = root / "docs"
    pages = {path.name for path in folder.glob("*.md")}
    for page in pages:
        targets = re.findall(r"\]\(([^)#]+)\)", (folder / page).read_text(encoding="utf-8"))
        assert [target for target in targets if not (folder / target).exists()] == [], page
    listed = re.findall(r"\]\((\S+?\.md)\)", (folder / "index.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(pages - {"index.md"})


@pytest.mark.parametrize("name", ["rules.md", "formats.md", "schema/fusion.schema.json"])
def test_a_page_about_the_code_is_what_the_code_says(root: Path, name: str) -> None:
    command = [sys.executable, "-B", "-X", "utf8", "-c", f"import generate; print(generate.PAGES[{name!r}](), end='')"]
    page = subprocess.run(command, cwd=root / "docs", check=True, capture_output=True, encoding="utf-8").stdout
    stale = f"docs/{name} is stale: run python docs/generate.py"
    assert (root / "docs" / name).read_text(encoding="utf-8") == page, stale


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pictures_of_a_terminal_show_what_the_readme_shows(root: Path, scheme: str) -> None:
    readme = (root / "README.md").read_text(encoding="utf-8")
    printed = "\nhelpdesk_v2: starting" + readme.partition("\nhelpdesk_v2: starting")[2].partition("\n```")[0]
    picture = (root / "docs" / "pictures" / f"terminal-{scheme}.svg").read_text(encoding="utf-8")
    texts = [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", picture)]
    words = "".join(texts).replace("\u00a0", " ").split()
    stale = "docs/pictures are stale: run python docs/pictures.py"
    assert words == f"$ fusion diff -- python3 helpdesk_v2.py {printed}".split(), stale


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
    assert named - set(finding) <= {"silent", "waived", "lockfile"}
    assert set(finding) <= named


def test_the_python_page_runs_as_it_stands(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    schemas = {"fusion.lock": {"enum": ["open", "closed"]}, "helpdesk.json": {"enum": ["open"]}}
    for name, state in schemas.items():
        schema = {"type": "object", "properties": {"state": state}}
        catalog = {"server": {"name": "helpdesk"}, "tools": [{"name": "list_tickets", "inputSchema": schema}]}
        (tmp_path / "catalog.json").write_text(json.dumps(catalog), encoding="utf-8")
        if name == "fusion.lock":
            lock = Lock({"helpdesk": replace(load(tmp_path / "catalog.json"), name="helpdesk")})
            (tmp_path / name).write_text(encode(lock), encoding="utf-8")
        else:
            (tmp_path / "catalog.json").rename(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    page = (root / "docs" / "python-api.md").read_text(encoding="utf-8")
    printed = []
    for block in blocks(page, "python"):
        exec(compile(block, "python-api.md", "exec"), {})
        printed.append(capsys.readouterr().out)
    assert printed == [
        "list_tickets state no longer accepts 'closed'\n  worked before: {'state': 'closed'}\nBREAKING\n",
        "incompatible {'unit': 'K'}\n",
        "",
    ]


def test_the_page_on_reports_shows_what_its_calls_come_to(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    exec(compile(fenced(root, "report.md", "python"), "report.md", "exec"), {})
    command, _, shown = fenced(root, "report.md", "console").partition("\n")
    fusion = Path(sys.executable).with_name("fusion")
    done = subprocess.run([str(fusion), *command.split()[2:]], check=True, capture_output=True, encoding="utf-8")
    moment = r"\d{4}-\d\d-\d\d \d\d:\d\d"
    assert re.sub(moment, "then", done.stdout) == re.sub(moment, "then", shown)


def test_the_schema_of_usability_reports_leaves_no_key_to_chance(root: Path) -> None:
    schema = json.loads((root / "docs" / "schema" / "usability.schema.json").read_text(encoding="utf-8"))
    assert sorted(schema["required"]) == sorted(schema["properties"])
    for part in ("period", "healing", "loops"):
        assert sorted(schema["$defs"][part]["required"]) == sorted(schema["$defs"][part]["properties"]), part


def test_the_python_page_names_what_is_exported(root: Path) -> None:
    page = (root / "docs" / "python-api.md").read_text(encoding="utf-8")
    told = set(re.findall(r"\w+", page)) | {"Lock", "Problem", "Side"}
    quiet = {"Prompt", "Resource", "ResourceTemplate", "FusionClientError", "ToolFault", "ValidationReport"}
    quiet |= {"__version__", "to_fault"}
    assert set(fusion_contracts.__all__) - told - quiet == set()
