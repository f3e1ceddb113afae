"""The public API as a user would use it: type-checked, never run."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import fusion_contracts
from fusion_contracts import (
    Finding,
    FusionError,
    Level,
    Lock,
    Problem,
    Prompt,
    Report,
    Resource,
    ResourceTemplate,
    ServerContract,
    Side,
    Tool,
    diff,
    diff_locks,
    load,
)
from fusion_contracts.schema import compare
from fusion_contracts.testing import assert_contract


def read(path: Path) -> ServerContract:
    try:
        return load(path, server="helpdesk")
    except FusionError as error:
        assert_type(error.problem, Problem)
        raise SystemExit(f"{error.problem.message}; {error.problem.next}") from error


def test_of_ones_own(server: object) -> None:
    assert_type(assert_contract(server), None)
    assert_contract(server, name="helpdesk", lockfile=Path("fusion.lock"), fail_on="breaking", folder=".", timeout=5)


def walk(contract: ServerContract) -> list[str]:
    for tool in contract.tools.values():
        assert_type(tool, Tool)
    for prompt in contract.prompts.values():
        assert_type(prompt, Prompt)
    for resource in contract.resources.values():
        assert_type(resource, Resource)
    for template in contract.resource_templates.values():
        assert_type(template, ResourceTemplate)
    return sorted(contract.tools)


def compare_contracts() -> bool:
    report = diff(load("old.json"), load(Path("new.json")), world="open")
    assert_type(report, Report)
    assert_type(report.base, Side)
    breaking = [finding for finding in report.findings if finding.level is Level.BREAKING]
    assert_type(breaking, list[Finding])
    for finding in breaking:
        assert_type(finding.tool, str | None)
        if finding.has_witness:
            assert_type(f"{finding.rule} {finding.pointer} {finding.message} {finding.witness}", str)
    return report.verdict == "BREAKING" and not report.errors


def compare_locks(old: ServerContract, new: ServerContract) -> dict[str, object]:
    return diff_locks(Lock({old.name: old}), Lock({new.name: new})).to_dict()


def compare_schemas() -> object:
    answer = compare({"type": "string"}, {"type": "integer"}, world="declared", dialect="2020-12")
    return answer.witness if answer.has_witness else (answer.verdict, answer.reason)


assert_type(fusion_contracts.__version__, str)
