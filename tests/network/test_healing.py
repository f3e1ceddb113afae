"""The integrations of agent frameworks, in each framework as it is now: every text that reaches the model, whole."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

pytestmark = pytest.mark.network

AGENTS = ("pydantic-ai", "openai-agents", "langgraph")
SERVERS = ("fastmcp-4", "mcp-2")

Environment: TypeAlias = Callable[[str], Path]
Read: TypeAlias = Callable[[str], dict[str, Any]]


def call(**arguments: Any) -> list[Any]:
    return ["tag", {"ticket": 1, "labels": ["a"], **arguments}]


CASES: dict[str, list[list[Any]]] = {
    "wrong type": [[call(ticket="first")]],
    "missing": [[["tag", {"ticket": 1}]]],
    "extra key": [[call(loud=True)]],
    "removed key": [[call(silent=True)]],
    "json text": [[call(labels='["a"]')]],
    "unknown tool": [[["tga", {}]]],
    "removed tool": [[["whoami", {}]]],
    "raised fault": [[["refund", {"how": "raise"}]]],
    "returned fault": [[["refund", {"how": "return"}]]],
    "warning": [[call(labels=["old"])]],
    "crash": [[["crash", {"password": "hunter2"}]]],
    "together": [[call(ticket=n) if n % 2 else ["tag", {"ticket": n}] for n in range(8)]],
    "good": [[call(), call(ticket="5", labels=[])], [call(ticket=2)]],
    "again and again": [[["tag", {"ticket": 1}]], [call(ticket="first")], [["tag", {}]], [call()]],
}
PLAIN = ("good", "extra key", "removed key")


@pytest.fixture(scope="session")
def read(environment: Environment, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Read:
    """What the model read in each case, once for a framework; with `plain`, without the integration."""
    made: dict[str, dict[str, Any]] = {}

    def of(framework: str) -> dict[str, Any]:
        if framework not in made:
            folder = tmp_path_factory.mktemp(f"{framework}-matrix")
            copy(root / "fixtures" / "healing", folder)
            cases: dict[str, Any] = {name: {"turns": turns, "options": {}} for name, turns in CASES.items()}
            cases |= {f"{name}, plain": {"turns": CASES[name], "options": None} for name in PLAIN}
            cases["repaired"] = {"turns": CASES["json text"], "options": {"coerce": True}}
            cases["remarked"] = {"turns": CASES["removed key"], "options": {"unknown": "warn"}}
            cases["compact"] = {"turns": CASES["returned fault"], "options": {"compact": True}}
            cases["redacted"] = {"turns": CASES["wrong type"], "options": {"redact": ["ticket"], "cap": 1}}
            done = run(environment(framework) / "python", "matrix.py", named(framework), folder=folder, sent=cases)
            made[framework] = json.loads(done.splitlines()[-1])
        return made[framework]

    return of


def copy(source: Path, folder: Path) -> None:
    for path in source.glob("*.py"):
        (folder / path.name).write_bytes(path.read_bytes())


def run(command: Path, *arguments: str, folder: Path, sent: Any = None) -> str:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CI", "PYTEST", "FASTMCP"))}
    text = "" if sent is None else json.dumps(sent)
    done = subprocess.run(
        [str(command), *arguments], cwd=folder, env=kept, input=text, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def named(framework: str) -> str:
    """The program of a framework, without a major version."""
    return framework.rstrip("-0123456789").replace("-", "_")


def refused(framework: str, field: str, suggested: str = "") -> str:
    """The refusal of a call of `tag`: pydantic-ai's tools take no unknown arguments, the others' do."""
    closed = framework == "pydantic-ai"
    changes = ['<change severity="BREAKING" field="silent">removed</change>']
    changes += ['<change severity="RISKY">unknown arguments are refused now</change>']
    if not closed:
        changes = ['<change severity="RISKY" field="silent">removed</change>']
    advice = "Fix the fields above and call the tool again."
    if suggested:
        advice = "Call the tool again with suggested_arguments."
    lines = [
        '<validation_error action="tag">',
        f"  {field}",
        "  <contract_awareness>",
        *(f"    {change}" for change in changes),
        "  </contract_awareness>",
        *([f"  <suggested_arguments>{suggested}</suggested_arguments>"] if suggested else []),
        f"  <recovery>{advice} Do not explain the error.</recovery>",
        "</validation_error>",
    ]
    return "\n".join(lines)


def result(framework: str, **value: Any) -> str:
    """A result of `tag` as the framework writes it."""
    found = {"ticket": 1, "labels": ["a"], **value}
    if framework == "pydantic-ai":
        return json.dumps(found, separators=(",", ":"))
    return json.dumps(found) if framework == "langgraph" else str(found)


WRONG = "<field name=\"ticket\">Wrong type. You sent: 'first'. Expected an integer.</field>"
MISSING = '<field name="labels">Missing. Expected a list of strings.</field>'
NOT_FOUND = """<tool_error code="NOT_FOUND" severity="error">
  <message>No such order.</message>
  <recovery>List the orders first.</recovery>
</tool_error>"""
DEPRECATED = """<tool_error code="DEPRECATED" severity="warning">
  <message>The label old goes away.</message>
  <recovery>Use stale.</recovery>
</tool_error>"""
CRASHED = """<tool_error code="INTERNAL_ERROR" severity="critical">
  <message>The tool failed with an internal error (RuntimeError).</message>
  <recovery>The call may have taken effect: do not blindly retry. Check first, or report the failure.</recovery>
</tool_error>"""
MISSPELT = """<tool_error code="UNKNOWN_ACTION" severity="error">
  <message>No tool tga.</message>
  <recovery>Call one of the available actions. Do not explain the error.</recovery>
  <available_actions>
    <action>tag</action>
  </available_actions>
</tool_error>"""
REMOVED = """<tool_error code="UNKNOWN_ACTION" severity="error">
  <message>No tool whoami. Removed.</message>
  <recovery>Do not call whoami again. Go on without it. Do not explain the error.</recovery>
</tool_error>"""


@pytest.mark.parametrize("framework", AGENTS)
def test_every_text_that_the_model_reads(read: Read, framework: str) -> None:
    found = {name: case["read"] for name, case in read(framework).items()}
    unknown = '<field name="{}">Unknown argument. You sent: true. Expected only ticket, labels.</field>'
    extra = refused(framework, unknown.format("loud")) if framework == "pydantic-ai" else result(framework)
    sent = "You sent: text that holds a list of 1 item. Expected a list of strings."
    json_text = f'<field name="labels">JSON sent as text. {sent}</field>'
    assert {name: found[name] for name in CASES if name != "again and again"} == {
        "wrong type": [[refused(framework, WRONG)]],
        "missing": [[refused(framework, MISSING)]],
        "extra key": [[extra]],
        "removed key": [[refused(framework, unknown.format("silent"))]],
        "json text": [[refused(framework, json_text, '{"ticket":1,"labels":["a"]}')]],
        "unknown tool": [[MISSPELT]],
        "removed tool": [[REMOVED]],
        "raised fault": [[NOT_FOUND]],
        "returned fault": [[NOT_FOUND]],
        "warning": [[result(framework, labels=["old"]), DEPRECATED]],
        "crash": [[CRASHED]],
        "together": [[result(framework, ticket=n) if n % 2 else refused(framework, MISSING) for n in range(8)]],
        "good": [[result(framework), result(framework, ticket=5, labels=[])], [result(framework, ticket=2)]],
    }
    assert {case["last"] for case in read(framework).values()} == {"done"}


@pytest.mark.parametrize("framework", AGENTS)
def test_a_call_that_succeeds_is_answered_as_without_the_integration(read: Read, framework: str) -> None:
    found = read(framework)
    assert found["good"] == found["good, plain"]
    taken = framework != "pydantic-ai"  # which refuses unknown arguments itself
    assert (found["extra key"] == found["extra key, plain"]) is taken
    assert (found["removed key, plain"]["read"] == [[result(framework)]]) is taken  # in silence


@pytest.mark.parametrize("framework", AGENTS)
def test_the_options_mean_the_same_everywhere(read: Read, framework: str) -> None:
    found = {name: case["read"] for name, case in read(framework).items()}
    assert found["repaired"] == [[result(framework)]]
    assert found["compact"] == [[NOT_FOUND.replace("\n  ", "\n")]]
    ((redacted,),) = found["redacted"]
    assert "Wrong type. You sent: a value that is not shown. Expected an integer." in redacted
    assert redacted.count("<change ") == 1
    if framework != "pydantic-ai":
        ((first, remark),) = found["remarked"]
        assert first == result(framework)
        assert remark.startswith('<tool_error code="VALIDATION_ERROR" severity="warning">\n  <message>tag was called')


def test_the_last_retry_of_pydantic_ai_names_each_attempt(read: Read) -> None:
    first, second, third, fourth = read("pydantic-ai")["again and again"]["read"]
    assert first == [refused("pydantic-ai", MISSING)]
    attempts = ["labels: Missing. Expected a list of strings."]
    for number, text, attempt in (
        (2, second, "ticket: Wrong type. You sent: 'first'. Expected an integer."),
        (3, third, "ticket: Missing. Expected an integer. labels: Missing. Expected a list of strings."),
    ):
        attempts.append(attempt)
        lines = [f'    <detail key="attempt {n}">{line}</detail>' for n, line in enumerate(attempts, start=1)]
        assert text == [
            '<tool_error code="RETRY_LIMIT" severity="critical">\n'
            f"  <message>tag failed {number} times, and no retry is left.</message>\n"
            "  <recovery>Do not call tag again in this run. Go on without it or report what is missing.</recovery>\n"
            "  <details>\n" + "\n".join(lines) + "\n  </details>\n</tool_error>"
        ]
    assert fourth == [result("pydantic-ai")]


NOT_ALL = """<tool_result status="partial" done="1" failed="1" total="2">
  <items>[1]</items>
  <failed item="2" code="NOT_FOUND">No ticket 2.</failed>
  <next>NEXT</next>
</tool_result>"""
NEXT = "1 of 2 done, 1 failed. Trying 2 again cannot help. Do not report the task as done while anything is missing."
STRUCTURED = {
    "items": [1],
    "status": "partial",
    "failed": [{"item": "2", "code": "NOT_FOUND", "message": "No ticket 2.", "retryable": False}],
    "next": NEXT,
    "total": 2,
}
WAYS = {
    "pydantic-ai": ["run", "iter", "run_stream"],
    "openai-agents": ["run", "run_streamed"],
    "langgraph": ["invoke", "ainvoke"],
}


@pytest.mark.parametrize("framework", AGENTS)
def test_whichever_way_an_agent_is_run(environment: Environment, root: Path, tmp_path: Path, framework: str) -> None:
    copy(root / "fixtures" / "healing", tmp_path)
    done = run(environment(framework) / "python", "ways.py", named(framework), folder=tmp_path)
    seen = json.loads(done.splitlines()[-1])
    silent = refused(
        framework, '<field name="silent">Unknown argument. You sent: true. Expected only ticket, labels.</field>'
    )
    for way in WAYS[framework]:
        whole = [NOT_ALL.replace("NEXT", NEXT)]
        if framework == "pydantic-ai":  # its models read what is structured
            whole = [json.dumps(STRUCTURED, separators=(",", ":"))]
        assert sorted(seen.pop(way)) == sorted([silent, CRASHED, MISSPELT, *whole]), way
    if framework == "pydantic-ai":  # what a remote tool failed of is that server's to say; `many` it has not
        read = seen.pop("an MCP server's tools")
        assert (read[0], read[1]) == (refused("an MCP server", silent.splitlines()[1].strip()), CRASHED_THERE)
        assert [text.splitlines()[1] for text in read[2:]] == [
            "  <message>No tool tga.</message>", "  <message>No tool many.</message>",
        ]  # fmt: skip
    if framework == "langgraph":
        interrupts = [[{"close": 1}], [{"close": 1}]]
        told = ["agreed left", "agreed left", "agreed ok"]
        assert seen == {"interrupts": interrupts, "agreed": ["closed 1: yes"], "guard": told}


CRASHED_THERE = "Error executing tool crash"
HEALS = """<validation_error action="close_ticket">
  <field name="ticket_id">Missing. You sent: id 1. Expected an integer.</field>
  <contract_awareness since="1.0.0">
    <change severity="BREAKING" field="ticket_id">renamed from id; same value</change>
    <change severity="RISKY" field="note">default is '' now</change>
  </contract_awareness>
  <suggested_arguments>{"ticket_id":1,"note":"Put out."}</suggested_arguments>
  <recovery>Call the tool again with suggested_arguments. Do not explain the error.</recovery>
</validation_error>
"""


@pytest.fixture(scope="session")
def learned(environment: Environment, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example, its first version locked and released."""
    folder = tmp_path_factory.mktemp("learned")
    copy(root / "fixtures" / "example", folder)
    copy(root / "fixtures" / "healing", folder)
    programs = environment("pydantic-ai")
    server = ("--", str(programs / "python"), "helpdesk_v1.py")
    run(programs / "fusion", "lock", "--name", "helpdesk", *server, folder=folder)
    run(programs / "fusion", "release", "1.0.0", folder=folder)
    return folder


@pytest.mark.parametrize("framework", [*AGENTS, *SERVERS])
def test_an_agent_of_version_1_heals_in_one_turn_at_version_2(
    environment: Environment, learned: Path, framework: str
) -> None:
    python = environment(framework) / "python"
    read = run(python, "run.py", named(framework), folder=learned)
    assert read.startswith(HEALS)
    assert re.sub(r"\s", "", read.removeprefix(HEALS)).replace("'", '"') == (
        '{"id":1,"subject":"Printeronfire","status":"closed","note":"Putout."}closed'
    )
    plain = run(python, "run.py", named(framework), "--plain", folder=learned)
    assert plain.endswith("\nI could not close it.\n")
    assert "suggested" not in plain


@pytest.mark.parametrize("framework", AGENTS)
def test_the_example_of_the_page_heals(environment: Environment, root: Path, learned: Path, framework: str) -> None:
    page = (root / "docs" / "integrations.md").read_text(encoding="utf-8")
    example = re.search(rf"^<!-- example: {framework} -->\n```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert example is not None
    (learned / "block.py").write_text(example[1], encoding="utf-8")
    printed = run(environment(framework) / "python", "page.py", named(framework), folder=learned)
    assert printed.startswith(HEALS)
    assert printed.endswith("\nclosed\n")
