"""What the settings and the command line decide about findings: how they are judged, accepted, and end a run."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, cast

from fusion_contracts.canonical import printable, shortened
from fusion_contracts.config import FailOn, Server, Waiver
from fusion_contracts.config.policies import by_exactness, first_said, policy_of
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.cli.project import Project
    from fusion_contracts.diff import Finding, Policy, Report, Side
    from fusion_contracts.diff.waivers import Use
    from fusion_contracts.model import Lock

__all__ = ["Judging", "today"]


_NAMED = 2  # servers that a line names

def today() -> date:
    """The day, as waivers count days: everywhere the same."""
    return datetime.now(UTC).date()


def _named(servers: Sequence[str]) -> str:
    """Servers in a few words."""
    shown = ", ".join(map(shortened, servers[:_NAMED]))
    return f"{shown} and {len(servers) - _NAMED} more" if len(servers) > _NAMED else shown


@record
class Judging:
    """How changes are judged, which are accepted, and from which level on they end a command with 1.

    The command line wins over `servers`, what the settings say of some servers, and those over what they say of all.
    `settings` is what the settings file is called; `on` is the day for waivers. `foreign` are servers of client
    configurations, which are seldom the project's own: every finding about one counts, where nobody says otherwise.
    `words` are the options that other commands need to judge alike; `typed`: the command line says `fail_on`.
    """

    world: str
    levels: Mapping[str, str]
    token_growth_percent: int
    fail_on: FailOn
    servers: Mapping[str, Server]
    waivers: Sequence[Waiver]
    settings: str
    on: date
    foreign: Collection[str] = frozenset()
    words: tuple[str, ...] = ()
    typed: bool = False

    @classmethod
    def of(cls, project: Project, world: str | None = None, fail_on: str | None = None) -> Judging:
        """From the settings, and what the command line gives."""
        from fusion_contracts.cli.roster import foreign

        config = project.config
        end = cast("FailOn | None", fail_on or config.fail_on)
        servers = {
            name: replace(one, world=None if world else one.world, fail_on=None if fail_on else one.fail_on)
            for name, one in config.servers.items()
        }
        return cls(
            world or config.world, config.levels, config.token_growth_percent, end or "breaking", servers,
            config.waivers, project.home.path.name, today(), frozenset() if end else foreign(project),
            ("--world", world) if world else (), fail_on is not None,
        )  # fmt: skip

    def fail_on_of(self, server: str) -> FailOn:
        """The level from which on findings about a server end a command with 1."""
        usual: FailOn = "any" if server in self.foreign else self.fail_on
        return first_said((one.fail_on for one in by_exactness(server, self.servers)), usual)

    def whence(self, report: Report) -> str:
        """Where the lowest `fail_on` of what fails was said, for the last line; "" where that is as usual, or typed."""
        from fusion_contracts.diff import lowest_limit

        failing = self.failing(report)
        limit = lowest_limit(failing, self.fail_on_of)
        if limit in {None, "breaking"} or self.typed:
            return ""
        found = sorted({one.server for one in failing if self.fail_on_of(one.server) == limit})
        own = [name for name in found if any(one.fail_on for one in by_exactness(name, self.servers))]
        if len(own) < len(found) and not any(name in self.foreign for name in found):
            return f"fail-on is {limit} in {printable(self.settings)}"
        if len(own) == len(found):
            return f"fail-on is {limit} for {_named(own)} in {printable(self.settings)}"
        others = [name for name in found if name in self.foreign and name not in own]
        return f"{_named(others)} {'comes' if len(others) == 1 else 'come'} from a client configuration"

    def is_exact(self, server: str) -> bool:
        """Whether somebody asked that a server differ in nothing: `any`, where it is more than a foreign one's due."""
        return first_said((one.fail_on for one in by_exactness(server, self.servers)), self.fail_on) == "any"

    def policy_of(self, server: str) -> Policy:
        """How the changes of a server are judged."""
        return policy_of(server, self)

    def compare(self, old: Lock, new: Lock, *, base: Side | None = None, head: Side | None = None) -> Report:
        """The report on two locks, with what is accepted marked; `base` and `head` say what was compared."""
        from fusion_contracts.diff import diff_locks

        policy = self.policy_of if self.servers else None
        percent = self.token_growth_percent
        report = diff_locks(
            old, new, world=self.world, levels=self.levels, token_growth_percent=percent, policy=policy, base=base,
            head=head,
        )  # fmt: skip
        return self.settle(report)

    def settle(self, report: Report, known: Collection[Any] | None = None) -> Report:
        """The report with what waivers accept marked, and with the findings about the waivers themselves.

        `known` holds what the waivers at the base accept, where the report is on a whole lock since its base.
        """
        if not self.waivers:
            return report
        from fusion_contracts.diff.waivers import accept, complaints

        used = self.uses(report)
        rest = [finding for finding in report.findings if not finding.about_waivers]
        about = self.policy_of("").apply(complaints(used, self.settings, known))
        return replace(report, findings=(*accept(rest, used), *about))

    def uses(self, report: Report) -> tuple[Use, ...]:
        """What each waiver names in a report."""
        from fusion_contracts.diff.waivers import uses

        return uses(report.findings, self.waivers, self.on)

    def failing(self, report: Report) -> tuple[Finding, ...]:
        """The findings that end a command with 1."""
        from fusion_contracts.diff import failing

        return failing(report, self.fail_on_of)

    def code(self, report: Report, *, stale: bool = False) -> int:
        """The exit code that a report asks for."""
        from fusion_contracts.diff import exit_code

        return exit_code(report, self.fail_on_of, stale=stale)

    def said(self, report: Report) -> str:
        """The `fail_on` for the last line: the lowest of what fails; else the one that holds for all, or `own`."""
        from fusion_contracts.diff import lowest_limit

        limits = {self.fail_on_of(finding.server) for finding in report.findings} or {self.fail_on}
        alike = limits.pop() if len(limits) == 1 else "own"
        return lowest_limit(self.failing(report), self.fail_on_of) or alike
