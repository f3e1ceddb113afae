"""Every rule proves itself, and every change has exactly one."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, Literal

import jsonschema
import pytest
import referencing

from fusion_contracts.diff import Report, rule
from fusion_contracts.diff import changes as contract_changes
from fusion_contracts.diff.changes import ContractChange, Fact
from fusion_contracts.diff.classify import judge
from fusion_contracts.diff.findings import FindingSide, Level
from fusion_contracts.diff.rule import Rule, find, rule_ids
from fusion_contracts.diff.schemas import FieldContradicted
from fusion_contracts.schema import changes as schema_changes
from fusion_contracts.schema.changes import Edit, Place, SchemaChange

RULES = [find(identifier) for identifier in rule_ids()]
LAST_RESORTS = {
    "schema-narrowed": "fires only when the engine blames no edit; see test_schemas",
    "undecided": "the engine decides every plain pair; see test_schemas",
    "version-bump-missing": "fires where --expect-bump asks; see test_bump",
}


def test_every_last_resort_is_a_rule() -> None:
    assert LAST_RESORTS.keys() <= set(rule_ids())


def named(found: Rule) -> str:
    return found.id


@pytest.mark.parametrize("found", [one for one in RULES if one.id not in LAST_RESORTS], ids=named)
def test_its_example_fires_it_and_no_other(found: Rule, compared: Callable[..., Report]) -> None:
    report = compared(found.example)
    assert sorted(finding.rule for finding in report.findings) == sorted([found.id, *found.example.also])
    (finding,) = [finding for finding in report.findings if finding.rule == found.id]
    assert finding.level is (Level.BREAKING if found.example.witness is not None else found.level)
    assert finding.hint == found.hint


@pytest.mark.parametrize("found", RULES, ids=named)
def test_old_against_old_fires_nothing(found: Rule, compared: Callable[..., Report]) -> None:
    assert compared(found.example, same=True).findings == ()


@pytest.mark.parametrize("found", [one for one in RULES if one.example.witness is not None], ids=named)
def test_the_witness_of_its_example_holds(found: Rule, compared: Callable[..., Report]) -> None:
    example = found.example
    takes, refuses = (example.old, example.new) if example.of == "input" else (example.new, example.old)
    (finding,) = [finding for finding in compared(example).findings if finding.rule == found.id]
    for witness in (example.witness, finding.witness):
        assert accepts(takes, witness)
        assert not accepts(refuses, witness)


def accepts(schema: Any, value: Any) -> bool:
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    return bool(kind(schema, registry=referencing.Registry()).is_valid(value))


@pytest.mark.parametrize("found", RULES, ids=named)
def test_it_documents_itself(found: Rule) -> None:
    title, *sections = re.split(r"\n\n## ", found.documentation)
    assert title.endswith(".")
    assert "\n" not in title
    assert [section.partition("\n")[0] for section in sections][:2] == ["Why it matters", "What to do"]
    assert found.hint.endswith(".")
    assert found.judge.__doc__


def test_reading_the_rules_as_text_and_importing_them_agree() -> None:
    imported: dict[str, set[tuple[str, str]]] = {}
    for found in RULES:
        for change in found.changes:
            imported.setdefault(change.__name__, set()).add((found.id, found.side))
    assert {name: set(entries) for name, entries in rule._index().items()} == imported


def test_a_rule_is_named_after_its_file() -> None:
    for identifier in rule_ids():
        module = importlib.import_module(f"fusion_contracts.diff.rules.{identifier.replace('-', '_')}")
        assert isinstance(module.judge, Rule)
        assert module.judge.id == identifier


def test_an_unknown_id_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        find("no-such-rule")


# Every kind of change, in every shape that tells rules apart, on every side, with every effect.

ANY_AND_NONE: list[Any] = [{}, False]
REPLACEMENTS: list[Any] = [True, False, {"not": {}}, None, {}]
OFFERS: list[Any] = [{}, True, False]

PLACE = Place("/properties/a", "/properties/a", "a")
SAMPLES: dict[type[SchemaChange], list[dict[str, Any]]] = {
    schema_changes.PropertyAdded: [
        {"name": "a", "required": required, "after": after} for required in (True, False) for after in ANY_AND_NONE
    ],
    schema_changes.PropertyRemoved: [
        {"name": "a", "required": True, "refused": refused, "before": {}} for refused in (True, False)
    ],
    schema_changes.PropertyRenamed: [{"name": "a", "successor": "b", "carries": carries} for carries in (True, False)],
    schema_changes.RequiredChanged: [{"name": "a", "required": required} for required in (True, False)],
    schema_changes.TypesChanged: [
        {"removed": removed, "added": added, "after": "integer"}
        for removed in ((), ("null",), ("number",), ("null", "string"))
        for added in ((), ("null",), ("string",), ("null", "string"))
    ],
    schema_changes.EnumChanged: [
        {"before": ["a", "b"], "after": ["a", "b", "c"], "removed": (), "added": ("c",)},
        {"before": ["a", "b"], "after": ["a"], "removed": ("b",), "added": ()},
        {"before": ["a", "b"], "after": ["a", "c"], "removed": ("b",), "added": ("c",)},
        {"before": ["a"], "after": ["b"], "removed": ("a",), "added": ("b",)},
        {"before": ["a", "b"], "after": ["b", "a"], "removed": (), "added": ()},
        {"before": None, "after": ["a"], "removed": (), "added": ()},
        {"before": ["a"], "after": None, "removed": (), "added": ()},
    ],
    schema_changes.BoundChanged: [
        {"keyword": keyword, "tighter": tighter, "before": 1, "after": 2}
        for keyword in (
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "minContains",
            "maxContains",
            "minProperties",
            "maxProperties",
        )
        for tighter in (True, False, None)
    ],
    schema_changes.FormatChanged: [
        {"before": before, "after": after} for before, after in ((None, "uri"), ("uri", None), ("uri", "date"))
    ],
    schema_changes.UniqueItemsChanged: [{"before": not after, "after": after} for after in (True, False)],
    schema_changes.AdditionalPropertiesChanged: [
        {"explicit_before": True, "before": before, "after": after}
        for before in (True, False, {"type": "string"})
        for after in (True, False, {"type": "number"})
        if before is not after
    ],
    schema_changes.UnevaluatedChanged: [
        {"keyword": keyword, "before": before, "after": after}
        for keyword in ("unevaluatedProperties", "unevaluatedItems")
        for before in (True, None, False, {"type": "string"})
        for after in (True, None, False, {"type": "number"})
        if before is not after
    ],
    schema_changes.PatternPropertyChanged: [
        {"pattern": "^x", "before": {}, "after": None},
        {"pattern": "^x", "before": None, "after": {"type": "string"}},
    ],
    schema_changes.DependentRequiredChanged: [
        {"name": "a", "added": ("b",), "removed": ()},
        {"name": "a", "added": (), "removed": ("b",)},
        {"name": "a", "added": ("b",), "removed": ("c",)},
    ],
    schema_changes.DependentSchemaChanged: [
        {"name": "a", "before": None, "after": {"required": ["b"]}},
        {"name": "a", "before": {"required": ["b"]}, "after": None},
    ],
    schema_changes.PrefixItemChanged: [
        {"index": 0, "before": None, "after": {"type": "string"}},
        {"index": 0, "before": {"type": "string"}, "after": None},
    ],
    schema_changes.BranchAdded: [
        {"keyword": keyword, "discriminator": tag} for keyword in ("anyOf", "oneOf") for tag in (None, ("kind", "a"))
    ],
    schema_changes.BranchRemoved: [
        {"keyword": keyword, "discriminator": tag} for keyword in ("anyOf", "oneOf") for tag in (None, ("kind", "a"))
    ],
    schema_changes.SchemaReplaced: [{"before": {}, "after": after} for after in REPLACEMENTS],
    schema_changes.DefaultChanged: [
        {"had": had, "has": has, "optional": optional, "needed": needed, "before": None, "after": None}
        for had in (True, False)
        for has in (True, False)
        for optional, needed in ((True, False), (False, True), (False, False))
    ],
    schema_changes.DescriptionChanged: [{"before": "a b", "after": after} for after in ("a  b", "c", None)],
    schema_changes.DeprecatedChanged: [{"before": not after, "after": after} for after in (True, False, None)],
    schema_changes.AnnotationChanged: [{"keyword": "$comment", "before": "a", "after": "b"}],
    schema_changes.KeywordChanged: [{"keyword": "x-order", "before": 1, "after": 2}],
}
BEFORE_AND_AFTER: list[dict[str, Any]] = [
    {"before": None, "after": {"type": "string"}},
    {"before": {"type": "string"}, "after": None},
    {"before": {"type": "string"}, "after": {"type": "number"}},
    {"before": {"type": "string"}, "after": True},
    {"before": {"type": "string"}, "after": {}},
    {"before": True, "after": False},
]


def schema_kinds() -> list[type[SchemaChange]]:
    kinds = (getattr(schema_changes, name) for name in schema_changes.__all__)
    return [
        kind for kind in kinds if isinstance(kind, type) and issubclass(kind, SchemaChange) and kind is not SchemaChange
    ]


def schema_samples() -> Iterator[SchemaChange]:
    for kind in schema_kinds():
        samples = SAMPLES.get(kind)
        own = {item.name for item in fields(kind)} - {"place", "before", "after"}
        assert samples or not own, f"{kind.__name__} has fields of its own: add samples that set them"
        for sample in samples or BEFORE_AND_AFTER:
            for place in (PLACE, Place("", "", "")):
                yield kind(place=place, **sample)
    yield FieldContradicted(place=PLACE, after={}, name="a", required=False)


def rules_that_fire(change: Any, side: FindingSide, effect: Literal["breaks", "safe", "undecided"] | None) -> list[str]:
    fired = []
    for found in RULES:
        if type(change) not in found.changes or found.side == ("input" if side == "output" else "output"):
            continue
        if found.only is not None and (effect in {"breaks", "undecided"}) != (found.only == "breaks"):
            continue
        if found.judge(change) is not None:
            fired.append(found.id)
    return fired


@pytest.mark.parametrize("effect", ["breaks", "safe", "undecided"])
@pytest.mark.parametrize("side", ["input", "output"])
def test_one_rule_and_no_more_fires_on_every_edit(
    side: FindingSide, effect: Literal["breaks", "safe", "undecided"]
) -> None:
    for change in schema_samples():
        if isinstance(change, FieldContradicted) and side == "input":
            continue
        fired = rules_that_fire(change, side, effect)
        assert len(fired) == 1, f"{fired} on {change}"
        rule_found, verdict = judge(Fact(change, side, "", "act", Edit(change, effect)))
        assert rule_found.id == fired[0]
        assert verdict.message


CONTRACT_SAMPLES: dict[str, list[dict[str, Any]]] = {
    "HintChanged": [
        {"name": hint, "old": old, "new": new, "matters": matters}
        for hint in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        for old in (True, False)
        for new in (True, False)
        for matters in ((True,) if hint in {"readOnlyHint", "openWorldHint"} else (True, False))
    ],
    "CatalogGrew": [{"before": 1000, "after": 2000}, {"before": 0, "after": 500}],
    "InvisibleTextAdded": [{"after": "a\u200b", "hidden": ("\u200b",)}],
    "UnclassifiedChange": [{"had": had, "has": has, "before": 1, "after": 2} for had, has in ((1, 1), (0, 1), (1, 0))],
    "Undecided": [{"reason": "too deep"}],
    "ProseChanged": [{"before": "a b", "after": after} for after in ("a  b", "c", None)],
    "InstructionsChanged": [{"before": "a b", "after": after} for after in ("a  b", "c", None)],
    "PromptArgumentAdded": [{"after": {"name": "a", "required": required}} for required in (True, False)],
    "PromptArgumentRequiredChanged": [{"before": not after, "after": after} for after in (True, False)],
    "CapabilityRemoved": [{"name": "tools", "before": before} for before in OFFERS],
    "ToolRemoved": [{"name": ""}, {"name": "closest"}],
    "VersionBumpMissing": [
        {"before": "1.4.0", "after": after, "since": "v1.4.0", "least": "2.0.0", "bump": bump}
        for after, bump in (("1.4.0", "a major bump"), ("1.5.0", "a major bump"), ("1.3.0", ""))
    ],
    "ResourceChanged": [{"name": "file:///a size"}, {"name": "file:///a mimeType"}],
}
TEXTS = {"name": "thing", "before": "a", "after": "b"}


def contract_kinds() -> list[type[ContractChange]]:
    kinds = (getattr(contract_changes, name) for name in contract_changes.__all__)
    return [
        kind
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, ContractChange) and kind is not ContractChange
    ]


@pytest.mark.parametrize("kind", contract_kinds())
def test_one_rule_and_no_more_fires_on_every_fact_beside_schemas(kind: type[ContractChange]) -> None:
    side: FindingSide = "output" if kind.__name__.startswith("OutputSchema") else "tool"
    effect: Literal["breaks"] | None = "breaks" if kind.__name__ == "SchemaNarrowed" else None
    for sample in CONTRACT_SAMPLES.get(kind.__name__, [TEXTS]):
        fired = rules_that_fire(kind(**sample), side, effect)
        assert len(fired) == 1, f"{fired} on {sample}"


def test_no_two_kinds_of_change_share_a_name() -> None:
    names = [kind.__name__ for kind in (*contract_kinds(), *schema_kinds(), FieldContradicted)]
    assert len(names) == len(set(names))
