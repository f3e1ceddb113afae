"""Fuzz the comparison engine for as long as one likes: python benchmarks/fuzz_schema.py SECONDS [SEED].

Pairs of schemas are made at random. A crash, a `compatible` that a value refutes, an `incompatible` that a validator
does not confirm, an answer that contradicts jsonschema-rs' own containment, or an edit that is blamed wrongly is a
fault: it is printed with the pair, and the exit status is 1.
"""

from __future__ import annotations

import collections
import json
import random
import sys
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import jsonschema_rs

from fusion_contracts.schema import Comparison, compare, explain

NAMES = ["a", "b", "c"]
KINDS = ["string", "integer", "number", "null", "boolean", "object", "array"]
PATTERNS = ["^a", "b$", "^[ab]*$", "a|b", "^(a|b)$", "^.{2}$", "x", "^[^a]", "\\d+"]
HARD = ("object", "object", "object", "array", "array", "union", "union", "all", "not", "if", "ref")
EASY = ("number", "string", "enum", "type")
SINGLE = (
    "not", "if", "then", "else", "items", "contains", "additionalProperties", "propertyNames", "unevaluatedProperties",
    "unevaluatedItems",
)  # fmt: skip
UNDECIDED_SHOWN = 5


class Maker:
    """Makes schemas and values, the same ones for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - no secret hangs on it

    def _chance(self, share: float) -> bool:
        return self.random.random() < share

    def _pick(self, options: Any) -> Any:
        return self.random.choice(options)

    def _some(self, **makers: Any) -> dict[str, Any]:
        """A few of the keywords."""
        return {name.rstrip("_"): make() for name, make in makers.items() if self._chance(0.3)}

    def _size(self) -> int:
        return self.random.randint(0, 3)

    def _named(self, depth: int) -> dict[str, Any]:
        return {name: self.schema(depth - 1) for name in NAMES if self._chance(0.5)}

    def document(self) -> dict[str, Any]:
        """A schema with two definitions."""
        body = self.schema(self.random.randint(1, 3))
        body = body if isinstance(body, dict) else {"allOf": [body]}
        return {**body, "$defs": {"x": self.schema(2), "y": self.schema(2)}}

    def schema(self, depth: int) -> Any:
        """A schema of a depth at most."""
        if self._chance(0.1):
            return self._pick([True, False, {}])
        kind = self._pick(HARD if depth > 0 and self._chance(0.75) else EASY)
        made: dict[str, Any] = getattr(self, f"_{kind}")(depth)
        if depth > 0 and self._chance(0.2):
            more = self.schema(depth - 1)
            made = {**(more if isinstance(more, dict) else {}), **made}
        return made

    def _type(self, _: int) -> dict[str, Any]:
        return {"type": self._pick([*KINDS, ["string", "null"], ["integer", "array"]])}

    def _number(self, _: int) -> dict[str, Any]:
        def bound() -> float:
            return float(self._pick([-3, -1, 0, 1, 2, 2.5, 5, 10]))

        steps = [1, 2, 3, 0.5, 0.1, 1.5, 4, 6]
        return self._some(
            type=lambda: self._pick(["integer", "number"]), minimum=bound, maximum=bound, exclusiveMinimum=bound,
            exclusiveMaximum=bound, multipleOf=lambda: self._pick(steps),
        )  # fmt: skip

    def _string(self, _: int) -> dict[str, Any]:
        return {
            "type": "string",
            **self._some(minLength=self._size, maxLength=self._size, pattern=lambda: self._pick(PATTERNS)),
        }

    def _enum(self, _: int) -> dict[str, Any]:
        return {"enum": [self.value(2) for _ in range(self.random.randint(1, 4))]}

    def _object(self, depth: int) -> dict[str, Any]:
        part, size = partial(self.schema, depth - 1), self._size
        named = partial(self._named, depth)
        return self._some(
            type=lambda: "object", properties=named, required=lambda: [n for n in NAMES if self._chance(0.4)],
            additionalProperties=part, patternProperties=lambda: {self._pick(PATTERNS): part()}, minProperties=size,
            maxProperties=size, propertyNames=part, dependentSchemas=lambda: {self._pick(NAMES): part()},
            dependentRequired=lambda: {self._pick(NAMES): [self._pick(NAMES)]}, unevaluatedProperties=part,
        )  # fmt: skip

    def _array(self, depth: int) -> dict[str, Any]:
        part, size = partial(self.schema, depth - 1), self._size
        return self._some(
            type=lambda: "array", items=part, prefixItems=lambda: [part() for _ in range(self.random.randint(1, 2))],
            minItems=size, maxItems=size, uniqueItems=lambda: True, contains=part, minContains=size, maxContains=size,
            unevaluatedItems=part,
        )  # fmt: skip

    def _union(self, depth: int) -> dict[str, Any]:
        return {self._pick(["anyOf", "oneOf"]): [self.schema(depth - 1) for _ in range(self.random.randint(1, 3))]}

    def _all(self, depth: int) -> dict[str, Any]:
        return {"allOf": [self.schema(depth - 1) for _ in range(self.random.randint(1, 3))]}

    def _not(self, depth: int) -> dict[str, Any]:
        return {"not": self.schema(depth - 1)}

    def _if(self, depth: int) -> dict[str, Any]:
        return {"if": self.schema(depth - 1), "then": self.schema(depth - 1), "else": self.schema(depth - 1)}

    def _ref(self, _: int) -> dict[str, Any]:
        return {"$ref": self._pick(["#/$defs/x", "#/$defs/y"])}

    def value(self, depth: int) -> Any:
        """A JSON value of a depth at most."""
        leaves = ["", "a", "b", "ab", "x", "aa", "abc", "1", -3, -1, 0, 1, 2, 6, 0.5, 1.5, 0.1, True, False, None]
        if depth <= 0 or self._chance(0.6):
            return self._pick(leaves)
        if self._chance(0.5):
            return [self.value(depth - 1) for _ in range(self.random.randint(0, 4))]
        return {name: self.value(depth - 1) for name in (*NAMES, "x-", "d") if self._chance(0.4)}

    def other(self, document: dict[str, Any]) -> Any:
        """Another document, most often the same with one of its subschemas replaced."""
        if self._chance(0.4):
            return self.document()
        copied = json.loads(json.dumps(document))
        holder, key = self._pick(list(holders(copied)) or [(copied["$defs"], "x")])
        holder[key] = self.schema(2)
        return copied


def holders(schema: Any) -> Iterator[tuple[Any, Any]]:
    """Where subschemas stand: (object or array, key)."""
    if not isinstance(schema, dict):
        return
    for keyword, part in schema.items():
        if keyword in ("properties", "patternProperties", "dependentSchemas", "$defs"):
            inner = [(part, name) for name in part]
        elif keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
            inner = [(part, index) for index in range(len(part))]
        else:
            inner = [(schema, keyword)] if keyword in SINGLE else []
        for holder, key in inner:
            yield holder, key
            yield from holders(holder[key])


def fault(maker: Maker, old: Any, new: Any, answer: Comparison) -> str:
    """What is wrong with an answer, or nothing."""
    before, after = (jsonschema_rs.Draft202012Validator(schema, validate_formats=False) for schema in (old, new))
    if answer.verdict == "incompatible" and not (
        before.is_valid(answer.witness) and not after.is_valid(answer.witness)
    ):
        return f"the witness does not hold: {json.dumps(answer.witness)}"
    values = (maker.value(3) for _ in range(60)) if answer.verdict == "compatible" else ()
    for value in values:
        if before.is_valid(value) and not after.is_valid(value):
            return f"refuted by {json.dumps(value)}"
    opinion = covers(old, new)
    if {(answer.verdict, opinion)} & {("compatible", "no"), ("incompatible", "yes")}:
        return f"jsonschema-rs says {opinion}"
    return ""


def blame(old: Any, new: Any) -> str:
    """What is wrong with the edits of a pair, read either way, or nothing."""
    for output in (False, True):
        explanation = explain(old, new, output=output, world="open")
        sides = (new, old) if output else (old, new)
        before, after = (jsonschema_rs.Draft202012Validator(schema, validate_formats=False) for schema in sides)
        breaking = [edit for edit in explanation.edits if edit.effect == "breaks"]
        if bool(breaking) is not (explanation.comparison.verdict == "incompatible"):
            return f"{explanation.comparison.verdict}, and {len(breaking)} edits break (output: {output})"
        for edit in breaking:
            if not before.is_valid(edit.witness) or after.is_valid(edit.witness):
                return f"the witness of an edit does not hold: {edit}"
    return ""


def covers(old: Any, new: Any) -> str:
    """Whether jsonschema-rs proves containment: yes, no, or unknown."""
    draft = jsonschema_rs.Draft202012
    try:
        older, newer = (jsonschema_rs.canonicalize(s, draft=draft, validate_formats=False) for s in (old, new))
        return str(newer.covers(older))
    except Exception:  # noqa: BLE001 - young code: whatever it raises, it has no opinion
        return "unknown"


def main() -> None:
    """Fuzz, and report."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0  # noqa: PLR2004 - the second argument
    maker = Maker(seed)
    tally: collections.Counter[str] = collections.Counter()
    slowest = (0.0, "")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        old = maker.document()
        new = maker.other(old)
        started = time.perf_counter()
        answer = compare(old, new, world="open")
        slowest = max(slowest, (time.perf_counter() - started, json.dumps([old, new])))
        tally[answer.verdict] += 1
        wrong = fault(maker, old, new, answer) or blame(old, new)
        if wrong:
            tally["FAULT"] += 1
            print(f"FAULT {answer.verdict}: {wrong}\n  old {json.dumps(old)}\n  new {json.dumps(new)}")
        elif answer.verdict == "undecided" and tally["undecided"] <= UNDECIDED_SHOWN:
            print(f"undecided, {answer.reason}\n  old {json.dumps(old)}\n  new {json.dumps(new)}")
    print(f"seed {seed}: {dict(tally)}; slowest {slowest[0] * 1e3:.0f} ms: {slowest[1]}")
    sys.exit(1 if tally["FAULT"] else 0)


if __name__ == "__main__":
    main()
