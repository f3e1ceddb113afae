"""Shared by the tests of formats: two contracts compared, with what a run of `fusion check` would say around them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from fusion_contracts import diff, load
from fusion_contracts.diff import Report
from fusion_contracts.lockfile.codec import encode
from fusion_contracts.lockfile.limits import lockable
from fusion_contracts.model import Lock, ServerContract
from fusion_contracts.report.context import Compared, Context

Case: TypeAlias = tuple[Report, Context]


def run(old: ServerContract, new: ServerContract, *, path: str | None = "fusion.lock", **more: Any) -> Case:
    """A comparison with the lock of `new`; `more` is for `Compared`."""
    report = diff(old, new)
    text = encode(Lock({new.name: lockable(new)})) if path else None
    sides = Lock({old.name: old}), Lock({new.name: new})
    return report, Context(compared={None: Compared(*sides, path, text, **more)})


@pytest.fixture(scope="session")
def compared() -> Callable[..., Case]:
    """Compares two contracts: report and context."""
    return run


@pytest.fixture(scope="session")
def case(root: Path) -> Callable[..., Case]:
    """Compares the two sides of a folder of `fixtures`, such as `diff/tool-removed` or `hostile`."""

    def of(name: str, **more: Any) -> Case:
        old, new = (load(root / "fixtures" / name / f"{side}.json") for side in ("old", "new"))
        return run(old, new, **more)

    return of
