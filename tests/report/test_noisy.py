"""Real changes of public servers, the noisiest: every format is complete."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fusion_contracts import load
from fusion_contracts.diff import Level, Report, diff
from fusion_contracts.report import FORMATS, render
from fusion_contracts.report.context import Context

PAIRS = 5
Case = tuple[Report, Context]


@pytest.fixture(scope="module")
def noisiest(shared: Path, compared: Callable[..., Case]) -> list[Case]:
    """The pairs with the most BREAKING groups, against the lock of their new side."""
    folder = shared / "catalogs"
    with (folder / "pairs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    sides = [
        [load(folder / row["server"] / f"{row[side]}.json") for side in ("old_version", "new_version")] for row in rows
    ]
    noise = [len({one.group for one in diff(*pair).findings if one.level is Level.BREAKING}) for pair in sides]
    order = sorted(range(len(sides)), key=lambda index: -noise[index])[:PAIRS]
    return [compared(sides[index][0], replace(sides[index][1], name=sides[index][0].name)) for index in order]


@pytest.mark.parametrize("form", FORMATS)
def test_each_breaking_group_is_in_every_format(form: str, noisiest: list[Case]) -> None:
    for report, context in noisiest:
        found = json.loads(render("json", report, context))["findings"]
        rows: dict[str, list[str]] = {}
        for one in found:
            if one["level"] == "BREAKING":
                rows.setdefault(one["group"][:7], []).append(one["fingerprint"][:7])
        text = render(form, report, replace(context, width=80))
        assert rows
        named = {group: {group} if len(ids) > 1 else set(ids) for group, ids in rows.items()}
        if form == "junit":  # a finding stands by itself there
            named = {group: set(ids) for group, ids in rows.items()}
        assert sorted(one for ids in named.values() for one in ids if one not in text) == []


@pytest.mark.parametrize("index", range(PAIRS))
def test_each_is_valid_in_its_own_language(
    index: int, noisiest: list[Case], readers: Mapping[str, Callable[[str], Any]]
) -> None:
    report, context = noisiest[index]
    for form in FORMATS:
        readers[form](render(form, report, context))
