"""What a model has to read for the same mistake, and what it takes to write that: ours beside pydantic's own text."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from beside.environments import module_version, node_modules
from printed import interleaved, ratios, spread, table

from fusion_contracts import explain_validation

__all__ = ["compared"]

COUNT = Path(__file__).with_name("count_tokens.js")
REPEAT = 20  # calls of one run, for texts that take microseconds
HEADER = ("mistake", "characters", "pydantic", "tokens", "pydantic", "us", "pydantic", "times pydantic (least-most)")


def _model(**fields: Any) -> type[pydantic.BaseModel]:
    """A model that refuses unknown arguments, as FastMCP's do."""
    config = pydantic.ConfigDict(extra="forbid")
    made: type[pydantic.BaseModel] = pydantic.create_model("users_create", __config__=config, **fields)
    return made


class A(pydantic.BaseModel):
    """One branch of a union."""

    t: Literal["a"]


class B(pydantic.BaseModel):
    """The other."""

    t: Literal["b"]


@dataclass(frozen=True)
class Mistake:
    """Arguments that a model refuses."""

    name: str
    model: type[pydantic.BaseModel]
    sent: dict[str, Any]

    def theirs(self) -> str:
        """Pydantic's words."""
        try:
            self.model.model_validate(self.sent)
        except pydantic.ValidationError as error:
            return str(error)
        raise ValueError(f"{self.name}: no mistake")

    def ours(self) -> Callable[[], str]:
        """What writes our words: the schema is made once, as a server does."""
        schema = self.model.model_json_schema()
        return lambda: explain_validation(schema, self.sent, action="users.create").to_xml()


Options = Literal["low", "medium", "high"]
Many = Literal[tuple(f"opt_{index}" for index in range(30))]  # type: ignore[valid-type] # built, not written
MISTAKES = (
    Mistake("argument missing", _model(f=(str, ...)), {}),
    Mistake("value of another type", _model(f=(str, ...)), {"f": 5}),
    Mistake("value not allowed", _model(f=(Options, ...)), {"f": "urgent"}),
    Mistake("value not allowed, 30 are", _model(f=(Many, ...)), {"f": "zz"}),
    Mistake("unknown argument", _model(a=(str, ...)), {"a": "x", "b": 1}),
    Mistake("misspelt argument", _model(style_id=(str, ...)), {"styleId": "x"}),
    Mistake(
        "no branch of a union", _model(f=(Annotated[A | B, pydantic.Field(discriminator="t")], ...)), {"f": {"t": "c"}}
    ),
    Mistake("no type of a union", _model(f=(list[int] | A, ...)), {"f": True}),
    Mistake(
        "20 values of another type", _model(**{f"f{i}": (str, ...) for i in range(20)}), {f"f{i}": i for i in range(20)}
    ),
    Mistake("10,000 bad items", _model(f=(list[str], ...)), {"f": list(range(10_000))}),
)


def compared(folder: Path | None, runs: int) -> str:
    """The table, and by what the tokens were counted."""
    modules = node_modules(folder, "gpt-tokenizer") if folder else None
    pairs = [(mistake.ours()(), mistake.theirs()) for mistake in MISTAKES]
    tokens = _tokens(pairs, modules) if modules else [("-", "-")] * len(pairs)
    rows = [list(_row(one, pair, count, runs)) for one, pair, count in zip(MISTAKES, pairs, tokens, strict=True)]
    counted = f"; tokens of o200k by gpt-tokenizer {module_version(modules, 'gpt-tokenizer')}" if modules else ""
    caption = f"To validate the arguments and write the text, {runs} runs, pydantic {pydantic.VERSION}{counted}:"
    return f"{caption}\n\n{table(HEADER, rows)}"


def _row(mistake: Mistake, pair: tuple[str, str], tokens: tuple[str, str], runs: int) -> Iterator[str]:
    repeat = 1 if len(pair[1]) > 100_000 else REPEAT  # noqa: PLR2004 - one that takes milliseconds
    found = interleaved({"ours": _timed(mistake.ours(), repeat), "theirs": _timed(mistake.theirs, repeat)}, runs)
    yield mistake.name
    yield from (f"{len(text):,}" for text in pair)
    yield from tokens
    yield from (f"{1e6 * statistics.median(found[whose]):,.0f}" for whose in ("ours", "theirs"))
    yield spread(ratios(found["ours"], found["theirs"]))


def _timed(write: Callable[[], str], repeat: int) -> Callable[[], float]:
    def seconds() -> float:
        start = time.process_time()
        for _ in range(repeat):
            write()
        return (time.process_time() - start) / repeat

    return seconds


def _tokens(pairs: Sequence[tuple[str, str]], modules: Path) -> list[tuple[str, str]]:
    texts = [text for pair in pairs for text in pair]
    done = subprocess.run(
        ["node", str(COUNT)], input=json.dumps(texts), env={**os.environ, "NODE_PATH": str(modules)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    counts = [f"{count:,}" for count in json.loads(done.stdout)]
    return list(zip(counts[::2], counts[1::2], strict=True))
