"""What becomes of the engine's answer, with answers made by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from fusion_contracts import schema
from fusion_contracts.diff import Finding, diff
from fusion_contracts.model import ServerContract
from fusion_contracts.schema import Comparison, Explanation, changes
from fusion_contracts.schema.changes import Edit, Place, SchemaChange

OLD: dict[str, Any] = {"type": "object", "properties": {"url": {"type": "string"}, "wait": {"type": "integer"}}}
NEW: dict[str, Any] = {"type": "object", "properties": {"url": {"type": "integer"}}}
Judge = Callable[..., tuple[Finding, ...]]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch, build: Callable[..., ServerContract]) -> Judge:
    """The findings when the engine gives a certain answer."""

    def findings(
        verdict: Literal["compatible", "incompatible", "undecided"], *edits: Edit, output: bool = False, **answer: Any
    ) -> tuple[Finding, ...]:
        asked: list[dict[str, Any]] = []

        def explain(_old: Any, _new: Any, **options: Any) -> Explanation:
            asked.append(options)
            return Explanation(Comparison(verdict, **answer), edits)

        monkeypatch.setattr(schema, "explain", explain)
        key = "outputSchema" if output else "inputSchema"
        sides = [build({"tools": [{"name": "open", key: side}]}) for side in (OLD, NEW)]
        found = diff(*sides, world="open").findings
        assert asked == [{"output": output, "arguments": not output, "world": "open"}]
        return found

    return findings


def at(pointer: str, path: str, *uses: str) -> Place:
    return Place(pointer, pointer, path, uses)


MINIMUM = changes.BoundChanged(
    place=at("/properties/wait/minimum", "wait"), keyword="minimum", tighter=True, before=0, after=1
)
REMOVED = changes.PropertyRemoved(
    place=Place("/properties/wait", None, "wait"), name="wait", required=False, refused=True, before={"type": "integer"}
)
RENAMED = changes.PropertyRenamed(
    place=Place("/properties/wait", None, "wait"), name="wait", successor="delay", carries=True
)
REWORDED = changes.DescriptionChanged(place=at("/properties/url/description", "url"), before="A.", after="B.")
REWRITTEN = changes.Rewritten(place=at("/properties/url", "url"), before=1, after=2)
DIALECT = changes.DialectChanged(place=at("/$schema", ""), before="draft-07", after="2020-12")


def test_an_edit_that_breaks_brings_its_witness(judged: Judge) -> None:
    (found,) = judged("incompatible", Edit(MINIMUM, "breaks", has_witness=True, witness={"wait": 0}))
    assert found.to_dict() == {
        "rule": "minimum-raised",
        "level": "BREAKING",
        "server": "server",
        "tool": "open",
        "action": "open",
        "side": "input",
        "pointer": "/inputSchema/properties/wait",
        "message": "wait minimum raised (0 -> 1)",
        "hint": "Keep accepting the values that were accepted, and settle them inside the tool.",
        "before": 0,
        "after": 1,
        "witness": {"wait": 0},
        "group": found.group,
        "fingerprint": found.fingerprint,
    }


def test_a_witness_may_be_null(judged: Judge) -> None:
    (found,) = judged("incompatible", Edit(MINIMUM, "breaks", has_witness=True, witness=None))
    assert found.to_dict()["witness"] is None


def test_an_edit_that_is_proved_is_safe_whatever_its_rule(judged: Judge) -> None:
    (found,) = judged("compatible", Edit(MINIMUM, "safe"))
    assert (found.rule, found.level.name) == ("minimum-raised", "SAFE")
    assert "witness" not in found.to_dict()


def test_rules_about_behaviour_keep_their_level_though_the_pair_is_proved(judged: Judge) -> None:
    (removed,) = judged("compatible", Edit(REMOVED, "safe"))
    assert (removed.rule, removed.level.name, removed.silent) == ("property-removed", "RISKY", True)
    (renamed,) = judged("compatible", Edit(RENAMED, "safe"))
    assert (renamed.rule, renamed.level.name, renamed.silent) == ("property-renamed", "RISKY", True)


def test_a_rename_names_its_successor_and_is_not_silent_where_the_call_breaks(judged: Judge) -> None:
    (found,) = judged("incompatible", Edit(RENAMED, "breaks", has_witness=True, witness={"wait": 1}))
    assert (found.message, found.successor, found.silent) == (
        "wait is now delay; the value carries over",
        "delay",
        False,
    )


def test_a_removed_argument_may_be_dropped_in_silence_even_where_it_is_refused(judged: Judge) -> None:
    (found,) = judged("incompatible", Edit(REMOVED, "breaks", has_witness=True, witness={"wait": 1}))
    assert (found.level.name, found.silent) == ("BREAKING", True)


def test_outputs_have_no_action_and_their_own_rules(judged: Judge) -> None:
    loose = changes.BoundChanged(
        place=at("/properties/wait/minimum", "wait"), keyword="minimum", tighter=False, before=1, after=0
    )
    (found,) = judged("incompatible", Edit(loose, "breaks", has_witness=True, witness={"wait": 0}), output=True)
    assert (found.rule, found.side, found.action, found.tool) == ("output-widened", "output", None, "open")
    assert found.pointer == "/outputSchema/properties/wait/minimum"


def test_what_is_undecided_for_one_reason_is_one_finding(judged: Judge) -> None:
    edits = [Edit(change, "undecided", reason="the schemas are too deep") for change in (MINIMUM, REMOVED)]
    (found,) = judged("undecided", *edits, reason="the schemas are too deep")
    assert (found.rule, found.level.name, found.pointer) == ("undecided", "RISKY", "/inputSchema")
    assert found.message == (
        "wait minimum raised (0 -> 1); wait removed; could not be decided: the schemas are too deep"
    )
    assert (found.before, found.after) == ([0, {"type": "integer"}], [1, None])


def test_a_single_undecided_edit_keeps_its_place_and_values(judged: Judge) -> None:
    (found,) = judged("undecided", Edit(MINIMUM, "undecided", reason="too deep"), reason="too deep")
    assert (found.pointer, found.before, found.after) == ("/inputSchema/properties/wait", 0, 1)
    assert found.message == "wait minimum raised (0 -> 1); could not be decided: too deep"


def test_many_undecided_edits_are_named_up_to_three(judged: Judge) -> None:
    edits = [
        Edit(changes.BoundChanged(place=at("", name), keyword="minimum", tighter=True), "undecided", reason="x")
        for name in "abcde"
    ]
    (found,) = judged("undecided", *edits, reason="x")
    assert found.message == (
        "a minimum removed (was null); b minimum removed (was null); c minimum removed (was null); and 2 more; "
        "could not be decided: x"
    )


def test_prose_stands_by_itself_beside_what_is_undecided(judged: Judge) -> None:
    found = judged("undecided", Edit(MINIMUM, "undecided", reason="x"), Edit(REWORDED, "safe"), reason="x")
    assert [one.rule for one in found] == ["parameter-description-changed", "undecided"]


def test_an_undecided_pair_is_told_though_no_edit_is_undecided(judged: Judge) -> None:
    found = judged("undecided", Edit(REWORDED, "safe"), reason="cannot read $ref")
    assert [one.rule for one in found] == ["undecided", "parameter-description-changed"]
    assert found[0].message == "could not be decided: cannot read $ref"
    assert (found[0].before, found[0].after) == (OLD, NEW)


def test_an_incompatible_pair_is_told_though_no_edit_breaks(judged: Judge) -> None:
    (broken, prose) = judged("incompatible", Edit(REWORDED, "safe"), has_witness=True, witness={"url": "a"})
    assert prose.rule == "parameter-description-changed"
    assert (broken.rule, broken.level.name, broken.witness) == ("schema-narrowed", "BREAKING", {"url": "a"})
    assert broken.message == "input no longer compatible; no single change explains it"


def test_a_compatible_pair_without_edits_is_a_rewrite(judged: Judge) -> None:
    (found,) = judged("compatible")
    assert (found.rule, found.level.name, found.pointer) == ("equivalent-rewrite", "SAFE", "/inputSchema")


def test_all_rewriting_of_a_schema_is_one_finding(judged: Judge) -> None:
    (found,) = judged("compatible", Edit(REWRITTEN, "safe"), Edit(DIALECT, "safe"), Edit(REWRITTEN, "safe"))
    assert (found.rule, found.pointer) == ("equivalent-rewrite", "/inputSchema")


def test_another_dialect_breaks_where_the_same_text_means_less(judged: Judge) -> None:
    found = judged("incompatible", Edit(DIALECT, "breaks", has_witness=True, witness={}))
    assert [(one.rule, one.level.name) for one in found] == [("dialect-changed", "BREAKING")]


def test_another_dialect_is_a_rewrite_where_the_text_means_the_same_though_the_pair_breaks(judged: Judge) -> None:
    found = judged("incompatible", Edit(MINIMUM, "breaks", has_witness=True), Edit(DIALECT, "safe"))
    assert [(one.rule, one.level.name) for one in found] == [
        ("minimum-raised", "BREAKING"),
        ("equivalent-rewrite", "SAFE"),
    ]


def test_the_message_names_every_argument_that_shares_the_change(judged: Judge) -> None:
    shared = changes.PatternChanged(place=at("/$defs/A/pattern", "from", "from", "to", "via", "back"), after="^a")
    (found,) = judged("incompatible", Edit(shared, "breaks", has_witness=True))
    assert found.message == 'from, to, via and 1 more pattern added ("^a")'


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        (REMOVED, "/properties/wait"),
        (MINIMUM, "/properties/wait"),
        (changes.RequiredChanged(place=at("/required", "wait"), name="wait", required=True), "/properties/wait"),
        (
            changes.RequiredChanged(place=Place(None, "/required", "a/b"), name="a/b", required=True),
            "/properties/a~1b",
        ),
        (
            changes.PropertyAdded(place=Place(None, "/properties/new", "new"), name="new", required=True),
            "/properties/new",
        ),
        (changes.SchemaReplaced(place=at("/properties/wait/anyOf", "wait"), after=[]), "/properties/wait"),
        (changes.SchemaReplaced(place=at("/properties/anyOf", "anyOf"), after={}), "/properties/anyOf"),
        (changes.BranchRemoved(place=Place("/oneOf/1", None, ""), keyword="oneOf"), "/oneOf/1"),
    ],
)
def test_the_pointer_leads_to_the_schema_or_property_that_changed(
    judged: Judge, change: SchemaChange, pointer: str
) -> None:
    (found,) = judged("incompatible", Edit(change, "breaks", has_witness=True))
    assert found.pointer == f"/inputSchema{pointer}"


def test_two_edits_that_share_a_fingerprint_are_both_told(judged: Judge) -> None:
    edits = [
        Edit(changes.BoundChanged(place=at("/minimum", path), keyword="minimum", tighter=True, after=0), "breaks")
        for path in ("a", "b")
    ]
    assert [one.message for one in judged("incompatible", *edits)] == ["a minimum added (0)", "b minimum added (0)"]


def test_the_same_edit_twice_is_told_once(judged: Judge) -> None:
    assert len(judged("incompatible", Edit(MINIMUM, "breaks"), Edit(MINIMUM, "breaks"))) == 1


def test_two_keywords_that_change_alike_have_fingerprints_of_their_own(build: Callable[..., ServerContract]) -> None:
    def contract(**bounds: int) -> ServerContract:
        properties = {"n": {"type": "integer", **bounds}}
        return build({"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": properties}}]})

    found = diff(contract(), contract(maximum=10, exclusiveMaximum=10)).findings
    assert {one.pointer: one.message for one in found} == {
        "/inputSchema/properties/n": "n maximum added (10)",
        "/inputSchema/properties/n/exclusiveMaximum": "n exclusiveMaximum added (10)",
    }
    assert len({one.fingerprint for one in found}) == 2
    (alone,) = diff(contract(), contract(maximum=10)).findings
    assert alone.fingerprint in {one.fingerprint for one in found}
