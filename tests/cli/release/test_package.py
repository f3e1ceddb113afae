"""What `fusion release --package` writes into a package, and what the wheel of one tells."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from releasing import PAGES, REFUSED

from fusion_contracts import ContractAwareness, load
from fusion_contracts.runtime.releases import PACKED

WHERE = f"src/pages_server/{PACKED}"
KEPT = f"pages: kept release 2.0.0 in {PAGES}/2.0.0.lock\n"


@pytest.mark.parametrize("package", ["src/pages_server", "pages_server"])
def test_what_changed_goes_into_the_package(packaged: Any, package: str) -> None:
    result = packaged.run("release", "2.0.0", "--package", package)
    assert (result.code, result.out) == (0, f"{KEPT}wrote {WHERE}: 2 changes since 1.0.0 to 2.0.0\n")
    live = load(packaged.folder / "fusion.lock")
    packed = ContractAwareness.from_releases(packaged.folder / "src/pages_server", live)
    kept = ContractAwareness.from_releases(packaged.folder, live)
    assert packed.all_deltas == kept.all_deltas
    assert [(delta.action, delta.text, delta.since) for delta in packed.all_deltas] == [
        ("close_page", "no longer accepts 'later'", "1.0.0"),
        ("list_pages", "removed", "1.0.0"),
    ]


def test_the_package_follows_where_nothing_is_kept(packaged: Any) -> None:
    packaged.run("release", "2.0.0")
    nothing = "pages: as in release 2.0.0; nothing to keep\n"
    result = packaged.run("release", "2.0.0", "--package", "pages_server")
    assert result.out == f"{nothing}wrote {WHERE}: 2 changes since 1.0.0 to 2.0.0\n"
    before = packaged.files()
    result = packaged.run("release", "2.0.0", "--package", "pages_server")
    assert result.out == f"{nothing}{WHERE} is up to date: 2 changes since 1.0.0 to 2.0.0\n"
    assert packaged.files() == before
    result = packaged.run("release", "2.0.0", "--package", "pages_server", "--keep", "1")
    assert result.out == f"{nothing}pages: removed 1.0.0\nwrote {WHERE}: 0 changes since 2.0.0\n"
    shown = json.loads(packaged.run("release", "--package", "pages_server", "--format", "json").out)["package"]
    assert shown == {"path": WHERE, "changes": 0, "releases": ["2.0.0"], "written": False}


@pytest.mark.parametrize(
    ("package", "sentence"),
    [
        ("gone", "there is no package gone here; name its folder, or check -C"),
        ("src/gone", "there is no package src/gone here; name its folder, or check -C"),
        ("src", "src holds no __init__.py, so it is no package; name the folder that does, such as src/NAME"),
        ("json", "there is no package json here; name its folder, or check -C"),  # installed is not enough
    ],
)
def test_what_is_no_package(packaged: Any, package: str, sentence: str) -> None:
    before = packaged.files()
    result = packaged.run("release", "2.0.0", "--package", package)
    assert (result.code, result.err) == (2, f"fusion: {sentence}{REFUSED}")
    assert packaged.files() == before


def test_a_package_is_of_one_server(packaged: Any, list_pages: Any) -> None:
    packaged.run("lock", packaged.catalog("saved.json", list_pages))
    assert packaged.run("release", "2.0.0", "--package", "pages_server").err == (
        "fusion: a package carries the changes of one server, and fusion.lock holds pages, saved; name one with -s"
        + REFUSED
    )
    assert packaged.run("release", "2.0.0", "--package", "pages_server", "-s", "pages").code == 0
    assert packaged.run("release", "2.0.0", "--package", "pages_server", "-s", "saved").err == (
        f"fusion: {PACKED} in that package is of the server pages, not saved; take a package for each server, or "
        f"remove the file{REFUSED}"
    )


@pytest.mark.parametrize(
    ("pyproject", "told"),
    [
        ('[build-system]\nbuild-backend = "setuptools.build_meta"\n', True),
        ('[project]\nname = "x"\n', True),  # setuptools is the default
        ('[tool.setuptools.package-data]\npages_server = ["fusion_deltas.json"]\n', False),
        ('[tool.setuptools.package-data]\n"*" = ["*.json"]\n', False),
        ('[build-system]\nbuild-backend = "hatchling.build"\n', False),
    ],
)
def test_setuptools_must_be_told(packaged: Any, pyproject: str, told: bool) -> None:
    packaged.write("pyproject.toml", pyproject)
    note = (
        "note: setuptools leaves it out of the wheel until [tool.setuptools.package-data] says "
        'pages_server = ["fusion_deltas.json"]\n'
    )
    assert packaged.run("release", "2.0.0", "--package", "pages_server").err == (note if told else "")


BACKENDS = {
    "uv_build": '[build-system]\nrequires = ["uv_build"]\nbuild-backend = "uv_build"\n',
    "hatchling": '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n',
    "setuptools": (
        '[build-system]\nrequires = ["setuptools>=77"]\nbuild-backend = "setuptools.build_meta"\n'
        '[tool.setuptools.package-data]\npages_server = ["fusion_deltas.json"]\n'
    ),
}

ASK = """
import sys
from fusion_contracts import ContractAwareness, load
import pages_server
assert pages_server.__file__.startswith(sys.argv[1])
print(ContractAwareness.from_releases("pages_server", load("fusion.lock")).render("close_page"))
"""


def build(project: Any, backend: str, *command: str) -> str:
    """What the installed wheel of the project tells, read where the project is not."""
    project.write("pyproject.toml", f'[project]\nname = "pages-server"\nversion = "2.0.0"\n{BACKENDS[backend]}')
    assert project.run("release", "--package", "pages_server").err == ""
    away = project.folder.parent / "away"
    away.mkdir()
    (away / "fusion.lock").write_bytes((project.folder / "fusion.lock").read_bytes())
    run([*command, str(away / "dist"), str(project.folder)], away)
    (wheel,) = (away / "dist").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--disable-pip-version-check", "--no-index"]
    run([*pip, "--target", str(away / "site"), str(wheel)], away)
    code = f"import sys; sys.path.insert(0, sys.argv[1])\n{ASK}"
    return run([sys.executable, "-c", code, str(away / "site")], away)


def run(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


TOLD = (
    '<contract_awareness since="1.0.0">\n'
    '  <change severity="BREAKING" field="when">no longer accepts \'later\'</change>\n'
    "</contract_awareness>\n"
)


def test_an_installed_wheel_tells_what_changed(packaged: Any) -> None:
    pytest.importorskip("uv", reason="uv builds without a network; it is not among the test dependencies")
    assert build(packaged, "uv_build", sys.executable, "-m", "uv", "build", "-q", "--offline", "--wheel", "-o") == TOLD


@pytest.mark.network
@pytest.mark.parametrize("backend", ["hatchling", "setuptools"])
def test_a_wheel_of_pip_tells_what_changed(packaged: Any, backend: str) -> None:
    pip = (sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--disable-pip-version-check", "-w")
    assert build(packaged, backend, *pip) == TOLD
