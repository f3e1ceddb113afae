"""Shared by the tests of `fusion watch`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from http_site import Answer, Site
from jsonschema import Draft202012Validator
from watching import TOOL, Receiver, Watching


@pytest.fixture
def watch(project: Any) -> Iterator[Callable[..., Watching]]:
    """Start watches in the project's folder; what still runs at the end is killed."""
    running: list[Watching] = []

    def start(*arguments: str, **environment: str) -> Watching:
        running.append(Watching(project.folder, *arguments, **environment))
        return running[-1]

    yield start
    for one in running:
        if one.process.returncode is None:
            one.process.kill()
            one.wait()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Site]]:
    """Start servers and receivers on loopback; they are stopped at the end."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    sites: list[Site] = []

    def start(answer: Answer) -> Site:
        sites.append(Site(answer))
        return sites[-1]

    yield start
    for site in sites:
        site.stop()


@pytest.fixture(scope="session")
def locked() -> dict[str, str]:
    """The lock and the settings of `pages`, the same in each test: made by the first, and written by the others."""
    return {}


@pytest.fixture
def pages(project: Any, locked: dict[str, str]) -> Any:
    """A project whose server `pages` is locked, and reads its tools from `pages.json`."""
    command = project.serve("pages", TOOL)
    if not locked:
        assert project.run("lock", "--name", "pages", *command).code == 0
        locked.update({name: project.read(name) for name in ("fusion.lock", "fusion.toml")})
    for name, text in locked.items():
        project.write(name, text)
    return project


@pytest.fixture
def receiver(serve: Callable[..., Site]) -> Callable[..., Receiver]:
    """Make receivers on loopback."""

    def make(*statuses: int, **headers: str) -> Receiver:
        return Receiver(serve, *statuses, **headers)

    return make


@pytest.fixture(scope="session")
def validator(root: Path) -> Draft202012Validator:
    """The published schema of events, with that of findings beside it."""
    from referencing import Registry, Resource

    folder = root / "docs" / "schema"
    schemas = [json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8")) for name in ("watch", "report")]
    Draft202012Validator.check_schema(schemas[0])
    resources = [(schema["$id"], Resource.from_contents(schema)) for schema in schemas]
    return Draft202012Validator(schemas[0], registry=Registry().with_resources(resources))
