"""The file of a client's configuration: whether it is one, and the table of servers in it.

What a file is, its root key says, never its name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from fusion_contracts.canonical import loads, printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.sniff import LOCK_VERSION

__all__ = ["MAX_BYTES", "ROOT_KEYS", "may_hold_servers", "parse_document", "servers_in"]

_ROOTS = (
    ("mcpServers",),  # Claude, Cursor, Gemini CLI, Windsurf, FastMCP, and most others
    ("mcp_servers",),  # Codex
    ("context_servers",),  # Zed
    ("mcp", "servers"),  # opencode, and VS Code's settings.json
    ("servers",),  # VS Code's mcp.json
    ("mcp",),  # opencode
)
ROOT_KEYS = frozenset(root[0] for root in _ROOTS)
"""The keys at the top below which servers stand."""
_TOML_TABLE = re.compile(r"""^[ \t]*\[+[ \t]*["']?mcp_servers\b""", re.MULTILINE)  # \s would try line ends anew
MAX_BYTES = 4 * 2**20
"""Bytes of a configuration that are read; a larger file is none."""
_MAX_COMMENTED = 2**18  # bytes of one that is no plain JSON: its reader takes three seconds for so many
# One pattern a word: each begins with a literal, for which C looks many times faster than for alternatives.
_STARTS = tuple(re.compile(word + rb"""["']?\s*:\s*[{/]""") for word in (b"mcpServers", b"servers", b"mcp"))


def may_hold_servers(data: bytes) -> bool:
    """Whether it is worth parsing a file for servers: quick, and never wrong where it says no."""
    if LOCK_VERSION.search(data[:4096]):
        return False
    return b"mcp_servers" in data or any(start.search(data) for start in _STARTS)


def parse_document(data: bytes, label: str) -> dict[str, Any] | None:
    """The object in a configuration file; None for what is no client configuration.

    JSON, JSON with comments and trailing commas, or TOML. Raises FusionError for a file that is meant to be one of
    these and is broken.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if len(data) > MAX_BYTES or not any(key in text for key in ROOT_KEYS):
        return None
    if _TOML_TABLE.search(text):
        document = _toml(text, label)
    elif text.lstrip()[:1] in {"{", "/"}:  # an object, or a comment before it
        document = _json(text, label)
    else:
        return None
    return document if isinstance(document, dict) and servers_in(document) is not None else None


def _toml(text: str, label: str) -> Any:
    import tomli

    try:
        return tomli.loads(text)
    except (ValueError, RecursionError) as error:
        raise FusionError(f"{label} is not valid TOML: {printable(str(error))}", "correct that line") from None


def _json(text: str, label: str) -> Any:
    data = text.encode()
    try:
        return loads(data, label)
    except FusionError as plain:
        import json5  # comments and trailing commas; slow, so only for what is no plain JSON

        if len(data) > _MAX_COMMENTED:
            step = f"correct it; comments are read in a file of at most {_MAX_COMMENTED >> 10} KiB"
            raise FusionError(plain.problem.message, step) from None
        try:
            return json5.loads(text, allow_duplicate_keys=False)
        except RecursionError:
            raise FusionError(f"{label} is nested too deeply", "check that it is the right file") from None
        except ValueError as error:
            reason = printable(re.sub(r"^<string>:(?=\d)", "line ", str(error)))
            raise FusionError(f"{label} is no JSON, with comments or without: {reason}", "correct it") from None


def servers_in(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The table of servers, by the first root key that holds one."""
    for root in _ROOTS:
        table: Any = document
        for key in root:
            table = table.get(key) if isinstance(table, dict) else None
        if isinstance(table, dict) and _plausible(table, root):
            return table
    return None


def _plausible(table: Mapping[str, Any], root: tuple[str, ...]) -> bool:
    """Whether a table holds servers. `servers` and `mcp` are words of others too: there an entry must look like one."""
    if root not in {("servers",), ("mcp",)}:
        return True
    return any(isinstance(one, dict) and one.keys() & {"command", "url", "type"} for one in table.values())
