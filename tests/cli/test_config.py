"""Settings: what they may hold, and what is said about the rest."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

from fusion_contracts.config import Config, ConfigFile, Limits, Server, Source, Volatile, Waiver, read, with_source
from fusion_contracts.errors import FusionError

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
