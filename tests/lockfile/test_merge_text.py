"""Three locks merged by entry: what comes out is the three-way merge by key, intact, and what `encode` writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fusion_contracts.canonical import canonical_json
from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import decode, encode
from fusion_contracts.lockfile.merge_text import merge_texts
from fusion_contracts.lockfile.verify import verify
from fusion_contracts.model import Lock, ServerContract, SourceRecord, Tool

Flat: TypeAlias = dict[tuple[str, ...], Any]
Names: TypeAlias = Callable[[], str]

A, B, C = (Tool(name, {"type": "object"}, description=f"Does {name}.") for name in "abc")
BASE = ServerContract("s", "2025-11-25", {"name": "S", "version": "1"}, {"tools": {}}, "Old.", {"a": A, "b": B})


def lock(*servers: ServerContract) -> Lock:
    return Lock({one.name: one for one in servers})


def merged(base: str | Lock, ours: str | Lock, theirs: str | Lock) -> tuple[str, list[str]]:
    texts = [one if isinstance(one, str) else encode(one) for one in (base, ours, theirs)]
    done = merge_texts(*texts)
    return done.text, [str(one) for one in done.conflicts]


def with_tools(server: ServerContract, *tools: Tool) -> ServerContract:
    return replace(server, tools={tool.name: tool for tool in tools})


def sides(text: str) -> tuple[str, str]:
    """What is left when people take our side of each conflict, and their side."""
    out: tuple[list[str], list[str]] = ([], [])
    taking = (0, 1)
    for line in text.splitlines(keepends=True):
        if line.startswith("<<<<<<< "):
            taking = (0,)  # type: ignore[assignment]
        elif line == "=======\n":
            taking = (1,)  # type: ignore[assignment]
        elif line.startswith(">>>>>>> "):
            taking = (0, 1)
        else:
            for side in taking:
                out[side].append(line)
    return "".join(out[0]), "".join(out[1])


# --- the property ----------------------------------------------------------------------------------------------------


def flat(contract: ServerContract) -> Flat:
    """A contract as values by key, taken apart without the product's help."""
    values: Flat = {}
    for name, value in asdict(contract).items():
        if name in {"tools", "prompts", "resources", "resource_templates", "info", "capabilities"}:
            values |= {(name, key): canonical_json(inner) for key, inner in value.items()}
        elif name != "name" and value is not None:
            values[name, ""] = canonical_json(value)
    return values


def three_way(base: Mapping[Any, Any], ours: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> tuple[Flat, set[Any]]:
    """The textbook: by key, what one side changed wins, and what both changed differently conflicts."""
    found: Flat = {}
    clashing = set()
    for key in {*base, *ours, *theirs}:
        before, mine, yours = base.get(key), ours.get(key), theirs.get(key)
        if mine != yours and before not in (mine, yours):
            clashing.add(key)
        taken = yours if mine == before else mine
        if taken is not None:
            found[key] = taken
    return found, clashing


def expected(base: Lock, ours: Lock, theirs: Lock) -> tuple[dict[str, Flat], bool]:
    """Each server's values after the merge, and whether anything conflicts."""
    found: dict[str, Flat] = {}
    conflict = False
    for name in {*base.servers, *ours.servers, *theirs.servers}:
        flats = [flat(one.servers[name]) if name in one.servers else None for one in (base, ours, theirs)]
        before, mine, yours = flats
        if mine is None or yours is None:
            if mine != yours and before not in (mine, yours):
                conflict = True
            taken = yours if mine == before else mine
        else:
            taken, clashing = three_way(before or {}, mine, yours)
            conflict = conflict or bool(clashing)
        if taken is not None:
            found[name] = taken
    return found, conflict


@st.composite
def three_locks(draw: st.DrawFn, arbitrary: SimpleNamespace) -> tuple[Lock, Lock, Lock]:
    """A base and two locks that were made from it, by servers and entries that three donors lend."""
    donors = [draw(arbitrary.lock) for _ in range(3)]
    names = sorted({name for donor in donors for name in donor.servers})

    def server(name: str) -> ServerContract | None:
        holding = [donor.servers[name] for donor in donors if name in donor.servers]
        if not draw(st.integers(0, 4)):
            return None
        chosen = [draw(st.sampled_from(holding)) for _ in range(9)]
        fields = {
            field: getattr(one, field)
            for one, field in zip(
                chosen,
                ("protocol_version", "info", "capabilities", "instructions", "tools", "prompts", "resources",
                 "resource_templates", "source"),
                strict=True,
            )
        }  # fmt: skip
        return ServerContract(name, **fields)

    def one() -> Lock:
        found = {name: server(name) for name in names}
        return Lock({name: contract for name, contract in found.items() if contract})

    return one(), one(), one()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_merge_is_the_three_way_merge_by_key(arbitrary: SimpleNamespace, data: st.DataObject) -> None:
    base, ours, theirs = data.draw(three_locks(arbitrary))
    text, conflicts = merged(base, ours, theirs)
    values, conflict = expected(base, ours, theirs)
    assert bool(conflicts) == conflict
    for side in sides(text):
        assert verify(side, origin="merged") == []
    if not conflict:
        found = decode(text, origin="merged")
        assert {name: flat(server) for name, server in found.servers.items()} == values
        assert text == encode(found)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_the_two_sides_are_alike_and_a_merge_with_itself_changes_nothing(
    arbitrary: SimpleNamespace, data: st.DataObject
) -> None:
    base, ours, theirs = data.draw(three_locks(arbitrary))
    one, other = merged(base, ours, theirs)[0], merged(base, theirs, ours)[0]
    assert [side.split() for side in sides(one)] == [side.split() for side in reversed(sides(other))]
    assert merged(base, ours, ours) == (encode(ours), [])
    assert merged(base, base, ours) == merged(base, ours, base) == (encode(ours), [])
    assert merged("", ours, ours) == (encode(ours), [])


# --- entries ---------------------------------------------------------------------------------------------------------


def test_neighbours_that_come_and_go_are_no_conflict() -> None:
    ours, theirs = with_tools(BASE, A, B, C), with_tools(BASE, B)
    assert merged(lock(BASE), lock(ours), lock(theirs)) == (encode(lock(with_tools(BASE, B, C))), [])


def test_fields_of_the_server_merge_one_by_one() -> None:
    ours = replace(BASE, instructions="New.", info={"name": "S", "version": "2"}, capabilities={"tools": {}, "x": {}})
    theirs = replace(
        BASE, protocol_version="2026-07-28", info={"name": "S", "version": "1", "title": "T"},
        capabilities={"logging": {}, "tools": {}}, source=SourceRecord("stdio", ("serve",)),
    )  # fmt: skip
    both = replace(
        theirs, instructions="New.", info={"name": "S", "title": "T", "version": "2"},
        capabilities={"logging": {}, "tools": {}, "x": {}},
    )  # fmt: skip
    assert merged(lock(BASE), lock(ours), lock(theirs)) == (encode(lock(both)), [])


def test_only_the_tool_that_both_changed_stands_between_markers() -> None:
    ours = with_tools(BASE, replace(A, title="One"), B, C)
    theirs = with_tools(replace(BASE, instructions="New."), replace(A, title="Two"))
    text, conflicts = merged(lock(BASE), lock(ours), lock(theirs))
    assert conflicts == ["both sides changed tool a of s"]
    rest = replace(BASE, instructions="New.")
    assert sides(text) == (
        encode(lock(with_tools(rest, replace(A, title="One"), C))),
        encode(lock(with_tools(rest, replace(A, title="Two"), C))),
    )
    between = text.partition("<<<<<<< ours\n")[2].partition(">>>>>>> theirs\n")[0]
    assert [line for line in between.splitlines() if line.startswith("[")] == [
        "[servers.s.tools.a]", "[servers.s.tools.a.input]",
    ] * 2  # fmt: skip
    assert text.count("<<<<<<<") == 1


def test_a_change_against_a_removal_conflicts_and_loses_nothing() -> None:
    ours, theirs = with_tools(BASE, B), with_tools(BASE, replace(A, title="Two"), B)
    text, conflicts = merged(lock(BASE), lock(ours), lock(theirs))
    assert conflicts == ["our side removed tool a of s, their side changed it"]
    assert [verify(side, origin="x") for side in sides(text)] == [[], []]
    assert [sorted(decode(side, origin="x").servers["s"].tools) for side in sides(text)] == [["b"], ["a", "b"]]


def test_a_server_that_one_side_removed_and_the_other_changed_stands_whole() -> None:
    other = ServerContract("t", tools={"c": C})
    text, conflicts = merged(lock(BASE, other), lock(other), lock(replace(BASE, instructions="New."), other))
    assert conflicts == ["our side removed server s, their side changed it"]
    assert text.count("<<<<<<<") == 1
    assert sides(text)[1] == encode(lock(replace(BASE, instructions="New."), other))
    assert decode(sides(text)[0], origin="x") == lock(other)


def test_a_server_that_one_side_removed_is_gone_where_the_other_left_it() -> None:
    other = ServerContract("t", tools={"c": C})
    assert merged(lock(BASE, other), lock(other), lock(BASE, other)) == (encode(lock(other)), [])


def test_both_sides_add_one_server_each() -> None:
    one, two = ServerContract("r", tools={"c": C}), ServerContract("t", tools={"c": C})
    assert merged(lock(BASE), lock(BASE, one), lock(BASE, two)) == (encode(lock(one, BASE, two)), [])
    assert merged("", lock(one), lock(two)) == (encode(lock(one, two)), [])


def test_fields_that_both_changed_are_named() -> None:
    one, two = SourceRecord("stdio", ("a",)), SourceRecord("stdio", ("b",))
    ours = replace(BASE, instructions="One.", info={"name": "S", "version": "2"}, source=one)
    theirs = replace(BASE, instructions="Two.", info={"name": "S", "version": "3"}, source=two)
    text, conflicts = merged(lock(BASE), lock(ours), lock(theirs))
    assert conflicts == ["both sides changed server info version, instructions and source of s"]
    assert sides(text) == (encode(lock(ours)), encode(lock(theirs)))


def test_true_is_not_one() -> None:
    tools = [replace(A, extra={"x": value}) for value in (1, True, 1.0)]
    _, conflicts = merged(*(lock(with_tools(BASE, tool)) for tool in tools))
    assert conflicts == ["both sides changed tool a of s"]


# --- bytes -----------------------------------------------------------------------------------------------------------


def test_line_ends_are_those_of_our_side() -> None:
    ours, theirs = with_tools(BASE, A, B, C), replace(BASE, instructions="New.\nMore.")
    texts = [encode(lock(one)) for one in (BASE, ours, theirs)]
    result, _ = merged(texts[0], texts[1].replace("\n", "\r\n"), texts[2])
    assert result == encode(lock(replace(ours, instructions="New.\nMore."))).replace("\n", "\r\n")
    result, conflicts = merged("", texts[1].replace("\n", "\r\n"), texts[2])
    assert conflicts
    assert "\n" not in result.replace("\r\n", "")


def test_comments_of_both_sides_stay_with_their_entries() -> None:
    base = encode(lock(BASE))
    ours = base.replace("[servers.s.tools.a]", "# ours\n[servers.s.tools.a]").replace("# What", "# Read.\n# What")
    theirs = encode(lock(with_tools(BASE, replace(A, title="Two"), B, C)))
    theirs = theirs.replace("[servers.s.tools.c]", "# theirs\n[servers.s.tools.c]") + "\n# the end\n"
    text, conflicts = merged(base, ours, theirs)
    assert conflicts == []
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "# Read.", *(line for line in base.splitlines() if line.startswith("#")), "# ours", "# theirs", "# the end",
    ]  # fmt: skip
    assert decode(text, origin="x") == lock(with_tools(BASE, replace(A, title="Two"), B, C))


def test_a_lock_in_another_form_is_written_anew() -> None:
    ours = encode(lock(with_tools(BASE, A, B, C)))
    inline = ours.replace('[servers.s.info]\nname = "S"\nversion = "1"\n', "").replace(
        "[servers.s]\n", '[servers.s]\ninfo = {name = "S", version = "1"}\n'
    )
    moved = inline.replace("[servers.s.tools.a]", "[servers.s.tools.a] # first")
    text, conflicts = merged(encode(lock(BASE)), moved, encode(lock(with_tools(BASE, A))))
    assert conflicts == []
    assert decode(text, origin="x") == lock(with_tools(BASE, A, C))
    assert verify(text, origin="x") == []


def test_one_inline_table_for_all_is_written_anew() -> None:
    import tomli

    def inline(value: Any) -> str:
        if isinstance(value, dict):
            return "{" + ", ".join(f'"{name}" = {inline(inner)}' for name, inner in value.items()) + "}"
        return f'"{value}"'

    ours = encode(lock(with_tools(BASE, A, B, C)))
    text = f"# mine\nlock_version = 1\nservers = {inline(tomli.loads(ours)['servers'])}\n"
    assert merged(encode(lock(BASE)), text, encode(lock(with_tools(BASE, A)))) == (
        encode(lock(with_tools(BASE, A, C))), [],
    )  # fmt: skip


@pytest.mark.parametrize("side", [0, 1, 2])
def test_an_edit_by_hand_is_refused_on_every_side(side: int) -> None:
    texts = [encode(lock(one)) for one in (BASE, with_tools(BASE, A), with_tools(BASE, A, B, C))]
    texts[side] = texts[side].replace("Does a.", "Does all.")
    named = ("the common base", "our side", "their side")[side]
    with pytest.raises(FusionError) as caught:
        merge_texts(*texts)
    assert caught.value.problem.message == (
        f"{named}: s: tool a was edited by hand or merged badly: its prose digest does not match"
    )


def test_a_newer_lock_is_refused() -> None:
    text = encode(lock(BASE))
    with pytest.raises(FusionError, match=r"^their side has lock_version 2; this release reads 1; upgrade"):
        merge_texts(text, text, text.replace("lock_version = 1", "lock_version = 2"))
