"""The NAME of a server in the lock where nobody gave one: from package, script, image, host or file, not serverInfo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from fusion_contracts.sources.runners import arguments, program_of

__all__ = [
    "is_folder_name", "name_from_command", "name_from_package", "name_from_path", "name_from_url", "name_from_word",
]  # fmt: skip

_GENERIC = frozenset(
    {"server", "main", "index", "app", "run", "start", "cli", "__main__", "mcp", "stdio", "mcp_server"}
)
_HOLDERS = frozenset({"agent", "fastmcp", "tool", "toolkit", "tools", "toolset", "toolsets", "mcp-app"})
_MAKES = re.compile(r"^_*(?:make|create|build|get)_")
_FOLDERS = frozenset({"dist", "build", "cmd", "src", "lib", "bin", "out", "target", ".", "..", "/", ""})
_AFFIX = re.compile(r"^(?:mcp-server-|server-mcp-|mcp-|server-)|(?:-mcp-server|-server-mcp|-mcp|-server)$")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_FALLBACK = "server"
_NO_FOLDER = frozenset('/\\<>:"|?*')  # what some system refuses in a name
_LONGEST = 100


def is_folder_name(name: str) -> bool:
    """Whether a NAME can be that of a folder on every system: a server's releases are kept in one."""
    from fusion_contracts.lockfile.file import is_device

    plain = name.isprintable() and not _NO_FOLDER & set(name) and name.strip(". ") == name != ""
    return plain and len(name) <= _LONGEST and not is_device(name)


def name_from_command(command: Sequence[str]) -> str:
    """A NAME from the argv of a server: `npx -y @playwright/mcp@0.0.70` gives `playwright`."""
    program = program_of(command)
    words = arguments(command)
    return (_from_arguments(words) if words else None) or name_from_package(program)


def _from_arguments(words: Sequence[str]) -> str | None:
    """The name of what a command starts, by its words from there on: a module, a script, a package, an image."""
    first, rest = words[0], words[1:]
    if first == "-m":
        return _from_module(rest[0]) if rest else None
    hosts = [one for one in rest if "://" in one] if re.match(r"mcp-remote(?:@|$)", first) else []
    if hosts:
        return name_from_url(hosts[0])
    return name_from_path(first) if _is_script(first) else name_from_package(first)


def _is_script(argument: str) -> bool:
    return re.search(r"\.(?:[cm]?[jt]s|py|rb|php|pl|sh|jar|dll)$", argument) is not None or argument.startswith(
        (".", "/")
    )


def _from_module(module: str) -> str:
    parts = [part for part in module.split(".") if part not in _GENERIC]
    return name_from_package((parts or [module])[-1].replace("_", "-"))


def name_from_package(package: str) -> str:
    """A NAME from a package or image: `@scope/server-memory@1.2` gives `memory`."""
    scoped = re.fullmatch(r"@(?P<scope>[^/@]+)/(?P<name>[^@]+)(?:@.*)?", package)
    if scoped:
        name = _bare(scoped["name"])
        return _safe(_bare(scoped["scope"]) if name in _GENERIC else name)
    bare = re.split(r"[@=<>~!\[;\s]", package, maxsplit=1)[0].rstrip("/")
    last = bare.rsplit("/", 1)[-1].split(":", 1)[0].removesuffix(".git")
    dotted = last.rsplit(".", 1)[-1]
    name = _bare(dotted if not dotted.isdigit() else last)
    folder = bare.rsplit("/", 2)[-2] if name in _GENERIC and bare.count("/") > 0 else ""
    return _safe(_bare(folder) or name)


def name_from_path(path: str) -> str:
    """A NAME from a file: its stem, or where that says nothing the folder that does."""
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    stem = PurePosixPath(parts[-1]).stem if parts else ""
    if _bare(stem) not in _GENERIC:
        return _safe(_bare(stem))
    folders = [part for part in reversed(parts[:-1]) if part not in _FOLDERS]
    return _safe(_bare(folders[0])) if folders else _safe(stem)


def name_from_word(word: str) -> str | None:
    """A NAME from a variable or function: `make_weather_server` gives `weather`; None where it says nothing."""
    bare = _bare(_MAKES.sub("", word).replace("_", "-").strip("-"))
    return None if not bare or bare.lower() in _GENERIC | _HOLDERS else _safe(bare)


def name_from_url(url: str) -> str:
    """A NAME from a URL's host: `https://mcp.linear.app/sse` gives `linear`."""
    host = re.split(r"[/?#]", url.partition("://")[2], maxsplit=1)[0].rpartition("@")[2]
    labels = re.sub(r":\d+$", "", host).split(".")
    if len(labels) < 2 or labels[-1].isdigit():  # noqa: PLR2004 - a bare host or an address has no domain
        return _safe(host)
    return _safe(_bare(labels[-2]))


def _bare(name: str) -> str:
    """The name without what only says that it is an MCP server."""
    while name and (shorter := _AFFIX.sub("", name, count=1)) != name:
        if not shorter:
            break
        name = shorter
    return name


def _safe(name: str) -> str:
    """A name that is a TOML key and a file name on every system."""
    safe = _UNSAFE.sub("-", name)[:_LONGEST].strip("-.") or _FALLBACK
    return safe if is_folder_name(safe) else f"{_FALLBACK}-{safe}"[:_LONGEST]  # what Windows keeps for a device
