"""The text of a lock in one piece an entry, so that a merge can take an entry with its comments from either side."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from fusion_contracts.lockfile.splice import parted
from fusion_contracts.lockfile.statements import statements
from fusion_contracts.record import record

__all__ = ["Fragment", "Fragments", "Key", "fragments"]

Key = tuple[str, str, str]
"""Server, section, name; ("NAME", "", "") is the server's own table, with `source`, `info` and `capabilities`."""

_SECTIONS = frozenset({"prompts", "resources", "resource_templates", "tools"})


@dataclass(slots=True)
class Fragment:
    """The tables of one entry: `lead` is the comments directly above the first, `body` ends in one line break."""

    lead: str = ""
    body: str = ""


@record
class Fragments:
    """What stands before the first table, and the entries by key."""

    head: Fragment = field(default_factory=Fragment)
    entries: dict[Key, Fragment] = field(default_factory=dict)


def fragments(text: str) -> Fragments:
    """Take the text of a lock apart; its line ends are line feeds.

    What was written by hand in another form lands anywhere: whoever puts pieces together again reads the result.
    """
    found = Fragments()
    here, key, aside = found.head, None, ""  # aside: comments and blank lines whose owner is not known yet
    for statement in statements(text):
        start = statement.lstrip(" \t\ufeff")[:1]
        if start in {"", "#", "\n"}:
            aside += statement
            continue
        if start == "[" and (owner := _owner(statement)) != key:
            tail, lead = parted(aside)
            here.body += tail
            key, aside = owner, ""
            here = found.entries.setdefault(owner, Fragment(lead))
        here.body += aside + statement
        aside = ""
    here.body += aside
    for each in (found.head, *found.entries.values()):
        each.body = each.body.rstrip("\n") + "\n"
    return found


def _owner(header: str) -> Key:
    """The entry that a table belongs to."""
    import tomli  # as in codec

    path: list[str] = []
    table: Any = tomli.loads(header)
    while isinstance(table, dict) and table:
        name, table = next(iter(table.items()))
        path.append(name)
    _, server, section, entry, *_ = [*path, "", "", "", ""]
    return (server, section, entry) if section in _SECTIONS else (server, "", "")
