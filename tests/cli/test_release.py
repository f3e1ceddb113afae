"""`fusion release`: what is kept, under which name, and what goes into a package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import ContractAwareness, load
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, SourceRecord
from fusion_contracts.runtime.releases import PACKED, read_releases

PAGES = ".fusion/releases/pages"
REFUSED = "\nexit 2: could not check\n"


@pytest.fixture
def locked(project: Any, close_page: Any, list_pages: Any) -> Any:
    """A project with one locked server, `pages` 1.0.0."""
    relock(project, close_page, list_pages)
    return project


def relock(project: Any, *tools: Any, version: str = "1.0.0") -> None:
    assert project.run("lock", "--name", "pages", *project.serve("pages", *tools, version=version)).code == 0


def names(project: Any) -> list[str]:
    return [release.name for release in read_releases(project.folder / PAGES, "pages", last=100)]


# --- what is kept ----------------------------------------------------------------------------------------------------


def test_a_release_is_the_lock_under_a_name(locked: Any) -> None:
    result = locked.run("release", "1.0.0")
    assert (result.code, result.out, result.err) == (0, f"pages: kept release 1.0.0 in {PAGES}/1.0.0.lock\n", "")
    assert locked.read(f"{PAGES}/1.0.0.lock") == "# release 1.0.0, sequence 1\n" + locked.read("fusion.lock")


def test_the_next_release_has_the_next_number(locked: Any, close_page_v2: Any) -> None:
    locked.run("release", "1.10")
    relock(locked, close_page_v2)
    assert locked.run("release", "1.9").code == 0
    assert locked.read(f"{PAGES}/1.9.lock").startswith("# release 1.9, sequence 2\n")
    assert names(locked) == ["1.10", "1.9"]


def test_nothing_is_written_where_nothing_changed(locked: Any, close_page: Any, list_pages: Any) -> None:
    locked.run("release", "1.0.0")
    relock(locked, close_page, list_pages, version="1.0.1")  # a version alone is no other surface
    before = locked.files()
    result = locked.run("release", "1.0.1")
    assert (result.code, result.out, result.err) == (0, "pages: as in release 1.0.0; nothing to keep\n", "")
    assert locked.files() == before


def test_a_contract_that_is_there_again_is_a_release_again(locked: Any, close_page: Any, close_page_v2: Any) -> None:
    relock(locked, close_page)
    locked.run("release", "1")
    relock(locked, close_page_v2)
    locked.run("release", "2")
    relock(locked, close_page)
    assert locked.run("release", "1").out == "pages: as in release 1; nothing to keep\n"
    assert locked.run("release", "3").code == 0
    assert names(locked) == ["1", "2", "3"]


def test_a_name_is_never_used_for_two_contracts(locked: Any, close_page_v2: Any) -> None:
    locked.run("release", "1.0.0-rc1")
    relock(locked, close_page_v2)
    before = locked.files()
    for name in ("1.0.0-rc1", "1.0.0-RC1"):  # one file, on some systems
        result = locked.run("release", name)
        assert (result.code, result.out) == (2, "")
        assert result.err == (
            "fusion: pages: release 1.0.0-rc1 is kept already, with another contract; give this one a name of its own, "
            f"or remove {PAGES}/1.0.0-rc1.lock if no agent ever saw that one{REFUSED}"
        )
        assert locked.files() == before


def test_several_servers_are_kept_together_or_not_at_all(locked: Any, close_page_v2: Any, list_pages: Any) -> None:
    locked.run("release", "1")
    locked.run("lock", locked.catalog("saved.json", list_pages))
    result = locked.run("release", "2", "-s", "saved")
    assert result.out == "saved: kept release 2 in .fusion/releases/saved/2.lock\n"
    relock(locked, close_page_v2)
    locked.run("lock", locked.catalog("saved.json", close_page_v2))
    before = locked.files()
    assert locked.run("release", "2").code == 2
    assert locked.files() == before
    result = locked.run("release", "3", "-s", "s*", "-s", "pages")
    assert result.out == (
        f"pages: kept release 3 in {PAGES}/3.lock\nsaved: kept release 3 in .fusion/releases/saved/3.lock\n"
    )
    assert locked.run("release", "3", "-s", "x").err.splitlines()[0] == (
        "fusion: fusion.lock holds no server that matches x; it holds: pages, saved"
    )


def test_only_the_newest_stay(locked: Any, close_page: Any) -> None:
    for number in range(1, 5):
        relock(locked, {**close_page, "description": f"{number}"})
        locked.run("release", f"{number}")
    assert locked.run("release", "5", "--keep", "3").out == (
        "pages: as in release 4; nothing to keep\npages: removed 1\n"
    )
    relock(locked, close_page)
    assert locked.run("release", "5", "--keep", "1").out == (
        f"pages: kept release 5 in {PAGES}/5.lock\npages: removed 2, 3, 4\n"
    )
    assert names(locked) == ["5"]
    assert locked.read(f"{PAGES}/5.lock").startswith("# release 5, sequence 5\n")


@pytest.mark.parametrize("number", ["0", "-1", "x", "1.5", ""])
def test_how_many_stay_is_a_number(locked: Any, number: str) -> None:
    result = locked.run("release", "1", f"--keep={number}")
    assert result.code == 2
    assert result.err.splitlines()[-2] == f"Error: Invalid value for '--keep': '{number}' is no number from 1 on."


def test_for_machines(locked: Any) -> None:
    shown = {"server": "pages", "name": "1", "sequence": 1, "path": f"{PAGES}/1.lock", "new": True, "removed": []}
    assert json.loads(locked.run("release", "1", "--format", "json").out) == {"releases": [shown], "package": None}
    again = json.loads(locked.run("release", "2", "--format", "json").out)
    assert again == {"releases": [{**shown, "new": False}], "package": None}


def test_in_another_folder_with_another_lock(locked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (locked.folder / "fusion.lock").rename(locked.folder / "other.lock")
    monkeypatch.chdir(locked.folder.parent)
    result = locked.run("release", "1", "-C", "project", "--lockfile", "other.lock")
    assert result.out == f"pages: kept release 1 in {PAGES}/1.lock\n"
    assert names(locked) == ["1"]


def test_a_release_is_a_source(locked: Any, close_page_v2: Any, list_pages: Any) -> None:
    locked.run("release", "1.0.0")
    assert locked.run("diff", "release:1.0.0", "fusion.lock", "--fail-on", "any").code == 0
    relock(locked, close_page_v2, list_pages)
    for source in ("release:1.0.0", "release:pages/1.0.0", f"{PAGES}/1.0.0.lock"):
        result = locked.run("diff", source, "fusion.lock")
        assert (result.code, result.out.splitlines()[0]) == (1, f"{source} -> fusion.lock")
        assert "when no longer accepts 'later'" in result.out


# --- what is not kept ------------------------------------------------------------------------------------------------


def test_no_lock_and_an_empty_one(project: Any) -> None:
    assert project.run("release", "1").err == (
        f"fusion: no lock at fusion.lock; run `fusion lock SOURCE` to write one{REFUSED}"
    )
    project.write("fusion.lock", "lock_version = 1\n")
    assert project.run("release", "1").err == (
        f"fusion: fusion.lock holds no server; lock one first: fusion lock SOURCE{REFUSED}"
    )


def test_an_edited_lock_is_no_release(locked: Any) -> None:
    text = locked.read("fusion.lock").replace("Close a page.", "Close it.")
    locked.write("fusion.lock", text)
    before = locked.files()
    result = locked.run("release", "1")
    assert (result.code, result.out) == (1, "")
    assert result.err == (
        "pages: tool close_page was edited by hand or merged badly: its prose digest does not match; run `fusion lock`"
        "\nexit 1: fusion.lock was edited by hand or merged badly; nothing was kept\n"
    )
    assert locked.files() == before


@pytest.mark.parametrize(
    "name", ["..", "../x", "a/b", "a\\b", ".hidden", "1.", "", "a b", "a\nb", "C:x", "v1\u202e", "x" * 101]
)
def test_a_name_is_a_file_name(locked: Any, name: str) -> None:
    before = locked.files()
    result = locked.run("release", name)
    assert (result.code, result.out) == (2, "")
    assert locked.files() == before
    assert result.err.endswith(
        " is no name for a release; take letters and digits, with . _ + - @ between them, at most 100" + REFUSED
    )


@pytest.mark.parametrize("server", ["../../x", "a/b", "..", "", " x", "a\u202e", "c:d"])
def test_a_server_that_a_lock_names_does_not_lead_elsewhere(project: Any, server: str) -> None:
    project.write("fusion.lock", encode(Lock({server: ServerContract(server)})))
    before = project.files()
    for command in (["release", "1"], ["awareness"]):
        result = project.run(*command)
        assert (result.code, result.out) == (2, "")
        assert result.err.endswith(
            '" cannot be the name of a folder; lock it under another one: fusion lock --name NAME' + REFUSED
        )
    assert project.files() == before
    assert list(project.folder.parent.iterdir()) == [project.folder]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_does_not_lead_elsewhere(locked: Any) -> None:
    elsewhere = locked.write("../elsewhere/poetry.lock", "").parent
    locked.write(".fusion/releases/note", "")
    (locked.folder / PAGES).symlink_to(elsewhere)
    result = locked.run("release", "1", "--keep", "1")
    assert result.err == f"fusion: {PAGES} is a link that leaves the project; make it a folder{REFUSED}"
    assert [path.name for path in elsewhere.iterdir()] == ["poetry.lock"]


def test_a_folder_that_cannot_be_made(locked: Any) -> None:
    locked.write(".fusion", "a file")
    assert locked.run("release", "1").err == (
        f"fusion: cannot make the folder {PAGES}: Not a directory; check its path and permissions{REFUSED}"
    )


def test_a_release_that_cannot_be_read_is_named(locked: Any, close_page_v2: Any) -> None:
    locked.write(f"{PAGES}/1.lock", "nothing")
    result = locked.run("release", "2")
    assert (result.code, result.err.split(":")[1]) == (2, f" {PAGES}/1.lock is not TOML")


def test_a_command_is_not_taken(locked: Any) -> None:
    assert locked.run("release", "1", "--", "python").err == (
        f"fusion: fusion release takes no command after --; configure it: fusion lock -- COMMAND does{REFUSED}"
    )


# --- its name --------------------------------------------------------------------------------------------------------


@pytest.fixture
def tagged(repository: Any, close_page: Any, list_pages: Any) -> Any:
    """A repository with a committed lock."""
    relock(repository, close_page, list_pages)
    repository.commit()
    return repository


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        (["v2.1.0"], "2.1.0"),
        (["2.1.0"], "2.1.0"),
        (["v2.1.0", "2.1.0", "latest"], "2.1.0"),
        (["summer"], "summer"),
        ([], "1.0.0"),  # what the server says
    ],
)
def test_the_tag_of_head(tagged: Any, tags: list[str], name: str) -> None:
    for tag in tags:
        tagged.git("tag", tag)
    assert tagged.run("release").out == f"pages: kept release {name} in {PAGES}/{name}.lock\n"


def test_tags_that_do_not_say_one_name(tagged: Any) -> None:
    tagged.git("tag", "v1.0")
    tagged.git("tag", "v2.0")
    assert tagged.run("release").err == (
        f"fusion: HEAD has several tags: 1.0, 2.0; name it: fusion release NAME{REFUSED}"
    )
    assert tagged.run("release", "3").code == 0


def test_a_tag_that_is_no_file_name(tagged: Any) -> None:
    tagged.git("tag", "pages/v1")
    assert tagged.run("release").err.startswith('fusion: "pages/v1" is no name for a release; take letters')


def test_a_tag_says_nothing_of_a_lock_that_was_changed_since(tagged: Any, close_page_v2: Any) -> None:
    tagged.git("tag", "v7")
    relock(tagged, close_page_v2, version="1.1.0")
    assert tagged.run("release").out.startswith("pages: kept release 1.1.0 ")
    relock(tagged, version="1.2.0")
    tagged.commit()  # and HEAD is not the tag any more
    assert tagged.run("release").out.startswith("pages: kept release 1.2.0 ")


def from_command(project: Any, command: list[str], *, version: str = "9.9") -> str:
    """The name that a release gets of a server with this command."""
    source = SourceRecord("stdio", command=tuple(command))
    contract = ServerContract("pages", info={"version": version} if version else {}, source=source)
    project.write("fusion.lock", encode(Lock({"pages": contract})))
    result = project.run("release")
    return str(result.out.split()[3]) if result.code == 0 else str(result.err)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["python", "server.py"], "3.1"),
        (["python", "./app/server.py"], "3.1"),
        (["python", "-m", "pages.server"], "3.1"),
        (["uv", "run", "serve-pages"], "3.1"),
        (["uvx", "pages-server"], "3.1"),
        (["python", "gone.py"], "9.9"),
        (["python", "../elsewhere.py"], "9.9"),
        ([".venv/bin/foreign"], "9.9"),
        (["node", "node_modules/foreign/index.js"], "9.9"),
        (["npx", "-y", "foreign@1.0"], "9.9"),
        (["python", "-m", "foreign"], "9.9"),
    ],
)
def test_the_version_that_the_project_declares(project: Any, command: list[str], name: str) -> None:
    for file in (
        "server.py", "app/server.py", "src/pages/server.py", ".venv/bin/foreign", "node_modules/foreign/index.js",
        "../elsewhere.py",
    ):  # fmt: skip
        project.write(file, "")
    project.write("pyproject.toml", '[project]\nname = "pages-server"\nversion = "3.1"\nscripts.serve-pages = "x:y"\n')
    assert from_command(project, command) == name


@pytest.mark.parametrize(
    ("command", "name"), [(["node", "dist/index.js"], "4.0.0-rc.1"), (["pages"], "4.0.0-rc.1"), (["npx", "x"], "9.9")]
)
def test_the_version_of_package_json(project: Any, command: list[str], name: str) -> None:
    project.write("package.json", '{"name": "@a/pages", "version": "4.0.0-rc.1", "bin": {"pages": "dist/index.js"}}')
    project.write("dist/index.js", "")
    assert from_command(project, command) == name


def test_what_the_project_does_not_declare_the_server_says(project: Any) -> None:
    project.write("server.py", "")
    project.write("pyproject.toml", '[project]\nname = "pages-server"\ndynamic = ["version"]\n')
    project.write("package.json", "{")
    assert from_command(project, ["python", "server.py"]) == "9.9"


def test_no_name_at_all(project: Any) -> None:
    assert from_command(project, ["x"], version="") == (
        "fusion: pages: there is no name for the release: HEAD has no tag for this lock, and no version is declared; "
        f"name it: fusion release NAME{REFUSED}"
    )


# --- into a package --------------------------------------------------------------------------------------------------


@pytest.fixture
def packaged(locked: Any, close_page: Any, close_page_v2: Any) -> Any:
    """A project with a package, whose lock took a value away since release 1.0.0 and has lost a tool."""
    locked.run("release", "1.0.0")
    relock(locked, close_page_v2)
    locked.write("src/pages_server/__init__.py", "")
    return locked


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


# --- a real wheel ----------------------------------------------------------------------------------------------------

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


# --- the documentation -----------------------------------------------------------------------------------------------


def test_the_page_shows_what_is_printed(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "releases.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    for path in (root / "fixtures" / "example").glob("*.py"):
        shutil.copy(path, tmp_path)
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    kept["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    printed = ""
    for line in re.findall(r"^\$ (.+)$", shown, re.MULTILINE):
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=tmp_path,
            env={**kept, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        printed += f"$ {line}\n{done.stdout}"
    assert printed == shown
