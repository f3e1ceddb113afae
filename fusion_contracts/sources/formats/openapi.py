"""OpenAPI 3.0 and 3.1 documents: every operation is a tool.

The tool's name is the operation's `operationId`, else its method and path (`get_users_id` for `GET /users/{id}`). Its
arguments stand in one object for each place of a request: `path`, `query`, `header`, `cookie`, and `body` for what is
sent. A place is part of what a caller relies on, and so no name in one place can ever clash with one in another: an
argument that is added renames no other. The output is what the 2xx answers hold as JSON. Method and path are kept under
`_meta.openapi`.

References are resolved inside the document: what a schema refers to stands in its own `$defs`. A reference that leads
elsewhere stays as it is inside a schema, where a comparison says that it cannot tell; anywhere else it is an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fusion_contracts.canonical import printable, shortened
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue
from fusion_contracts.sources.base import Listing
from fusion_contracts.sources.openapi_schemas import Schemas

__all__ = ["TITLE", "listing"]

TITLE = "OpenAPI"
_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_PLACES = ("path", "query", "header", "cookie")
MOST_HELD = 1_000_000
"""Values in the schemas of all operations, what each refers to counted with each: ten seconds' work."""
_DEEPEST = 20  # references to references
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json(?:\s*;.*)?$|\*/\*$|application/\*$", re.IGNORECASE)
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_UNSENT = frozenset({"accept", "content-type", "authorization"})
"""Parameters that OpenAPI says to ignore: other parts of the document speak of them."""


def listing(document: JsonObject, origin: str) -> Listing | None:
    """The operations of a document. Raises FusionError for a version that is not read, and for one without paths."""
    version = document.get("openapi", document.get("swagger"))
    if version is None or not isinstance(document.get("info", document.get("paths")), dict):
        return None
    if not (isinstance(version, str) and re.match(r"3\.[01](?:\.|$)", version)):
        message = f"{origin} is an OpenAPI document of version {printable(str(version))[:20]}"
        raise FusionError(message, "give one of version 3.0 or 3.1")
    paths = document.get("paths", {})
    if not isinstance(paths, dict):
        raise FusionError(f"{origin} is an OpenAPI document whose paths are no object", "correct it")
    info = document["info"] if isinstance(document.get("info"), dict) else {}
    told = {"name": info.get("title"), "version": info.get("version")}
    return Listing(
        tools=tuple(_Document(document, origin, old=version.startswith("3.0")).operations(paths)),
        info={key: value for key, value in told.items() if isinstance(value, str)},
    )


class _Document:
    """A document, in which references lead somewhere."""

    def __init__(self, document: JsonObject, origin: str, *, old: bool) -> None:
        self.origin = origin
        self.schemas = Schemas(document, old=old)

    def operations(self, paths: JsonObject) -> Iterator[JsonObject]:
        """A tool for every operation, in the document's order."""
        for path, written in paths.items():
            if path.startswith("x-"):
                continue
            item = self._aimed(written, path)
            for method in _METHODS:
                operation = item.get(method)
                if isinstance(operation, dict):
                    yield self._tool(method, path, item, operation)
                if self.schemas.held > MOST_HELD:
                    message = f"{self.origin} holds more than is read: its operations refer to so much"
                    raise FusionError(message, "give a document of fewer operations")

    def _tool(self, method: str, path: str, item: JsonObject, operation: JsonObject) -> JsonObject:
        name = operation.get("operationId")
        told = operation.get("description") or operation.get("summary")
        about = {"method": method.upper(), "path": path} | ({"deprecated": True} if operation.get("deprecated") else {})
        where = f"{method.upper()} {path}"
        found: JsonObject = {
            "name": name if isinstance(name, str) and name else _slug(method, path),
            "description": told,
            "inputSchema": self._input(item, operation, where),
            "outputSchema": self._output(operation, where),
            "_meta": {"openapi": about},
        }
        if operation.get("description") and operation.get("summary"):
            found["title"] = operation["summary"]
        return found

    def _input(self, item: JsonObject, operation: JsonObject, where: str) -> JsonObject:
        places: dict[str, JsonObject] = {}
        for parameter in self._parameters(item, operation, where):
            place = places.setdefault(parameter["in"], {"type": "object", "properties": {}})
            place["properties"][parameter["name"]] = self._parameter(parameter)
            if parameter.get("required") is True or parameter["in"] == "path":
                place.setdefault("required", []).append(parameter["name"])
        properties: JsonObject = {name: places[name] for name in _PLACES if name in places}
        required = [name for name, place in properties.items() if "required" in place]
        body = self._aimed(operation["requestBody"], where) if "requestBody" in operation else {}
        if (content := self._content(body)) is not None:
            properties["body"] = _described(content, body.get("description"))
            required += ["body"] if body.get("required") is True else []
        schema: JsonObject = {"type": "object", "properties": properties}
        return self.schemas.whole(schema | ({"required": required} if required else {}), sent=True)

    def _parameters(self, item: JsonObject, operation: JsonObject, where: str) -> Iterator[JsonObject]:
        """The parameters of an operation: its own stand in for those of its path that they name again."""
        found: dict[tuple[str, str], JsonObject] = {}
        for holder in (item, operation):
            listed = holder.get("parameters", [])
            for written in listed if isinstance(listed, list) else ():
                one = self._aimed(written, where)
                place, name = one.get("in"), one.get("name")
                if place in _PLACES and isinstance(name, str) and not (place == "header" and name.lower() in _UNSENT):
                    found[place, name] = one
        yield from found.values()

    def _parameter(self, parameter: JsonObject) -> JsonValue:
        schema = parameter.get("schema")
        if schema is None:
            content = parameter.get("content")
            first: JsonValue = next(iter(content.values()), None) if isinstance(content, dict) else None
            schema = first.get("schema", {}) if isinstance(first, dict) else {}
        return _described(schema, parameter.get("description"))

    def _content(self, holder: JsonObject) -> JsonValue:
        """The schema of what a body holds: its JSON, else its form; None where it has neither."""
        content = holder.get("content")
        media = content if isinstance(content, dict) else {}
        kinds = [kind for kind in media if _JSON.match(kind)] or [kind for kind in media if kind in _FORMS]
        chosen = media[kinds[0]] if kinds else None
        return chosen.get("schema", {}) if isinstance(chosen, dict) else None

    def _output(self, operation: JsonObject, where: str) -> JsonObject | None:
        written = operation.get("responses")
        responses = written if isinstance(written, dict) else {}
        schemas: list[JsonValue] = []
        for code in sorted(code for code in responses if code.startswith("2")):
            schema = self._content(self._aimed(responses[code], where))
            if schema is not None and schema not in schemas:
                schemas.append(schema)
        if not schemas:
            return None
        return self.schemas.whole(schemas[0] if len(schemas) == 1 else {"anyOf": schemas}, sent=False)

    def _aimed(self, value: JsonValue, where: str) -> JsonObject:
        """The object itself, or what its reference leads to. Raises FusionError."""
        for _ in range(_DEEPEST):
            reference = value.get("$ref") if isinstance(value, dict) else None
            if isinstance(value, dict) and not isinstance(reference, str):
                return value
            if not isinstance(reference, str):
                break
            value = self.schemas.at(reference)
            if value is None:
                message = f"{self.origin}: {printable(where)} refers to {shortened(reference)}, which is not in it"
                raise FusionError(message, "bundle the document into one file first")
        raise FusionError(f"{self.origin}: {printable(where)} holds what is no object", "correct it")


def _described(schema: JsonValue, text: JsonValue) -> JsonValue:
    """A schema with the description that its holder has, where it has none: beside a `$ref` there may be no other."""
    if not (isinstance(text, str) and text and isinstance(schema, dict)) or "description" in schema:
        return schema
    return {"allOf": [schema], "description": text} if "$ref" in schema else {**schema, "description": text}


def _slug(method: str, path: str) -> str:
    return "_".join(filter(None, [method, *re.split(r"[^A-Za-z0-9]+", path)])) or "root"
