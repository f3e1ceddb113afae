"""The name of a release: the tag of HEAD, the version that is declared, or what the server says."""

from __future__ import annotations

from typing import Any

import pytest
from releasing import PAGES, REFUSED, relock

from fusion_contracts.lockfile.codec import encode
from fusion_contracts.model import Lock, ServerContract, SourceRecord


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
        (["fastmcp", "run", "server.py:mcp"], "3.1"),
        (["uvx", "--from", ".", "other"], "3.1"),
        (["uv", "run", "--directory", "app", "other.py"], "3.1"),
        ([".venv/bin/python", "server.py"], "3.1"),
        ([".venv/bin/serve-pages"], "3.1"),
        (["/usr/bin/npx.cmd", "foreign", "server.py"], "9.9"),
        (["pnpm", "dlx", "foreign", "server.py"], "9.9"),
        (["uv", "tool", "run", "foreign", "server.py"], "9.9"),
        (["npx", "-y", "foreign", "--for", "pages-server"], "9.9"),
        (["uv", "run", "foreign"], "9.9"),
        (["foreign", "--repository", "."], "9.9"),
        (["foreign", "--repository", "pages-server"], "9.9"),
        (["uv", "--directory", "../elsewhere", "run", "server.py"], "9.9"),
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
    ("command", "name"),
    [
        (["node", "dist/index.js"], "4.0.0-rc.1"),
        (["node", "."], "4.0.0-rc.1"),
        (["npm", "start"], "4.0.0-rc.1"),
        (["npx", "tsx", "dist/index.js"], "4.0.0-rc.1"),
        (["pages"], "4.0.0-rc.1"),
        (["npx", "x"], "9.9"),
    ],
)
def test_the_version_of_package_json(project: Any, command: list[str], name: str) -> None:
    project.write("package.json", '{"name": "@a/pages", "version": "4.0.0-rc.1", "bin": {"pages": "dist/index.js"}}')
    project.write("dist/index.js", "")
    assert from_command(project, command) == name


@pytest.mark.parametrize(
    ("code", "name"), [("server.py:mcp", "3.1"), ("server:mcp", "3.1"), ("elsewhere:mcp", "9.9")]
)
def test_a_python_object_of_the_project_has_its_version(project: Any, code: str, name: str) -> None:
    project.write("server.py", "")
    project.write("pyproject.toml", '[project]\nname = "x"\nversion = "3.1"\n')
    contract = ServerContract("pages", info={"version": "9.9"}, source=SourceRecord("python", object=code))
    project.write("fusion.lock", encode(Lock({"pages": contract})))
    assert project.run("release").out.split()[3] == name


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
