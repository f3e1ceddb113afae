"""What a file is, by its own first words: a lock, JSON, YAML, or none. Its name decides only where they do not."""

from __future__ import annotations

import re
from enum import Enum

__all__ = ["HEAD", "LOCK_VERSION", "Kind", "kind_of"]


class Kind(Enum):
    """What a file may be."""

    LOCK = "lock"
    JSON = "json"
    YAML = "yaml"
    UNKNOWN = "unknown"


HEAD = 65536
"""Bytes of a file that are looked at."""
LOCK_VERSION = re.compile(rb"^[ \t]*lock_version[ \t]*=", re.MULTILINE)  # \s would try each run of line ends anew
"""What a line of a lock begins with, and no line of another file."""
_OPENAPI = re.compile(rb"""^["']?(?:openapi|swagger)["']?\s*:""", re.MULTILINE)
_CONFLICT = re.compile(rb"^(?:<<<<<<<|>>>>>>>) ", re.MULTILINE)


def kind_of(data: bytes, name: str) -> Kind:
    """Look at a file's bytes, and at its name where they leave it open (a broken or conflicted lock is still one)."""
    head = data[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if name.endswith((".lock", ".toml")) or (head[:1] != b"{" and LOCK_VERSION.search(head)):  # no TOML begins so
        return Kind.LOCK
    if head[:1] in (b"{", b"[") or name.endswith(".json"):
        return Kind.JSON
    if name.endswith((".yaml", ".yml")) or _OPENAPI.search(head):
        return Kind.YAML
    return Kind.LOCK if _CONFLICT.search(head) else Kind.UNKNOWN
