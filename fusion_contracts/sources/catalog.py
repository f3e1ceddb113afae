"""A saved catalog: what `tools/list` answered, tools as a provider's requests hold them, or an OpenAPI document."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from fusion_contracts.canonical import loads, printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject, JsonValue, SourceRecord
from fusion_contracts.record import record
from fusion_contracts.sources.base import Listing, Options, Reading, joined
from fusion_contracts.sources.contract import contract_of
from fusion_contracts.sources.formats import document_listing, is_tool, mcp_tools
from fusion_contracts.sources.naming import name_from_package, name_from_path
from fusion_contracts.sources.sniff import Kind, kind_of

__all__ = ["CatalogSource", "listing_of", "parsed", "read_catalog"]

MAX_BYTES = 64 * 2**20
_EXPECTED = (
    'give a list of tools, an object with "tools", the JSON-RPC answer to tools/list, an OpenAPI document, '
    "or a lock that fusion wrote"
)
_SECTIONS = ("prompts", "resources", "resourceTemplates")


@record
class CatalogSource:
    """A catalog file. `path` is relative to the folder that `Options.root` names, or absolute."""

    kind: ClassVar[str] = "catalog"
    live: ClassVar[bool] = False

    path: Path

    @property
    def label(self) -> str:
        """For people."""
        return printable(str(self.path))

    @property
    def record(self) -> SourceRecord:
        """The path as it was given; `read` stores it relative to the root."""
        return SourceRecord(kind="file", path=self.path.as_posix())

    def read(self, options: Options) -> Reading:
        """Read the file. Raises FusionError where it is missing, broken or no catalog."""
        value = parsed(_bytes_of(options.root / self.path, self.label), self.label, self.path.name)
        record = replace(self.record, path=_relative(options.root / self.path, options.root))
        return read_catalog(value, origin=self.label, path=self.path.as_posix(), options=options, source=record)


def parsed(data: bytes, label: str, name: str) -> JsonValue:
    """The value in the bytes of a file, by what it says or its name: YAML, else JSON. Raises FusionError."""
    if kind_of(data, name) is Kind.YAML:
        from fusion_contracts.sources.yaml_text import yaml_loads

        return yaml_loads(data, label)
    return loads(data, label)


def read_catalog(
    value: JsonValue, *, origin: str, path: str, options: Options, source: SourceRecord | None = None
) -> Reading:
    """The reading of a parsed catalog, or of several under `catalogs` as `fusion show --format json` writes them.

    `origin` names it in messages; `path` gives the NAME where neither the options nor the catalog itself do. Of several
    the options' name chooses one. Raises FusionError where the value is no catalog, or holds none of that name.
    """
    catalogs = value.get("catalogs") if isinstance(value, dict) and "tools" not in value else None
    if isinstance(catalogs, dict):
        return _several(catalogs, origin, options, source)
    name = options.name or _own_name(value) or name_from_path(path)
    return contract_of(listing_of(value, origin), name=name, source=source, volatile=options.volatile)


def _several(catalogs: JsonObject, origin: str, options: Options, source: SourceRecord | None) -> Reading:
    """The readings of the catalogs, by NAME, as one."""
    chosen = {name: value for name, value in catalogs.items() if name and options.name in {None, name}}
    if not chosen:
        known = printable(", ".join(catalogs))
        missing = f"no server {printable(options.name)}" if options.name else "no server"
        raise FusionError(f"{origin} holds {missing}", f"it holds: {known}" if known else "save one first")
    listings = {name: listing_of(value, f"{origin}: {printable(name)}") for name, value in chosen.items()}
    return joined(
        contract_of(listing, name=name, source=source, volatile=options.volatile) for name, listing in listings.items()
    )


def _own_name(value: JsonValue) -> str | None:
    """The NAME that a catalog gives itself: its package's, else its `server`'s where that is not serverInfo's name."""
    server = value.get("server") if isinstance(value, dict) else None
    if not isinstance(server, dict):
        return None
    package, name = server.get("package"), server.get("name")
    if isinstance(package, str) and package:
        return name_from_package(package)
    return name if isinstance(name, str) and name and "serverInfo" in server else None


def _bytes_of(path: Path, label: str) -> bytes:
    """The bytes of a file. Raises FusionError with one sentence for everything that can be wrong with it."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):  # a pipe may never end
            raise FusionError(f"{label} is not a plain file", "save it to one first")
        if found.st_size > MAX_BYTES:
            raise FusionError(f"{label} is larger than {MAX_BYTES // 2**20} MiB", "give a smaller file")
        return path.read_bytes()
    except FileNotFoundError:
        raise FusionError(f"{label} does not exist", "check the path") from None
    except IsADirectoryError:
        raise FusionError(f"{label} is a folder, not a file", "name a file in it") from None
    except OSError as error:
        raise FusionError(f"{label} cannot be read: {error.strerror}", "check its permissions") from None


def listing_of(value: JsonValue, origin: str) -> Listing:
    """What a parsed catalog lists, `origin` naming it in messages. Raises FusionError where it is none."""
    if isinstance(value, dict) and value.get("error") is not None and "tools" not in value:
        message = f"{origin} holds an error answer, not a list of tools"
        raise FusionError(message, "save the answer of a call that worked")
    document = _unwrapped(value)
    entries = _tools(document)
    if entries is None and (listing := document_listing(document, origin)) is not None:
        return listing
    if entries is None and _is_client_config(value):
        message = f"{origin} is a client's configuration, whose servers are started only from the file in the folder"
        raise FusionError(message, "name that file", stage="usage")
    if entries is None:
        raise FusionError(f"{origin} is neither a catalog of tools nor a lock", _EXPECTED)
    tools, notes = mcp_tools(entries, origin)
    if not isinstance(document, dict):
        return Listing(tools=tuple(tools), notes=notes)
    server = document.get("server")
    head: JsonObject = {**document, **server} if isinstance(server, dict) else document
    sections = {key: _entries(document, key, origin) for key in _SECTIONS}
    more = document.get("nextCursor") is not None
    return Listing(
        tools=tuple(tools),
        prompts=sections["prompts"],
        resources=sections["resources"],
        resource_templates=sections["resourceTemplates"],
        protocol_version=_text(head, "protocolVersion", "protocol_version"),
        info=_map(head, "serverInfo", "server_info"),
        capabilities=_map(head, "capabilities"),
        instructions=_text(head, "instructions"),
        notes=(*notes, *(("the catalog has a nextCursor: it holds the first page alone",) if more else ())),
    )


def _is_client_config(value: JsonValue) -> bool:
    """Whether servers stand under one of the roots of clients, and none of them is a listing."""
    from fusion_contracts.sources.client_document import ROOT_KEYS

    roots = [value.get(root) for root in ROOT_KEYS] if isinstance(value, dict) else []
    tables = [root for root in roots if isinstance(root, dict)]
    listed = any(isinstance(entry, dict) and "tools" in entry for table in tables for entry in table.values())
    return bool(tables) and not listed


def _unwrapped(value: JsonValue) -> JsonValue:
    """What a JSON-RPC answer carries; any other value as it is."""
    if isinstance(value, dict) and "tools" not in value and isinstance(value.get("result"), dict):
        return value["result"]
    return value


def _tools(document: JsonValue) -> list[JsonValue] | None:
    """The list of tools in a document, or None where there is none. A list in which nothing has a name is none."""
    tools = document
    if isinstance(document, dict):
        held = next((key for key in ("tools", "functions") if key in document), None)
        if held is None:
            return [document] if is_tool(document) else None
        tools = document[held]
    if not isinstance(tools, list):
        return None
    named = any((isinstance(tool, dict) and "name" in tool) or is_tool(tool) for tool in tools)
    return tools if named or not tools else None


def _entries(document: JsonObject, key: str, origin: str) -> tuple[JsonValue, ...]:
    found = document.get(key)
    if found is None:
        return ()
    if not isinstance(found, list):
        raise FusionError(f'{origin}: "{key}" is not a list', "correct the catalog, or save it again")
    return tuple(found)


def _text(head: JsonObject, *keys: str) -> str | None:
    return next((head[key] for key in keys if isinstance(head.get(key), str)), None)


def _map(head: JsonObject, *keys: str) -> JsonObject:
    return next((head[key] for key in keys if isinstance(head.get(key), dict)), {})


def _relative(path: Path, root: Path) -> str:
    """The path from the root, with forward slashes; only its name where there is no way between the two."""
    try:
        return Path(os.path.relpath(path, root)).as_posix()
    except ValueError:  # two drives on Windows
        return path.name
