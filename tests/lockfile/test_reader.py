"""What is not a lock gets one sentence: what, where, what next."""

from __future__ import annotations

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.lockfile.codec import HEADER, decode

AGAIN = "undo the edit, or delete the file and run `fusion lock` to write it anew"
MERGED = "take either side whole, then run `fusion lock` to write it from its sources"
TOP = "lock_version = 1\n"
TOOL = TOP + "[servers.s.tools.t]\n{}\n[servers.s.tools.t.input]\n"


def sentence_of(text: str) -> str:
    with pytest.raises(FusionError) as caught:
        decode(text, origin="fusion.lock")
    assert caught.value.problem.stage == "lock"
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "fusion.lock is empty; restore it, or delete it and run `fusion lock`"),
        (" \n\n", "fusion.lock is empty; restore it, or delete it and run `fusion lock`"),
        (
            "[servers.s]\n",
            "fusion.lock has no lock_version: it is not a lock; name the right file, or run `fusion lock`",
        ),
        ("lock_version = 2\n", "fusion.lock has lock_version 2; this release reads 1; upgrade fusion-contracts"),
        (
            'lock_version = 3\nneeds = "fusion-contracts>=1.4"\n[other]\n',
            "fusion.lock has lock_version 3; this release reads 1; upgrade to fusion-contracts>=1.4",
        ),
        ("lock_version = true\n", f"fusion.lock has a lock_version that is no version number; {AGAIN}"),
        ("lock_version = 0\n", f"fusion.lock has a lock_version that is no version number; {AGAIN}"),
        ('lock_version = "1"\n', f"fusion.lock has a lock_version that is no version number; {AGAIN}"),
        (
            "lock_version = 1\n[servers.s]\ninstructions = \n",
            f"fusion.lock is not TOML: line 3, column 16: invalid value; {AGAIN}",
        ),
        (
            'lock_version = 1\n[servers.s]\na = "\x1b"\n',
            f"fusion.lock is not TOML: line 3, column 6: illegal character '\\x1b'; {AGAIN}",
        ),
        ("lock_version = 1\nx = " + "[" * 500, f"fusion.lock is nested too deeply to be a lock; {AGAIN}"),
        ("lock_version = 1\n" + "a." * 5000 + "b = 1", f"fusion.lock is nested too deeply to be a lock; {AGAIN}"),
        (
            f"{HEADER}\n[servers.s.info]\nx = 0x{'f' * 4000}",
            f"fusion.lock: servers.s.info.x is an integer of more than 4,300 digits; {AGAIN}",
        ),
        ("lock_version = " + "9" * 5000, f"fusion.lock holds a number that is too long to be read; {AGAIN}"),
        (
            f"{HEADER}\n[servers.s]\n<<<<<<< HEAD\nprotocol_version = 'a'\n=======\n>>>>>>> b\n",
            f"fusion.lock holds merge conflict markers, the first at line 5; {MERGED}",
        ),
        (
            "lock_version = 1\r\n=======\r\n",
            f"fusion.lock holds merge conflict markers, the first at line 2; {MERGED}",
        ),
    ],
)
def test_a_text_that_is_no_lock(text: str, sentence: str) -> None:
    assert sentence_of(text) == sentence


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (TOP + "x = 1", 'the lock holds the unknown key "x"'),
        (TOP + "servers = 1", 'the lock must have a table in "servers"'),
        (TOP + "servers.s = 1", "servers.s must be a table"),
        (TOP + "[servers.s]\ninstrictions = 'a'", 'servers.s holds the unknown key "instrictions"'),
        (TOP + "[servers.'a b']\ninstructions = 1", 'servers."a b".instructions must be text'),
        (TOP + "[servers.s]\nprose_digest = 1", "servers.s.prose_digest must be text"),
        (TOP + "[servers.s]\ninfo = 1", "servers.s.info must be a table"),
        (TOP + '[servers.s]\ninfo = { "$null" = true }', "servers.s.info must be a table"),
        (TOP + "[servers.s]\ntools = []", 'servers.s must have a table in "tools"'),
        (TOP + "[servers.s.tools]\nt = 1", "servers.s.tools.t must be a table"),
        (TOP + "[servers.s.tools.t]\ntitle = 'a'", "servers.s.tools.t has no input schema"),
        (TOOL.format("descripton = 'a'"), 'servers.s.tools.t holds the unknown key "descripton"'),
        (TOOL.format('"\\u202E" = 1'), 'servers.s.tools.t holds the unknown key "\\u{202e}"'),
        (TOOL.format("title = true"), "servers.s.tools.t.title must be text"),
        (TOOL.format("") + "a = [1, 1979-05-27]", "servers.s.tools.t.input.a[1] is a date, not a JSON value"),
        (TOOL.format("") + "'x.y' = 07:32:00", 'servers.s.tools.t.input."x.y" is a time, not a JSON value'),
        (
            TOOL.format("") + "a.b = nan",
            "servers.s.tools.t.input.a.b is a number that JSON does not have, not a JSON value",
        ),
        (
            TOOL.format("") + 'a = { "$null" = 1 }',
            'servers.s.tools.t.input.a holds "$null" with a value that it cannot have',
        ),
        (
            TOOL.format("") + 'a = { "$integer" = "1e5" }',
            'servers.s.tools.t.input.a holds "$integer" with a value that it cannot have',
        ),
        (
            TOOL.format("") + 'a = { "$integer" = "' + "9" * 4301 + '" }',
            'servers.s.tools.t.input.a holds "$integer" with a value that it cannot have',
        ),
        (
            TOOL.format("") + 'a = { "$literal" = 1 }',
            'servers.s.tools.t.input.a holds "$literal" with a value that it cannot have',
        ),
        (
            TOOL.format("output = " + "[" * 65 + "]" * 65),
            f"servers.s.tools.t.output{'[0]' * 64} is nested deeper than 64 levels",
        ),
        (TOP + "[servers.s.prompts.p]\narguments = 1", 'servers.s.prompts.p must have an array in "arguments"'),
        (TOP + "[servers.s.prompts.p]\narguments = [{}]", 'servers.s.prompts.p.arguments[0] has no "name"'),
        (
            TOP + "[servers.s.prompts.p]\narguments = [{name = 'a', required = 1}]",
            "servers.s.prompts.p.arguments[0].required must be true or false",
        ),
        (
            TOP + "[servers.s.prompts.p]\narguments = [{name = 'a', Required = true}]",
            'servers.s.prompts.p.arguments[0] holds the unknown key "Required"',
        ),
        (TOP + "[servers.s.resources.r]\nuri = 'x'", 'servers.s.resources.r holds the unknown key "uri"'),
        (TOP + "[servers.s.source]\ncommand = ['a']", 'servers.s.source has no "kind"'),
        (
            TOP + "[servers.s.source]\nkind = 'stdio'\ncommand = ['a', 1]",
            "servers.s.source.command must be an array of texts",
        ),
        (TOP + "[servers.s.source]\nkind = 'stdio'\nenv = { A = 1 }", "servers.s.source.env.A must be text"),
    ],
)
def test_a_lock_with_a_fault_says_where(text: str, fault: str) -> None:
    assert sentence_of(text) == f"fusion.lock: {fault}; {AGAIN}"


def test_the_origin_is_shown_safely() -> None:
    with pytest.raises(FusionError) as caught:
        decode("", origin="a\x1b[2Jb")
    assert str(caught.value).startswith(r"a\u{1b}[2Jb is empty;")


def test_a_byte_order_mark_is_accepted() -> None:
    assert decode("\ufeff" + TOP, origin="fusion.lock").servers == {}


def test_a_lock_written_in_another_style_of_toml_is_the_same_lock() -> None:
    table = "[servers.s]\ninstructions = 'a'\n[servers.s.tools.t]\n[servers.s.tools.t.input.a]\nb = 1\n"
    inline = '[servers]\ns = { instructions = """\na""", tools.t.input = { a = { b = 0x1 } } } # by hand\n'
    assert decode(TOP + inline, origin="") == decode(TOP + table, origin="")
