"""Notes of `fusion lock`: what people should know, and the lines that they can paste."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from fusion_contracts.canonical import HIDDEN, printable, shell_word
from fusion_contracts.cli.output import tell
from fusion_contracts.cli.project import Project

if TYPE_CHECKING:
    from fusion_contracts.cli.refresh import Refreshed
    from fusion_contracts.config import ConfigFile
    from fusion_contracts.model import Lock
    from fusion_contracts.sources.base import VolatileRule

__all__ = ["tell_notes", "volatile_block"]


def tell_notes(found: Refreshed, locked: Lock, gone: Collection[str], project: Project) -> None:
    """Tell what the sources said beside their contracts, and which servers of the lock have no source."""
    for line in found.notes:
        tell(f"note: {printable(line)}")
    for candidate in found.volatile:
        if candidate.rule is None:
            tell(f"note: {printable(candidate.sentence)}")
            continue
        where = project.home.path.name
        tell(f"note: {printable(candidate.sentence)}; if it is no part of the contract, add to {where}:")
        tell(volatile_block(candidate.rule, project.home))
    named = {*project.config.sources, *found.contracts, *gone}
    for name in locked.servers:
        if name not in named:
            kept = f"{printable(name)} is kept as it is in {project.shown_lock}: no source of that name is configured"
            tell(f"note: {kept}; fusion lock --prune -s {shell_word(name)} drops it")
    for problem in found.problems:
        tell(f"fusion: {printable(str(problem))}")


def volatile_block(rule: VolatileRule, place: ConfigFile) -> str:
    """A volatile rule as the TOML lines that stand for it in the settings file at `place`."""
    values = {
        "server": rule.server,
        "tool": rule.tool,
        "pointer": rule.pointer,
        "pattern": rule.pattern,
        "reason": rule.reason,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in values.items()]
    return "\n".join([f"[[{place.prefix}volatile]]", *lines])


def _toml(text: str) -> str:
    """A text as TOML writes it, every hidden character escaped: a JSON string is a TOML string but for those."""
    return HIDDEN.sub(lambda found: f"\\U{ord(found.group()):08x}", json.dumps(text, ensure_ascii=False))
