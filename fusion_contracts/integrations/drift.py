"""What a client makes of drift: which tools of a server its model may see, and whether the server may be used at all.

Facts and judgement are those of `fusion diff`; here only the reaction is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

from fusion_contracts.canonical import first_few, printable, shell_word, shortened
from fusion_contracts.diff import Finding, Level, Report
from fusion_contracts.errors import FusionError
from fusion_contracts.model import ServerContract

__all__ = ["DriftError", "Reaction", "Reactions", "Verdict", "judge"]

Reaction: TypeAlias = Literal["ignore", "warn", "refuse", "refuse-all"]
"""Nothing; a line in the log; the tool is kept from the model; every tool of the server is."""

_BREAKING, _HIDDEN = "on_breaking", "on_hidden_text"
_NEW = frozenset({"tool-added", "tool-renamed"})
_MALFORMED = "it is malformed, and cannot be judged"
_MOST_TOLD = 5  # findings of one sentence


class DriftError(FusionError):
    """A server is refused as a whole; `verdict` says why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.refused_all, verdict.next_step, server=printable(verdict.live.name), stage="compare")
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class Reactions:
    """What becomes of tools with BREAKING changes, with text that people cannot see, and that are not in the lock.

    Raises ValueError for a word that is no reaction.
    """

    on_breaking: Reaction = "refuse"
    on_hidden_text: Reaction = "refuse-all"
    on_added: Reaction = "ignore"

    def __post_init__(self) -> None:
        for name in ("on_breaking", "on_hidden_text", "on_added"):
            if getattr(self, name) not in get_args(Reaction):
                known = ", ".join(get_args(Reaction))
                raise ValueError(f"{name} is one of {known}, not {getattr(self, name)!r:.40}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one listing of a server came to.

    `refused` maps the live tools that are kept from the model to the reason; `refused_all` is the reason where all are,
    else empty. `hidden` are those of both (the server's under "") that are refused for hidden text. `warnings` are
    lines for people. What a server chose is escaped in all of them.
    """

    live: ServerContract
    report: Report
    refused: Mapping[str, str] = field(default_factory=dict)
    refused_all: str = ""
    hidden: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def next_step(self) -> str:
        """What a person does about it."""
        name = shell_word(self.live.name)
        return f"review it: fusion diff -s {name}; accept it: fusion lock -s {name}, or fusion waive ID"

    def accepts(self, tool: str) -> bool:
        """Whether the model may see, and call, a tool of the live contract."""
        return not self.refused_all and tool in self.live.tools and tool not in self.refused

    def holding(self, hidden: Mapping[str, str]) -> Verdict:
        """The same with what was refused for hidden text before: who hid it once is not trusted for taking it out."""
        kept = {tool: text for tool, text in hidden.items() if tool in self.live.tools}
        return replace(
            self,
            refused={**kept, **self.refused},
            refused_all=self.refused_all or hidden.get("", ""),
            hidden={**hidden, **self.hidden},
        )


def judge(report: Report, live: ServerContract, reactions: Reactions, unreadable: Iterable[str] = ()) -> Verdict:
    """The verdict on a live contract, from what changed since it was locked.

    `unreadable` are tools that are malformed and so could not be judged: they count as BREAKING.
    """
    reasons: dict[tuple[str, str], list[str]] = {}
    for tool, option, said in (*_reasons(report, live), *((name, _BREAKING, _MALFORMED) for name in unreadable)):
        reasons.setdefault((tool, option), []).append(said)
    refused: dict[str, str] = {}
    hidden: dict[str, str] = {}
    everything: list[str] = []
    warnings: list[str] = []
    for (tool, option), sentences in reasons.items():
        reaction: Reaction = getattr(reactions, option)
        told = _told(tool, sentences)
        # A server that hides text in what it says of itself speaks to the model whichever tools it sees.
        whole = reaction == "refuse-all" or (reaction == "refuse" and not tool and option == _HIDDEN)
        if whole:
            everything.append(told)
        elif reaction == "refuse" and tool in live.tools:
            refused[tool] = told
        elif reaction != "ignore":
            warnings.append(told)
        if option == _HIDDEN and reaction in {"refuse", "refuse-all"}:
            hidden["" if whole else tool] = told
    return Verdict(live, report, refused, first_few(everything, _MOST_TOLD, "; "), hidden, tuple(warnings))


def _reasons(report: Report, live: ServerContract) -> Iterator[tuple[str, str, str]]:
    """The tool concerned ("" for the server), by its live name; the option that decides; what is said of it."""
    now = {one.tool: one.successor for one in report.findings if one.rule == "tool-renamed"}
    for finding in report.findings:
        if finding.waived:
            continue
        if finding.rule in _NEW:
            yield finding.successor or str(finding.tool), "on_added", "it is not in the lock"
        if finding.level is not Level.BREAKING:
            continue
        name = finding.tool or ""
        if finding.rule != "tool-renamed" and name not in live.tools:
            name = now.get(finding.tool) or name
        yield name, _HIDDEN if finding.rule == "invisible-text-added" else _BREAKING, _sentence(finding)


def _sentence(finding: Finding) -> str:
    return f"{printable(finding.message)} ({finding.rule})"


def _told(tool: str, said: Sequence[str]) -> str:
    told = first_few(said, _MOST_TOLD)
    return f"{shortened(tool)}: {told}" if tool else told
