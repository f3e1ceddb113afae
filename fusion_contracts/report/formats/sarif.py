"""SARIF 2.1.0, for code scanning: each finding a result at a line of the lock, each rule with its documentation.

BREAKING is an error, RISKY a warning, SAFE a note; what is waived is suppressed. What could not be checked is a
notification of the run. A result without a lock stands at its tool alone. `baselineState` is left out: it compares with
another run of a tool, and a finding compares two contracts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import quote

from fusion_contracts.canonical import pointer_token, printable
from fusion_contracts.report.counts import count
from fusion_contracts.report.escape import json_text, sarif_message
from fusion_contracts.report.grouping import identifier
from fusion_contracts.report.layout import clipped
from fusion_contracts.report.lines import Place, Places
from fusion_contracts.report.refusal import call

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding, Report
    from fusion_contracts.diff.rule import Rule
    from fusion_contracts.errors import Problem
    from fusion_contracts.model import JsonObject
    from fusion_contracts.report.context import Context

__all__ = ["LANGUAGE", "MOST_RESULTS", "SCHEMA", "render"]

LANGUAGE = "json"

MOST_RESULTS = 25_000
"""Results of one run that GitHub takes; it shows the worst 5,000. A run has far fewer rules than it takes of them."""

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"BREAKING": "error", "RISKY": "warning", "SAFE": "note"}
_LONGEST = 4_000  # characters of one part of a message
_WAIVED = "accepted on purpose"


def render(report: Report, context: Context) -> str:
    """Return the log of one run, indented. The worst results are kept where there are more than GitHub takes."""
    findings = report.findings[:MOST_RESULTS]
    rules = sorted({finding.rule for finding in findings})
    driver = {
        "name": "fusion-contracts",
        **({"version": context.version, "semanticVersion": context.version} if context.version else {}),
        "rules": [_rule(identifier) for identifier in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(report, context, len(report.findings) - len(findings))],
        "columnKind": "unicodeCodePoints",
        "results": list(_results(findings, rules, Places(context))),
    }
    return json_text(json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)) + "\n"


# --- the run ----------------------------------------------------------------------------------------------------------


def _invocation(report: Report, context: Context, left_out: int) -> JsonObject:
    notes = [_notification(problem) for problem in report.errors]
    if left_out:
        text = f"{count(left_out, 'result')} left out: GitHub takes {MOST_RESULTS:,}. All are in the JSON report"
        notes.append({"level": "warning", "message": {"text": text}})
    return {
        "executionSuccessful": not report.errors,
        "exitCode": context.code,
        **({"exitCodeDescription": printable(context.ending)} if context.ending else {}),
        **({"toolExecutionNotifications": notes} if notes else {}),
    }


def _notification(problem: Problem) -> JsonObject:
    return {
        "descriptor": {"id": problem.stage},
        "level": "error",
        "message": {"text": sarif_message(str(problem))},
    }


def _rule(identifier: str) -> JsonObject:
    from fusion_contracts.diff.rule import find

    rule = find(identifier)
    sections = {heading: " ".join(text.split()) for heading, text in rule.sections.items()}
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": sections.get("Why it matters", rule.title)},
        "help": {
            "text": "\n\n".join(f"{heading}: {text}" for heading, text in sections.items()) or rule.title,
            "markdown": _help(rule),
        },
        "defaultConfiguration": {"level": _LEVELS[rule.usual.name]},
    }


def _help(rule: Rule) -> str:
    parts = [f"# {rule.title}", f"Level: {rule.levels}. On: {rule.about}."]
    return "\n\n".join([*parts, *(f"## {heading}\n\n{text}" for heading, text in rule.sections.items())])


# --- its results ------------------------------------------------------------------------------------------------------


def _results(findings: tuple[Finding, ...], rules: list[str], places: Places) -> Iterator[JsonObject]:
    index = {rule: number for number, rule in enumerate(rules)}
    taken: set[tuple[str, Place | None]] = set()
    for finding in findings:
        place = places.of(finding)
        # GitHub takes two results of one rule at one line for one alert, unless they say that they are not. Those that
        # need not say so leave this to the upload, which warns of every such fingerprint that is not its own.
        shares = (finding.rule, place) in taken
        taken.add((finding.rule, place))
        fingerprints = {"fusionContracts/v1": finding.fingerprint}
        yield {
            "ruleId": finding.rule,
            "ruleIndex": index[finding.rule],
            "level": _LEVELS[finding.level.name],
            "message": {"text": _message(finding)},
            "locations": [_location(finding, place)],
            "partialFingerprints": fingerprints
            | ({"primaryLocationLineHash": f"{finding.fingerprint}:1"} if shares else {}),
            **({"suppressions": [_suppression(finding)]} if finding.waived else {}),
            "properties": _properties(finding),
        }


def _message(finding: Finding) -> str:
    subject = finding.action or finding.tool or finding.server
    parts = [f"{clipped(subject, _LONGEST)}: {clipped(finding.message, _LONGEST)}."]
    if finding.has_witness:
        called = call(finding, within=_LONGEST)
        parts += [f"{label.capitalize()}: {clipped(text, _LONGEST)}." for label, text in called]
    parts += [finding.hint] if finding.hint else []
    parts.append(f"Id {identifier([finding])}.")
    return sarif_message(" ".join(parts))


def _location(finding: Finding, place: Place | None) -> JsonObject:
    """The line of the lock, and what the finding is about by its name."""
    steps = [("module", finding.server)]
    steps += [("function", finding.tool)] if finding.tool is not None else []
    steps += [("member", finding.action)] if finding.action is not None and finding.action != finding.tool else []
    kind, name = steps[-1]
    full = "/".join(pointer_token(step) for _, step in steps)
    location: JsonObject = {
        "logicalLocations": [{"name": printable(name), "kind": kind, "fullyQualifiedName": printable(full)}]
    }
    if place is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(place.path), "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": place.line},
        }
    return location


def _uri(path: str) -> str:
    """A relative path as a URI reference."""
    return quote(path.encode("utf-8", "surrogateescape"))


def _suppression(finding: Finding) -> JsonObject:
    return {"kind": "external", "status": "accepted", "justification": printable(finding.accepted) or _WAIVED}


def _properties(finding: Finding) -> JsonObject:
    known: JsonObject = {"group": finding.group, "side": finding.side, "pointer": printable(finding.pointer)}
    return known | ({"silent": True} if finding.silent else {})
