"""The page about releases: what it shows is what is printed."""

from __future__ import annotations

from pathlib import Path

from page_blocks import blocks, copy_example, printed


def test_the_page_shows_what_is_printed(root: Path, tmp_path: Path) -> None:
    page = (root / "docs" / "releases.md").read_text(encoding="utf-8")
    shown = "".join(blocks(page, "console"))
    copy_example(root, tmp_path)
    assert printed(shown, tmp_path) == shown
