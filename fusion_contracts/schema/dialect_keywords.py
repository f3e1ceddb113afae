"""What the dialects of JSON Schema say about keywords.

Where subschemas stand, what is unknown, and how one schema's own keywords are written in 2020-12.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["DIALECTS", "LATEST", "LATEST_URI", "MAYBE_ODD", "OPENAPI", "URIS", "Dialect", "is_odd", "moved", "reworded"]

LATEST = "2020-12"
LATEST_URI = "https://json-schema.org/draft/2020-12/schema"


class Dialect(NamedTuple):
    """One dialect, as far as it differs from 2020-12.

    `single`, `lists` and `maps` are the keywords whose value is a schema, a list or a map of schemas; `unknown` those
    of 2020-12 that it does not know and that would act there. `identifier` is the keyword of a resource's URI, or by
    `#name` of an anchor: as this says nothing else since 2019-09, it does so in all. `alone`: the siblings of a `$ref`
    are ignored. `dependencies`: they are a keyword; since 2019-09, which took it out, there are two readings, and they
    stay as they are.
    """

    name: str
    single: frozenset[str]
    lists: frozenset[str]
    maps: frozenset[str]
    unknown: frozenset[str] = frozenset()
    identifier: str | None = "$id"
    alone: bool = True
    dependencies: bool = True
    nullable: bool = False


_SINGLE_04 = frozenset({"additionalProperties", "additionalItems", "items", "not"})
_SINGLE_06 = _SINGLE_04 | {"contains", "propertyNames"}
_SINGLE_07 = _SINGLE_06 | {"if", "then", "else"}
_SINGLE_2019 = _SINGLE_07 | {"unevaluatedItems", "unevaluatedProperties"}
_LISTS = frozenset({"allOf", "anyOf", "oneOf"})
# `$defs` is no keyword before 2019-09, but references reach into it, and nothing else stands there.
_MAPS = frozenset({"$defs", "definitions", "patternProperties", "properties"})
_DEPENDENT = frozenset({"dependencies", "dependentSchemas"})
_NEW_2020 = frozenset({"$dynamicAnchor", "$dynamicRef", "prefixItems"})
_NEW_2019 = _NEW_2020 | {
    "$anchor",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "unevaluatedItems",
    "unevaluatedProperties",
}
_NEW_07 = _NEW_2019 | {"else", "if", "then"}
_NEW_06 = _NEW_07 | {"$id", "const", "contains", "propertyNames"}
_NOT_OPENAPI = _NEW_06 | {"additionalItems", "dependencies", "patternProperties"}

DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(
            LATEST, _SINGLE_2019, _LISTS | {"prefixItems"}, _MAPS | _DEPENDENT,
            alone=False, dependencies=False,
        ),
        Dialect(
            "2019-09", _SINGLE_2019, _LISTS, _MAPS | _DEPENDENT, _NEW_2020,
            alone=False, dependencies=False,
        ),
        Dialect("draft-07", _SINGLE_07, _LISTS, _MAPS, _NEW_2019),
        Dialect("draft-06", _SINGLE_06, _LISTS, _MAPS, _NEW_07),
        Dialect("draft-04", _SINGLE_04, _LISTS, _MAPS, _NEW_06, identifier="id"),
        Dialect(
            "openapi-3.0", _SINGLE_04 - {"additionalItems"}, _LISTS, _MAPS - {"patternProperties"}, _NOT_OPENAPI,
            identifier=None, dependencies=False, nullable=True,
        ),
    )
}  # fmt: skip

URIS = {
    "json-schema.org/draft/2020-12/schema": LATEST,
    "json-schema.org/schema": LATEST,  # whichever is the latest
    "json-schema.org/draft/2019-09/schema": "2019-09",
    "json-schema.org/draft-07/schema": "draft-07",
    "json-schema.org/draft-06/schema": "draft-06",
    "json-schema.org/draft-05/schema": "draft-04",
    "json-schema.org/draft-04/schema": "draft-04",
}
OPENAPI = ("spec.openapis.org/oas/3.1/dialect/", "spec.openapis.org/oas/3.2/dialect/")
"""How the names of dialects that only add annotations to 2020-12 begin; each release has its own."""


def moved(path: tuple[str, ...], dialect: Dialect) -> tuple[str, ...]:
    """Where a direct subschema stands in 2020-12, when it stands at `path` in a schema of a dialect."""
    if path[0] == "items" and len(path) > 1:
        return ("prefixItems", *path[1:])
    if path[0] == "additionalItems":
        return ("items",)
    if path[0] == "dependencies" and dialect.dependencies:
        return ("dependentSchemas", *path[1:])
    return path


def reworded(schema: dict[str, Any], dialect: Dialect) -> dict[str, Any]:
    """One schema's own keywords in 2020-12; the same object where nothing differs.

    Its subschemas are taken as they are. References, identifiers and `$schema` are not looked at.
    """
    if dialect.alone and isinstance(schema.get("$ref"), str):
        kept = ("$defs", "$ref", "$schema", "definitions")
        return schema if all(key in kept for key in schema) else {k: v for k, v in schema.items() if k in kept}
    idle = {key for key, value in schema.items() if key in dialect.unknown or _is_idle(key, value)}
    if idle:
        schema = {key: value for key, value in schema.items() if key not in idle}
    schema = _types(_items(schema))
    if dialect.dependencies and isinstance(schema.get("dependencies"), dict):
        schema = _dependencies(schema)
    schema = _bound(_bound(schema, "minimum", "exclusiveMinimum"), "maximum", "exclusiveMaximum")
    return _nullable(schema) if dialect.nullable and "nullable" in schema else schema


def is_odd(keyword: str, value: Any) -> bool:
    """Whether 2020-12 gives the keyword no such value, and there is but one way to read it.

    A flag beside its bound and a tuple, as older drafts have them; null in a list of types, as YAML reads the name of
    that type; or what is idle.
    """
    if isinstance(value, list) and (keyword == "items" or (keyword == "type" and None in value)):
        return True
    return (isinstance(value, bool) and keyword in _FLAGS) or _is_idle(keyword, value)


def _is_idle(keyword: str, value: Any) -> bool:
    """Whether a keyword says nothing of the values of its own schema, by a value that is none of its own.

    null, as some programs write it for a keyword that is not there (of `type` it may mean the type of that name); a
    list for a map without entries, as PHP writes it; and from draft-03 any type at all, and what is required of a
    property, which the object around it is asked for.
    """
    if value is None:
        return keyword not in _TAKE_NULL
    if value == []:
        return keyword in _MAPPED
    if keyword == "type":
        return value == "any" or (isinstance(value, list) and "any" in value)
    return keyword == "required" and isinstance(value, bool)


_FLAGS = frozenset({"exclusiveMaximum", "exclusiveMinimum"})
_TAKE_NULL = frozenset({"const", "default", "example", "type"})
_MAPPED = _MAPS | _DEPENDENT | {"dependentRequired"}
MAYBE_ODD = _FLAGS | _MAPPED | {"items", "required", "type"}
"""The keywords that may be odd by another value than null."""


def _types(schema: dict[str, Any]) -> dict[str, Any]:
    types = schema.get("type")
    if not isinstance(types, list) or None not in types:
        return schema
    return {**schema, "type": ["null" if name is None else name for name in types]}


def _items(schema: dict[str, Any]) -> dict[str, Any]:
    if "prefixItems" in schema:  # which of the two counts is not known
        return schema
    first = schema.get("items")
    if not isinstance(first, list) and "additionalItems" not in schema:
        return schema
    changed = {key: value for key, value in schema.items() if key not in ("items", "additionalItems")}
    if not isinstance(first, list):
        return changed | {"items": first} if "items" in schema else changed
    if first:
        changed["prefixItems"] = first
    if "additionalItems" in schema:
        changed["items"] = schema["additionalItems"]
    return changed


def _dependencies(schema: dict[str, Any]) -> dict[str, Any]:
    changed = {key: value for key, value in schema.items() if key != "dependencies"}
    schemas = {name: value for name, value in schema["dependencies"].items() if isinstance(value, dict | bool)}
    names = {name: value for name, value in schema["dependencies"].items() if not isinstance(value, dict | bool)}
    if names:
        changed["dependentRequired"] = names
    if schemas:
        changed["dependentSchemas"] = schemas
    return changed


def _bound(schema: dict[str, Any], bound: str, flag: str) -> dict[str, Any]:
    if not isinstance(schema.get(flag), bool):
        return schema
    changed = {key: value for key, value in schema.items() if key != flag}
    if schema[flag] and bound in changed:
        changed[flag] = changed.pop(bound)
    return changed


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """`nullable` adds null to the `type` beside it and does nothing else (OpenAPI 3.0.3, Schema Object)."""
    changed = {key: value for key, value in schema.items() if key != "nullable"}
    types = changed.get("type")
    if schema["nullable"] is True and isinstance(types, str | list):
        types = [types] if isinstance(types, str) else types
        changed["type"] = types if "null" in types else [*types, "null"]
    return changed
