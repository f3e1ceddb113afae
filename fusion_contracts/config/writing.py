"""Entries of settings as TOML lines, and a file with one more source."""

from __future__ import annotations

import json
import re
from typing import Any

from fusion_contracts.canonical import HIDDEN
from fusion_contracts.config.model import Source
from fusion_contracts.config.place import MARK, ConfigFile, dig
from fusion_contracts.errors import FusionError

__all__ = ["source_line", "source_lines", "toml_text", "with_source"]


def with_source(text: str, name: str, source: Source, place: ConfigFile) -> str:
    """Return the file's `text` with an entry `sources.NAME` appended; every byte before it stays.

    Raises FusionError (with the lines to add by hand) where appending cannot work, as after an inline table.
    """
    import tomli

    lines = source_lines(name, source, place)
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    result = text + gap + lines.replace("\n", newline)
    try:
        table = dig(tomli.loads(result.removeprefix(MARK)), place)
    except tomli.TOMLDecodeError:
        table = {}
    if table.get("sources", {}).get(name) != _plain(source):
        message = f"{place.path} cannot take one more source at its end"
        step = f"add to its sources yourself: {source_line(name, source)}"
        raise FusionError(message, step, stage="usage")
    return result


def source_lines(name: str, source: Source, place: ConfigFile) -> str:
    """The TOML lines of one source, as they stand in the file at `place`; ends with a newline."""
    import tomli_w  # only where an entry is written or shown

    nest: dict[str, Any] = {"sources": {name: _plain(source)}}
    text = tomli_w.dumps({"tool": {"fusion": nest}} if place.nested else nest)
    # A list on one line, as people write it. tomli-w escapes newlines in strings: these three stand between items.
    return text.replace("[\n    ", "[").replace(",\n]", "]").replace(",\n    ", ", ")


def source_line(name: str, source: Source) -> str:
    """One source as a single line below `[tool.fusion.sources]`, for people to paste."""
    return f"{_key(name)} = {_inline(_plain(source))}"


def toml_text(text: str) -> str:
    """A text as TOML writes it, every hidden character escaped: a JSON string is a TOML string but for those."""
    return HIDDEN.sub(lambda found: f"\\U{ord(found.group()):08x}", json.dumps(text, ensure_ascii=False))


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(name)} = {_inline(item)}' for name, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # else a JSON string is a TOML string


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _inline(name)


def _plain(source: Source) -> dict[str, Any]:
    told = {"command": list(source.command) or None, "path": source.path, "url": source.url, "object": source.object}
    table: dict[str, Any] = {key: value for key, value in told.items() if value is not None}
    if source.env:
        table["env"] = dict(source.env)
    if source.pass_env:
        table["pass-env"] = list(source.pass_env)
    if source.headers:
        table["headers"] = dict(source.headers)
    table |= {key: value for key in ("transport", "timeout") if (value := getattr(source, key)) is not None}
    return table
