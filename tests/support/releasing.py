"""What the tests of `fusion release` share: where releases are kept, how a refusal ends, and a lock written anew."""

from __future__ import annotations

from typing import Any

PAGES = ".fusion/releases/pages"
REFUSED = "\nexit 2: could not check\n"


def relock(project: Any, *tools: Any, version: str = "1.0.0") -> None:
    assert project.run("lock", "--name", "pages", *project.serve("pages", *tools, version=version)).code == 0
