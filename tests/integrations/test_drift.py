"""Which tools a model may see, by what changed and by what the program says it wants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from fusion_contracts import diff
from fusion_contracts.integrations.drift import DriftError, Reactions, Verdict, judge
from fusion_contracts.integrations.live import contract_of_tools
from fusion_contracts.model import ServerContract

HIDDEN = "\U000e0049\U000e0047"  # tags: letters that nobody sees


def tool(name: str, argument: str = "id", description: str = "Do it.") -> dict[str, Any]:
    schema = {"type": "object", "properties": {argument: {"type": "integer"}}, "required": [argument]}
    return {"name": name, "description": description, "inputSchema": schema}


def contract(*tools: dict[str, Any], **fields: Any) -> ServerContract:
    return replace(contract_of_tools(tools, "shop"), **fields)


OLD = contract(tool("buy"), tool("sell"), instructions="Ask first.")


def verdict(live: ServerContract, **reactions: Any) -> Verdict:
    return judge(diff(OLD, live), live, Reactions(**reactions))


def seen(found: Verdict) -> set[str]:
    return {name for name in ("buy", "sell", "swap") if found.accepts(name)}


def test_a_server_that_is_as_it_was_locked_is_seen_whole() -> None:
    found = verdict(OLD)
    assert (seen(found), found.refused, found.refused_all, found.warnings) == ({"buy", "sell"}, {}, "", ())


BROKEN = contract(tool("buy", "number"), tool("sell"), instructions="Ask first.")
SAID = "buy: number is new and required (required-property-added)"


@pytest.mark.parametrize(
    ("reaction", "visible", "refused", "refused_all", "warnings"),
    [
        ("ignore", {"buy", "sell"}, {}, "", ()),
        ("warn", {"buy", "sell"}, {}, "", (SAID,)),
        ("refuse", {"sell"}, {"buy": SAID}, "", ()),
        ("refuse-all", set(), {}, SAID, ()),
    ],
)
def test_what_becomes_of_a_breaking_change(
    reaction: str, visible: set[str], refused: dict[str, str], refused_all: str, warnings: tuple[str, ...]
) -> None:
    found = verdict(BROKEN, on_breaking=reaction)
    assert (seen(found), found.refused, found.refused_all, found.warnings) == (visible, refused, refused_all, warnings)


def test_by_default_a_broken_tool_is_kept_back_alone() -> None:
    assert verdict(BROKEN).refused == {"buy": SAID}


RUG_PULL = contract(tool("buy", description=f"Do it.{HIDDEN}"), tool("sell"), instructions="Ask first.")
HIDES = 'buy: description: hidden characters added ("Do it.\\u{e0049}\\u{e0047}") (invisible-text-added)'


@pytest.mark.parametrize(
    ("reaction", "visible", "hidden", "warnings"),
    [
        ("ignore", {"buy", "sell"}, {}, ()),
        ("warn", {"buy", "sell"}, {}, (HIDES,)),
        ("refuse", {"sell"}, {"buy": HIDES}, ()),
        ("refuse-all", set(), {"": HIDES}, ()),
    ],
)
def test_what_becomes_of_hidden_text(
    reaction: str, visible: set[str], hidden: dict[str, str], warnings: tuple[str, ...]
) -> None:
    found = verdict(RUG_PULL, on_hidden_text=reaction)
    assert (seen(found), found.hidden, found.warnings) == (visible, hidden, warnings)


def test_by_default_a_server_that_hides_text_is_refused_whole() -> None:
    assert verdict(RUG_PULL).refused_all == HIDES


def test_hidden_text_in_instructions_concerns_every_tool() -> None:
    live = replace(OLD, instructions=f"Ask first.{HIDDEN}")
    found = verdict(live, on_hidden_text="refuse")
    assert seen(found) == set()
    assert found.refused_all.startswith("instructions: hidden characters added")
    assert found.hidden == {"": found.refused_all}


def test_hidden_text_in_a_tool_that_is_new() -> None:
    live = contract(tool("buy"), tool("sell"), tool("swap", description=HIDDEN), instructions="Ask first.")
    assert seen(verdict(live, on_hidden_text="refuse")) == {"buy", "sell"}


@pytest.mark.parametrize(
    ("reaction", "visible"),
    [("ignore", {"buy", "sell", "swap"}), ("warn", {"buy", "sell", "swap"}), ("refuse", {"buy", "sell"})],
)
def test_what_becomes_of_a_tool_that_is_not_in_the_lock(reaction: str, visible: set[str]) -> None:
    live = contract(tool("buy"), tool("sell"), tool("swap", "what", "Swap."), instructions="Ask first.")
    found = verdict(live, on_added=reaction)
    assert seen(found) == visible
    assert found.warnings == (("swap: it is not in the lock",) if reaction == "warn" else ())


def test_a_tool_that_is_gone_is_told_and_takes_no_other_with_it() -> None:
    found = verdict(contract(tool("sell"), instructions="Ask first."))
    assert seen(found) == {"sell"}
    assert found.warnings == ("buy: removed (tool-removed)",)


def test_a_renamed_tool_is_one_that_is_not_in_the_lock() -> None:
    live = contract(tool("buyNow"), tool("sell"), instructions="Ask first.")
    old = contract(tool("buy_now"), tool("sell"), instructions="Ask first.")
    found = judge(diff(old, live), live, Reactions(on_added="refuse"))
    assert found.refused == {"buyNow": "buyNow: it is not in the lock"}
    assert found.warnings == ("buy_now: renamed to buyNow (tool-renamed)",)


def test_what_is_wrong_with_a_renamed_tool_is_said_of_its_new_name() -> None:
    old = contract(tool("buy_now", description="Buy it."), tool("sell"))
    live = contract(tool("buyNow", description=f"Buy it.{HIDDEN}"), tool("sell"))
    found = judge(diff(old, live), live, Reactions(on_hidden_text="refuse"))
    assert set(found.refused) == {"buyNow"}


def test_a_malformed_tool_counts_as_broken() -> None:
    found = judge(diff(OLD, OLD), OLD, Reactions(), ["buy"])
    assert found.refused == {"buy": "buy: it is malformed, and cannot be judged"}


def test_what_is_accepted_does_not_count() -> None:
    report = diff(OLD, BROKEN)
    waived = replace(report, findings=tuple(replace(one, waived=True) for one in report.findings))
    assert seen(judge(waived, BROKEN, Reactions())) == {"buy", "sell"}


def test_a_long_list_is_cut() -> None:
    names = [f"tool{number}" for number in range(7)]
    old, live = contract(*map(tool, names)), contract(*(tool(name, "other") for name in names))
    found = judge(diff(old, live), live, Reactions(on_breaking="refuse-all"))
    assert found.refused_all.count("tool") == 5
    assert found.refused_all.endswith(" and 2 more")


def test_who_hid_text_once_stays_refused() -> None:
    before = verdict(RUG_PULL)
    assert seen(verdict(OLD).holding(before.hidden)) == set()
    one = verdict(RUG_PULL, on_hidden_text="refuse")
    assert seen(verdict(OLD).holding(one.hidden)) == {"sell"}


def test_the_error_says_what_and_what_next() -> None:
    assert str(DriftError(verdict(BROKEN, on_breaking="refuse-all"))) == (
        f"shop: {SAID}; review it: fusion diff -s shop; accept it: fusion lock -s shop, or fusion waive ID"
    )


def test_a_word_that_is_no_reaction() -> None:
    with pytest.raises(ValueError, match=r"^on_added is one of ignore, warn, refuse, refuse-all, not 'deny'$"):
        Reactions(on_added="deny")  # type: ignore[arg-type]
