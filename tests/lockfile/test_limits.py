"""What a lock cannot hold is named with its pointer, and the rest is locked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import decode, encode
from fusion_contracts.lockfile.limits import lockable, unlockable, unlockable_parts
from fusion_contracts.model import (
    Lock,
    Prompt,
    PromptArgument,
    Resource,
    ResourceTemplate,
    ServerContract,
    SourceRecord,
    Tool,
)

LONE = "a\ud800b"


def nested(levels: int, *, array: bool = False) -> Any:
    """Objects and arrays in turn."""
    if levels == 1:
        return [] if array else {}
    inner = nested(levels - 1, array=not array)
    return [inner] if array else {"x/y": inner}


def server(*tools: Tool, **parts: Any) -> ServerContract:
    return ServerContract("s", tools={tool.name: tool for tool in tools}, **parts)


def test_nothing_is_wrong_with_an_ordinary_server() -> None:
    contract = server(Tool("t", {"type": "object"}), instructions="a\r\n\x00", info={"a": 2**80, "b": None})
    assert unlockable(contract) == {}
    assert unlockable_parts(contract) == {}
    assert lockable(contract) == contract


@pytest.mark.parametrize(
    ("tool", "reason"),
    [
        (Tool("t", {"a": {"b~": [1, LONE]}}), "/inputSchema/a/b~0/1 holds a lone surrogate"),
        (Tool("t", {}, output_schema=LONE), "/outputSchema holds a lone surrogate"),
        (Tool("t", {}, title=LONE), "/title holds a lone surrogate"),
        (Tool("t", {}, description=LONE), "/description holds a lone surrogate"),
        (Tool("t", {}, annotations={"title": LONE}), "/annotations/title holds a lone surrogate"),
        (Tool("t", {}, execution={"a": float("inf")}), "/execution/a is not a finite number"),
        (Tool("t", {}, meta={"a": LONE}), "/_meta/a holds a lone surrogate"),
        (Tool("t", {}, extra={"icons": [{"src": LONE}]}), "/icons/0/src holds a lone surrogate"),
        (Tool("t", {LONE: 1}), "/inputSchema/a\\u{d800}b is a key that holds a lone surrogate"),
        (Tool("t", {"a": -(16**4000)}), "/inputSchema/a is an integer of more than 4,300 digits"),
        (Tool(LONE, {}), "its name holds a lone surrogate"),
    ],
)
def test_a_tool_is_refused_by_name_and_pointer(tool: Tool, reason: str) -> None:
    name = tool.name.replace("\ud800", "\\u{d800}")
    assert unlockable(server(tool, Tool("fine", {}))) == {tool.name: f"tool {name} cannot be locked: {reason}"}


def test_a_lock_takes_sixty_four_levels_and_not_one_more() -> None:
    contract = server(Tool("deep", {"not": nested(64)}), Tool("fine", nested(64)))
    assert unlockable(contract) == {
        "deep": f"tool deep cannot be locked: /inputSchema/not/x~1y{'/0/x~1y' * 31} is nested deeper than 64 levels"
    }


def test_however_deep_a_value_is_it_is_refused_quietly() -> None:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    assert list(unlockable(server(Tool("t", {"enum": value})))) == ["t"]


def test_everything_beside_tools_is_named_too() -> None:
    argument = PromptArgument("a", description=LONE)
    contract = ServerContract(
        "s",
        protocol_version=LONE,
        info={"name": LONE},
        capabilities={"x": nested(64)},
        instructions=LONE,
        prompts={"p": Prompt("p", arguments=(argument,)), "q": Prompt("q")},
        resources={"u": Resource("u", {"name": LONE})},
        resource_templates={"v": ResourceTemplate("v", {"x": [LONE]})},
        source=SourceRecord("stdio", ("npx", LONE)),
    )
    lone = "holds a lone surrogate"
    assert unlockable_parts(contract) == {
        ("prompt", "p"): f"prompt p cannot be locked: /arguments/0/description {lone}",
        ("resource", "u"): f"resource u cannot be locked: /name {lone}",
        ("resource_template", "v"): f"resource template v cannot be locked: /x/0 {lone}",
        ("server", "protocol_version"): f"the server's protocol version cannot be locked: it {lone}",
        ("server", "instructions"): f"the server's instructions cannot be locked: it {lone}",
        ("server", "source"): f"the server's source cannot be locked: /command/1 {lone}",
        ("server", "info"): f"the server's info cannot be locked: /name {lone}",
        ("server", "capabilities"): (
            f"the server's capabilities cannot be locked: /x/x~1y{'/0/x~1y' * 31} is nested deeper than 64 levels"
        ),
    }


def test_what_cannot_be_locked_is_left_out_and_the_rest_is_locked() -> None:
    bad = server(
        Tool("bad", {"a": LONE}), Tool("fine", {}), instructions=LONE, prompts={"p": Prompt(LONE)},
        resources={LONE: Resource(LONE), "u": Resource("u")},
    )  # fmt: skip
    kept = lockable(bad)
    assert kept == server(Tool("fine", {}), prompts={"p": Prompt(LONE)}, resources={"u": Resource("u")})
    assert decode(encode(Lock({"s": kept})), origin="").servers["s"].tools == {"fine": Tool("fine", {})}


def test_what_the_lock_has_already_stays() -> None:
    old = server(
        Tool("bad", {"old": 1}), Tool("gone", {}), instructions="old", prompts={"p": Prompt("p", "old")},
        resource_templates={"v": ResourceTemplate("v", {"old": 1})}, info={"old": 1},
    )  # fmt: skip
    new = server(
        Tool("bad", {"a": LONE}), Tool("new", {"a": LONE}), Tool("fine", {}), instructions=LONE, info={"new": 1},
        prompts={"p": Prompt("p", LONE)}, resource_templates={"v": ResourceTemplate("v", {"new": LONE})},
    )  # fmt: skip
    assert lockable(new, old) == server(
        Tool("bad", {"old": 1}), Tool("fine", {}), instructions="old", info={"new": 1},
        prompts={"p": Prompt("p", "old")}, resource_templates={"v": ResourceTemplate("v", {"old": 1})},
    )  # fmt: skip


def test_a_name_that_cannot_be_stored_is_refused() -> None:
    with pytest.raises(FusionError) as caught:
        lockable(ServerContract(LONE))
    assert str(caught.value) == (
        "the server's name cannot be locked: it holds a lone surrogate; choose another with --name"
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: ServerContract(LONE),
        lambda: server(instructions=LONE),
        lambda: server(Tool(LONE, {})),
        lambda: server(prompts={"p": Prompt("p", meta={"a": float("nan")})}),
        lambda: server(Tool("t", {"a": nested(300)})),
        lambda: server(resources={"u": Resource("u", {"a": 10**5000})}),
    ],
)
def test_encode_refuses_it_with_the_same_sentence(make: Callable[[], ServerContract]) -> None:
    contract = make()
    (sentence,) = (unlockable(contract) | {str(key): text for key, text in unlockable_parts(contract).items()}).values()
    with pytest.raises(FusionError) as caught:
        encode(Lock({contract.name: contract}))
    assert caught.value.problem.message == sentence
    assert caught.value.problem.stage == "lock"
    str(caught.value).encode()
