"""Does a formula hold of a value? The engine's own reading of JSON Schema, with exact numbers and ECMA-262 patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from fusion_contracts.schema import language
from fusion_contracts.schema.formula import ABOUT, Space, kind_of
from fusion_contracts.schema.trouble import Undecided
from fusion_contracts.schema.values import exact, key_of

__all__ = ["Evaluator"]


class Evaluator:
    """Evaluates formulas of one space."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self._known: dict[tuple[int, int], bool] | None = None  # of the branches of one value and of what is in it

    def holds(self, literal: int, value: Any) -> bool:
        """Whether a signed formula holds of a value. Raises Undecided where the formula cannot be read."""
        if literal < 0:
            return not self.holds(-literal, value)
        meaning = self.space.meaning[literal]
        kind = meaning[0]
        about = ABOUT.get(kind)
        if about is not None and not about & kind_of(value):
            return True
        return self._branching(literal, value) if kind in BRANCHING else READERS[kind](self, meaning, value)

    def _branching(self, literal: int, value: Any) -> bool:
        """`holds` for what has branches, each asked once: those of one may refer to each other in endless ways."""
        if self._known is None:
            self._known = {}
            try:
                return self._branching(literal, value)
            finally:
                self._known = None  # another value may come to lie where one of these lay
        key = literal, id(value)
        if key not in self._known:
            meaning = self.space.meaning[literal]
            self._known[key] = READERS[meaning[0]](self, meaning, value)
        return self._known[key]

    def all_hold(self, literals: Iterable[int], value: Any) -> bool:
        """Whether every literal holds. Raises Undecided."""
        return not self._some(literals, value, holds=False)

    def _some(self, literals: Iterable[int], value: Any, *, holds: bool) -> bool:
        """Whether some literal holds, or does not: one that can be read settles it, whatever the others are."""
        unread: Undecided | None = None
        for literal in literals:
            try:
                if self.holds(literal, value) is holds:
                    return True
            except Undecided as trouble:
                unread = unread or trouble
        if unread is not None:
            raise unread
        return False

    def matches(self, pattern: str, text: str) -> bool:
        """Whether an ECMA-262 pattern is found in a text. Raises Undecided where it cannot be read."""
        try:
            return language.matches(pattern, text, self.space.fuel)
        except (language.Unsupported, language.Exhausted) as error:
            raise Undecided(f"pattern {pattern!r}: {error}") from None

    def _names_seen(self, meaning: tuple[Any, ...], value: Any) -> tuple[set[str], set[str], bool]:
        """The names and patterns that unevaluatedProperties leaves out, and whether it leaves out everything."""
        names: set[str] = set()
        patterns: set[str] = set()
        everything = False
        for conditions, named, matching, all_of_them in meaning[2]:
            if self.all_hold(conditions, value):
                names |= named
                patterns |= matching
                everything = everything or all_of_them
        return names, patterns, everything

    def _all(self, meaning: tuple[Any, ...], value: Any) -> bool:
        kind = kind_of(value)
        unread: Undecided | None = None
        for part in meaning[1]:
            said = self.space.meaning[part]
            try:
                if ABOUT.get(said[0], kind) & kind and not READERS[said[0]](self, said, value):
                    return False
            except Undecided as trouble:
                unread = unread or trouble
        if unread is not None:
            raise unread
        return True

    def _one(self, meaning: tuple[Any, ...], value: Any) -> bool:
        return sum(self.holds(part, value) for part in meaning[1]) == 1

    def _properties_beyond(self, names: Any, patterns: Any, formula: int, value: Any) -> bool:
        return all(
            name in names or any(self.matches(p, name) for p in patterns) or self.holds(formula, item)
            for name, item in value.items()
        )

    def _unevaluated_names(self, meaning: tuple[Any, ...], value: Any) -> bool:
        names, patterns, everything = self._names_seen(meaning, value)
        return everything or self._properties_beyond(names, patterns, meaning[3], value)

    def _unevaluated_items(self, meaning: tuple[Any, ...], value: Any) -> bool:
        start = 0
        contained = []
        for conditions, prefix, contains, everything in meaning[2]:
            if self.all_hold(conditions, value):
                if everything:
                    return True
                start = max(start, prefix)
                contained += [] if contains is None else [contains]
        return all(any(self.holds(c, item) for c in (*contained, meaning[3])) for item in value[start:])

    def _contains(self, meaning: tuple[Any, ...], value: Any) -> bool:
        _, formula, least, most = meaning
        count = sum(self.holds(formula, item) for item in value)
        return count >= least and (most is None or count <= most)

    def _opaque(self, meaning: tuple[Any, ...], _value: Any) -> bool:
        raise Undecided(meaning[1])


def _minimum(_: Evaluator, meaning: tuple[Any, ...], value: Any) -> bool:
    number = exact(value)
    return bool(number > meaning[1] if meaning[2] else number >= meaning[1])


def _maximum(_: Evaluator, meaning: tuple[Any, ...], value: Any) -> bool:
    number = exact(value)
    return bool(number < meaning[1] if meaning[2] else number <= meaning[1])


def _multiple(_: Evaluator, meaning: tuple[Any, ...], value: Any) -> bool:
    return bool(exact(value) % meaning[1] == 0)


BRANCHING = frozenset({"and", "any", "one", "if"})
READERS: dict[str, Callable[[Evaluator, tuple[Any, ...], Any], bool]] = {
    "and": Evaluator._all,
    "any": lambda e, m, v: e._some(m[1], v, holds=True),
    "one": Evaluator._one,
    "not": lambda e, m, v: not e.holds(m[1], v),
    "if": lambda e, m, v: e.holds(m[2] if e.holds(m[1], v) else m[3], v),
    "ref": lambda e, m, v: e.holds(e.space.target(e.space.make(*m)), v),
    "opaque": Evaluator._opaque,
    "type": lambda _, m, v: bool(m[1] & kind_of(v)),
    "enum": lambda _, m, v: key_of(v) in m[1],
    "min": _minimum, "max": _maximum, "mult": _multiple,
    "minlen": lambda _, m, v: len(v) >= m[1],
    "maxlen": lambda _, m, v: len(v) <= m[1],
    "pattern": lambda e, m, v: e.matches(m[1], v),
    "req": lambda _, m, v: m[1] in v,
    "prop": lambda e, m, v: m[1] not in v or e.holds(m[2], v[m[1]]),
    "pat": lambda e, m, v: all(e.holds(m[2], item) for name, item in v.items() if e.matches(m[1], name)),
    "addl": lambda e, m, v: e._properties_beyond(m[1], m[2], m[3], v),
    "names": lambda e, m, v: all(e.holds(m[1], name) for name in v),
    "dep": lambda e, m, v: m[1] not in v or e.holds(m[2], v),
    "minprops": lambda _, m, v: len(v) >= m[1],
    "maxprops": lambda _, m, v: len(v) <= m[1],
    "upr": Evaluator._unevaluated_names,
    "prefix": lambda e, m, v: len(v) <= m[1] or e.holds(m[2], v[m[1]]),
    "items": lambda e, m, v: all(e.holds(m[2], item) for item in v[m[1]:]),
    "contains": Evaluator._contains,
    "minitems": lambda _, m, v: len(v) >= m[1],
    "maxitems": lambda _, m, v: len(v) <= m[1],
    "unique": lambda _, __, v: len({key_of(item) for item in v}) == len(v),
    "uit": Evaluator._unevaluated_items,
}  # fmt: skip
