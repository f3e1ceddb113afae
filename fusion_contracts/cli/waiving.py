"""What `fusion waive` accepts, lists and drops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.output import OK, Writer, say
from fusion_contracts.cli.project import Project, read_settings
from fusion_contracts.config import Waiver, text_of
from fusion_contracts.errors import FusionError
from fusion_contracts.record import record
from fusion_contracts.report.counts import count
from fusion_contracts.report.grouping import identifier, subject

if TYPE_CHECKING:
    from fusion_contracts.cli.comparing import Named
    from fusion_contracts.cli.judging import Judging
    from fusion_contracts.diff import Finding, Report

__all__ = ["Asked", "Job", "rewrite", "row", "run"]


@record
class Asked:
    """What the command line says is accepted, why and until when."""

    identifier: str | None
    rule: str | None
    tool: str | None
    pointer: str | None
    reason: str | None
    until: date | None
    prune: bool = False

    @property
    def details(self) -> dict[str, object]:
        """What goes with an ID or a rule, by its option."""
        return {"--tool": self.tool, "--pointer": self.pointer, "--reason": self.reason, "--until": self.until}


@record
class Job:
    """What is asked, where an ID is looked for, and in which project."""

    asked: Asked
    named: Named
    project: Project
    judging: Judging
    writer: Writer

    @property
    def where(self) -> str:
        """What the settings file is called, for people."""
        return printable(self.project.home.path.name)


def run(job: Job) -> int:
    """Do what is asked, and return the exit code. Raises FusionError where nothing is written."""
    asked = job.asked
    _require_one(asked, job.named)
    if asked.prune:
        from fusion_contracts.cli.pruning import prune

        return prune(job)
    if asked.rule is None and asked.identifier is None:
        from fusion_contracts.cli.pruning import list_waivers

        return list_waivers(job)
    if asked.reason is None or not asked.reason.strip():
        raise FusionError("a waiver needs a reason", 'add --reason "..."', stage="usage")
    if asked.until is not None and asked.until < job.judging.on:
        raise FusionError(f"{asked.until} is over", "name a day to come with --until", stage="usage")
    if asked.identifier is not None:
        return _accept_found(job, asked.identifier, asked.reason)
    return _accept_rule(job, asked.rule or "", asked.reason)


def _require_one(asked: Asked, named: Named) -> None:
    """Raise FusionError where the command line says two things, or half of one."""
    given = [option for option, value in asked.details.items() if value is not None]
    if asked.identifier is not None and asked.rule is not None:
        raise FusionError("an ID and a rule are named", "name one of the two", stage="usage")
    if asked.prune and (asked.identifier is not None or asked.rule is not None or given or named.servers):
        raise FusionError("--prune goes alone", "it looks at every waiver: fusion waive --prune", stage="usage")
    if asked.identifier is None and asked.rule is None and given:
        raise FusionError(f"{given[0]} goes with an ID or with --rule", "name what is accepted", stage="usage")
    if asked.identifier is not None and {"--tool", "--pointer"} & set(given):
        raise FusionError(f"{given[0]} goes with --rule", "an ID says which tool and where", stage="usage")


# --- by id -----------------------------------------------------------------------------------------------------------


def _accept_found(job: Job, identifier: str, reason: str) -> int:
    from fusion_contracts.cli.explaining import is_id, located

    if not is_id(identifier):
        step = f"take the digits at the end of a row, or write --rule {shell_word(identifier)}"
        raise FusionError(f"{printable(identifier)} is no id", step, stage="usage")
    found = located(identifier, job.named, job.project, job.judging, job.writer)
    _refuse_own(found[0].rule)
    rest = [finding for finding in found if not finding.waived]
    if not rest:
        return _already(job, found)
    ids = tuple(dict.fromkeys(finding.fingerprint for finding in rest))
    return _written(job, Waiver(fingerprints=ids, reason=reason, until=job.asked.until), rest)


def _refuse_own(rule: str) -> None:
    if rule.startswith("waiver-"):
        raise FusionError("a finding about a waiver is not waived", "correct that waiver, or drop it", stage="usage")


def _already(job: Job, found: Sequence[Finding]) -> int:
    """Say that findings are accepted already, and why."""
    for why in dict.fromkeys(finding.accepted for finding in found):
        say(f"accepted already: {printable(why)}")
    say(f"exit {OK}: nothing was written; {job.where} accepts {count(len(found), 'finding')} of this id")
    return OK


# --- by rule ---------------------------------------------------------------------------------------------------------


def _accept_rule(job: Job, rule: str, reason: str) -> int:
    from fusion_contracts.diff.policy import require_rule
    from fusion_contracts.diff.waivers import described, uses

    require_rule(rule)
    _refuse_own(rule)
    asked, judging = job.asked, job.judging
    if asked.until is None:
        message = "a waiver for a rule needs a last day"
        raise FusionError(message, "add --until YYYY-MM-DD: it would accept what nobody has seen yet", stage="usage")
    if len(job.named.servers) > 1:
        raise FusionError("a waiver holds for one -s", "name a glob that matches all of them", stage="usage")
    (server,) = job.named.servers or ("*",)
    tool, pointer = asked.tool, asked.pointer
    waiver = Waiver(
        rule=rule, server=server, tool="*" if tool is None else tool, pointer="*" if pointer is None else pointer,
        reason=reason, until=asked.until,
    )  # fmt: skip
    same = next((one for one in judging.waivers if one.what == waiver.what and not _over(one, judging)), None)
    if same is not None:
        say(f"accepted already until {same.until}: {printable(same.reason)}")
        say(f"exit {OK}: nothing was written; {job.where} holds the waiver for {printable(described(waiver))}")
        return OK
    report = _seen(job)
    return _written(job, waiver, None if report is None else uses(report.findings, [waiver], judging.on)[0].found)


def _seen(job: Job) -> Report | None:
    """What a waiver for a rule is held against: the lock since its base; None where there is none."""
    from fusion_contracts.cli.explaining import since_base

    if job.named.sources or job.named.command:
        raise FusionError("a rule is accepted without sources", "they go with an ID", stage="usage")
    try:
        return since_base(job.project, job.judging, replace(job.named, servers=()), lambda _why: None)
    except FusionError:
        return None


def _over(waiver: Waiver, judging: Judging) -> bool:
    return waiver.until is not None and waiver.until < judging.on


# --- the file --------------------------------------------------------------------------------------------------------


def _written(job: Job, waiver: Waiver, found: Sequence[Finding] | None) -> int:
    """Write a waiver, in place of one for the same that has expired, and say what is accepted now."""
    from fusion_contracts.config.waiving import with_waiver, with_waiver_renewed

    home = job.project.home
    old = next((index for index, one in enumerate(job.judging.waivers) if one.what == waiver.what), None)
    if old is None:
        rewrite(job.project, lambda text: with_waiver(text, waiver, home))
    else:
        rewrite(job.project, lambda text: with_waiver_renewed(text, old, waiver, home))
    day = "" if waiver.until is None else f" until {waiver.until}"
    say(f"{job.where} accepts{day}: {printable(waiver.reason)}")
    if waiver.fingerprints and found and identifier(found) != identifier(found[:1]):
        say(f"  {identifier(found)}  {count(len(found), 'finding')} of this kind, each below")
    for finding in found or ():
        say(row(finding))
    now = "no finding yet" if found is not None else "what it accepts is not known without a base"
    accepted = count(len(found), "finding") if found else now
    say(f"exit {OK}: {'wrote' if old is None else 'renewed'} a waiver in {job.where}: {accepted}")
    return OK


def row(finding: Finding) -> str:
    """A finding in a line, for people."""
    told = f"{finding.level.name:<8}  {printable(f'{subject(finding)}: {finding.message}')}"
    return f"  {identifier([finding])}  {told}"


def rewrite(project: Project, edit: Callable[[str], str]) -> None:
    """Put the settings file's edited text in its place.

    Raises FusionError where another run changed it meanwhile, or its waivers since the project's settings were read:
    `edit` may count on them.
    """
    from fusion_contracts.lockfile.file import write_together

    home = project.home
    before = text_of(home)

    def require(unchanged: bool) -> None:
        if not unchanged:
            raise FusionError(f"{home.path} was changed meanwhile", "nothing was written; run it again", stage="usage")

    now, _ = read_settings(project.root, home.path, create=True)
    require(now.waivers == project.config.waivers)
    write_together({home.path: edit(before or "")}, lambda: require(text_of(home) == before))
