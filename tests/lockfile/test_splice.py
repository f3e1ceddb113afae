"""Some servers refreshed in the text of a lock: theirs change, every other byte stays."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import HEADER, decode, encode, encode_server
from fusion_contracts.lockfile.splice import splice
from fusion_contracts.model import Lock, ServerContract, Tool

TRAP = "Headers look like this:\n[servers.b]\n\"\"\"\n[servers.c.tools.x]\n# [servers.a]\n'''\n"


def server(name: str, text: str = "old") -> ServerContract:
    return ServerContract(
        name, instructions=TRAP, tools={"t": Tool("t", {"enum": ["[servers.z]", text]}, description=text)}
    )


def lock(*servers: ServerContract) -> Lock:
    return Lock({one.name: one for one in sorted(servers, key=lambda one: one.name)})


OLD = lock(server("a"), server("b"), server("c"))
TEXT = encode(OLD)


@pytest.mark.parametrize("name", ["a", "b", "c"])
def test_a_refreshed_server_changes_and_the_others_keep_their_bytes(name: str) -> None:
    new = lock(*(server(other, "new" if other == name else "old") for other in "abc"))
    assert splice(TEXT, new, [name]) == encode(new)


@pytest.mark.parametrize("name", ["", "a", "aa", "bb", "z"])
def test_an_added_server_gets_its_sorted_place(name: str) -> None:
    new = lock(server("a"), server("b"), server("c"), server(name, "new"))
    assert splice(TEXT, new, [name]) == encode(new)


@pytest.mark.parametrize("names", ["a", "b", "c", "ab", "bc", "ac", "abc"])
def test_a_removed_server_leaves_no_trace(names: str) -> None:
    new = lock(*(server(name) for name in "abc" if name not in names))
    assert splice(TEXT, new, names) == encode(new)


def test_only_the_named_servers_are_taken_from_the_new_lock() -> None:
    new = lock(server("a", "new"), server("b", "new"))
    assert splice(TEXT, new, ["a"]) == encode(lock(server("a", "new"), server("b"), server("c")))


def test_the_first_server_of_an_empty_lock() -> None:
    assert splice(encode(lock()), lock(server("b")), {"b"}) == encode(lock(server("b")))


COMMENTED = f"""\
# ours
lock_version = 1   # one

# about a,
  # in two lines
{encode_server(server("a")).replace("[servers.a.tools.t]", "# inside a" + chr(10) + "[servers.a.tools.t]", 1)}
# apart

# about c
{encode_server(server("c"))}

# about b, out of order
{encode_server(server("b")).rstrip(chr(10))} # the end"""


def test_comments_white_space_and_order_of_other_servers_stay() -> None:
    expected = COMMENTED.replace(encode_server(server("c")), encode_server(server("c", "new")))
    assert splice(COMMENTED, lock(server("c", "new")), ["c"]) == expected


def test_a_comment_above_a_refreshed_server_stays_and_one_inside_goes() -> None:
    assert splice(COMMENTED, lock(server("a", "new")), ["a"]) == COMMENTED.replace(
        COMMENTED[COMMENTED.index("[servers.a]") : COMMENTED.index("\n# apart")], encode_server(server("a", "new"))
    )


def test_a_removed_server_takes_its_own_comment_along() -> None:
    start, end = COMMENTED.index("# about c"), COMMENTED.index("# about b")
    assert splice(COMMENTED, lock(), ["c"]) == COMMENTED[:start] + "\n\n" + COMMENTED[end:]


def test_a_server_is_put_behind_text_without_a_last_line_break() -> None:
    text = TEXT.rstrip("\n")
    assert splice(text, lock(server("d")), ["d"]) == TEXT + "\n" + encode_server(server("d"))


def test_a_comment_at_the_end_stays_apart_from_a_server_put_behind_it() -> None:
    text = TEXT + "# the end"
    assert splice(text, lock(server("d")), ["d"]) == text + "\n\n" + encode_server(server("d"))


def test_a_server_whose_tables_were_scattered_is_gathered() -> None:
    a, b = encode_server(server("a")), encode_server(server("b"))
    start = a.index("[servers.a.tools.t.input]")
    scattered = f"{HEADER}\n{a[:start]}{b}\n{a[start:]}"
    assert decode(scattered, origin="") == lock(server("a"), server("b"))
    new = lock(server("a", "new"), server("b"))
    assert splice(scattered, new, ["a"]) == encode(new)


def test_windows_line_ends_stay() -> None:
    text = TEXT.replace("\n", "\r\n")
    new = lock(server("a"), server("b", "new"), server("c"), server("d"))
    assert splice(text, new, ["b", "d"]) == encode(new).replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "lock_version = 1\n[servers]\na = {}\n",
        "lock_version = 1\n[servers]\na.instructions = 'x'\n[servers.b]\n",
        "lock_version = 1\nservers.a.instructions = 'x'\n",
    ],
)
def test_a_lock_rewritten_by_hand_without_blocks_is_refused(text: str) -> None:
    with pytest.raises(FusionError) as caught:
        splice(text, lock(server("a", "new")), ["a"], origin="fusion.lock")
    assert str(caught.value) == (
        "fusion.lock was rewritten by hand in a form that cannot be refreshed in part; "
        "run `fusion lock` without -s to write it whole"
    )


def test_what_is_no_lock_is_refused() -> None:
    with pytest.raises(FusionError, match=r"^fusion\.lock is empty"):
        splice("", lock(server("a")), ["a"], origin="fusion.lock")


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_a_spliced_lock_is_the_lock_of_the_spliced_servers(arbitrary: SimpleNamespace, data: st.DataObject) -> None:
    old, new = data.draw(arbitrary.lock), data.draw(arbitrary.lock)
    names = data.draw(st.lists(st.sampled_from(sorted({*old.servers, *new.servers, "other"})), unique=True))
    kept = {name: contract for name, contract in old.servers.items() if name not in names}
    taken = {name: contract for name, contract in new.servers.items() if name in names}
    assert splice(encode(old), new, names) == encode(Lock(kept | taken))
