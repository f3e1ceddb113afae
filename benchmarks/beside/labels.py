"""Pairs of catalogs of which it is known what breaks: our own cases, and ../shared/data where it is."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["WHOLE", "Pair", "collections"]

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"
WHOLE = ""  # the label of a pair that is judged as a whole
HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
TEXTS = {"title", "description", "examples", "default", "deprecated", "$schema", "$comment", "$id"}
NAMED = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}


@dataclass(frozen=True)
class Pair:
    """Two catalogs as `tools/list` gives them; `breaks` says by tool, or by WHOLE, whether something breaks."""

    name: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    breaks: Mapping[str, bool]


def collections() -> dict[str, list[Pair]]:
    """The pairs by where they are from."""
    found = {"our own cases (`fixtures/diff`), labelled as our rules say": list(_fixtures())}
    if SHARED.exists():
        found["small changes, labelled by hand"] = list(_small(SHARED / "pairs" / "pairs.json"))
        found["releases of public servers, by tool"] = list(_public(SHARED / "catalogs"))
    return found


def _fixtures() -> Iterator[Pair]:
    for folder in sorted((ROOT / "fixtures" / "diff").iterdir()):
        old, new, expected = (_json(folder / f"{name}.json") for name in ("old", "new", "expected"))
        levels = {level for _, level, *_ in expected}
        if "BREAKING" in levels or "RISKY" not in levels:  # what is risky may be either
            yield Pair(folder.name, old, new, {WHOLE: "BREAKING" in levels})


def _small(path: Path) -> Iterator[Pair]:
    for entry in _json(path):
        if entry["truth"] != "RISKY":
            yield Pair(entry["id"], entry["before"], entry["after"], {WHOLE: entry["truth"] == "BREAKING"})


def _public(folder: Path) -> Iterator[Pair]:
    """A tool breaks that is gone, or of which a call is known that the new schema refuses.

    It does not where schemas, texts aside, and hints are the same. Of others nothing is known, and nothing asked.
    """
    broken = {(*_release(row), row["tool"]) for row in _rows(folder / "witnesses.tsv")}
    for row in _rows(folder / "pairs.tsv"):
        server, *versions = release = _release(row)
        old, new = (_json(folder / server / f"{version}.json") for version in versions)
        before, after = ({tool["name"]: tool for tool in side["tools"]} for side in (old, new))
        labels = {
            name: name not in after or (*release, name) in broken
            for name in before
            if name not in after or (*release, name) in broken or _judged(before[name]) == _judged(after[name])
        }
        yield Pair(" ".join(release), old, new, labels)


def _release(row: Mapping[str, str]) -> tuple[str, str, str]:
    return row["server"], row["old_version"], row["new_version"]


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _judged(tool: Mapping[str, Any]) -> list[Any]:
    """All that a call or an approval can depend on."""
    hints = tool.get("annotations") or {}
    return [_bare(tool.get("inputSchema")), _bare(tool.get("outputSchema")), [hints.get(hint) for hint in HINTS]]


def _bare(schema: Any) -> Any:
    """The schema without its texts. What is written as a value (`enum`, `const`) stays as it is."""
    if isinstance(schema, list):
        return [_bare(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    bare = {}
    for key, value in schema.items():
        if key in NAMED and isinstance(value, dict):
            bare[key] = {name: _bare(one) for name, one in value.items()}
        elif key not in TEXTS:
            bare[key] = value if key in {"enum", "const"} else _bare(value)
    return bare
