"""What targets of the fuzzer share: a folder to write into, the documents of the fixtures, what a reader may see."""

# ruff: noqa: S101 - an assertion that fails is what the fuzzer looks for

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fusion_contracts.canonical import HIDDEN

ROOT = Path(__file__).parents[1]
FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))


@cache
def documents(pattern: str) -> tuple[Any, ...]:
    """The JSON documents of the fixtures that fit a pattern."""
    return tuple(json.loads(path.read_text(encoding="utf-8")) for path in sorted((ROOT / "fixtures").glob(pattern)))


def nothing() -> Sequence[bytes]:
    """For targets that make their documents themselves."""
    return [bytes(range(size)) for size in (0, 8, 32, 128, 255)]


def visible(text: str) -> None:
    """Nothing in a line of a report is hidden from its reader."""
    assert not [line for line in text.split("\n") if HIDDEN.search(line)], ascii(text[:300])
