"""Where a finding stands in the text of its lock: the line of the most exact table or key that its pointer names.

What is not in that text (an argument that was removed from the lock shown, or is not yet in it) stands at the nearest
thing around it that is: the schema, the tool, the server; at least the first line. What was renamed stands at its new
name where the text has that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from fusion_contracts.canonical import pointer_key
from fusion_contracts.lockfile.statements import statements
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.diff import Finding
    from fusion_contracts.report.context import Context

__all__ = ["Lines", "Place", "Places"]

Path: TypeAlias = tuple[str, ...]

_TOOL = {"inputSchema": "input", "outputSchema": "output", "_meta": "meta"}
_TOOL_OWN = frozenset({"title", "description", "annotations", "execution"})
_SERVER = {"protocolVersion": "protocol_version", "serverInfo": "info", "resourceTemplates": "resource_templates"}
_PROMPT_OWN = frozenset({"title", "description", "arguments"})


@record
class Place:
    """A line of a file: `path` from the repository's top with forward slashes, `line` counted from 1."""

    path: str
    line: int


class Places:
    """The places of the findings of one report. Each file is read once, when the first of its findings asks."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._read: dict[str, Lines] = {}

    def of(self, finding: Finding) -> Place | None:
        """Where a finding stands; None where no lock took part in its comparison."""
        path, text = self._context.of(finding).file_of(finding.server)
        if path is None or text is None:
            return None
        if path not in self._read:
            self._read[path] = Lines(text)
        return Place(path, self._read[path].of(finding))


class Lines:
    """The tables and keys of a lock's text, each with the line at which it starts. `text` is valid TOML."""

    def __init__(self, text: str) -> None:
        self._starts: dict[Path, tuple[int, str]] = {}  # the line, and the statement, which may hold an array
        table: Path = ()
        line = 1
        for statement in statements(text.removeprefix("\ufeff")):
            body = statement.lstrip(" \t")
            if body.startswith("["):
                table = _keys(body.lstrip("[ \t"))
                self._starts.setdefault(table, (line, ""))
            elif body.strip("\r\n") and not body.startswith("#"):
                self._starts.setdefault(table + _keys(body), (line, statement))
            line += statement.count("\n")

    def of(self, finding: Finding) -> int:
        """The line of a finding."""
        return max((self.at(path) for path in self._paths(finding)), key=lambda found: found[0])[1]

    def at(self, path: Path) -> tuple[int, int]:
        """How many steps of the path of tables and keys are there, and the line of the last one."""
        for length in range(len(path), 0, -1):
            found = self._starts.get(path[:length])
            if found is not None:
                element = _element(found[1], path[length]) if length < len(path) else None
                return length + (element is not None), found[0] + (element or 0)
        return 0, 1

    def _paths(self, finding: Finding) -> Iterator[Path]:
        """Where a finding may stand: at the new name of what was renamed, then where its pointer leads."""
        server = ("servers", self._called(finding.server))
        steps = tuple(map(pointer_key, finding.pointer.split("/")[1:]))
        if finding.tool is None:
            if finding.successor is not None and steps:
                yield server + _of_server((*steps[:-1], finding.successor))
            yield server + _of_server(steps)
            return
        tool = (*server, "tools", finding.tool)
        if finding.successor is not None:
            yield tool + _of_tool((*steps[:-1], finding.successor)) if steps else (*tool[:-1], finding.successor)
        yield tool + _of_tool(steps)

    def _called(self, server: str) -> str:
        """The name that the text gives to a server: a single one is compared with another whatever their names."""
        return server if server in self._servers or len(self._servers) != 1 else next(iter(self._servers))

    @cached_property
    def _servers(self) -> frozenset[str]:
        return frozenset(path[1] for path in self._starts if len(path) > 1 and path[0] == "servers")


def _of_tool(steps: Path) -> Path:
    """A pointer into a tool as MCP lists it, as the path in the tool's tables."""
    if not steps:
        return ()
    first, *rest = steps
    if first in _TOOL:
        return (_TOOL[first], *rest)
    return steps if first in _TOOL_OWN else ("extra", *steps)


def _of_server(steps: Path) -> Path:
    """A pointer into a contract, as the path in the server's tables."""
    first, *rest = steps or ("",)
    part = _SERVER.get(first, first)
    if part in {"resources", "resource_templates"} and len(rest) > 1:
        return (part, rest[0], "fields", *rest[1:])
    if part == "prompts" and len(rest) > 1 and rest[1] not in _PROMPT_OWN:
        return (part, rest[0], *(("meta", *rest[2:]) if rest[1] == "_meta" else ("extra", *rest[1:])))
    return (part, *rest)


# --- reading keys and arrays ------------------------------------------------------------------------------------------

_PLAIN = re.compile(r"[A-Za-z0-9_.-]+(?=\s*[=\]])")
_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_DOTTED = re.compile(rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*")


def _keys(text: str) -> Path:
    """The names of the dotted key at the beginning of a text."""
    plain = _PLAIN.match(text)
    if plain is not None:
        return tuple(plain[0].split("."))
    dotted = _DOTTED.match(text)
    if dotted is None:  # text that no reader took, and so nobody looks it up
        return ()
    import tomli  # not needed where all names are plain

    names: list[str] = []
    found: Any = tomli.loads(f"{dotted[0]} = 0")
    while isinstance(found, dict):
        ((name, found),) = found.items()
        names.append(name)
    return tuple(names)


def _element(statement: str, step: str) -> int | None:
    """How many lines below its key the element of an array stands that has this index or `name`; None for none.

    An array that has not one element a line is not taken apart.
    """
    first, *inner, last = statement.rstrip().split("\n") if "\n" in statement.rstrip() else ("", "")
    if not first.rstrip().endswith("[") or last.strip() != "]":
        return None
    import tomli  # as above

    try:
        elements = tomli.loads("\n".join(("x = [", *inner, "]")))["x"]
    except tomli.TOMLDecodeError:
        return None
    if len(elements) != len(inner):
        return None
    if step.isdecimal():
        return int(step) + 1 if int(step) < len(elements) else None
    names = [one.get("name") if isinstance(one, dict) else None for one in elements]
    return names.index(step) + 1 if step in names else None
