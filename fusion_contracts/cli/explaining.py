"""What `fusion explain` looks up, and where it looks for a finding."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.output import OK, Writer
from fusion_contracts.errors import FusionError
from fusion_contracts.report.grouping import DIGITS

if TYPE_CHECKING:
    from fusion_contracts.cli.comparing import Named
    from fusion_contracts.cli.project import Judging, Project
    from fusion_contracts.diff import Finding, Report

__all__ = ["explain_finding", "explain_rule", "is_id", "list_rules", "located", "since_base"]

_ID = re.compile("[0-9a-f]+")  # no rule is called so


def is_id(text: str) -> bool:
    """Whether a word is the id of a finding or a group, and no rule."""
    return _ID.fullmatch(text) is not None


def list_rules(named: Named, writer: Writer) -> int:
    """Print a line for each rule. Raises FusionError where sources are named."""
    from fusion_contracts.diff.rule import find, rule_ids
    from fusion_contracts.report.rules import render_all

    _refuse_sources(named)
    writer.text(render_all(map(find, rule_ids()), width=writer.width, colour=writer.colour, wraps=writer.wraps))
    return OK


def explain_rule(identifier: str, named: Named, writer: Writer) -> int:
    """Print the documentation of a rule. Raises FusionError where there is none, or sources are named."""
    from fusion_contracts.diff.policy import require_rule
    from fusion_contracts.diff.rule import find
    from fusion_contracts.report.rules import render

    require_rule(identifier)
    _refuse_sources(named)
    writer.text(render(find(identifier), width=writer.width, colour=writer.colour))
    return OK


def _refuse_sources(named: Named) -> None:
    if named.sources or named.command or named.base is not None:
        step = "they go with the id of a finding: fusion explain ID OLD NEW"
        raise FusionError("a rule is explained without sources", step, stage="usage")


def explain_finding(identifier: str, named: Named, project: Project, judging: Judging, writer: Writer) -> int:
    """Print the finding or the group whose id starts so. Raises FusionError where there is none, or several."""
    found, others = _found(identifier, named, project, judging, writer)
    _print(found, others, writer)
    return OK


def located(identifier: str, named: Named, project: Project, judging: Judging, writer: Writer) -> list[Finding]:
    """The finding or the group whose id starts so. Raises FusionError where there is none, or several."""
    return _found(identifier, named, project, judging, writer)[0]


def _found(
    identifier: str, named: Named, project: Project, judging: Judging, writer: Writer
) -> tuple[list[Finding], Sequence[Finding]]:
    """The finding or the group whose id starts so, and all findings of the report that has it."""
    if len(identifier) < DIGITS:
        message = f"{identifier} is too short for an id"
        raise FusionError(message, f"write at least {DIGITS} digits of it", stage="usage")
    _require_alone(named, project)
    for report in _reports(named, project, judging, writer):
        found = [one for one in report.findings if _names(one, identifier)]
        if found:
            _require_one(identifier, found)
            return found, report.findings
    step = "name what the report compared: OLD and NEW after the id, --base REV or --against release"
    raise FusionError(f"no finding has an id that starts with {identifier}", step, stage="usage")


def _require_alone(named: Named, project: Project) -> None:
    """Raise FusionError where a second id stands where a source would."""
    for word in named.sources:
        if is_id(word) and len(word) >= DIGITS and not (project.root / word).exists():
            step = "it takes one id at a time, then OLD and NEW: run it once for each"
            raise FusionError(f"{word} looks like another id, and no file is called so", step, stage="usage")


def _require_one(identifier: str, found: Sequence[Finding]) -> None:
    ids = sorted({full for one in found for full in (one.fingerprint, one.group) if full.startswith(identifier)})
    if len(ids) > 1:
        message = f"{identifier} is the start of several ids"
        raise FusionError(message, f"write more of one: {', '.join(ids)}", stage="usage")


def _names(finding: Finding, identifier: str) -> bool:
    return finding.fingerprint.startswith(identifier) or finding.group.startswith(identifier)


def _reports(named: Named, project: Project, judging: Judging, writer: Writer) -> Iterator[Report]:
    """The comparison that is named; else that of `check`, which starts nothing, and then that of `diff`."""
    from fusion_contracts.cli.comparing import report_on
    from fusion_contracts.cli.output import tell
    from fusion_contracts.cli.sides import announce

    if named.nothing or (named.against is not None and not (named.sources or named.command)):

        def without(why: str) -> None:
            tell(f"note: the lock was not compared with its base: {why}")

        report = since_base(project, judging, named, without)
        if report is not None:
            announce(writer, report.base, report.head)
            yield report
        if named.base is not None:
            return
    yield report_on(named, project, judging, writer)


def since_base(project: Project, judging: Judging, named: Named, without: Callable[[str], None]) -> Report | None:
    """What changed in the lock since its base, or since the releases there.

    None where there is no repository, no base, or nothing at it, which `without` is told. Raises FusionError where a
    base that is named cannot be read, and for the lock itself.
    """
    from fusion_contracts.cli.against import basis
    from fusion_contracts.cli.project import selected
    from fusion_contracts.cli.roster import expanded
    from fusion_contracts.lockfile.disk import read_lock

    servers = expanded(project, named.servers)
    lock = selected(read_lock(project.lock_path), servers, where=project.lockfile)
    try:
        base = basis(project, lock, named.against or "base", named.base, servers)
    except FusionError as error:
        if named.base is not None:
            raise
        without(printable(str(error)))
        return None
    if base.before is None:
        without(f"there is {base.side.label}" if named.against else f"{base.side.label} does not exist")
        return None
    report = base.report(project, judging)
    if servers or not judging.waivers:
        return report
    from fusion_contracts.cli.waived import since_base as with_waivers

    return with_waivers(report, project, judging)  # check names them, so their ids are looked for here


def _print(found: Sequence[Finding], findings: Sequence[Finding], writer: Writer) -> None:
    from fusion_contracts.diff.rule import find
    from fusion_contracts.report.finding import render

    own = set(map(id, found))
    others = [one for one in findings if one.group == found[0].group and id(one) not in own]
    rule = find(found[0].rule)
    writer.text(
        render(found, rule, width=writer.width, colour=writer.colour, wraps=writer.wraps, others=others)
    )
