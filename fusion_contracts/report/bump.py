"""The line that says what to call the release: `Least version bump: major (1.4.0 -> 2.0.0)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.model import JsonValue
    from fusion_contracts.report.context import Compared, Context
    from fusion_contracts.report.grouping import Section

__all__ = ["bump_from", "bump_lines"]


def bump_lines(section: Section, context: Context) -> Iterator[str]:
    """The line for one server; none where nothing changed, no version is known to count from, or an answer says it."""
    compared = context.compared.get(section.lockfile)
    text = _version(compared, section.server) if compared and compared.moved is None else None
    if not isinstance(text, str):
        return
    told = bump_from(text, section.findings)
    if "(" in told:
        yield f"Least version bump: {told}"


def bump_from(text: str | None, findings: Iterable[Finding]) -> str:
    """`major (1.4.0 -> 2.0.0)`; without versions where `text` is none to count from; "" where nothing asks for any."""
    from fusion_contracts.diff.bump import least_bump
    from fusion_contracts.diff.version import Version

    bump = least_bump(findings)
    if not bump:
        return ""
    try:
        version = Version.parse(text or "")
    except ValueError:
        return bump.word
    return printable(f"{version.needs(bump).word} ({version} -> {version.raised(bump)})")


def _version(compared: Compared, server: str) -> JsonValue:
    if server in compared.versions:
        return compared.versions[server]
    contract = compared.old.servers.get(server)
    return contract.info.get("version") if contract else None
