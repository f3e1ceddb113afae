"""What an assumption says: which others follow at once, and between which there is a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from fusion_contracts.schema import arrays, objects
from fusion_contracts.schema.formula import ARRAY, OBJECT

if TYPE_CHECKING:
    from fusion_contracts.schema.solve import Solver

__all__ = ["Option", "expanded"]

Option: TypeAlias = tuple[int, ...]  # literals that hold together
Expansion: TypeAlias = tuple[tuple[int, ...], list[tuple[Option, ...]]]  # what follows; of each choice one option holds

NONE: Expansion = ((), [])
CHEAP = 8  # looks at what a branch evaluates that cost as much as one step


def expanded(solver: Solver, literal: int, kind: int) -> Expansion:
    """What follows from a literal about a value of one kind, and the choices that it leaves."""
    meaning = solver.space.meaning[abs(literal)]
    if meaning[0] == "enum":
        return _not_listed(solver, meaning, kind) if literal < 0 else NONE
    if meaning[0] == "one":
        return _one(solver, meaning, kind, positive=literal > 0)
    expand = EXPAND.get(meaning[0])
    return NONE if expand is None else expand(solver, meaning, literal > 0)


def _choice(*options: Option) -> Expansion:
    return (), [options]


def _parts(_: Solver, meaning: tuple[Any, ...], positive: bool) -> Expansion:  # noqa: FBT001 - a row of EXPAND
    if (meaning[0] == "and") == positive:
        return (tuple(meaning[1]) if positive else tuple(-part for part in meaning[1])), []
    return _choice(*((part if positive else -part,) for part in sorted(meaning[1])))


def _one(solver: Solver, meaning: tuple[Any, ...], kind: int, *, positive: bool) -> Expansion:
    parts = meaning[1]
    rivals = solver.rivals(parts, kind)
    if positive:
        return _choice(*((parts[i], *(-parts[j] for j in others)) for i, others in enumerate(rivals)))
    pairs = [(parts[i], parts[j]) for i, others in enumerate(rivals) for j in others if j > i]
    none = tuple(-part for part in parts)
    return _choice(none, *pairs) if pairs else (none, [])


def _if(_: Solver, meaning: tuple[Any, ...], positive: bool) -> Expansion:  # noqa: FBT001 - a row of EXPAND
    _, condition, then, otherwise = meaning
    if not positive:
        then, otherwise = -then, -otherwise
    return _choice((condition, then), (-condition, otherwise))


def _dependent(solver: Solver, meaning: tuple[Any, ...], positive: bool) -> Expansion:  # noqa: FBT001 - a row of EXPAND
    sent = solver.space.make("req", meaning[1])
    return _choice((-sent,), (meaning[2],)) if positive else ((sent, -meaning[2]), [])


def _reference(solver: Solver, meaning: tuple[Any, ...], positive: bool) -> Expansion:  # noqa: FBT001 - a row of EXPAND
    target = solver.space.target(solver.space.make(*meaning))
    return (target if positive else -target,), []


def _negation(_: Solver, meaning: tuple[Any, ...], positive: bool) -> Expansion:  # noqa: FBT001 - a row of EXPAND
    return (-meaning[1] if positive else meaning[1],), []


def _contains(solver: Solver, meaning: tuple[Any, ...], positive: bool) -> Expansion:  # noqa: FBT001 - a row of EXPAND
    if positive:
        return NONE
    _, formula, least, most = meaning
    options: list[Option] = []
    if least > 0:
        options.append((solver.space.make("contains", formula, 0, least - 1),))
    if most is not None:
        options.append((solver.space.make("contains", formula, most + 1, None),))
    return _choice(*options)


def _not_listed(solver: Solver, meaning: tuple[Any, ...], kind: int) -> Expansion:
    """None of the listed objects, or arrays; the theories of other kinds see to it themselves."""
    if kind not in (OBJECT, ARRAY):
        return NONE
    values = map(solver.space.values.__getitem__, meaning[1])
    if kind == OBJECT:
        return (), [tuple(objects.differs(solver.space, value)) for value in values if isinstance(value, dict)]
    return (), [tuple(arrays.differs(solver.space, value)) for value in values if isinstance(value, list)]


def _unevaluated(solver: Solver, meaning: tuple[Any, ...], positive: bool) -> Expansion:  # noqa: FBT001 - a row of EXPAND
    """Decide each condition, then it is additionalProperties (or items) over what the true ones evaluate."""
    kind, conditions, contributions, formula = meaning
    options: list[Option] = []
    for holding in _subsets(conditions):
        solver.spend(1 + len(contributions) // CHEAP)
        signed = tuple(c if c in holding else -c for c in conditions)
        active = [entry for entry in contributions if set(entry[0]) <= set(signed)]
        rest = _rest_of(solver, kind, active, formula)
        options.append((*signed, rest if positive else -rest))
    return _choice(*options)


def _rest_of(solver: Solver, kind: str, active: list[tuple[Any, ...]], formula: int) -> int:
    space = solver.space
    if any(entry[3] for entry in active):
        return space.true
    if kind == "upr":
        names, patterns = (frozenset().union(*(entry[i] for entry in active)) for i in (1, 2))
        return space.make("addl", names, patterns, formula)
    contained = [entry[2] for entry in active if entry[2] is not None]
    start = max((entry[1] for entry in active), default=0)
    rest = space.either([formula, *contained])
    return space.true if rest == space.true else space.make("items", start, rest)


def _subsets(conditions: tuple[int, ...]) -> Iterator[frozenset[int]]:
    for bits in range(1 << len(conditions)):
        yield frozenset(c for i, c in enumerate(conditions) if bits >> i & 1)


EXPAND: dict[str, Callable[[Solver, tuple[Any, ...], bool], Expansion]] = {
    "and": _parts, "any": _parts, "not": _negation, "if": _if, "ref": _reference, "dep": _dependent,
    "contains": _contains, "upr": _unevaluated, "uit": _unevaluated,
}  # fmt: skip
