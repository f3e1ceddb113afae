"""The languages of patterns: membership as ECMA-262 says it, and strings found in some and not in others."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

from fusion_contracts.schema.ecma import strict
from fusion_contracts.schema.language import (
    Exhausted,
    Fuel,
    Language,
    Unsupported,
    compile_pattern,
    find,
    is_empty,
    iterate,
    matches,
)

MEMBERS = [
    # pattern, texts in which it is found, texts in which it is not
    ("", ["", "a"], []),
    ("a", ["a", "bab"], ["", "b"]),
    ("^a", ["a", "ab"], ["ba", ""]),
    ("a$", ["a", "ba"], ["ab", "a\n"]),
    ("^[ab]$", ["a", "b"], ["a\n", "\na", "ab", ""]),
    ("^(?:)$", [""], ["\n"]),
    ("^.$", ["a", "\x85", "\U0001f600"], ["\n", "\r", "\u2028", "\u2029", ""]),
    (r"^\d$", ["0", "9"], ["٣", "a"]),
    (r"^\w$", ["a", "_", "Z", "5"], ["é", "-"]),
    (r"^\W$", ["é", "-"], ["a", "_"]),
    (r"^[\w-.]$", ["a", "-", "."], [",", "/"]),
    (r"^[+-\d]$", ["+", "-", "5"], [",", "/"]),
    (r"^[^\s-\-]$", ["a"], [" ", "-"]),
    ("^{{a{}$", ["{{a{}"], ["a"]),
    ("a{", ["a{"], ["a"]),
    (r"^\s$", [" ", "\t", "\v", "\ufeff", "\xa0", "\u2028", "\u3000"], ["\x85", "\u180e", "\x1c", "\u200b"]),
    (r"^[\s\S]$", ["a", "\n"], ["", "ab"]),
    ("^[^]$", ["a", "\n"], [""]),
    ("^(?:a|[])$", ["a"], [""]),
    (r"^[^\d_a-c]$", ["d", "-"], ["a", "_", "5"]),
    (r"^[-a]$", ["-", "a"], ["b"]),
    (r"^[a-]$", ["-", "a"], ["b"]),
    (r"^[\w-]$", ["-", "a"], ["."]),
    (r"^[+--]$", ["+", ",", "-"], ["."]),
    (r"^[a&&b[]$", ["a", "&", "b", "["], ["]"]),
    (r"^[\b]$", ["\b"], ["b"]),
    (r"^\-\_\@\/\.\$\{\}\]\[\ \#$", ["-_@/.${}][ #"], []),
    (r"^]}$", ["]}"], []),
    (r"^\n\r\t\v\f\0\cJ\cj$", ["\n\r\t\v\f\0\n\n"], []),
    (r"^\x41\u0042\u{43}\u{1F600}\uD83D\uDE00$", ["ABC\U0001f600\U0001f600"], []),
    (r"^[\uD83D\uDE00-\u{1F602}]$", ["\U0001f601"], ["\U0001f603"]),
    (r"^(?<year>\d{4})-(?P<month>\d\d)$", ["2024-01"], ["2024-1"]),
    ("^(a|bc|)$", ["a", "bc", ""], ["b", "abc"]),
    ("^a*b+c?$", ["b", "aabbc"], ["a", "bcc"]),
    ("^a*?b+?c??$", ["b", "aabbc"], ["a", "bcc"]),
    ("^a{2}$", ["aa"], ["a", "aaa"]),
    ("^a{2,}$", ["aa", "aaaa"], ["a"]),
    ("^a{1,2}?$", ["a", "aa"], ["", "aaa"]),
    ("^(ab){2,3}$", ["abab", "ababab"], ["ab", "aba", "abababab"]),
    ("^(a{2}){2,3}$", ["aaaa", "aaaaaa"], ["aa", "aaaaa"]),
    ("^(a{2,3})*$", ["", "aa", "aaaaa", "aaaaaaa"], ["a"]),
    ("^(a?){3}$", ["", "aaa"], ["aaaa"]),
    ("a^b", [], ["ab", "b", "a"]),
    ("a$b", [], ["ab", "a"]),
    ("(^a|b)c", ["ac", "bc", "xbc"], ["xac"]),
    ("(a$|b)c", ["bc"], ["ac"]),
    ("x*^a", ["a", "ab"], ["xa"]),
    ("^(?!.*--)[a-z-]+$", ["a-b"], ["a--b", ""]),
    ("^(?=.*[0-9])(?=.*[a-z]).{3,}$", ["ab1"], ["abc", "a1", "123"]),
    ("(?=a$)a", ["a", "ba"], ["ab"]),
    ("(?!a)", ["", "a"], []),
    ("^(?!a)$", [""], ["a"]),
    ("^(?!(?!a))", ["a"], ["", "b"]),
    ("^(?:(?!ab).)*$", ["", "ba", "aab"[:2]], ["ab", "xaby"]),
    ("^(?:(?=a)|b)*c", ["c", "bc"], ["ac"]),
    ("^(?:(?=a)|b){2}a", ["a", "ba", "bba"], ["bbc", "b"]),
    ("^(?:a(?=b)|b(?!b))+$", ["b", "abab", "ab"], ["a", "abb"]),
    ("^(?:a|^b)*$", ["", "aa", "baa"], ["ab"]),
    (r"\bfoo\b", ["foo", "a foo.", "éfooé"], ["afoo", "foo_"]),
    (r"\Bfoo\B", ["afoob"], ["foo", "afoo"]),
    (r"^\b", ["a"], ["", "-"]),
    (r"^(?:\w+\b ?)+$", ["ab cd", "ab"], ["", " a"]),
    ("(?<=a)b", ["ab"], ["b", "cb"]),
    ("(?<!a)b", ["b", "cb"], ["ab"]),
    ("(?<=^|,)b", ["b", "a,b"], ["ab"]),
    ("(?<![a-c]|^)b", ["xb"], ["b", "ab"]),
    (r"^\p{Lu}\p{Letter}\P{L}\p{Nd}\p{gc=Zs}\p{Any}\p{ASCII}$", ["ÉéL"[:2] + "-٣ xy"], ["éé-٣ xy"]),
    (r"^[\p{L}\p{M}_]+$", ["Grüße_"], ["a1"]),
    (r"^\p{White_Space}\p{Uppercase}\p{Lowercase}$", ["\x85Aa", " ÀÀ"[:2] + "à"], ["\ufeffAa"]),
    (r"^\P{Cn}$", ["a"], ["\u0378"]),
]


@pytest.mark.parametrize(("pattern", "found", "missing"), MEMBERS)
def test_members(pattern: str, found: list[str], missing: list[str]) -> None:
    assert [text for text in found if not matches(pattern, text)] == []
    assert [text for text in missing if matches(pattern, text)] == []


@pytest.mark.parametrize(("pattern", "found", "missing"), MEMBERS)
def test_found_strings_are_members(pattern: str, found: list[str], missing: list[str]) -> None:
    inside, outside = find([pattern], []), find([], [pattern])
    assert (inside is not None) >= bool(found)
    assert (outside is not None) >= bool(missing)
    assert inside is None or matches(pattern, inside)
    assert outside is None or not matches(pattern, outside)
    assert is_empty([pattern], [pattern])


UNSUPPORTED = {
    "(": "not a pattern of ECMA-262: a ( without its ) at character 2",
    "a)": "not a pattern of ECMA-262: a ) without its ( at character 2",
    "[a": "not a pattern of ECMA-262: a [ without its ] at character 3",
    "[z-a]": "not a pattern of ECMA-262: a range without two ends in order at character 5",
    r"[\w-a-z]": "readers differ about a second hyphen after a class",
    "*a": "not a pattern of ECMA-262: a quantifier without anything to repeat at character 1",
    "a**": "not a pattern of ECMA-262: a quantifier without anything to repeat at character 3",
    "a++": "not a pattern of ECMA-262: a quantifier without anything to repeat at character 3",
    "^*": "not a pattern of ECMA-262: a repeated assertion at character 3",
    "(?=a)?": "not a pattern of ECMA-262: a repeated assertion at character 7",
    "a{2,1}": "not a pattern of ECMA-262: counts out of order at character 7",
    "a{,2}": "not a pattern of ECMA-262: a { that counts nothing at character 3",
    "a{1": "not a pattern of ECMA-262: an open { at character 4",
    "{1}": "not a pattern of ECMA-262: a quantifier without anything to repeat at character 1",
    "a*{2}": "not a pattern of ECMA-262: a quantifier without anything to repeat at character 3",
    r"\x4": "not a pattern of ECMA-262: an escape that lacks hexadecimal digits at character 3",
    r"\u{110000}": "not a pattern of ECMA-262: an escape that names no code point at character 4",
    r"\p": "not a pattern of ECMA-262: a property without its name in braces at character 3",
    "(?<1>a)": "not a pattern of ECMA-262: a group's name that is no name, or is used twice, at character 4",
    "(?<n>a)(?<n>b)": "not a pattern of ECMA-262: a group's name that is no name, or is used twice, at character 11",
    "\\": "a pattern ends in a backslash",
    r"(a)\1": "a back-reference or an octal escape",
    r"(?<n>a)\k<n>": "a back-reference or an octal escape",
    r"\07": "a back-reference or an octal escape",
    r"^a\z": r"readers differ about the escape \z",
    r"\<a\>": r"readers differ about the escape \<",
    r"\é": r"readers differ about the escape \é",
    r"\c1": r"readers differ about the escape \c",
    "[]a]": "readers differ about a ] after an empty class",
    "(?i)a": "a group with flags, or of a kind that ECMA-262 does not have",
    "(?>a)": "a group with flags, or of a kind that ECMA-262 does not have",
    "(?<=ab)c": "a look-behind over more than one character",
    r"\p{Script=Greek}": "the Unicode property Script=Greek is not known here",
    r"\p{letter}": "the Unicode property letter is not known here",
    "a{9999999999}": "a count above 1000000000",
    "(" * 51 + ")" * 51: "groups nested deeper than 50",
    "a" * 50_001: "a pattern of 50001 characters; at most 50000 are read",
}


@pytest.mark.parametrize("pattern", UNSUPPORTED)
def test_unsupported(pattern: str) -> None:
    with pytest.raises(Unsupported) as trouble:
        compile_pattern(pattern)
    assert trouble.value.reason == str(trouble.value) == UNSUPPORTED[pattern]


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("^(?:(?=a)|b){31}", "an assertion that is repeated many times"),
        ("".join(f"(?<={char})" for char in "abcdefghijklmnopqrs"), "look-behinds over many different sets"),
    ],
)
def test_unsupported_when_asked(pattern: str, reason: str) -> None:
    for question in (lambda: matches(pattern, "a"), lambda: find([pattern], []), lambda: list(iterate([], [pattern]))):
        with pytest.raises(Unsupported) as trouble:
            question()
        assert trouble.value.reason == reason


FOUND: list[tuple[list[str], list[str], dict[str, Any], str | None]] = [
    ([], [], {}, ""),
    ([], [], {"plausible": True}, "x"),
    ([], [], {"plausible": True, "max_length": 0}, ""),
    ([], [], {"plausible": True, "max_length": 0, "excluded": [""]}, None),
    ([], [], {"plausible": True, "excluded": {"x"}}, "abc"),
    (["^[^x]*$"], [], {"plausible": True}, "abc"),
    (["^(y|)$"], [], {"plausible": True}, "y"),
    (["^$"], [], {"plausible": True}, ""),
    ([], [], {"min_length": 3}, "aaa"),
    ([], [], {"min_length": 3, "max_length": 2}, None),
    ([], [], {"max_length": 0, "excluded": [""]}, None),
    (["^[a-z]{3}$"], ["^[a-z]+$"], {}, None),
    (["^[a-z]+$"], ["^[a-z]{3}$"], {}, "a"),
    (["^[a-z]+$"], ["^[a-z]{1,3}$"], {}, "aaaa"),
    (["^[a-z]+$"], ["^[a-z]{1,3}$"], {"max_length": 3}, None),
    (["^.+$"], ["^.{1,}$"], {}, None),
    (["^.{1,}$"], [".+"], {}, None),
    ([".+"], ["^.+$"], {}, "\na"),
    (["a"], ["^a"], {}, "ba"),
    (["^(a|b)*$"], ["^(a*b*)*$"], {}, None),
    (["^(a+)+$"], ["^a+$"], {}, None),
    (["^(ab)*$"], ["^(abab)*$"], {}, "ab"),
    (["^(a{6})*$"], ["^(a{2})*$"], {}, None),
    (["^(a{2})*$", "^(a{3})*$"], ["^(a{6})*$"], {}, None),
    (["^(a{2})*$", "^(a{3})*$"], ["^$"], {}, "aaaaaa"),
    (["^\\d+$"], ["^[0-9]+$"], {}, None),
    (["^\\w$"], ["^[a-zA-Z0-9]$"], {}, "_"),
    (["^[^a-z]$"], [], {}, "0"),
    (["^[^a-z0-9]$"], [], {}, "A"),
    (["^\\W$"], [], {}, "-"),
    (["^[^\\x20-\\x7e]$"], [], {}, "¡"),
    (["^[\\x00-\\x1f]$"], [], {}, "\x00"),
    (["\\n"], [], {}, "\na"),
    (["\\n$"], [], {}, "\n"),
    (["^[\\ud800-\\udfff]$"], [], {}, None),
    (["^[^a]$"], ["^[\\0-\\ud7ff\\ue000-\\u{10ffff}]$"], {}, None),
    (["^(foo|bar|baz)$"], [], {}, "bar"),
    (["^(foo|bar|baz)$"], [], {"excluded": {"bar"}}, "baz"),
    (["^(foo|bar|baz)$"], [], {"excluded": {"bar", "baz", "foo"}}, None),
    (["^(foo|bar|baz)$"], ["^b"], {"min_length": 4}, None),
    (["^[0-9a-f]{8}-[0-9a-f]{4}$"], [], {}, "aaaaaaaa-aaaa"),
    (["^https?://"], [], {}, "http://"),
    (["^https?://[^\\s/]+/x$"], ["^http:"], {}, "https://a/x"),
    (["[0-9a-f]{64}"], [], {}, "a" * 64),
    (["a.{20}$"], [], {}, "a" * 21),
    (["^(?:(?!ab)[ab])*$", "a", "b"], [], {}, "ba"),
    (["^(?=.*a)(?=.*b)(?=.*c)"], ["^[a-z]*$"], {}, "abc0"),
    (["\\bfoo\\b"], ["^foo"], {}, "-foo"),
    (["a"], ["a"], {}, None),
    (["^(?!a)"], ["^[^a]"], {}, ""),
    (["^[a-z]*$"], ["^[a-y]*$"], {"min_length": 4000}, "a" * 3999 + "z"),
    (["^([a-z]{3})*$"], [], {"min_length": 1000, "max_length": 1001}, None),
    (["^[a-z]{0,2000}$"], ["^[a-z]{0,1999}$"], {}, "a" * 2000),
    ([], [], {"min_length": 200_000}, "a" * 200_000),
]


@pytest.mark.parametrize(("positive", "negative", "options", "expected"), FOUND)
def test_find(positive: list[str], negative: list[str], options: dict[str, Any], expected: str | None) -> None:
    assert find(positive, negative, **options) == expected


class Everything:
    """A container that cannot be listed."""

    def __contains__(self, text: object) -> bool:
        return text in ("a", "b", "c", "")


def test_find_avoids_what_a_container_holds() -> None:
    assert find(["^[abc]?$"], [], excluded=Everything()) is None
    assert find(["^[abcd]?$"], [], excluded=Everything()) == "d"
    many = {f"{number}" for number in range(2000)}
    assert find(["^[0-9]{1,3}$"], [], excluded=many) == "00"
    assert find(["^[1-9][0-9]{0,2}$"], [], excluded=many) is None


@pytest.mark.parametrize(
    ("positive", "negative", "options", "expected"),
    [
        (["^[ab]{1,2}$"], ["aa"], {}, ["a", "b", "ab", "ba", "bb"]),
        (["^[ab]{1,2}$"], [], {"min_length": 2}, ["aa", "ab", "ba", "bb"]),
        (["^[ab]{1,2}$"], [], {"excluded": {"a", "bb"}}, ["b", "aa", "ab", "ba"]),
        (["^a*$"], [], {"min_length": 1, "max_length": 3}, ["a", "aa", "aaa"]),
        (["^(a{2})*$"], ["^(a{4})*$"], {"max_length": 11}, ["aa", "a" * 6, "a" * 10]),
        (["^(a{2})*$"], ["^a*$"], {}, []),
        (["^[a-c]$"], [], {"max_length": 0}, []),
        ([], [], {"max_length": 0}, [""]),
        (["^(a|b|ab)$"], [], {}, ["a", "b", "ab"]),
        (["a$"], ["a"], {}, []),
    ],
)
def test_iterate_to_the_end(
    positive: list[str], negative: list[str], options: dict[str, Any], expected: list[str]
) -> None:
    assert list(iterate(positive, negative, **options)) == expected


def test_iterate_is_lazy_and_nice() -> None:
    assert "".join(islice(iterate([], [], min_length=1), 64)) == (
        "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
    )
    assert list(islice(iterate(["^a+$"], [], min_length=3000), 2)) == ["a" * 3000, "a" * 3001]


HOSTILE = [
    "^(?:(?:(?:(?:a{1,50}b?){1,50}c?){1,50}d?){1,50})+$",
    "^.*a.{10}$|^.{100000}$",
    "a{1000000000}",
    "(?:a{1000000000}){1000000000}",
    "(?:(?:(?:(?=a)|b){30}){30}){30}",
    "(?:(?=a.*b)(?=.*c)(?!.*d).)*x",
    r"[^\w\d]" * 300,
    "(?:(?:a|b?)(?:a|c)){0,500}z",
    "(" * 50 + "a?" + ")*" * 50,
    "|".join(f"{number}x" for number in range(3000)),
    "a?" * 2000,
    "^(?!(a|aa)+$)(a|b)*(?!(b|bb)*c)",
    r"(?:\p{L}|\p{N}|\p{Lu}|\P{Ll})*\p{Nd}{3,40}",
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_hostile_patterns_end(pattern: str) -> None:
    """With an answer that holds or with Exhausted: no hang, no recursion, the same each time."""
    for positive, negative in (([pattern], []), ([], [pattern]), (["^[a-c]+$"], [pattern]), ([pattern], ["^[ab]+$"])):
        answers = []
        for _ in range(2):
            try:
                answers.append(find(positive, negative, fuel=Fuel(2000)))
            except Exhausted:
                answers.append("exhausted")
        assert answers[0] == answers[1]
    for text in ("a" * 200, "abc" * 50):
        try:
            matches(pattern, text)
        except Exhausted:
            continue


def test_exhausted_is_for_the_budget() -> None:
    patterns = (["^[a-z]{0,300}$"], ["^[a-z]{0,299}$"])
    with pytest.raises(Exhausted, match=r"^the patterns are too intricate for the steps allowed$"):
        find(*patterns, fuel=Fuel(100))
    with pytest.raises(Exhausted):
        list(iterate(*patterns, fuel=Fuel(100)))
    assert find(*patterns) == "a" * 300


def test_what_matching_takes_depends_on_no_other_comparison() -> None:
    burnt = []
    for _ in range(2):
        fuel = Fuel()
        assert not matches("(a|b)*a(a|b){8}c$", "abba" * 30, fuel)
        first = fuel.burnt
        assert not matches("(a|b)*a(a|b){8}c$", "abba" * 30, fuel)
        burnt.append((first, fuel.burnt))
    assert burnt[0] == burnt[1]
    assert burnt[0][0] == burnt[0][1] > 0


def test_a_search_that_fails_for_want_of_stack_is_made_again_where_there_is_some() -> None:
    def at_the_brink() -> str | None:
        try:
            return at_the_brink()
        except (Exhausted, RecursionError):
            return find(["^brink+$"], [])

    assert at_the_brink() == "brink"


def test_a_language_is_compiled_once() -> None:
    language = compile_pattern("^a+$")
    assert isinstance(language, Language)
    assert compile_pattern("^a+$") is language
    assert [matches(language, text) for text in ("a", "aa", "b")] == [True, True, False]


@pytest.mark.parametrize(
    ("pattern", "spelling"),
    [
        (r"^[\w-.]+@[+-\d]$", r"^[\w\-.]+@[+\-\d]$"),
        ("^{{a}}$", r"^\{\{a}}$"),
        (r"^a{2}[a-z-]\{$", r"^a{2}[a-z-]\{$"),
    ],
)
def test_the_strict_spelling_is_the_same_language(pattern: str, spelling: str) -> None:
    assert strict(pattern) == spelling
    assert is_empty([pattern], [spelling])
    assert is_empty([spelling], [pattern])
