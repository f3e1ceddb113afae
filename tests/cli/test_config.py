"""Settings: where they are looked for, what they may hold, and what is said about the rest."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import tomli
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

import fusion_contracts
from fusion_contracts.cli.flags import UNSETTABLE
from fusion_contracts.cli.project import read_settings
from fusion_contracts.config import (
    Config,
    ConfigFile,
    Limits,
    Server,
    Source,
    Volatile,
    Waiver,
    common_form,
    read,
    source_line,
    source_lines,
    text_of,
    with_source,
)
from fusion_contracts.errors import FusionError

RULES = Path(fusion_contracts.__file__).parent / "diff" / "rules"
KEYS = (
    "base, fail-on, formats, levels, limits, lockfile, servers, sources, token-growth-percent, volatile, waivers, world"
)
EVERYTHING = """\
lockfile = "tools.lock"
fail-on = "risky"
world = "open"
token-growth-percent = 40
base = "origin/dev"
formats = ["text", "json=out.json"]
levels = { description-changed = "safe" }

[servers."p*"]
fail-on = "any"
world = "declared"
levels = { tool-added = "risky" }
token-growth-percent = 5

[[waivers]]
fingerprints = ["4f2a91c"]
reason = "agreed"

[[waivers]]
rule = "tool-removed"
server = "pages"
tool = "a"
pointer = ""
reason = "agreed"
until = 2026-12-31

[sources.pages]
command = ["npx", "pages"]
env = { TOKEN = "${TOKEN}" }
pass-env = ["HTTP_PROXY"]

[limits]
timeout = 90
memory = "1 GiB"

[sources.saved]
path = "saved.json"

[[volatile]]
server = "pages"
pattern = "[0-9]+"
reason = "a port"
"""


def test_everything_that_can_be_set(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_text(EVERYTHING, encoding="utf-8")
    config, place = read(tmp_path)
    assert config == Config(
        lockfile="tools.lock",
        fail_on="risky",
        world="open",
        token_growth_percent=40,
        sources={
            "pages": Source(command=("npx", "pages"), env={"TOKEN": "${TOKEN}"}, pass_env=("HTTP_PROXY",)),
            "saved": Source(path="saved.json"),
        },
        base="origin/dev",
        limits=Limits(timeout=90, memory="1 GiB"),
        formats=("text", "json=out.json"),
        levels={"description-changed": "safe"},
        servers={"p*": Server(fail_on="any", world="declared", levels={"tool-added": "risky"}, token_growth_percent=5)},
        waivers=(
            Waiver(fingerprints=("4f2a91c",), reason="agreed"),
            Waiver(
                rule="tool-removed", server="pages", tool="a", pointer="", reason="agreed", until=date(2026, 12, 31)
            ),
        ),
        volatile=(Volatile(server="pages", pattern="[0-9]+", reason="a port"),),
    )
    assert place == ConfigFile(tmp_path / "fusion.toml", nested=False)


def test_the_same_in_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "x"\n[tool.fusion]\nfail-on = "any"\n', encoding="utf-8"
    )
    config, place = read(tmp_path)
    assert config == Config(fail_on="any")
    assert place == ConfigFile(tmp_path / "pyproject.toml", nested=True)


def test_no_settings(tmp_path: Path) -> None:
    assert read(tmp_path) == (Config(), None)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n', encoding="utf-8")
    assert read(tmp_path) == (Config(), None)


def test_a_parent_folder_is_not_asked(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_text('fail-on = "any"\n', encoding="utf-8")
    (tmp_path / "inside").mkdir()
    assert read(tmp_path / "inside") == (Config(), None)


def test_a_named_file(tmp_path: Path) -> None:
    named = tmp_path / "other.toml"
    named.write_text('fail-on = "never"\n', encoding="utf-8")
    (tmp_path / "fusion.toml").write_text('fail-on = "any"\n', encoding="utf-8")
    assert read(tmp_path, named)[0] == Config(fail_on="never")
    assert read(tmp_path, tmp_path / "new.toml", create=True) == (
        Config(),
        ConfigFile(tmp_path / "new.toml", nested=False),
    )


def sentence(folder: Path, text: str, name: str = "fusion.toml") -> str:
    """What is said about a settings file, without its folder."""
    (folder / name).write_text(text, encoding="utf-8")
    with pytest.raises(FusionError) as caught:
        read(folder)
    assert caught.value.problem.stage == "usage"
    return str(caught.value).replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "token-growth-percent = -1\n",
            "fusion.toml: token-growth-percent must be 0 or more; correct the entry",
        ),
        (
            'token-growth-percent = "much"\n',
            "fusion.toml: token-growth-percent must be a whole number; correct the value",
        ),
        (
            "token-growth-percent = 2.5\n",
            "fusion.toml: token-growth-percent must be a whole number; correct the value",
        ),
        ('fail_on = "any"\n', "fusion.toml: unknown key fail_on; did you mean fail-on?"),
        ("sourcs = {}\n", "fusion.toml: unknown key sourcs; did you mean sources?"),
        ("zzz = 1\n", f"fusion.toml: unknown key zzz; known keys: {KEYS}"),
        ('[sources.x]\ncomand = ["a"]\n', "fusion.toml: unknown key sources.x.comand; did you mean command?"),
        ('[sources.x]\ncommand = "npx x"\n', "fusion.toml: sources.x.command must be a list; correct the value"),
        ('[sources.x]\ncommand = ["npx", 1]\n', "fusion.toml: sources.x.command.1 must be a string; correct the value"),
        (
            "[sources.x]\n",
            "fusion.toml: sources.x needs a command, a url, a path or an object, one of the four; correct the entry",
        ),
        (
            '[sources.x]\ncommand = ["a"]\npath = "b"\n',
            "fusion.toml: sources.x needs a command, a url, a path or an object, one of the four; correct the entry",
        ),
        (
            '[sources.x]\npath = "b"\nenv = { A = "b" }\n',
            "fusion.toml: sources.x has env beside a path; only a command takes it; correct the entry",
        ),
        (
            '[sources.x]\nurl = "b"\npass-env = ["A"]\n',
            "fusion.toml: sources.x has pass-env beside a url; only what is started takes it; correct the entry",
        ),
        (
            "[servers.x]\ntimeout = 0\n",
            "fusion.toml: servers.x has a timeout below 1; correct the entry",
        ),
        (
            "[limits]\nmemory = '2 GB'\n",
            'fusion.toml: limits has a memory that is no size such as "512 MiB" or "2 GiB"; correct the entry',
        ),
        ("[limits]\nmemry = '2 GiB'\n", "fusion.toml: unknown key limits.memry; did you mean memory?"),
        (
            'fail-on = "high"\n',
            "fusion.toml: fail-on must be 'breaking', 'risky', 'any' or 'never'; correct the value",
        ),
        ("sources = 3\n", "fusion.toml: sources must be a table; correct the value"),
        ("[[volatile]]\npattern = 'x'\n", "fusion.toml: volatile.0.reason is missing; add it"),
        (
            "[servers.x]\ntoken-growth-percent = -1\n",
            "fusion.toml: servers.x has a token-growth-percent below 0; correct the entry",
        ),
        ("[servers.x]\nfail = 1\n", "fusion.toml: unknown key servers.x.fail; did you mean fail-on?"),
        (
            "[servers.x]\nfail-on = 'high'\n",
            "fusion.toml: servers.x.fail-on must be 'breaking', 'risky', 'any' or 'never'; correct the value",
        ),
        ("[[waivers]]\nfingerprints = ['4f2a91c']\n", "fusion.toml: waivers.0.reason is missing; add it"),
        (
            "[[waivers]]\nfingerprints = ['4f2a91c']\nreason = ' '\n",
            "fusion.toml: waivers.0 has an empty reason; correct the entry",
        ),
        (
            "[[waivers]]\nreason = 'a'\n",
            "fusion.toml: waivers.0 needs fingerprints or a rule, one of the two; correct the entry",
        ),
        (
            "[[waivers]]\nfingerprints = ['4f2a91c']\nrule = 'tool-removed'\nreason = 'a'\nuntil = 2026-12-31\n",
            "fusion.toml: waivers.0 needs fingerprints or a rule, one of the two; correct the entry",
        ),
        (
            "[[waivers]]\nfingerprints = ['4f2a91']\nreason = 'a'\n",
            (
                "fusion.toml: waivers.0 has a fingerprint that is none: seven to sixteen digits from 0 to f; "
                "correct the entry"
            ),
        ),
        (
            "[[waivers]]\nfingerprints = ['4f2a91c']\ntool = 'a'\nreason = 'a'\n",
            (
                "fusion.toml: waivers.0 has server, tool or pointer beside fingerprints; only a rule takes them; "
                "correct the entry"
            ),
        ),
        (
            "[[waivers]]\nrule = 'tool-removed'\nreason = 'a'\n",
            "fusion.toml: waivers.0 needs until, the last day on which it holds: it names a rule; correct the entry",
        ),
        *(
            (
                f"[[waivers]]\nrule = 'tool-removed'\nreason = 'a'\nuntil = {until}\n",
                "fusion.toml: waivers.0.until must be a date; write it without quotes: until = 2026-12-31",
            )
            for until in ('"2026-12-31"', "2026-12-31T00:00:00", "20261231", "00:00:00")
        ),
        ("[[waivers]]\nuntli = 1\n", "fusion.toml: waivers.0.reason is missing; add it"),
        (
            "[[waivers]]\nreason = 'a'\nuntli = 1\n",
            "fusion.toml: unknown key waivers.0.untli; did you mean until?",
        ),
        ("a = \n", "fusion.toml is not valid TOML: Invalid value (at line 1, column 5); correct that line"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    assert sentence(tmp_path, text) == said


def test_the_key_is_named_with_its_table_in_pyproject(tmp_path: Path) -> None:
    said = sentence(tmp_path, "[tool.fusion]\nlock-file = 'x'\n", "pyproject.toml")
    assert said == "pyproject.toml: unknown key tool.fusion.lock-file; did you mean lockfile?"


def test_a_number_that_makes_no_sense_is_named_in_pyproject(tmp_path: Path) -> None:
    said = sentence(tmp_path, "[tool.fusion]\ntoken-growth-percent = -5\n", "pyproject.toml")
    assert said == "pyproject.toml: tool.fusion.token-growth-percent must be 0 or more; correct the entry"


def test_a_value_is_never_repeated(tmp_path: Path) -> None:
    assert "hunter2" not in sentence(tmp_path, '[sources.x]\ncommand = "login hunter2"\n')


def test_settings_in_two_files(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.fusion]\nfail-on = 'any'\n", encoding="utf-8")
    assert sentence(tmp_path, "fail-on = 'any'\n") == (
        "fusion.toml and [tool.fusion] in pyproject.toml both hold settings; keep one of the two"
    )


def test_a_named_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FusionError, match=r"^no settings file .*gone\.toml; check --config$"):
        read(tmp_path, tmp_path / "gone.toml")


def test_no_text(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_bytes(b"\xff")
    with pytest.raises(FusionError, match=r"fusion\.toml is not UTF-8 text; save it as UTF-8$"):
        read(tmp_path)


def test_an_entry_is_appended(tmp_path: Path) -> None:
    place = ConfigFile(tmp_path / "pyproject.toml", nested=True)
    text = "[project]\nname = 'x'  # mine"
    assert with_source(text, "a b", Source(command=("npx", "-y"), pass_env=("T",)), place) == (
        f'{text}\n\n[tool.fusion.sources."a b"]\ncommand = ["npx", "-y"]\npass-env = ["T"]\n'
    )


def test_settings_that_are_right_load_no_pydantic(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_text(EVERYTHING, encoding="utf-8")
    code = (
        "import sys; from pathlib import Path; from fusion_contracts.config import read; "
        "print(read(Path('.'))[0]); assert 'pydantic' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Config(lockfile='tools.lock', fail_on='risky', world='open', sources={'pages': ")


loose = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.text(max_size=2) | st.sampled_from(["breaking", "any", "high"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
entries = st.dictionaries(st.sampled_from(["command", "path", "env", "pass-env", "other"]), loose, max_size=3)
likely = st.fixed_dictionaries(
    {"command": st.lists(st.text(max_size=2), max_size=2)},
    optional={
        "env": st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=1),
        "path": st.text(max_size=2),
    },
)


def table(keys: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(keys), loose | st.dates(), max_size=4)


waiver = st.fixed_dictionaries(
    {"reason": st.text(max_size=2)},
    optional={
        "fingerprints": st.lists(st.sampled_from(["4f2a91c", "4f"]), max_size=2),
        "rule": st.text(max_size=2),
        "until": st.dates() | st.datetimes() | st.text(max_size=2),
    },
)
tables = st.fixed_dictionaries(
    {},
    optional={
        "lockfile": loose,
        "fail-on": loose,
        "sources": st.dictionaries(st.text(max_size=2), entries | likely, max_size=2) | loose,
        "world": loose,
        "base": loose,
        "formats": loose,
        "token-growth-percent": loose,
        "levels": loose,
        "servers": st.dictionaries(st.text(max_size=2), table(["fail-on", "world", "levels", "x"]), max_size=1) | loose,
        "waivers": st.lists(table(["fingerprints", "rule", "tool", "until"]) | waiver, max_size=2) | loose,
        "volatile": st.lists(table(["pattern", "reason", "server"]), max_size=2) | loose,
    },
)


@given(tables)
def test_what_is_taken_as_it_is_pydantic_takes_as_well(table: dict[str, Any]) -> None:
    quick = common_form(table)
    if quick is not None:
        assert TypeAdapter(Config).validate_python(table) == quick


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
variables = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0="), min_size=1)
sources = st.builds(
    Source,
    command=st.lists(texts, min_size=1).map(tuple),
    env=st.dictionaries(variables, texts, max_size=2),
    pass_env=st.lists(variables, max_size=2).map(tuple),
    timeout=st.none() | st.integers(1, 999),
) | st.builds(Source, path=texts) | st.builds(
    Source,
    url=texts,
    headers=st.dictionaries(texts, texts, max_size=2),
    transport=st.sampled_from([None, "http", "sse"]),
)


@given(name=texts, source=sources, nested=st.booleans())
def test_what_is_written_is_read_again(name: str, source: Source, nested: bool) -> None:
    place = ConfigFile(Path("pyproject.toml"), nested=nested)
    table = tomli.loads(source_lines(name, source, place))
    line = tomli.loads(source_line(name, source))
    assert (table["tool"]["fusion"] if nested else table) == {"sources": line}
    told = {"path": source.path, "url": source.url, "transport": source.transport, "timeout": source.timeout}
    for key, value in {**told, "command": list(source.command) or None}.items():
        assert line[name].get(key) == value
    assert line[name].get("headers", {}) == source.headers
    assert line[name].get("env", {}) == source.env
    assert tuple(line[name].get("pass-env", ())) == source.pass_env


# --- the page about settings -----------------------------------------------------------------------------------------


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "configuration.md").read_text(encoding="utf-8")


def documented(page: str) -> dict[str, dict[str, str]]:
    """The keys of each of the page's tables, by heading, with their defaults."""
    parts = re.split(r"^## (.+)$", page, flags=re.MULTILINE)
    sections = {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}
    row = re.compile(r"^\| `([\w-]+)` \| (.*?) ?\|", re.MULTILINE)
    return {heading: dict(row.findall(text)) for heading, text in sections.items()}


def settings_of(model: type) -> dict[str, str]:
    """The keys of a table of settings, with their defaults as the page writes them."""
    found = {}
    for field in dataclasses.fields(model):
        known = None if field.default is dataclasses.MISSING else field.default
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        shown = "" if required else "none" if not known and known != 0 else f"`{json.dumps(known)}`"
        found[field.name.replace("_", "-")] = shown
    return found


def test_the_page_holds_every_setting_and_its_default(page: str) -> None:
    tables = documented(page)
    assert tables.pop("") == settings_of(Config)
    assert tables.pop("`[servers.NAME]`") == settings_of(Server)
    assert tables.pop("`[limits]`") == settings_of(Limits)
    assert tables.pop("`[[waivers]]`") == settings_of(Waiver)
    assert tables.pop("In an editor") == {}
    tables.pop("Flags of commands")  # what cannot be set: below
    one_of_four = dict.fromkeys(("command", "url", "path", "object"), "")
    assert tables.pop("`[sources.NAME]`") == {**settings_of(Source), **one_of_four}
    assert tables.pop("`[[volatile]]`") == settings_of(Volatile)
    assert tables == {}


def example_of(page: str) -> str:
    (example,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return str(example)


def test_the_page_names_every_flag_that_cannot_be_set(page: str) -> None:
    section = page.partition("| flag | why |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    assert {flag: reason for flags, reason in rows for flag in re.findall(r"`(.+?)`", flags)} == UNSETTABLE


@pytest.mark.parametrize("nested", [False, True])
def test_the_pages_example_uses_every_setting(page: str, tmp_path: Path, nested: bool) -> None:
    example = example_of(page)
    if nested:
        example = "[tool.fusion]\n" + re.sub(r"^(\[+)", r"\g<1>tool.fusion.", example, flags=re.MULTILINE)
    (tmp_path / ("pyproject.toml" if nested else "fusion.toml")).write_text(example, encoding="utf-8")
    config, _ = read_settings(tmp_path)
    table = tomli.loads(example)
    table = table["tool"]["fusion"] if nested else table
    assert table.keys() == {*settings_of(Config), "check", "no-color"}
    assert table["servers"]["sandbox-*"].keys() == settings_of(Server).keys()
    assert table["limits"].keys() == settings_of(Limits).keys()
    assert {key for one in table["waivers"] for key in one} == settings_of(Waiver).keys()
    assert len(config.waivers) == 2
    assert {key for source in table["sources"].values() for key in source} == settings_of(Source).keys()
    assert table["volatile"][0].keys() == settings_of(Volatile).keys()
    assert config.sources.keys() == {"desk", "mcp", "pages", "saved", "shop"}
    assert set(config.levels) <= {path.stem.replace("_", "-") for path in RULES.glob("*.py")}


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "fusion.toml").write_bytes(b'\xef\xbb\xbffail-on = "any"\r\n')
    assert read(tmp_path)[0] == Config(fail_on="any")
    place = ConfigFile(tmp_path / "fusion.toml", nested=False)
    text = with_source(text_of(place) or "", "x", Source(path="a.json"), place)
    assert text == '\ufefffail-on = "any"\r\n\r\n[sources.x]\r\npath = "a.json"\r\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = " + "[" * 5000, "fusion.toml is nested too deeply to hold settings; check that it is the right file"),
        ("a." * 5000 + "b = 1", "fusion.toml is nested too deeply to hold settings; check that it is the right file"),
        (
            f"x = {'9' * 5000}",
            "fusion.toml holds a number that is too long to be read; check that it is the right file",
        ),
        ("#" * (4 * 2**20 + 1), "fusion.toml is larger than 4 MiB; check that it holds settings"),
        ('lockfile = ""\n', "fusion.toml: lockfile is empty, or holds a zero character; correct the entry"),
        ('lockfile = "a\\u0000"\n', "fusion.toml: lockfile is empty, or holds a zero character; correct the entry"),
        ('[sources.""]\npath = "a"\n', "fusion.toml: sources holds an entry without a name; correct the entry"),
        ('[sources.x]\npath = "a\\u0000"\n', "fusion.toml: sources.x holds a zero character; correct the entry"),
        ('[sources.x]\ncommand = ["\\u0000"]\n', "fusion.toml: sources.x holds a zero character; correct the entry"),
        (
            '[sources.x]\ncommand = ["a"]\nenv = { "A=B" = "c" }\n',
            'fusion.toml: sources.x names a variable that cannot be one: it is empty, or holds "="; correct the entry',
        ),
    ],
)
def test_what_no_settings_file_holds(tmp_path: Path, text: str, said: str) -> None:
    assert sentence(tmp_path, text) == said


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(FusionError, match=r"pipe\.toml is not a file; name a settings file"):
        read(tmp_path, tmp_path / "pipe.toml")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Path.mkdir, "{path} is not a file; name a settings file"),
        (os.mkfifo, "{path} is not a file; name a settings file"),
        (
            lambda path: path.symlink_to("gone.toml"),
            "{path} is a symbolic link to a file that does not exist; make that file, or remove the link",
        ),
        (
            lambda path: path.symlink_to("fusion.toml"),
            "cannot read {path}: Too many levels of symbolic links; check the path",
        ),
    ],
)
def test_settings_that_cannot_be_read_are_not_taken_for_none(tmp_path: Path, make: Any, said: str) -> None:
    path = tmp_path / "fusion.toml"
    make(path)
    with pytest.raises(FusionError) as caught:
        read(tmp_path)
    assert str(caught.value) == said.format(path=path)
