"""Notes of `fusion lock`: what people should know, and the lines that they can paste."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.output import tell
from fusion_contracts.cli.project import Project
from fusion_contracts.config.writing import toml_text

if TYPE_CHECKING:
    from fusion_contracts.cli.refresh import Refreshed
    from fusion_contracts.cli.wanted import Wanted
    from fusion_contracts.config import ConfigFile
    from fusion_contracts.errors import Problem
    from fusion_contracts.model import Lock
    from fusion_contracts.sources.base import VolatileRule

__all__ = ["tell_excused", "tell_notes", "unpinned_note", "volatile_block"]


def tell_notes(found: Refreshed, locked: Lock, named: Collection[str], project: Project) -> None:
    """Tell what the sources said beside their contracts, and which servers of the lock are `named` nowhere."""
    for line in found.notes:
        tell(f"note: {printable(line)}")
    for candidate in found.volatile:
        if candidate.rule is None:
            tell(f"note: {printable(candidate.sentence)}")
            continue
        where = project.home.path.name
        tell(f"note: {printable(candidate.sentence)}; if it is no part of the contract, add to {where}:")
        tell(volatile_block(candidate.rule, project.home))
    for name in locked.servers:
        if name not in named:
            kept = f"{printable(name)} is kept as it is in {project.shown_lock}: no source of that name is configured"
            tell(f"note: {kept}; fusion lock --prune -s {shell_word(name)} drops it")
    tell_excused(found.excused)
    for problem in found.problems:
        tell(f"fusion: {printable(str(problem))}")


def tell_excused(problems: Sequence[Problem]) -> None:
    """Tell of each server that could not be read, and may be away, that this has no effect."""
    for problem in problems:
        tell(f"note: {printable(str(problem))} (--allow-unreachable: no effect on the exit code)")


def unpinned_note(wanted: Sequence[Wanted]) -> list[str]:
    """One line on the packages of which any run may get another version, and how to pin them; none where all are."""
    from fusion_contracts.sources.runners import pinned, unpinned

    commands = [one.record.command for one in wanted if one.record]
    packages = {package: pinned(command, package) for command in commands if (package := unpinned(command))}
    if not packages:
        return []
    pins = ", ".join(packages.values())
    return [f"unpinned, so that any run may get another version: {', '.join(packages)}; pin by writing {pins}"]


def volatile_block(rule: VolatileRule, place: ConfigFile) -> str:
    """A volatile rule as the TOML lines that stand for it in the settings file at `place`."""
    values = {
        "server": rule.server,
        "tool": rule.tool,
        "pointer": rule.pointer,
        "pattern": rule.pattern,
        "reason": rule.reason,
    }
    lines = [f"{key} = {toml_text(value)}" for key, value in values.items()]
    return "\n".join([f"[[{place.prefix}volatile]]", *lines])
