"""One hostile catalog through every command and every format: no output changes its shape, nothing hidden is shown.

`tests/report/test_hostile.py` does the same to the formats alone, with every kind of finding.
"""

from __future__ import annotations

import json
import os
import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.cli import main
from fusion_contracts.report import FORMATS

EVIL = (
    "\x1b[31m\x1b]8;;http://evil\x07\u202e\u2066\x9b2J\x00 <script>alert(1)</script></style><!--]]>&lt;"
    "\r\n::error::x\n##[add-mask]y\n\n# h\n|a|b|\n```\n`</details>`@everyone #1 ${{ x }} $(touch pwned)';\"\\ "
    "\U000e0041\ufeff"
)
WORD = EVIL.replace("\x00", "")  # as a word of a command line, which holds no zero character
HALF = "\ud800"  # cannot be locked, and must be sayable all the same


def tool(name: str, *values: str) -> Any:
    key = f"key {EVIL}"
    schema = {"type": "object", "properties": {key: {"enum": [*values], "title": EVIL}}, "required": [key]}
    return {
        "name": name, "title": EVIL, "description": EVIL, "inputSchema": schema, "outputSchema": schema,
        "annotations": {"title": EVIL}, "_meta": {EVIL: EVIL},
    }  # fmt: skip


def catalog(*tools: Any, version: str) -> str:
    return json.dumps({
        "protocolVersion": "2025-11-25", "serverInfo": {"name": EVIL, "version": f"{version} {EVIL}"},
        "capabilities": {"tools": {}, EVIL: {}}, "instructions": f"{version} {EVIL}", "tools": tools,
        "prompts": [{"name": f"p {EVIL}", "description": EVIL, "arguments": [{"name": f"{version}{EVIL}"}]}],
        "resources": [{"uri": f"x://{version}", "name": EVIL}],
    })  # fmt: skip


class Hostile:
    """A repository with a hostile server in it, and the output of commands there."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def run(self, *words: str) -> tuple[int, str, str]:
        code = main(words)
        said = self.capsys.readouterr()
        return code, said.out, said.err


@pytest.fixture
def hostile(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Hostile]:
    for name in [name for name in os.environ if name.startswith(("CI", "GITHUB_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    old = [tool(f"a {EVIL}", EVIL, "b"), tool(f"gone {EVIL}", EVIL), tool(HALF, "x")]
    new = [tool(f"a {EVIL}", "b"), tool(f"new {EVIL}", EVIL), tool(HALF, "y")]
    Path("old.json").write_text(catalog(*old, version="1"), encoding="ascii")
    Path("new.json").write_text(catalog(*new, version="2"), encoding="ascii")
    yield Hostile(capsys)
    assert not Path("pwned").exists()


def fit(text: str) -> None:
    """Lines that a terminal shows as they are, and none that a runner of CI takes for a command."""
    for line in text.split("\n"):
        assert HIDDEN.search(line) is None, ascii(line)
        assert not re.match(r"\s*::", line), line
        assert "##[" not in line, line


def read(form: str, text: str) -> None:
    """A report is what its language says it is, and nothing hidden is in it."""
    assert [ascii(line) for line in text.split("\n") if HIDDEN.search(line)] == []
    if form in {"json", "sarif"}:
        json.loads(text)
        assert text.isascii() or form == "sarif"
    elif form == "junit":
        assert {element.tag for element in ET.fromstring(text).iter()} <= {
            "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "properties", "property",
            "system-out",
        }  # fmt: skip
    elif form == "github":
        assert [line for line in text.splitlines() if not re.match(r"::(error|warning|notice) [^:]*::", line)] == []
    elif form == "html":
        assert text.count("<script") == text.count("</script")
        assert "<script>alert" not in text
    elif form == "markdown":
        outside = re.sub(r"<code>.*?</code>|`[^`]*`", "", text)
        assert "<script" not in outside
        assert "@everyone" not in outside


def test_every_command_is_fit_for_a_terminal(hostile: Hostile) -> None:
    name = "--name", "evil"
    commands = [
        ("show", "old.json"), ("show", "old.json", "--lint"), ("lock", "old.json", *name), ("show",),
        ("lock", "--check"), ("diff", "old.json", "new.json"), ("diff", "old.json", "new.json", "--show", "all"),
        ("diff", "fusion.lock", "new.json"), ("check", "--offline"), ("awareness", "old.json", "new.json"),
        ("release", "1.0"), ("diff", "release:1.0", "new.json"), ("lock", "new.json", *name, "--write"),
        ("awareness",), ("changelog",), ("merge-driver", "a", "b", "c", WORD), ("explain", WORD),
        ("waive", WORD, "--reason", "x"), ("show", WORD), ("report", WORD), ("diff", f"git:{EVIL}"),
        ("show", f"release:{EVIL}"), ("lock", f"https://{EVIL}"), ("lock", "old.json", "--name", WORD),
        ("diff", "old.json", "new.json", "-s", EVIL),
    ]  # fmt: skip
    for command in commands:
        code, out, err = hostile.run(*command)
        assert code in {0, 1, 2}
        assert "fault in fusion-contracts" not in err, (ascii(command), err)
        assert out or err
        fit(out)
        fit(err)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_keeps_its_shape(form: str, hostile: Hostile) -> None:
    code, out, err = hostile.run("diff", "old.json", "new.json", "--format", form, "--show", "all")
    assert code == 1
    fit(err)
    read(form, out)
    code, out, err = hostile.run("diff", "old.json", WORD, "--format", form)  # an error
    assert code == 2
    fit(err)
    read(form, out)


@pytest.mark.parametrize("form", ["json", "text"])  # as JSON it is a catalog, which must be read again as it was
def test_show_keeps_its_shape(form: str, hostile: Hostile) -> None:
    code, out, err = hostile.run("show", "old.json", "--format", form)
    assert code == 0
    fit(err)
    fit(out)
    read(form, out)
    if form == "json":
        Path("again.json").write_text(out, encoding="ascii")
        assert hostile.run("diff", "old.json", "again.json", "--fail-on", "any")[0] == 0


@pytest.mark.parametrize(
    "text",
    [
        b'lock_version = 1\n[servers."\\u001b[31m"]\n"\\u202e" = 1\n', b"\x1b[31m", b"\x00\x00", b"\xff\xfe",
        b"lock_version = 1\n\x1b[2J = ",
        b"<<<<<<< \x1b[31m\n=======\n>>>>>>> x\n", b'lock_version = 99\nneeds = "\\u001b[2J"\n',
        b"[[[[[", b"a" * 100_000, b"lock_version = 1\n" + b"[a]\n" * 3, b"lock_version = " + b"9" * 5000,
        b"lock_version = 1\nservers = " + b"[" * 100_000, b"lock_version = 1\n" + b".".join([b"a"] * 5000) + b" = 1",
    ],
    ids=lambda text: ascii(text[:30]),
)  # fmt: skip
def test_a_lock_that_is_none_is_one_sentence(text: bytes, hostile: Hostile) -> None:
    Path("fusion.lock").write_bytes(text)
    for command in (("check", "--offline"), ("show",), ("diff", "fusion.lock", "old.json"), ("lock", "old.json")):
        code, out, err = hostile.run(*command)
        assert code == 2
        assert "fault in fusion-contracts" not in err
        assert len(err.splitlines()) <= 3
        fit(out)
        fit(err)
    assert Path("fusion.lock").read_bytes() == text


def test_what_merely_lies_in_the_folder_is_not_started(hostile: Hostile) -> None:
    program = "from pathlib import Path\nPath('pwned').touch()\n"
    for name in ("server.py", "conftest.py", "sitecustomize.py", "mcp.py", "yaml.py", "git.py"):
        Path(name).write_text(program, encoding="ascii")
    entry = {"mcpServers": {"s": {"command": sys.executable, "args": ["server.py"]}}}
    Path(".vscode").mkdir()
    for name in (".mcp.json", "mcp.json", ".vscode/mcp.json", "claude_desktop_config.json"):
        Path(name).write_text(json.dumps(entry), encoding="ascii")
    for words in ("lock", "check", "check --offline", "diff", "show", "lock --check", "release"):
        assert hostile.run(*words.split())[0] == 2
    assert hostile.run("diff", "old.json", "new.json")[0] == 1
    assert not Path("pwned").exists()
