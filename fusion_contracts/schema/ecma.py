r"""The parser of ECMA-262 patterns in Unicode mode, as JSON Schema uses them.

Strict where readers differ: what one validator reads as an anchor and another as a letter (`\z`, `\<`), inline flags,
possessive quantifiers and back-references are Unsupported. Lenient where all that accept it agree: an escaped
punctuation mark stands for itself, a lone `]` or `}` too, a `{` that opens no count, a `-` beside a class as in
`[\w-.]`, and `(?P<name>` is a named group.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NoReturn

from fusion_contracts.schema import charset
from fusion_contracts.schema.charset import Intervals
from fusion_contracts.schema.ecma_tree import (
    UNBOUNDED,
    Behind,
    Boundary,
    Chars,
    Choice,
    Edge,
    Look,
    Loop,
    Sequence,
    Tree,
    Unsupported,
)

__all__ = ["parse", "strict"]

_LONGEST, _DEEPEST, _LARGEST_COUNT = 50_000, 50, 1_000_000_000
_MOST_DIGITS = 12  # of a count or a code point; more would name none
_HIGH, _LOW, _SURROGATES_END = 0xD800, 0xDC00, 0xE000

_CONTROL = {"n": 10, "r": 13, "t": 9, "v": 11, "f": 12}
_CLASSES = {
    "d": charset.DIGIT,
    "D": charset.negate(charset.DIGIT),
    "w": charset.WORD,
    "W": charset.negate(charset.WORD),
    "s": charset.SPACE,
    "S": charset.negate(charset.SPACE),
}
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;=?@[\\]^_`{|}~ ")  # without < and >: word edges to some readers
_LOOKS = ("?=", "?!", "?<=", "?<!")
_COUNTING = (",", *"0123456789")
_HEX = frozenset("0123456789abcdefABCDEF")


def parse(pattern: str) -> Tree:
    """The tree of a pattern. Raises Unsupported."""
    if len(pattern) > _LONGEST:
        raise Unsupported(f"a pattern of {len(pattern)} characters; at most {_LONGEST} are read")
    return _Parser(pattern).whole()


def strict(pattern: str) -> str:
    """The pattern with a backslash before each sign that only lenient readers take for itself. Raises Unsupported."""
    parser = _Parser(pattern)
    parser.whole()
    ends = [0, *parser.loose, len(pattern)]
    return "\\".join(pattern[start:end] for start, end in pairwise(ends))


def _sequence(items: list[Tree]) -> Tree:
    if len(items) == 1:
        return items[0]
    return Sequence(items)


def _choice(branches: list[Tree]) -> Tree:
    if len(branches) == 1:
        return branches[0]
    if all(isinstance(branch, Chars) for branch in branches):
        return Chars(charset.union(*(branch.intervals for branch in branches if isinstance(branch, Chars))))
    return Choice(branches)


class _Parser:
    """A recursive descent over the pattern's text; `at` is the next character's index."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.names: set[str] = set()
        self.empty_class = False
        self.loose: list[int] = []  # where a sign stands that only lenient readers take for itself

    def whole(self) -> Tree:
        tree = self.choice()
        if self.at < len(self.text):
            self.broken("a ) without its (")
        return tree

    def broken(self, what: str) -> NoReturn:
        raise Unsupported(f"not a pattern of ECMA-262: {what} at character {self.at + 1}")

    def peek(self, length: int = 1) -> str:
        return self.text[self.at : self.at + length]

    def take(self, expected: str) -> bool:
        if not self.text.startswith(expected, self.at):
            return False
        self.at += len(expected)
        return True

    def choice(self) -> Tree:
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return _choice(branches)

    def sequence(self) -> Tree:
        items: list[Tree] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            items.append(self.term())
        return _sequence(items)

    def term(self) -> Tree:
        start = self.at
        atom = self.atom()
        bounds = self.quantifier()
        if bounds is None:
            return atom
        grouped = self.text[start] == "(" and not self.text.startswith(_LOOKS, start + 1)
        if isinstance(atom, Look | Behind | Edge | Boundary) and not grouped:
            self.broken("a repeated assertion")
        low, high = bounds
        self.take("?")  # lazy: the same language
        if self.peek() in ("*", "+", "?") or self.counted():
            self.broken("a quantifier without anything to repeat")
        return Loop(atom, low, high)

    def quantifier(self) -> tuple[int, int] | None:
        if self.take("*"):
            return 0, UNBOUNDED
        if self.take("+"):
            return 1, UNBOUNDED
        if self.take("?"):
            return 0, 1
        return self.counts() if self.counted() and self.take("{") else None

    def counted(self) -> bool:
        """Whether a count follows, or what some take for one."""
        return self.peek() == "{" and self.peek(2)[1:] in _COUNTING

    def counts(self) -> tuple[int, int]:
        low = self.number()
        high = low
        if self.take(","):
            high = UNBOUNDED if self.peek() == "}" else self.number()
        if not self.take("}"):
            self.broken("an open {")
        if high < low:
            self.broken("counts out of order")
        return low, high

    def number(self) -> int:
        start = self.at
        while self.peek() in tuple("0123456789"):
            self.at += 1
        if start == self.at:
            self.broken("a { that counts nothing")
        if self.at - start > _MOST_DIGITS or int(self.text[start : self.at]) > _LARGEST_COUNT:
            raise Unsupported(f"a count above {_LARGEST_COUNT}")
        return int(self.text[start : self.at])

    def atom(self) -> Tree:
        char = self.text[self.at]
        if char in "*+?" or self.counted():
            self.broken("a quantifier without anything to repeat")
        self.at += 1
        match char:
            case "^":
                return Edge("start")
            case "$":
                return Edge("end")
            case ".":
                return Chars(charset.DOT)
            case "(":
                return self.group()
            case "[":
                return Chars(self.brackets())
            case "\\":
                return self.escape()
            case "]" if self.empty_class:
                raise Unsupported("readers differ about a ] after an empty class")
            case "{":
                self.loose.append(self.at - 1)
                return _one(ord(char))
            case _:
                return _one(ord(char))

    def group(self) -> Tree:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unsupported(f"groups nested deeper than {_DEEPEST}")
        look = next((mark for mark in _LOOKS if self.take(mark)), None)
        if look is None and not self.take("?:") and self.peek() == "?":
            self.name()
        body = self.choice()
        if not self.take(")"):
            self.broken("a ( without its )")
        self.depth -= 1
        if look is None:
            return body
        negative = look.endswith("!")
        return _behind(body, negative=negative) if "<" in look else Look(body, negative=negative)

    def name(self) -> None:
        if not self.take("?P<") and not self.take("?<"):
            raise Unsupported("a group with flags, or of a kind that ECMA-262 does not have")
        end = self.text.find(">", self.at)
        name = self.text[self.at : end] if end > 0 else ""
        if not name.replace("$", "_").isidentifier() or name in self.names:
            self.broken("a group's name that is no name, or is used twice,")
        self.names.add(name)
        self.at = end + 1

    def escape(self) -> Tree:
        char = self.peek()
        if char in ("b", "B"):
            self.at += 1
            return Boundary(negative=char == "B")
        found = self.shared_escape()
        return _one(found) if isinstance(found, int) else Chars(found)

    def shared_escape(self) -> int | Intervals:
        """What a backslash means inside and outside of a class: a code point or a set."""
        char = self.peek()
        self.at += 1
        if char in _CLASSES:
            return _CLASSES[char]
        if char in _CONTROL:
            return _CONTROL[char]
        if char and char in _PUNCTUATION:
            return ord(char)
        match char:
            case "0" if self.peek() not in tuple("0123456789"):
                return 0
            case "c" if self.peek().isascii() and self.peek().isalpha():
                self.at += 1
                return ord(self.text[self.at - 1]) % 32
            case "x":
                return self.hexadecimal(2)
            case "u":
                return self.unicode()
            case "p" | "P":
                return self.property(negative=char == "P")
            case _:
                pass
        if char == "k" or char.isdigit():
            raise Unsupported("a back-reference or an octal escape")
        raise Unsupported(f"readers differ about the escape \\{char}" if char else "a pattern ends in a backslash")

    def hexadecimal(self, length: int) -> int:
        digits = self.peek(length)
        if len(digits) < length or not _HEX.issuperset(digits):
            self.broken("an escape that lacks hexadecimal digits")
        self.at += length
        return int(digits, 16)

    def unicode(self) -> int:
        if self.take("{"):
            end = self.text.find("}", self.at)
            digits = self.text[self.at : end] if end > 0 else ""
            known = 0 < len(digits) <= _MOST_DIGITS and _HEX.issuperset(digits)
            if not known or int(digits, 16) > charset.LAST:
                self.broken("an escape that names no code point")
            self.at = end + 1
            return int(digits, 16)
        high = self.hexadecimal(4)
        digits = self.peek(6)[2:]
        if _HIGH <= high < _LOW and self.peek(2) == "\\u" and len(digits) == len("dc00") and _HEX.issuperset(digits):
            low = int(digits, 16)
            if _LOW <= low < _SURROGATES_END:
                self.at += 6
                return 0x10000 + ((high - _HIGH) << 10) + (low - _LOW)
        return high

    def property(self, *, negative: bool) -> Intervals:
        end = self.text.find("}", self.at)
        if not self.take("{") or end < 0:
            self.broken("a property without its name in braces")
        name, equals, value = self.text[self.at : end].partition("=")
        self.at = end + 1
        found = charset.named(name, value if equals else None)
        if found is None:
            raise Unsupported(f"the Unicode property {name}{equals}{value} is not known here")
        return charset.negate(found) if negative else found

    def brackets(self) -> Intervals:
        negative = self.take("^")
        self.empty_class = self.empty_class or self.peek() == "]"
        pairs: list[tuple[int, int]] = []
        while not self.take("]"):
            low = self.member()
            pairs.extend(self.range_from(low) if self.ranging() else _members(low))
        found = charset.normal(pairs)
        return charset.negate(found) if negative else found

    def ranging(self) -> bool:
        """Whether a hyphen follows that may stand between two ends."""
        return self.peek() == "-" and self.peek(2) not in ("-", "-]")

    def range_from(self, low: int | Intervals) -> Intervals:
        """A range; or a class is no end of one, and the hyphen stands for itself."""
        hyphen = self.at
        self.at += 1
        high = self.member()
        if isinstance(low, int) and isinstance(high, int):
            if low > high:
                self.broken("a range without two ends in order")
            return ((low, high),)
        if self.ranging():
            raise Unsupported("readers differ about a second hyphen after a class")
        self.loose.append(hyphen)
        return (*_members(low), (ord("-"), ord("-")), *_members(high))

    def member(self) -> int | Intervals:
        if self.at >= len(self.text):
            self.broken("a [ without its ]")
        if self.take("\\"):
            return 8 if self.take("b") else self.shared_escape()
        self.at += 1
        return ord(self.text[self.at - 1])


def _members(member: int | Intervals) -> Intervals:
    return ((member, member),) if isinstance(member, int) else member


def _one(code: int) -> Chars:
    return Chars(((code, code),))


def _behind(body: Tree, *, negative: bool) -> Behind:
    """A look-behind over one code point or the start; longer ones would need to read the text backwards."""
    branches = body.branches if isinstance(body, Choice) else (body,)
    sets = [branch.intervals for branch in branches if isinstance(branch, Chars)]
    starts = sum(isinstance(branch, Edge) and branch.kind == "start" for branch in branches)
    if len(sets) + starts < len(branches):
        raise Unsupported("a look-behind over more than one character")
    return Behind(charset.union(charset.NONE, *sets), start=starts > 0, negative=negative)
