"""A pydantic model class as one tool: its name, its docstring, and the arguments that it validates."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.objects.kind import Toolset

__all__ = ["KINDS"]


async def _tool(model: Any) -> Iterable[JsonValue]:
    schema: JsonObject = model.model_json_schema(mode="validation", by_alias=True)
    told = schema.get("description")
    rest = {key: value for key, value in schema.items() if key != "description"}  # the docstring is the tool's
    return [{"name": model.__name__, "description": told, "inputSchema": rest}]


KINDS = (Toolset("a pydantic model", ("pydantic.BaseModel",), _tool, one=True, as_class=True),)
