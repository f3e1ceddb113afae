"""From facts to findings: the rule that judges each, and the level that follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fusion_contracts.diff.changes import ContractChange, Fact, Undecided
from fusion_contracts.diff.findings import Finding, Level
from fusion_contracts.diff.rule import Rule, Verdict, rules_for
from fusion_contracts.diff.wording import names

__all__ = ["classify", "judge"]

_MOST = 3  # undecided changes that one sentence tells


def classify(facts: Iterable[Fact], server: str) -> list[Finding]:
    """The findings about one server's facts, each once. What could not be decided is one finding for each reason."""
    findings: dict[tuple[str, str], Finding] = {}
    told: dict[str, str] = {}
    open_facts: dict[tuple[str | None, str | None, str, str], list[Fact]] = {}
    for fact in facts:
        rule, verdict = judge(fact)
        if fact.edit is not None and fact.edit.effect == "undecided" and not rule.fixed:
            open_facts.setdefault((fact.tool, fact.action, fact.side, fact.edit.reason), []).append(fact)
            continue
        finding = _finding(fact, rule, verdict, server)
        # `maximum: 5` and `exclusiveMaximum: 5`, both new in one schema, are two findings: one may be waived alone
        if told.setdefault(finding.fingerprint, finding.message) != finding.message and fact.exact is not None:
            finding = replace(finding, pointer=fact.exact)
        findings[finding.fingerprint, finding.message] = finding
    for undecided in map(_undecided, open_facts.values()):
        finding = _finding(undecided, *judge(undecided), server)
        findings[finding.fingerprint, finding.message] = finding
    return list(findings.values())


def judge(fact: Fact) -> tuple[Rule, Verdict]:
    """The one rule that fires on a fact, and what it says. Every fact has one: a test proves it for each class."""
    breaks = fact.edit is not None and fact.edit.effect != "safe"
    for rule in rules_for(type(fact.change).__name__, output=fact.side == "output"):
        if rule.only is not None and breaks != (rule.only == "breaks"):
            continue
        said = rule.judge(fact.change)
        if said is not None:
            return rule, said if isinstance(said, Verdict) else Verdict(said)
    raise LookupError(f"no rule judges {type(fact.change).__name__} on the side {fact.side}")


def _finding(fact: Fact, rule: Rule, verdict: Verdict, server: str) -> Finding:
    change, edit = fact.change, fact.edit
    breaks = edit is not None and edit.effect == "breaks"
    return Finding(
        rule=rule.id,
        level=_level(fact, rule, verdict),
        server=server,
        tool=fact.tool,
        action=fact.action,
        side=fact.side,
        pointer=fact.exact if rule.exact and fact.exact is not None else fact.pointer,
        message=_sentence(fact, verdict.message),
        hint=verdict.hint or rule.hint,
        before=change.before,
        after=change.after,
        has_witness=edit is not None and edit.has_witness,
        witness=edit.witness if edit is not None and edit.has_witness else None,
        successor=verdict.successor,
        # a call that breaks for want of the successor is refused, whatever the server does with unknown names
        silent=verdict.silent and not (breaks and verdict.successor is not None),
    )


def _level(fact: Fact, rule: Rule, verdict: Verdict) -> Level:
    if fact.edit is not None and fact.edit.effect == "breaks":
        return rule.at_most
    if fact.edit is not None and not rule.keeps:
        return Level.SAFE
    return rule.level if verdict.level is None else verdict.level


def _sentence(fact: Fact, message: str) -> str:
    """A rule on a schema says a predicate; the subject is the argument, the field of the output, or all of either."""
    if isinstance(fact.change, ContractChange):
        return message
    paths = fact.change.place.uses or (fact.change.place.path,)
    subject = names(path or fact.side for path in paths)
    return f"output {subject} {message}" if fact.side == "output" and all(paths) else f"{subject} {message}"


def _undecided(facts: list[Fact]) -> Fact:
    """One fact for all changes of a schema that are undecided for one reason."""
    first = facts[0]
    edit = first.edit
    said = list(dict.fromkeys(_sentence(fact, judge(fact)[1].message) for fact in facts))
    more = f"; and {len(said) - _MOST} more" if len(said) > _MOST else ""
    pointer = first.pointer if len(facts) == 1 else f"/{first.side}Schema"
    changed = [[fact.change.before, fact.change.after] for fact in facts]
    before, after = changed[0] if len(facts) == 1 else ([pair[0] for pair in changed], [pair[1] for pair in changed])
    change = Undecided(
        pointer=pointer,
        name="; ".join(said[:_MOST]) + more,
        before=before,
        after=after,
        reason=edit.reason if edit else "",
    )
    return Fact(change, first.side, pointer, first.tool, action=first.action)
