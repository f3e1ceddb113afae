"""What a rule is, and how the one that judges a change is found.

A rule is one file in `rules/`, and nothing else has to know about it. Importing all of them would cost every diff ten
milliseconds, so the files are first read as text: the line `@rule(EnumChanged, ...)` says which changes a rule
judges, and only the files for the changes at hand are imported. A test holds that reading and importing agree.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from fusion_contracts.diff.findings import Level
from fusion_contracts.model import JsonValue
from fusion_contracts.record import record

__all__ = ["Example", "Judgement", "Rule", "RuleSide", "Verdict", "find", "rule", "rule_ids", "rules_for"]

RuleSide: TypeAlias = Literal["input", "output", "any"]
_PACKAGE = "fusion_contracts.diff.rules"


class Verdict(NamedTuple):
    """What a rule says when a plain sentence is not enough.

    `level` and `hint` replace the rule's own; `successor` names what took the place; `silent`: an old call may be
    answered as if nothing were wrong.
    """

    message: str
    level: Level | None = None
    hint: str | None = None
    successor: str | None = None
    silent: bool = False


Judgement: TypeAlias = str | Verdict | None


@record(kw_only=True)
class Example:
    """A pair on which exactly one rule fires, for the documentation and for the rule's own test.

    `of` says what `old` and `new` are: an input schema, an output schema, a tool's fields, a server's listing, or a
    day and the `waivers` of the settings on it.
    `witness` is an argument object (or output) that fails through the change, for rules that break. `also` names the
    rules that cannot but fire with this one.
    """

    old: JsonValue
    new: JsonValue
    witness: JsonValue = None
    of: Literal["input", "output", "tool", "server", "waiver"] = "input"
    also: tuple[str, ...] = ()


@record(kw_only=True)
class Rule:
    """A rule: which changes it judges, how, and how its level comes about.

    `level` is what the rule says by itself. Inside a schema the proof has the last word: a change that breaks is
    BREAKING (at most `at_most`), one that is proved compatible SAFE. `keeps` leaves a proved change at `level`: the
    rule is about behaviour, not validity. `fixed` says that in addition an undecided pair does not concern the rule.
    `exact`: the pointer leads to the keyword, not to its schema; for rules that judge several keywords of one schema.
    `only` restricts it to changes that break (or are undecided), or to proved ones.
    """

    id: str
    level: Level
    changes: tuple[type[Any], ...]
    side: RuleSide
    keeps: bool
    fixed: bool
    exact: bool
    only: Literal["breaks", "safe"] | None
    at_most: Level
    example: Example
    judge: Callable[[Any], Judgement]
    documentation: str

    @property
    def usual(self) -> Level:
        """The level of its example: that of what breaks, where the example has a witness."""
        return self.level if self.example.witness is None else self.at_most

    @property
    def about(self) -> str:
        """What it speaks of: `input`, `output`, `schema` (either of the two), `tool`, `server` or `waiver`."""
        if self.example.of in {"tool", "server", "waiver"}:  # that a tool came or went shows in a whole listing alone
            return "tool" if self.id.startswith("tool-") else self.example.of
        return "schema" if self.side == "any" else self.side

    @property
    def levels(self) -> str:
        """How its level comes about, in a few words: `BREAKING; SAFE where proved`."""
        if self.about in {"tool", "server", "waiver"} or self.fixed or self.only:
            return self.usual.name
        if self.keeps:
            return f"{self.level.name}; {self.at_most.name} with a witness"
        if self.usual is Level.SAFE:
            return f"SAFE; {self.at_most.name} with a witness"
        return f"{self.usual.name}; SAFE where proved"

    @property
    def sections(self) -> dict[str, str]:
        """What the documentation says below its title, by heading."""
        return _sections(self.documentation)

    @property
    def title(self) -> str:
        """The first line of the documentation."""
        return self.documentation.partition("\n")[0]

    @property
    def hint(self) -> str:
        """What to do, in one sentence: the first one under that heading; "" where Python dropped it (`python -OO`)."""
        return _hint(self.documentation)


Change = TypeVar("Change")


def rule(  # noqa: PLR0913 - what a rule declares about itself
    *changes: type[Change],
    level: Level,
    example: Example,
    side: RuleSide = "input",
    keeps: bool = False,
    fixed: bool = False,
    exact: bool = False,
    only: Literal["breaks", "safe"] | None = None,
    at_most: Level = Level.BREAKING,
) -> Callable[[Callable[[Any], Judgement]], Rule]:
    """Make a rule of the function that judges: it returns the sentence (of a schema its predicate), or None.

    `side` is `input` (which includes what belongs to a whole tool or server), `output` or `any`; the rest is
    explained at `Rule`.
    """

    def make(judge: Callable[[Any], Judgement]) -> Rule:
        module = sys.modules[judge.__module__]
        return Rule(
            id=judge.__module__.rpartition(".")[2].replace("_", "-"),
            level=level,
            changes=changes,
            side=side,
            keeps=keeps or fixed,
            fixed=fixed,
            exact=exact,
            only=only,
            at_most=at_most,
            example=example,
            judge=judge,
            documentation=(module.__doc__ or "").strip(),
        )

    return make


@cache
def rules_for(change: str, *, output: bool) -> tuple[Rule, ...]:
    """The rules that judge changes of the class named `change`, on outputs or elsewhere."""
    other = "input" if output else "output"
    return tuple(find(name) for name, side in _index().get(change, ()) if side != other)


def find(identifier: str) -> Rule:
    """The rule of this id. Raises KeyError when there is none."""
    if identifier not in rule_ids():
        raise KeyError(identifier)
    found: Rule = import_module(f"{_PACKAGE}.{identifier.replace('-', '_')}").judge
    return found


def _sections(documentation: str) -> dict[str, str]:
    parts = documentation.split("\n\n## ")[1:]
    return {heading: text.strip() for heading, _, text in (part.partition("\n") for part in parts)}


@cache
def _hint(documentation: str) -> str:
    text = _sections(documentation).get("What to do", "").partition("\n\n")[0]
    first, stop, _ = " ".join(text.split()).partition(". ")
    return f"{first}." if stop else first


@cache
def rule_ids() -> tuple[str, ...]:
    """The ids of all rules, sorted: a file name is an id."""
    names = (path.stem.replace("_", "-") for path in _folder().glob("*.py"))
    return tuple(sorted(name for name in names if name != "--init--"))


def _folder() -> Path:
    return Path(import_module(_PACKAGE).__path__[0])


_DECORATOR = re.compile(r"^@rule\(([^)]*)\)", re.MULTILINE)
_SIDE = re.compile(r'\bside="(\w+)"')
_CLASS = re.compile(r"\b[A-Z]\w+(?=\s*,)")


@cache
def _index() -> dict[str, list[tuple[str, str]]]:
    """Which rules judge which change: class name to (id, side), read from the decorators without importing them."""
    index: dict[str, list[tuple[str, str]]] = {}
    folder = _folder()
    for identifier in rule_ids():
        text = (folder / f"{identifier.replace('-', '_')}.py").read_text(encoding="utf-8")
        declared = _DECORATOR.search(text)
        if declared is None:
            continue
        classes = declared[1].partition("=")[0]
        side = _SIDE.search(declared[1])
        for name in _CLASS.findall(classes):
            index.setdefault(name, []).append((identifier, side[1] if side else "input"))
    return index
