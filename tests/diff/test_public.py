"""The package's front door: what it offers, what it loads, and that `diff` is both a package and a function."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import fusion_contracts
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract

HEAVY = {"pydantic", "typer", "rich", "deepdiff", "jsonschema", "httpx", "asyncio", "importlib.metadata", "difflib"}


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def loaded(code: str) -> set[str]:
    return set(json.loads(python(f"{code}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))")))


def differ(case: Path) -> str:
    """Code that compares the two sides of a case."""
    return f"import fusion_contracts as f\nf.diff(*(f.load(rf'{case}/{{side}}.json') for side in ('old', 'new')))"


def test_every_public_name_is_there() -> None:
    for name in fusion_contracts.__all__:
        assert getattr(fusion_contracts, name) is not None
    assert set(fusion_contracts.__all__) <= set(dir(fusion_contracts))


def test_load_runs_no_code(tmp_path: Path) -> None:
    file = tmp_path / "server.py"
    file.write_text("import pathlib; pathlib.Path('ran').touch()", encoding="utf-8")
    for path in (file, "fusion_contracts.model:Lock"):
        with pytest.raises(FusionError, match=r"is code or a server, which load does not run; save it first: "):
            fusion_contracts.load(path)
    assert list(tmp_path.iterdir()) == [file]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'fusion_contracts' has no attribute 'nothing'"):
        _ = fusion_contracts.nothing


def test_the_version_is_written_once_here(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "fusion_contracts/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", fusion_contracts.__version__)


def test_importing_the_package_loads_nothing_of_it() -> None:
    modules = loaded("import fusion_contracts")
    assert {name for name in modules if name.startswith("fusion_contracts.")} == set()


def test_a_diff_of_catalogs_loads_nothing_heavy(root: Path) -> None:
    case = root / "fixtures" / "diff" / "many-edits-in-one-schema"
    assert loaded(f"{differ(case)}.to_dict()") & HEAVY == set()


def test_a_diff_loads_the_rules_it_needs_and_no_others(root: Path) -> None:
    case = root / "fixtures" / "diff" / "tool-added"
    modules = loaded(differ(case))
    assert {name for name in modules if name.startswith("fusion_contracts.diff.rules.")} == {
        "fusion_contracts.diff.rules.tool_added"
    }
    assert "fusion_contracts.schema" not in modules


@pytest.mark.parametrize(
    "imports",
    [
        "import fusion_contracts",
        "import fusion_contracts.diff",
        "from fusion_contracts.diff.findings import Report\nimport fusion_contracts",
        "import fusion_contracts\nfusion_contracts.Report",
    ],
)
def test_diff_can_be_called_whatever_was_imported_before(imports: str) -> None:
    code = f"{imports}\nc = fusion_contracts.ServerContract('a')\nprint(fusion_contracts.diff(c, c).verdict)"
    assert python(code) == "NONE\n"


def test_diff_can_be_imported_from_the_package() -> None:
    code = "from fusion_contracts import ServerContract, diff\nc = ServerContract('a')\nprint(diff(c, c).verdict)"
    assert python(code) == "NONE\n"


def test_load_reads_a_catalog_and_a_lock(tmp_path: Path, build: Callable[..., ServerContract]) -> None:
    catalog = tmp_path / "pages.json"
    catalog.write_text('{"tools": [{"name": "open", "inputSchema": {"type": "object"}}]}', encoding="utf-8")
    assert list(fusion_contracts.load(catalog).tools) == ["open"]
    assert list(fusion_contracts.load(str(catalog)).tools) == ["open"]
    lock = tmp_path / "fusion.lock"
    lock.write_text(encode(Lock({"pages": build({"tools": [{"name": "open"}]}, "pages")})), encoding="utf-8")
    assert fusion_contracts.load(lock).name == "pages"


def test_load_asks_which_server_of_several(tmp_path: Path, build: Callable[..., ServerContract]) -> None:
    lock = tmp_path / "fusion.lock"
    servers = {name: build({"tools": [{"name": "open"}]}, name) for name in ("mail", "pages")}
    lock.write_text(encode(Lock(servers)), encoding="utf-8")
    with pytest.raises(FusionError) as raised:
        fusion_contracts.load(lock)
    assert str(raised.value) == f"{lock} holds 2 servers; say which: server=..., of mail, pages"
    assert fusion_contracts.load(lock, server="mail").name == "mail"
    with pytest.raises(FusionError) as raised:
        fusion_contracts.load(lock, server="post")
    assert str(raised.value) == f'{lock} holds no server "post"; name one of: mail, pages'


def test_load_refuses_a_catalog_with_a_malformed_tool(tmp_path: Path) -> None:
    catalog = tmp_path / "pages.json"
    catalog.write_text('{"tools": [{"name": "open", "inputSchema": 5}, {"name": "close"}]}', encoding="utf-8")
    with pytest.raises(FusionError, match="open"):
        fusion_contracts.load(catalog)
