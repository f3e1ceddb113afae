"""The structured form of a result of many items, and the schema that a tool declares for it.

The schema is plain enough for every framework: an object at the root, no reference there, nothing nullable, open to
further properties, so that a later release that says more breaks no client.
"""

from __future__ import annotations

import math
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

from fusion_contracts.model import JsonObject

if TYPE_CHECKING:
    from fusion_contracts.loop.partial_result import PartialResult

__all__ = ["core_schema", "json_schema", "model", "output_schema", "serializer", "structured"]

_FAILED = {
    "type": "object",
    "description": "An item that did not succeed.",
    "properties": {
        "item": {"type": "string", "description": "The item, as it was named in the call."},
        "code": {"type": "string", "description": "The error's code, such as NOT_FOUND or TIMEOUT."},
        "message": {"type": "string", "description": "What failed, in one sentence."},
        "retryable": {"type": "boolean", "description": "Whether trying this item again can help."},
        "retry_after": {"type": "number", "description": "Seconds to wait before that."},
    },
    "required": ["item", "code", "message", "retryable"],
}
_STATUS = "complete: nothing is missing. partial: something is. empty: nothing was found, and that is the answer."
_PROPERTIES: JsonObject = {
    "status": {"type": "string", "enum": ["complete", "partial", "empty"], "description": _STATUS},
    "failed": {"type": "array", "items": _FAILED, "description": "What did not succeed, and why."},
    "next": {"type": "string", "description": "What to do next."},
    "cursor": {"type": "string", "description": "Send it with the next call to go on."},
    "total": {"type": "integer", "minimum": 0, "description": "The number of all items, earlier calls' too."},
    "earlier": {"type": "integer", "minimum": 0, "description": "Items that earlier calls handed over."},
    "searched": {"type": "string", "description": "What was looked through."},
}
_OPTIONAL = ("cursor", "total", "earlier", "searched")


def output_schema(item: Any) -> JsonObject:
    """The schema of `structured` for items of that type; any JSON for `Any`."""
    properties: JsonObject = {"items": {"type": "array", "description": "What succeeded."}, **deepcopy(_PROPERTIES)}
    schema: JsonObject = {"type": "object", "properties": properties, "required": ["items", "status", "failed", "next"]}
    if item is Any:
        return schema
    from pydantic import TypeAdapter  # for a tool that declares what its items are

    inner = TypeAdapter(list[item]).json_schema(by_alias=True, mode="serialization")
    definitions = inner.pop("$defs", None)
    properties["items"] |= inner
    return schema if definitions is None else {**schema, "$defs": definitions}


def structured(result: PartialResult[Any]) -> JsonObject:
    """The result as JSON. Items that are none yet are written by pydantic, under the names of their aliases."""
    return {**_unwritten(result), "items": [_json(item) for item in result.items]}


def _unwritten(result: PartialResult[Any]) -> JsonObject:
    optional = {"cursor": result.cursor, "total": result.total, "searched": result.searched}
    return {
        "items": list(result.items),
        "status": result.status,
        "failed": [each.to_dict() for each in result.failed],
        "next": result.following,
        **{name: value for name, value in optional.items() if value is not None},
        **({"earlier": result.earlier} if result.earlier else {}),
    }


def core_schema(cls: type[PartialResult[Any]], handler: Any) -> Any:
    """What pydantic does with it as an annotation: an instance is taken, and written in its structured form."""
    from pydantic_core import core_schema as core

    items = core.list_schema(handler.generate_schema(cls.item_type))
    fields = {name: core.typed_dict_field(core.any_schema()) for name in ("status", "failed", "next")}
    more = {name: core.typed_dict_field(core.any_schema(), required=False) for name in _OPTIONAL}
    form = core.typed_dict_schema({"items": core.typed_dict_field(items), **fields, **more})
    written = core.plain_serializer_function_ser_schema(_unwritten, return_schema=form)
    return core.is_instance_schema(_origin(cls), serialization=written)


def json_schema(schema: Any, handler: Any) -> JsonObject:
    """`output_schema` inside a schema that pydantic makes, which keeps the definitions."""
    items = handler(schema["serialization"]["return_schema"]["fields"]["items"]["schema"])
    whole = output_schema(Any)
    whole["properties"]["items"] |= items
    if whole["properties"]["items"].get("items") == {}:
        del whole["properties"]["items"]["items"]
    return whole


@cache
def serializer() -> Any:
    """What pydantic writes a result of any items with."""
    from pydantic_core import SchemaSerializer
    from pydantic_core import core_schema as core

    return SchemaSerializer(core.any_schema(serialization=core.plain_serializer_function_ser_schema(structured)))


@cache
def model(name: str, item: Any) -> Any:
    """A pydantic model that takes what `structured` makes, under the schema that `output_schema` says."""
    from pydantic import BaseModel, ConfigDict, create_model

    class Form(BaseModel):
        """Open, as the schema is."""

        model_config = ConfigDict(extra="allow")

        @classmethod
        def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> JsonObject:
            whole = output_schema(Any)
            whole["properties"]["items"] |= handler(schema["schema"]["fields"]["items"]["schema"])
            return whole

    fields: dict[str, Any] = {"items": (list[item], ...), "status": (str, ...), "failed": (list[Any], ...)}
    return create_model(name, __base__=Form, next=(str, ...), **fields)


def _origin(cls: type[PartialResult[Any]]) -> type[PartialResult[Any]]:
    """The class without an item type: `partial` makes instances of it."""
    return cls.__mro__[cls.__mro__.index(object) - 2]


def _json(item: Any) -> Any:
    """An item as JSON, which has no NaN and no infinity: they become null, as pydantic writes them."""
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    if item is None or isinstance(item, str | int):
        return item
    from pydantic_core import to_jsonable_python  # one reading of models, dataclasses and dates, the frameworks' own

    return to_jsonable_python(item, by_alias=True, inf_nan_mode="null")
