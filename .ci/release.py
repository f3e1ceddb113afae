"""Print the notes of a release, or say why it cannot be made: `python .ci/release.py v1.2.3 dist > notes.md`.

The tag must be the version, the changelog must have its section with a date, no page may say that there is no release
yet, the links of the metadata must lead to the repository that releases (`GITHUB_REPOSITORY`, which CI sets), and the
folder must hold this version's sdist and wheel and nothing else.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNRELEASED = "not on PyPI yet"


def declared(root: Path) -> str:
    """The version that the package declares."""
    text = (root / "fusion_contracts" / "__init__.py").read_text(encoding="utf-8")
    (version,) = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(version)


def notes(root: Path, version: str) -> str:
    """The changelog's section on a version, without its heading. Exits where there is none, or none with a date."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = re.search(rf"^## \[{re.escape(version)}\](.*)\n", text, re.MULTILINE)
    if heading is None:
        sys.exit(f"CHANGELOG.md has no section ## [{version}]: write one")
    if not re.fullmatch(r" - \d{4}-\d\d-\d\d", heading[1]):
        sys.exit(f"CHANGELOG.md: the section of {version} has no date: write ## [{version}] - YYYY-MM-DD")
    section = re.split(r"^(?:## |\[)", text[heading.end() :], maxsplit=1, flags=re.MULTILINE)[0]
    return section.strip() + "\n"


def check_pages(root: Path) -> None:
    """Exit where a page says that the package cannot be installed from PyPI: from now on it can."""
    for page in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        if UNRELEASED in page.read_text(encoding="utf-8"):
            sys.exit(f"{page.relative_to(root)} says that the package is {UNRELEASED}: take that sentence out")


def check_links(root: Path, repository: str) -> None:
    """Exit where the metadata leads to another repository than the one that releases."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    for found in re.findall(r"github(?:usercontent)?\.com/([\w-]+/[\w.-]+)", text):
        if found != repository:
            sys.exit(f"pyproject.toml links to {found}, and this is {repository}: correct its links")


def check_files(folder: Path, version: str) -> None:
    """Exit where a folder holds something else than this version's sdist and wheel."""
    wanted = {f"fusion_contracts-{version}.tar.gz", f"fusion_contracts-{version}-py3-none-any.whl"}
    found = {path.name for path in folder.iterdir()}
    if found != wanted:
        sys.exit(f"{folder} holds {', '.join(sorted(found)) or 'nothing'}, not {' and '.join(sorted(wanted))}")


def main(tag: str, folder: str, root: Path = ROOT) -> None:
    """Check all, then print the notes."""
    version = declared(root)
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, and fusion_contracts/__init__.py says {version}: tag v{version}, or correct it")
    text = notes(root, version)
    check_pages(root)
    check_links(root, os.environ.get("GITHUB_REPOSITORY", "OWNER/fusion-contracts"))
    check_files(Path(folder), version)
    print(text, end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
