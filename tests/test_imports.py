"""What a run must not load: start-up time is a feature, and an import that creeps in is not seen in any other test."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fusion_contracts.report import FORMATS

HEAVY = {
    "typer", "rich", "deepdiff", "jsonschema", "mcp", "pydantic", "asyncio", "ssl", "http.client", "urllib.request",
    "httpcore2", "httpx", "requests", "importlib.metadata", "tomlkit", "dask", "distributed",
}  # fmt: skip
FROM_THE_COMMAND_LINE = HEAVY - {"typer"}

TOOL = {"name": "add", "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"]}}
NEWER = {"name": "add", "inputSchema": {"type": "object", "properties": {"b": {"type": "number"}}, "required": ["b"]}}


def loaded(code: str, folder: Path) -> set[str]:
    """The modules that a fresh interpreter holds after running the code there."""
    report = "\nimport json, sys\nprint('\\n' + json.dumps(sorted(sys.modules)), file=sys.__stderr__)"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True, cwd=folder)
    return set(json.loads(done.stderr.splitlines()[-1]))


def command(*arguments: str) -> str:
    """Code that runs the command line and stays alive after it."""
    return f"from fusion_contracts.cli import main\ntry:\n    main({list(arguments)!r})\nexcept SystemExit:\n    pass"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, tool in (("old.json", TOOL), ("new.json", NEWER)):
        (tmp_path / name).write_text(json.dumps({"tools": [tool]}), encoding="utf-8")
    return tmp_path


def test_importing_the_package_loads_nothing_heavy(folder: Path) -> None:
    assert loaded("import fusion_contracts", folder) & HEAVY == set()


def test_importing_the_integrations_loads_no_framework(folder: Path) -> None:
    code = "import fusion_contracts.integrations as i; [getattr(i, name) for name in i.__all__]"
    assert loaded(code, folder) & (HEAVY | {"fastmcp", "opentelemetry", "jsonschema_rs"}) == set()


def test_comparing_two_catalogs_from_python_loads_nothing_heavy(folder: Path) -> None:
    code = "from fusion_contracts import diff, load\ndiff(load('old.json'), load('new.json')).to_dict()"
    assert loaded(code, folder) & HEAVY == set()


def test_an_error_log_loads_no_database_but_its_own(folder: Path) -> None:
    code = "from fusion_contracts.loop.log import ErrorLog\nErrorLog('log.jsonl').close()"
    others = {"sqlite3", "psycopg", "opentelemetry", "ibis", "duckdb", "pandas", "pyarrow"}
    assert loaded(code, folder) & (HEAVY | others) == set()


def test_a_report_on_sqlite_loads_typer_alone(folder: Path) -> None:
    loaded("from fusion_contracts.loop.log import ErrorLog\nErrorLog('log.sqlite').record(run='1', action='a')", folder)
    heavy = FROM_THE_COMMAND_LINE | {"ibis", "duckdb", "pandas", "pyarrow"}
    assert loaded(command("report", "log.sqlite"), folder) & heavy == set()


def test_the_pytest_plugin_loads_nothing_of_ours_but_itself(folder: Path) -> None:
    plain = loaded("import pytest", folder)
    ours = {"fusion_contracts", "fusion_contracts.testing", "fusion_contracts.testing.plugin"}
    assert loaded("import pytest, fusion_contracts.testing.plugin", folder) - plain == ours


def test_help_loads_typer_alone(folder: Path) -> None:
    assert loaded(command("--help"), folder) & FROM_THE_COMMAND_LINE == set()


def test_diff_of_two_files_loads_typer_alone(folder: Path) -> None:
    assert loaded(command("diff", "old.json", "new.json"), folder) & FROM_THE_COMMAND_LINE == set()


@pytest.mark.parametrize("form", FORMATS)
def test_a_diff_of_two_files_in_any_format_loads_typer_alone(form: str, folder: Path) -> None:
    assert loaded(command("diff", "old.json", "new.json", "--format", form), folder) & FROM_THE_COMMAND_LINE == set()


def test_html_diff_of_two_files_loads_typer_alone(folder: Path) -> None:
    assert loaded(command("diff", "old.json", "new.json", "--format", "html"), folder) & FROM_THE_COMMAND_LINE == set()


def test_check_offline_without_a_configuration_loads_typer_alone(folder: Path) -> None:
    lock = command("lock", "old.json", "--write", "--lockfile", "made.lock", "--config", "made.toml")
    loaded(lock, folder)
    modules = loaded(command("check", "--offline", "--lockfile", "made.lock"), folder)
    assert modules & FROM_THE_COMMAND_LINE == set()


def test_settings_that_are_right_load_typer_alone(folder: Path) -> None:
    settings = """
        [servers.new]
        fail-on = "any"
        [[waivers]]
        fingerprints = ["0000000"]
        reason = "agreed"
        [diff]
        show = ["waived"]
    """
    (folder / "fusion.toml").write_text(settings, encoding="utf-8")
    assert loaded(command("diff", "old.json", "new.json"), folder) & FROM_THE_COMMAND_LINE == set()


def test_release_and_awareness_load_typer_alone(folder: Path) -> None:
    options = ("--lockfile", "made.lock", "--config", "made.toml")
    loaded(command("lock", "old.json", *options), folder)
    assert loaded(command("release", "1", *options), folder) & FROM_THE_COMMAND_LINE == set()
    loaded(command("lock", "new.json", "--write", *options), folder)
    assert loaded(command("awareness", *options), folder) & FROM_THE_COMMAND_LINE == set()


def test_gits_drivers_load_typer_alone(folder: Path) -> None:
    options = ("--lockfile", "made.lock", "--config", "made.toml")
    loaded(command("lock", "old.json", *options), folder)
    names = ("base", "ours", "theirs")
    for name in names:
        (folder / name).write_bytes((folder / "made.lock").read_bytes())
    assert loaded(command("merge-driver", *names, "made.lock"), folder) & FROM_THE_COMMAND_LINE == set()
    change = ("made.lock", "/dev/null", ".", ".", "ours", "0" * 40, "100644")
    assert loaded(command("diff-driver", "--", *change), folder) & FROM_THE_COMMAND_LINE == set()
