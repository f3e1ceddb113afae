"""`fusion awareness`: what the model reads that learned an older contract."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fusion_contracts import ContractAwareness, load, unknown_action

FOLDER = ".fusion/releases"
REFUSED = "\nexit 2: could not check\n"
BLOCK = (
    '<contract_awareness since="1.0.0">\n'
    '  <change severity="BREAKING" field="when">no longer accepts \'later\'</change>\n'
    "</contract_awareness>\n"
)
GONE = (
    '<tool_error code="UNKNOWN_ACTION" severity="error">\n'
    "  <message>No tool list_pages. Removed since 1.0.0.</message>\n"
    "  <recovery>Do not call list_pages again; call one of the available actions if it does the job. "
    "Do not explain the error.</recovery>\n"
    "  <available_actions>\n"
    "    <action>close_page</action>\n"
    "  </available_actions>\n"
    "</tool_error>\n"
)


def relock(project: Any, *tools: Any, name: str = "pages") -> None:
    assert project.run("lock", "--name", name, *project.serve(name, *tools)).code == 0


@pytest.fixture
def changed(project: Any, close_page: Any, close_page_v2: Any, list_pages: Any) -> Any:
    """A lock that took a value away and lost a tool since release 1.0.0."""
    relock(project, close_page, list_pages)
    project.run("release", "1.0.0")
    relock(project, close_page_v2)
    return project


def test_all_that_changed(changed: Any) -> None:
    before = changed.files()
    result = changed.run("awareness")
    assert (result.code, result.err) == (0, "")
    assert result.out == (
        f"pages: fusion.lock, for agents that learned 1.0.0\n\nclose_page\n{BLOCK}\nlist_pages (gone)\n{GONE}"
    )
    assert changed.files() == before


@pytest.mark.parametrize(("action", "text"), [("close_page", BLOCK), ("list_pages", GONE)])
def test_it_is_what_the_runtime_says(changed: Any, action: str, text: str) -> None:
    live = load(changed.folder / "fusion.lock")
    awareness = ContractAwareness.from_releases(changed.folder, live)
    said = awareness.render(action) if action in live.tools else unknown_action(action, live, awareness).to_xml()
    assert said + "\n" == text
    assert changed.run("awareness", action).out.split("\n\n")[1].partition("\n")[2] == text


def test_one_action(changed: Any) -> None:
    assert changed.run("awareness", "close_page").out == (
        f"pages: fusion.lock, for agents that learned 1.0.0\n\nclose_page\n{BLOCK}"
    )


def test_nothing_to_tell(changed: Any, list_pages: Any, close_page_v2: Any) -> None:
    relock(changed, close_page_v2, list_pages)
    result = changed.run("awareness", "list_pages")
    assert (result.code, result.out) == (
        0,
        "pages: nothing to tell about list_pages since 1.0.0; errors stay as they are\n",
    )
    changed.run("release", "2.0.0")
    result = changed.run("awareness", "--since", "2.0.0")
    assert (result.code, result.out) == (0, "pages: nothing to tell since 2.0.0; errors stay as they are\n")


def test_an_action_that_is_not_there(changed: Any) -> None:
    assert changed.run("awareness", "close_pages").err == (
        'fusion: there is no action "close_pages"; the nearest: close_page, list_pages; fusion awareness lists those '
        f"that changed{REFUSED}"
    )
    result = changed.run("awareness", "z\x1b[2J")
    assert (result.code, result.out, result.err) == (
        2,
        "",
        'fusion: there is no action "z\\u{1b}[2J"; fusion awareness lists those that changed' + REFUSED,
    )


def test_since_a_release(changed: Any, close_page_v2: Any) -> None:
    changed.run("release", "2.0.0")
    relock(changed, {**close_page_v2, "description": "Close a page for good."})
    assert changed.run("awareness").out.startswith("pages: fusion.lock, for agents that learned 1.0.0, 2.0.0\n")
    assert changed.run("awareness", "--since", "2.0.0").out == (
        "pages: fusion.lock, for agents that learned 2.0.0\n"
        "\n"
        "close_page\n"
        '<contract_awareness since="2.0.0">\n'
        '  <change severity="RISKY">description reworded</change>\n'
        "</contract_awareness>\n"
    )
    assert changed.run("awareness", "--since", "3").err == (
        f"fusion: no release 3 is kept; there are: pages/1.0.0, pages/2.0.0{REFUSED}"
    )


def test_as_far_back_as_the_runtime_looks(changed: Any, close_page_v2: Any) -> None:
    for number in range(12):
        changed.run("release", f"2.{number}")
        relock(changed, {**close_page_v2, "description": f"{number}"})
    result = changed.run("awareness")
    names = ", ".join(f"2.{number}" for number in range(2, 12))
    assert result.out.startswith(f"pages: fusion.lock, for agents that learned {names}\n")
    assert "list_pages" not in result.out
    assert "list_pages" in changed.run("awareness", "--since", "1.0.0").out


def test_no_release(project: Any, close_page: Any, list_pages: Any) -> None:
    relock(project, close_page)
    project.run("lock", project.catalog("saved.json", list_pages))
    result = project.run("awareness")
    assert (result.code, result.out, result.err) == (
        2,
        "",
        f"fusion: no release is kept: searched {FOLDER}/pages, {FOLDER}/saved; keep one: fusion release{REFUSED}",
    )
    project.run("release", "1", "-s", "saved")
    result = project.run("awareness")
    assert (result.code, result.out, result.err) == (
        0,
        "saved: nothing to tell since 1; errors stay as they are\n",
        f"note: no release is kept in {FOLDER}/pages\n",
    )
    result = project.run("awareness", "-s", "pages")
    assert result.err == f"fusion: no release is kept: searched {FOLDER}/pages; keep one: fusion release{REFUSED}"


def test_several_servers(changed: Any, close_page: Any, close_page_v2: Any) -> None:
    relock(changed, close_page, name="others")
    changed.run("release", "1.0.0", "-s", "others")
    relock(changed, close_page_v2, name="others")
    heads = ["others: fusion.lock, for agents that learned 1.0.0", "pages: fusion.lock, for agents that learned 1.0.0"]
    assert changed.run("awareness", "close_page").out == "\n".join(f"{head}\n\nclose_page\n{BLOCK}" for head in heads)
    assert changed.run("awareness", "list_pages").out == f"{heads[1]}\n\nlist_pages (gone)\n{GONE}"
    assert changed.run("awareness", "close_page", "-s", "o*").out == f"{heads[0]}\n\nclose_page\n{BLOCK}"


def grouped(*branches: tuple[str, str]) -> dict[str, Any]:
    schemas = [
        {"properties": {"do": {"const": action}, argument: {"type": "string"}}, "required": ["do", argument]}
        for action, argument in branches
    ]
    return {"name": "page", "inputSchema": {"type": "object", "oneOf": schemas}}


def test_actions_of_a_grouped_tool(project: Any) -> None:
    relock(project, grouped(("open", "url"), ("close", "id"), ("list", "tab")))
    project.run("release", "1")
    relock(project, grouped(("open", "url"), ("close", "pageId")))
    shown = json.loads(project.run("awareness", "--format", "json").out)["servers"]["pages"]["actions"]
    assert {action: entry["live"] for action, entry in shown.items() if "." in action} == {
        "page.close": True,
        "page.list": False,
    }
    assert "pageId" in shown["page.close"]["text"]
    assert shown["page.list"]["text"].startswith('<tool_error code="UNKNOWN_ACTION"')
    assert "page.list. Removed since 1." in shown["page.list"]["text"]
    assert project.run("awareness", "page.open").out.startswith("pages: nothing to tell about page.open since 1;")
    assert project.run("awareness", "page.lists").err.startswith(
        'fusion: there is no action "page.lists"; the nearest: page.list, page.close;'
    )


def test_for_machines(changed: Any) -> None:
    result = changed.run("awareness", "close_page", "--format", "json", "-o", "told.json")
    assert (result.code, result.out) == (0, "")
    change = {
        "severity": "BREAKING",
        "field": "when",
        "text": "no longer accepts 'later'",
        "kind": "structure",
        "since": "1.0.0",
        "gone": None,
        "successor": None,
        "carries": False,
    }
    assert json.loads(changed.read("told.json")) == {
        "servers": {
            "pages": {
                "releases": ["1.0.0"],
                "actions": {"close_page": {"live": True, "text": BLOCK.rstrip("\n"), "changes": [change]}},
            }
        }
    }


def test_a_name_of_a_server_cannot_steer_the_terminal(project: Any, list_pages: Any) -> None:
    nasty = {**list_pages, "name": "l\x1b[2J\u202e"}
    relock(project, nasty, list_pages)
    project.run("release", "1")
    relock(project, list_pages)
    out = project.run("awareness").out
    assert "l\\u{1b}[2J\\u{202e} (gone)\n" in out
    assert "\x1b" not in out
    assert "\u202e" not in out


def test_a_command_is_not_taken(changed: Any) -> None:
    assert changed.run("awareness", "--", "python").err == (
        f"fusion: fusion awareness takes no command after --; configure it: fusion lock -- COMMAND does{REFUSED}"
    )
