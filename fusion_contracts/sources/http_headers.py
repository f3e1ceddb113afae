"""The headers that people configure: what may be one, and how one is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.interpolate import interpolate, references, templates_only

__all__ = ["check_header", "filled_in", "header_template", "headers_of"]

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")
_BREAK = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|Digest|ApiKey) (?=\$\{)", re.IGNORECASE)
# What the transport says by itself.
_OURS = frozenset({
    "accept", "accept-encoding", "connection", "content-length", "content-type", "expect", "host", "keep-alive",
    "mcp-method", "mcp-protocol-version", "mcp-session-id", "te", "trailer", "transfer-encoding", "upgrade",
})  # fmt: skip


def headers_of(texts: Iterable[str], option: str = "--header") -> dict[str, str]:
    """Headers by name, from the form of the command line, `NAME: VALUE`. Raises FusionError; no value is repeated."""
    found: dict[str, str] = {}
    for text in texts:
        name, colon, value = text.partition(":")
        name = name.strip()
        if not colon or not name:
            raise FusionError(f"{option} takes a name, a colon and a value", "write 'NAME: VALUE'", stage="usage")
        if name in found:
            raise FusionError(f"{option} gives {printable(name)[:60]} twice", "give it once", stage="usage")
        found[name] = value.strip(" \t")
    return found


def header_template(value: str) -> str:
    """What the lock keeps of a header's value: its references, and the scheme of credentials before them."""
    scheme = _SCHEME.match(value)
    return (scheme.group() if scheme else "") + templates_only(value)


def check_header(name: str, value: str) -> None:
    """Raise FusionError for a header that cannot be one, or that the protocol sets; the value is not repeated."""
    shown = printable(name)[:60]
    if not _NAME.fullmatch(name):
        raise FusionError(f'"{shown}" is no name of a header', "write 'NAME: VALUE'", stage="usage")
    if name.lower() in _OURS:
        raise FusionError(f"the header {shown} is set by the protocol", "leave it out", stage="usage")
    _check_value(name, value, references(value))


def filled_in(name: str, value: str, environ: Mapping[str, str]) -> str:
    """The value of a header with its references filled in. Raises FusionError, as `check_header`."""
    filled = interpolate(value, environ, where=f"the header {name}")
    _check_value(name, filled, references(value))
    return filled.strip(" \t")


def _check_value(name: str, value: str, variables: tuple[str, ...]) -> None:
    where = f"correct the value of {' or '.join(variables)}" if variables else "correct it"
    if _BREAK.search(value):
        message = f"the header {name} holds a line break or another control character"
        raise FusionError(message, where, stage="usage")
    try:
        value.encode("latin-1")
    except UnicodeEncodeError:
        raise FusionError(f"the header {name} holds a character that no header may", where, stage="usage") from None
