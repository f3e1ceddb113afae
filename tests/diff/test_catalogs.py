"""Real catalogs: consecutive versions of public servers."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import fusion_contracts
from fusion_contracts.diff import Finding, Level, diff
from fusion_contracts.model import ServerContract, Tool


def pairs(folder: Path) -> Iterator[tuple[str, ServerContract, ServerContract]]:
    with (folder / "pairs.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            paths = [folder / row["server"] / f"{row[side]}.json" for side in ("old_version", "new_version")]
            name = f"{row['server']} {row['old_version']} -> {row['new_version']}"
            yield name, fusion_contracts.load(paths[0]), fusion_contracts.load(paths[1])


def test_consecutive_versions(shared: Path) -> None:
    for name, old, new in pairs(shared / "catalogs"):
        assert diff(old, old).findings == (), name
        findings = diff(old, new).findings
        twice = [key for key, count in Counter(found.fingerprint for found in findings).items() if count > 1]
        assert twice == [], name
        for tool in old.tools.keys() & new.tools.keys():
            about_it = [found for found in findings if found.tool == tool]
            assert bool(about_it) == (old.tools[tool] != new.tools[tool]), f"{name}: {tool}"
            assert_no_alarm_without_cause(old.tools[tool], new.tools[tool], about_it)


def assert_no_alarm_without_cause(old: Tool, new: Tool, findings: list[Finding]) -> None:
    for found in findings:
        if found.level is Level.BREAKING and found.side == "input":
            assert old.input_schema != new.input_schema
            assert found.has_witness, f"{found.rule} at {found.pointer}"
