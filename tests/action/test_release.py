"""`.ci/release.py`: a release is made of what it says, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from fusion_contracts import __version__

DIST = ("fusion_contracts-1.2.0-py3-none-any.whl", "fusion_contracts-1.2.0.tar.gz")
CHANGELOG = """# Changelog

## [Unreleased]

## [1.2.0] - 2030-01-02

### Added

- A thing.

## [1.1.0] - 2029-01-02

- Another.

[1.2.0]: https://github.com/acme/fusion-contracts/releases/tag/v1.2.0
"""


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A repository that is ready for version 1.2.0."""
    files = {
        ".ci/release.py": (root / ".ci" / "release.py").read_text(encoding="utf-8"),
        "fusion_contracts/__init__.py": '__version__ = "1.2.0"\n',
        "CHANGELOG.md": CHANGELOG,
        "README.md": "# It\n",
        "docs/start.md": "# Start\n",
        "pyproject.toml": 'Homepage = "https://github.com/acme/fusion-contracts"\n',
        **dict.fromkeys((f"dist/{name}" for name in DIST), ""),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def release(checkout: Path, tag: str = "v1.2.0") -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, ".ci/release.py", tag, "dist"], cwd=checkout, check=False, capture_output=True, text=True,
        env={**os.environ, "GITHUB_REPOSITORY": "acme/fusion-contracts"},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_the_notes_are_the_changelogs_section(checkout: Path) -> None:
    assert release(checkout) == (0, "### Added\n\n- A thing.\n", "")


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        (
            "fusion_contracts/__init__.py", "1.2.0", "1.3.0",
            "the tag is v1.2.0, and fusion_contracts/__init__.py says 1.3.0: tag v1.3.0, or correct it",
        ),
        ("CHANGELOG.md", "[1.2.0] -", "[1.2.1] -", "CHANGELOG.md has no section ## [1.2.0]: write one"),
        (
            "CHANGELOG.md", "2030-01-02", "unreleased",
            "CHANGELOG.md: the section of 1.2.0 has no date: write ## [1.2.0] - YYYY-MM-DD",
        ),
        (
            "pyproject.toml", "acme", "OWNER",
            "pyproject.toml links to OWNER/fusion-contracts, and this is acme/fusion-contracts: correct its links",
        ),
        (
            "docs/start.md", "# Start", "It is not on PyPI yet.",
            "docs/start.md says that the package is not on PyPI yet: take that sentence out",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_no_release(checkout: Path, name: str, old: str, new: str, said: str) -> None:
    path = checkout / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert release(checkout) == (1, "", f"{said}\n")


def test_other_files_are_no_release(checkout: Path) -> None:
    (checkout / "dist" / DIST[0]).rename(checkout / "dist" / "fusion_contracts-1.1.0-py3-none-any.whl")
    assert release(checkout) == (
        1, "", f"dist holds fusion_contracts-1.1.0-py3-none-any.whl, {DIST[1]}, not {' and '.join(DIST)}\n"
    )  # fmt: skip


def test_the_changelog_has_the_version_that_is_declared(root: Path) -> None:
    assert f"\n## [{__version__}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_links_of_the_metadata_lead_to_files_that_are_there(root: Path) -> None:
    project: Any = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    paths = [url.partition("/blob/main/")[2] for url in project["urls"].values()]
    assert [path for path in paths if path and not (root / path).is_file()] == []


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        *((tag, "--latest") for tag in ("v1.2.0", "v1.2.0.post1")),
        *((tag, "--prerelease") for tag in ("v2.0a1", "v2.0b2", "v2.0rc1", "v2.0.dev3", "v2.0.post1.dev3")),
    ],
)
def test_a_release_that_nobody_gets_unasked_is_not_the_latest(root: Path, tmp_path: Path, tag: str, kind: str) -> None:
    """The workflow's own line, with a program in the place of GitHub's that prints what it is asked."""
    workflow = yaml.safe_load((root / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8"))
    line = workflow["jobs"]["announce"]["steps"][-1]["run"]
    (tmp_path / "gh").write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
    (tmp_path / "gh").chmod(0o755)
    done = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", line], cwd=tmp_path, check=True, capture_output=True, text=True,
        env={"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "GITHUB_REF_NAME": tag},
    )  # fmt: skip
    assert done.stdout.split() == [
        "release", "create", tag, "dist/*", kind, "--verify-tag", "--title", tag, "--notes-file", "notes.md",
    ]  # fmt: skip
