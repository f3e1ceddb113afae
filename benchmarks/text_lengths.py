"""How long the texts are that a model has to read for the same mistake: ours beside pydantic's own.

    python benchmarks/text_lengths.py

Prints the table of docs/runtime.md, less its column for the TypeScript original, which was recorded by running that.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pydantic

from fusion_contracts import explain_validation


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


Options = Literal["low", "medium", "high"]
Many = Literal[tuple(f"opt_{index}" for index in range(30))]  # type: ignore[valid-type] # built, not written
CASES: tuple[tuple[str, type[pydantic.BaseModel], dict[str, Any]], ...] = (
    ("argument missing", _model(f=(str, ...)), {}),
    ("value of another type", _model(f=(str, ...)), {"f": 5}),
    ("value not allowed", _model(f=(Options, ...)), {"f": "urgent"}),
    ("value not allowed, 30 are", _model(f=(Many, ...)), {"f": "zz"}),
    ("unknown argument", _model(a=(str, ...)), {"a": "x", "b": 1}),
    ("misspelt argument", _model(style_id=(str, ...)), {"styleId": "x"}),
    ("no branch of a union", _model(f=(Annotated[A | B, pydantic.Field(discriminator="t")], ...)), {"f": {"t": "c"}}),
    ("no type of a union", _model(f=(list[int] | A, ...)), {"f": True}),
    ("20 values of another type", _model(**{f"f{i}": (str, ...) for i in range(20)}), {f"f{i}": i for i in range(20)}),
    ("10,000 bad items", _model(f=(list[str], ...)), {"f": list(range(10_000))}),
)


def main() -> None:
    """Print one line a mistake."""
    print("| mistake | ours | pydantic |\n|---|---|---|")
    for name, model, sent in CASES:
        try:
            model.model_validate(sent)
        except pydantic.ValidationError as error:
            ours = explain_validation(model.model_json_schema(), sent, action="users.create").to_xml()
            print(f"| {name} | {len(ours):,} | {len(str(error)):,} |")


if __name__ == "__main__":
    main()
