"""JSON values: one way to read them strictly, write them for a digest, compare and point into them, and show text."""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from json.encoder import encode_basestring
from typing import Any

from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonValue

__all__ = [
    "HIDDEN", "MAX_DEPTH", "canonical_json", "equal", "first_few", "fits", "loads", "pointer_key", "pointer_token",
    "printable", "printable_json", "shared_start", "shell_word", "shortened", "text_of",
]  # fmt: skip

MAX_DEPTH = 256  # levels that `loads` accepts: a quarter of Python's recursion limit, so that three frames a level fit

# Characters that a reader cannot see, or that move what they see. A fixed table, not Python's Unicode database: the
# lockfile escapes the same ones, and its bytes must not depend on the Python version.
_UNSEEN = (
    "\x00-\x1f\x7f-\x9f"  # control
    "\u00ad\u034f\u061c\u200e\u200f"  # soft hyphen, grapheme joiner, direction marks
    "\u202a-\u202e\u2066-\u2069"  # bidirectional embeddings, overrides, isolates
    "\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff"  # zero width, invisible operators, byte order mark
    "\u2028\u2029"  # line and paragraph separators
    "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters and signs that render as nothing
    "\u180b-\u180f\ufe00-\ufe0e"  # variation selectors; the sixteenth below
    "\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # annotation, shorthand and musical controls
    "\U000e0000-\U000e0fff"  # tags, supplementary variation selectors
    "\ud800-\udfff"  # lone surrogates
)

HIDDEN = re.compile(
    # U+FE0F behind a visible character asks for the coloured form of a symbol, and stays; anywhere else it hides.
    f"[{_UNSEEN}]|(?<![^{_UNSEEN}\ufe0f])\ufe0f"
)
"""One hidden character: control, bidirectional, invisible, tag, or a lone surrogate."""

_SHORT = {"\n": "\\n", "\t": "\\t"}
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")
_SHOWN = 40  # characters of a key or number that a message repeats
_LONGEST = 120  # characters of a name in a sentence


def printable(text: str) -> str:
    r"""Text that a server chose, safe for a terminal line: hidden characters become `\n`, `\t` or `\u{...}`."""
    return text if text.isascii() and text.isprintable() else HIDDEN.sub(_visible, text)


def printable_json(value: JsonValue) -> str:
    """A value that a server chose, as JSON on one line."""
    return printable(json.dumps(value, ensure_ascii=False))


def shell_word(text: str) -> str:
    """A word of a command that people are told to run, so that a name from a lock cannot be a command of its own."""
    shown = printable(text)
    return shown if _PLAIN_WORD.fullmatch(shown) else "'" + shown.replace("'", "'\"'\"'") + "'"


def shortened(text: str) -> str:
    """`printable`, and cut where it is long: for a name inside a sentence, which it must not hide."""
    shown = printable(text[: _LONGEST + 1])
    return shown if len(text) <= _LONGEST and len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."


def first_few(words: Sequence[str], most: int, between: str = ", ") -> str:
    """The first words of a list, and how many more there are."""
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return f"{between.join(words[:most])}{more}"


def fits(name: str, glob: str) -> bool:
    """Whether a name matches a glob, or is what it says: a name may hold the signs of a glob itself, as `a[b]` does."""
    return name == glob or fnmatchcase(name, glob)


def shared_start(left: Sequence[str], right: Sequence[str]) -> int:
    """How many characters two texts begin alike with, or two lists how many words."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(left), len(right)))


def _visible(found: re.Match[str]) -> str:
    character = found.group()
    return _SHORT.get(character) or f"\\u{{{ord(character):x}}}"


_CANONICAL = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, check_circular=False, sort_keys=True, separators=(",", ":")
)

# What the C encoder writes differently from the canonical form: an exponent, and keys that UTF-16 sorts otherwise.
_UNSURE = re.compile("[0-9]e[+-]|[\ue000-\U0010ffff]")


def canonical_json(value: JsonValue) -> bytes:
    """The one spelling of a JSON value, UTF-8, for digests and comparison.

    RFC 8785 (no white space, keys sorted by UTF-16 code units, ECMAScript's numbers), but integers stay exact and a
    float always shows itself by a point or an exponent, so that 1, 1.0 and -0.0 differ. Lone surrogates pass.

    Raises ValueError on NaN and Infinity, RecursionError on values far deeper than `MAX_DEPTH`.
    """
    text = _CANONICAL.encode(value)
    plain = text.isascii() and "e-" not in text and "e+" not in text  # as nearly all is; asked of every digest
    if not plain and _UNSURE.search(text):
        text = _spell(value)
    return text.encode("utf-8", "surrogatepass")


def _spell(value: JsonValue) -> str:
    """The canonical form, step by step. Only for the few values that the C encoder cannot be trusted with."""
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{encode_basestring(key)}:{_spell(item)}" for key, item in pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_spell, value)) + "]"
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, float):
        return _spell_float(value)
    return json.dumps(value)


_PLAIN_UP_TO, _PLAIN_FROM = 21, -6  # decimal exponents between which ECMAScript writes no exponent


def _spell_float(value: float) -> str:
    """A finite float as ECMAScript writes it, with `.0` where that would look like an integer."""
    mantissa, _, exponent = float.__repr__(value).partition("e")
    if not exponent:
        return mantissa
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.lstrip("-").replace(".", "").rstrip("0") or "0"
    point = int(exponent) + 1  # where the decimal point stands, counted from the first digit
    if len(digits) <= point <= _PLAIN_UP_TO:
        return f"{sign}{digits.ljust(point, '0')}.0"
    if _PLAIN_FROM < point <= 0:
        return f"{sign}0.{digits.rjust(len(digits) - point, '0')}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{point - 1:+d}"


def equal(a: JsonValue, b: JsonValue) -> bool:
    """Whether two JSON values are the same text up to white space and key order: true is not 1, and 1 is not 1.0."""
    return a is b or (a == b and canonical_json(a) == canonical_json(b))


def text_of(value: JsonValue) -> bytes | None:
    """A text that C writes in no time, for this process alone: where two are equal, the values are (`equal`).

    Values whose texts differ may yet be equal, when their keys come in another order. None for one that is too deep.
    """
    try:
        return marshal.dumps(value, 2)  # later versions of the format write what they wrote before in another way
    except ValueError:
        return None


def pointer_token(key: str) -> str:
    """A key as one token of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")


def pointer_key(token: str) -> str:
    """The key that a token of a JSON pointer stands for."""
    return token.replace("~1", "/").replace("~0", "~")


class _RefusedError(Exception):
    """What a hook of the JSON reader found wrong."""


def loads(
    text: str | bytes,
    origin: str,
    *,
    next: str = "check that it is the right file, and complete",  # noqa: A002 - the report's own word
) -> JsonValue:
    """Read one JSON document strictly.

    `origin` names it for people. Bytes must be UTF-8; a byte order mark is skipped. Raises FusionError, with the
    sentence and `next`, on anything that is not JSON by RFC 8259, on a key twice in one object, on NaN and Infinity,
    on numbers that Python cannot hold and on more than `MAX_DEPTH` levels.
    """
    where = printable(origin)
    source = _decoded(text, where, next)
    if not source.strip(" \t\r\n"):
        raise FusionError(f"{where} is empty", next)
    try:
        value = json.loads(
            source, object_pairs_hook=_unique, parse_constant=_no_constant, parse_float=_finite, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        reason = (error.msg[:1].lower() + error.msg[1:]).removesuffix(" at")
        raise FusionError(f"{where} is not JSON: line {error.lineno}, column {error.colno}: {reason}", next) from None
    except _RefusedError as refusal:
        raise FusionError(f"{where} {refusal}", next) from None
    except RecursionError:
        value = None
        too_deep = True
    else:
        too_deep = _deeper(value, MAX_DEPTH)
    if too_deep:
        raise FusionError(f"{where} is nested deeper than {MAX_DEPTH} levels", next)
    return value


def _decoded(text: str | bytes, where: str, next: str) -> str:  # noqa: A002 - as in loads
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return text.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        byte = error.object[error.start]
        raise FusionError(f"{where} is not UTF-8: line {line} holds the byte 0x{byte:02x}", next) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            break
        seen.add(key)
    raise _RefusedError(f'holds the key "{printable(_short(key))}" twice in one object')


def _no_constant(name: str) -> Any:
    raise _RefusedError(f"holds {name}, which JSON does not have")


def _finite(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _RefusedError(f"holds a number too large to keep: {_short(digits)}")
    return value


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python refuses to convert more than 4,300 digits
        raise _RefusedError(f"holds an integer of {len(digits.lstrip('-'))} digits: {_short(digits)}") from None


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _deeper(value: JsonValue, limit: int) -> bool:
    """Whether arrays and objects nest deeper than `limit`, level by level: never recursive."""
    level = [value] if isinstance(value, (dict, list)) else []
    for _ in range(limit):
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True
