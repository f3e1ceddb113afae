"""An answer as JSON, and back: what one process leaves for another. Contracts stand in it as in a lock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from fusion_contracts.errors import Problem
from fusion_contracts.lockfile.codec import decode, encode
from fusion_contracts.model import Lock
from fusion_contracts.sources.base import Reading, VolatileRule
from fusion_contracts.sources.candidates import Candidate
from fusion_contracts.sources.unit import Answer

__all__ = ["from_json", "to_json"]


def to_json(answer: Answer) -> dict[str, Any]:
    """An answer as JSON. Raises FusionError, ValueError or RecursionError where a contract is what no lock can hold."""
    if answer.reading is None:
        return {"problem": None if answer.problem is None else answer.problem.to_dict()}
    reading = answer.reading
    return {
        "contracts": encode(Lock({contract.name: contract for contract in reading.contracts})),
        "problems": [problem.to_dict() for problem in reading.problems],
        "refused": {name: sorted(tools) for name, tools in reading.refused.items()},
        "unread": {name: sorted(sections) for name, sections in reading.unread.items()},
        "notes": list(reading.notes),
        "volatile": [asdict(candidate) for candidate in answer.volatile],
    }


def from_json(said: Mapping[str, Any], origin: str) -> Answer:
    """The answer that JSON holds; `origin` says for people where. Raises one of many errors where it is none."""
    if "contracts" not in said:
        return Answer(problem=None if said["problem"] is None else Problem(**said["problem"]))
    reading = Reading(
        contracts=tuple(decode(said["contracts"], origin=origin).servers.values()),
        problems=tuple(Problem(**problem) for problem in said["problems"]),
        refused={name: frozenset(tools) for name, tools in said["refused"].items()},
        notes=tuple(said["notes"]),
        unread={name: frozenset(sections) for name, sections in said["unread"].items()},
    )
    return Answer(reading, volatile=tuple(_candidate(one) for one in said["volatile"]))


def _candidate(said: Mapping[str, Any]) -> Candidate:
    rule = said["rule"]
    return Candidate(said["sentence"], None if rule is None else VolatileRule(**rule))
