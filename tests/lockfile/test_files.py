"""The files of a lock: their names, one lock out of many of them, and what they become."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import HEADER, encode, encode_server
from fusion_contracts.lockfile.files import LockFiles, file_name, part_names, renewed
from fusion_contracts.lockfile.verify import damage
from fusion_contracts.model import Lock, ServerContract, Tool


def server(name: str, description: str = "Close a page.") -> ServerContract:
    return ServerContract(name, tools={"close": Tool("close", {"type": "object"}, description=description)})


def lock(*names: str) -> Lock:
    return Lock({name: server(name) for name in sorted(names)})


def text(name: str, description: str = "Close a page.") -> str:
    return encode(Lock({name: server(name, description)}))


TEN = [f"s{number:02}" for number in range(10)]
ELEVEN = [*TEN, "s10"]


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["github", "brave-search", "a.b_c-1", "_x", "0", "a" * 64, "console", "com10"])
def test_a_safe_name_stays(name: str) -> None:
    assert file_name(name) == f"{name}.lock"


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("GitHub", "github+"),
        ("", "+"),
        ("..", "+"),
        ("../../etc/passwd", "etc-passwd+"),
        ("a/b", "a-b+"),
        ("a\\b", "a-b+"),
        ("C:x", "c-x+"),
        (".hidden", "hidden+"),
        ("-rf", "rf+"),
        ("con", "con+"),
        ("nul.txt", "nul-txt+"),
        ("lpt1", "lpt1+"),
        ("a b", "a-b+"),
        ("\u00fcber", "ber+"),
        ("a\nb", "a-b+"),
        ("a" * 65, f"{'a' * 40}+"),
    ],
)
def test_any_other_gets_a_hash(name: str, start: str) -> None:
    assert re.fullmatch(rf"{re.escape(start)}[0-9a-f]{{12}}\.lock", file_name(name))


@given(st.lists(st.text(max_size=100), unique=True))
def test_names_are_safe_everywhere_and_apart_where_case_does_not_count(names: list[str]) -> None:
    files = [file_name(name) for name in names]
    assert len({file.casefold() for file in files}) == len(names)
    for file in files:
        assert re.fullmatch(r"[a-z0-9_+][a-z0-9._+-]*\.lock", file)
        assert len(file) <= 69
    assert part_names(files, "fusion.lock.d") == sorted(files)


@pytest.mark.parametrize("name", ["README.md", "a.lock.orig", "a.lock~", "sub/a.lock", "x\x1b[2J"])
def test_a_file_that_is_none_of_the_lock_is_refused(name: str) -> None:
    with pytest.raises(FusionError) as caught:
        part_names(["a.lock", name], "fusion.lock.d")
    shown = name.replace("\x1b", r"\u{1b}")
    assert str(caught.value) == f"fusion.lock.d/{shown} is no file of this lock; move it out of that folder"


def test_hidden_files_are_passed_over() -> None:
    assert part_names([".DS_Store", "b.lock", ".a.lock.swp", "a.lock"], "x") == ["a.lock", "b.lock"]


# --- reading ---------------------------------------------------------------------------------------------------------


def folder(**texts: str) -> LockFiles:
    return LockFiles("fusion.lock", parts={f"{file}.lock": one for file, one in texts.items()})


def test_the_name_inside_decides() -> None:
    opened = folder(z=text("a"), a=text("b")).open()
    assert list(opened.lock.servers) == ["a", "b"]
    assert opened.lock == lock("a", "b")
    assert damage(opened) == []


def test_nothing_holds_nothing() -> None:
    assert LockFiles("fusion.lock").open().lock == Lock()
    assert not LockFiles("fusion.lock").there


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            folder(a=text("a"), b=text("a")),
            "fusion.lock.d/a.lock and fusion.lock.d/b.lock both hold a; remove one of the two, then run fusion lock",
        ),
        (
            folder(a=text("a"), b=HEADER),
            ("fusion.lock.d/b.lock holds no server, and a file in that folder holds one server; "
            "restore it, or remove it, then run fusion lock"),
        ),
        (
            folder(a=encode(lock("a", "b"))),
            ("fusion.lock.d/a.lock holds a, b, and a file in that folder holds one server; "
            "restore it, or remove it, then run fusion lock"),
        ),
        (
            folder(a=text("a"), b="x = 1\n"),
            "fusion.lock.d/b.lock has no lock_version: it is not a lock; name the right file, or run `fusion lock`",
        ),
        (
            folder(a=text("a") + "<<<<<<< ours\n"),
            ("fusion.lock.d/a.lock holds merge conflict markers, the first at line 17; "
            "take either side whole, then run `fusion lock` to write it from its sources"),
        ),
        (
            replace(folder(a=text("a")), whole=encode(lock("b")), at=" at main"),
            ("fusion.lock and fusion.lock.d at main are both there and differ; "
            "remove the one that is out of date (above 10 servers, the file), then run fusion lock"),
        ),
        (
            replace(folder(a=text("a")), whole="<<<<<<< ours\n"),
            ("fusion.lock and fusion.lock.d are both there and differ; "
            "remove the one that is out of date (above 10 servers, the file), then run fusion lock"),
        ),
    ],
)
def test_what_is_no_lock_is_named(files: LockFiles, message: str) -> None:
    with pytest.raises(FusionError) as caught:
        files.open()
    assert str(caught.value) == message


def test_a_switch_that_was_cut_off_is_the_lock() -> None:
    both = replace(folder(a=text("a"), b=text("b")), whole=encode(lock("a", "b")))
    assert both.open().lock == lock("a", "b")


def test_an_edit_by_hand_is_found_in_its_file() -> None:
    edited = text("b").replace("Close a page.", "Close any page.")
    assert [problem.server for problem in damage(folder(a=text("a"), b=edited).open())] == ["b"]


# --- a new state -----------------------------------------------------------------------------------------------------


def whole(*names: str) -> LockFiles:
    return LockFiles("fusion.lock", encode(lock(*names)))


def parts(*names: str, **files: str) -> Mapping[str, str]:
    return {**{f"{name}.lock": text(name) for name in names}, **files}


def test_ten_servers_are_one_file_and_eleven_a_folder() -> None:
    nothing = LockFiles("fusion.lock")
    assert renewed(nothing, Lock(), lock(*TEN).servers) == whole(*TEN)
    assert renewed(nothing, Lock(), lock(*ELEVEN).servers) == LockFiles("fusion.lock", parts=parts(*ELEVEN))


def test_the_eleventh_server_splits_the_file_and_the_others_keep_their_bytes() -> None:
    head = HEADER + "# Reviewed in March.\n"
    block = encode_server(server("s03"))
    old = replace(whole(*TEN), whole=encode(lock(*TEN)).replace(HEADER, head).replace(block, f"# ours\n{block}"))
    edited = replace(old, whole=(old.whole or "").replace("Close a page.", "Close any page.", 1))
    new = renewed(edited, edited.open().lock, {"s10": server("s10")})
    assert new.whole is None
    assert new.parts == {
        **{f"{name}.lock": text(name).replace(HEADER, head) for name in TEN},
        "s00.lock": text("s00").replace(HEADER, head).replace("Close a page.", "Close any page."),
        "s03.lock": text("s03").replace(HEADER, head).replace(block, f"# ours\n{block}"),
        "s10.lock": text("s10"),
    }
    assert [problem.server for problem in damage(new.open())] == ["s00"]  # a switch heals no edit


def test_the_folder_in_one_text_says_the_same() -> None:
    edited = text("b").replace("Close a page.", "Close any page.").replace("\n", "\r\n")
    files = folder(a=text("a"), b=edited, c=f"{text('c')}# end\n")
    assert LockFiles("fusion.lock", files.joined).open() == files.open()


def test_line_ends_stay_in_a_switch() -> None:
    old = replace(whole(*TEN), whole=(encode(lock(*TEN))).replace("\n", "\r\n"))
    new = renewed(old, old.open().lock, {"s10": server("s10")})
    assert new.parts["s00.lock"] == text("s00").replace("\n", "\r\n")


def test_a_file_rewritten_by_hand_is_not_split() -> None:
    old = LockFiles("fusion.lock", encode(lock(*TEN)).replace("[servers.s03]\n", "[servers]\n[servers.s03]\n"))
    inline = LockFiles("fusion.lock", "lock_version = 1\nservers = { a = {} }\n")
    assert renewed(old, old.open().lock, {"s10": server("s10")}).open().lock == lock(*ELEVEN)
    with pytest.raises(FusionError) as caught:
        renewed(inline, inline.open().lock, lock(*TEN).servers)
    assert str(caught.value) == (
        "fusion.lock was rewritten by hand in a form that cannot be refreshed in part; "
        "run `fusion lock` without -s to write it whole"
    )


def test_a_folder_stays_one_below_ten_and_each_server_its_file() -> None:
    old = LockFiles("fusion.lock", parts=parts(*ELEVEN[1:], **{"mine.lock": text("s00")}))
    new = renewed(old, lock(*ELEVEN), {"s00": server("s00", "new"), "b": server("b")}, ELEVEN[2:])
    assert new == LockFiles(
        "fusion.lock", parts={"b.lock": text("b"), "mine.lock": text("s00", "new"), "s01.lock": text("s01")}
    )


def test_without_any_server_it_is_one_empty_file_again() -> None:
    old = LockFiles("fusion.lock", parts=parts("a", "b"))
    assert renewed(old, lock("a", "b"), {}, ["a", "b"]) == LockFiles("fusion.lock", HEADER)


def test_a_switch_that_was_cut_off_is_finished() -> None:
    old = LockFiles("fusion.lock", encode(lock(*ELEVEN)), parts(*ELEVEN))
    assert renewed(old, lock(*ELEVEN), {"s00": server("s00")}) == LockFiles("fusion.lock", parts=parts(*ELEVEN))


def test_a_file_that_was_renamed_gives_no_name_away() -> None:
    old = LockFiles("fusion.lock", parts={"S01.lock": text("s00"), "s02.lock": text("s02")})
    with pytest.raises(FusionError) as caught:
        renewed(old, lock("s00", "s02"), {"s01": server("s01")})
    assert str(caught.value) == (
        "s01 and s00 would both be fusion.lock.d/s01.lock; rename the file that is there, then run it again"
    )
