"""The project's own settings: `[tool.fusion]` in pyproject.toml, or the top level of fusion.toml.

Only the project's folder is looked at (the current one, or `-C DIR`), never its parents: what a command reads and
starts depends on the folder it is given and on nothing above it. Settings in both files at once are an error.

Keys are written with hyphens. An unknown key is an error that names the nearest one. pydantic decides what is right,
but it costs a third of a command's start-up; so settings of the commonest form, sources and little else, are taken as
they are, and pydantic is imported for all others.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias

from fusion_contracts.errors import FusionError

__all__ = [
    "Config", "ConfigFile", "FailOn", "Level", "Source", "Volatile", "common_form", "locate", "read", "source_line",
    "source_lines", "text_of", "with_source",
]  # fmt: skip

FailOn: TypeAlias = Literal["breaking", "risky", "any", "never"]
Level: TypeAlias = Literal["breaking", "risky", "safe"]
Transport: TypeAlias = Literal["http", "sse"]


def _hyphenated(name: str) -> str:
    return name.replace("_", "-")


_STRICT: dict[str, Any] = {"extra": "forbid", "alias_generator": _hyphenated}


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of `sources`: a server to start (`command`, a list) or contact (`url`), or a file to read (`path`).

    `env` and `headers` values may hold `${VAR}`; `pass_env` names variables that are handed through; `timeout` is in
    seconds, for one listing.
    """

    __pydantic_config__: ClassVar[Any] = _STRICT
    command: tuple[str, ...] = ()
    path: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    pass_env: tuple[str, ...] = ()
    url: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    transport: Transport | None = None
    timeout: int | None = None

    def __post_init__(self) -> None:
        """Raise ValueError unless exactly one of `command`, `url` and `path` is there, with what it takes alone."""
        if bool(self.command) + (self.url is not None) + (self.path is not None) != 1:
            raise ValueError("needs a command, a url or a path, one of the three")
        if not self.command and (self.env or self.pass_env):
            other = "a path" if self.url is None else "a url"
            raise ValueError(f"has env or pass-env beside {other}; only a command takes them")
        if self.url is None and (self.headers or self.transport is not None):
            raise ValueError("has headers or transport without a url; only a url takes them")
        if self.timeout is not None and (self.path is not None or self.timeout < 1):
            raise ValueError("has a timeout below 1, or beside a path")
        _refuse_zero((self.path or "", *self.command, *self.env, *self.env.values(), *self.pass_env))
        _refuse_zero((self.url or "", *self.headers, *self.headers.values()))
        if any(not name or "=" in name for name in (*self.env, *self.pass_env)):
            raise ValueError('names a variable that cannot be one: it is empty, or holds "="')


@dataclass(frozen=True, slots=True)
class Volatile:
    """Text that differs from run to run: what `pattern` matches there is stored as `{volatile}`; `reason` says why."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    pattern: str
    reason: str
    server: str = "*"
    tool: str = "*"
    pointer: str = "*"


@dataclass(frozen=True, slots=True)
class Config:
    """All settings, with their defaults."""

    __pydantic_config__: ClassVar[Any] = _STRICT
    lockfile: str = "fusion.lock"
    fail_on: FailOn = "breaking"
    world: Literal["declared", "open"] = "declared"
    sources: dict[str, Source] = field(default_factory=dict)
    levels: dict[str, Level] = field(default_factory=dict)
    token_growth_percent: int = 25
    volatile: tuple[Volatile, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError where a number makes no sense, or a text is no name of a file or server."""
        if not self.lockfile or "\0" in self.lockfile:
            raise ValueError("lockfile is empty, or holds a zero character")
        if "" in self.sources:
            raise ValueError("sources holds an entry without a name")
        if self.token_growth_percent < 0:
            raise ValueError("token-growth-percent must be 0 or more")


def _refuse_zero(texts: Iterable[str]) -> None:
    """Raise ValueError for a zero character, which ends a text for every system."""
    if any("\0" in text for text in texts):
        raise ValueError("holds a zero character")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """Where settings stand: the file, and whether under `[tool.fusion]` (else at the top level)."""

    path: Path
    nested: bool

    @property
    def prefix(self) -> str:
        """What comes before a key in a table header of this file."""
        return "tool.fusion." if self.nested else ""


def locate(
    root: Path, explicit: Path | None = None, *, create: bool = False
) -> tuple[ConfigFile | None, dict[str, Any]]:
    """Find the settings of the folder `root` and return their place and their raw table.

    `explicit` (`--config FILE`) wins: pyproject.toml is read at `[tool.fusion]`, any other name at its top level; with
    `create` it may be missing, for commands that write it. Without settings the place is None. Raises FusionError for
    an unreadable file, or settings in two files.
    """
    if explicit is not None:
        place = ConfigFile(explicit, nested=explicit.name == "pyproject.toml")
        return place, {} if create and not explicit.exists() else _table(place)
    fusion, pyproject = ConfigFile(root / "fusion.toml", nested=False), ConfigFile(root / "pyproject.toml", nested=True)
    found = [(place, _table(place)) for place in (fusion, pyproject) if place.path.is_file()]
    found = [(place, table) for place, table in found if table or not place.nested]
    if len(found) == 2:  # noqa: PLR2004 - the two files
        message = f"{fusion.path} and [tool.fusion] in {pyproject.path} both hold settings"
        raise FusionError(message, "keep one of the two", stage="usage")
    return found[0] if found else (None, {})


def read(root: Path, explicit: Path | None = None, *, create: bool = False) -> tuple[Config, ConfigFile | None]:
    """Return the settings of the folder `root` (defaults where there are none) and where they stand.

    `explicit` and `create` as for `locate`. Raises FusionError naming file, key and what is wrong with it.
    """
    place, table = locate(root, explicit, create=create)
    if place is None or not table:
        return Config(), place
    return common_form(table) or _validate(table, place), place


_FAIL_ON = ("breaking", "risky", "any", "never")


def common_form(table: dict[str, Any]) -> Config | None:
    """The settings of a table that holds only sources, `lockfile` and `fail-on`, all plainly right; None for others.

    Where it answers, pydantic gives the same: a property test says so.
    """
    lockfile, fail_on = table.get("lockfile", "fusion.lock"), table.get("fail-on", "breaking")
    entries = table.get("sources", {})
    if not (table.keys() <= {"sources", "lockfile", "fail-on"} and isinstance(entries, dict)):
        return None
    sources = {name: _common_source(entry) for name, entry in entries.items()}
    if not isinstance(lockfile, str) or fail_on not in _FAIL_ON or None in sources.values():
        return None
    try:
        return Config(lockfile=lockfile, fail_on=fail_on, sources={name: one for name, one in sources.items() if one})
    except ValueError:
        return None


def _common_source(entry: Any) -> Source | None:
    if not isinstance(entry, dict) or not entry.keys() <= {"command", "path", "env", "pass-env", "url", "headers"}:
        return None
    command, env, pass_env = entry.get("command", []), entry.get("env", {}), entry.get("pass-env", [])
    path, url, headers = entry.get("path", ""), entry.get("url", ""), entry.get("headers", {})
    if not (isinstance(command, list) and isinstance(pass_env, list)):
        return None
    if not (isinstance(env, dict) and isinstance(headers, dict)):
        return None
    if not all(isinstance(text, str) for text in (path, url, *command, *env.values(), *pass_env, *headers.values())):
        return None
    try:
        return Source(tuple(command), entry.get("path"), dict(env), tuple(pass_env), entry.get("url"), dict(headers))
    except ValueError:
        return None


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
        table = _dig(tomli.loads(result.removeprefix(_MARK)), place)
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


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(name)} = {_inline(item)}' for name, item in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # else a JSON string is a TOML string


def _key(name: str) -> str:
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _inline(name)


def _plain(source: Source) -> dict[str, Any]:
    told = {"command": list(source.command) or None, "path": source.path, "url": source.url}
    table: dict[str, Any] = {key: value for key, value in told.items() if value is not None}
    if source.env:
        table["env"] = dict(source.env)
    if source.pass_env:
        table["pass-env"] = list(source.pass_env)
    if source.headers:
        table["headers"] = dict(source.headers)
    table |= {key: value for key in ("transport", "timeout") if (value := getattr(source, key)) is not None}
    return table


_MARK = "\ufeff"  # the byte order mark that some editors write
_MAX_BYTES = 4 * 2**20


def text_of(place: ConfigFile) -> str | None:
    """The text of a settings file, None where there is no file. Raises FusionError for all that is no readable text."""
    try:
        found = place.path.stat()
        if not stat.S_ISREG(found.st_mode):  # reading a pipe may never end
            raise FusionError(f"{place.path} is not a file", "name a settings file", stage="usage")
        if found.st_size > _MAX_BYTES:
            message = f"{place.path} is larger than {_MAX_BYTES >> 20} MiB"
            raise FusionError(message, "check that it holds settings", stage="usage")
        return place.path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise FusionError(f"{place.path} is not UTF-8 text", "save it as UTF-8", stage="usage") from None
    except OSError as error:
        raise FusionError(f"cannot read {place.path}: {error.strerror}", "check the path", stage="usage") from None


def _table(place: ConfigFile) -> dict[str, Any]:
    import tomli

    text = text_of(place)
    if text is None:
        raise FusionError(f"no settings file {place.path}", "check --config", stage="usage")
    step = "correct that line"
    try:
        return _dig(tomli.loads(text.removeprefix(_MARK)), place)
    except tomli.TOMLDecodeError as error:
        message = f"{place.path} is not valid TOML: {error}"
    except RecursionError:
        message, step = f"{place.path} is nested too deeply to hold settings", "check that it is the right file"
    except ValueError:  # more digits than Python converts
        message, step = f"{place.path} holds a number that is too long to be read", "check that it is the right file"
    raise FusionError(message, step, stage="usage")


def _dig(document: dict[str, Any], place: ConfigFile) -> dict[str, Any]:
    if not place.nested:
        return document
    tool = document.get("tool", {})
    table = tool.get("fusion", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise FusionError(f"{place.path}: tool.fusion is not a table", "write [tool.fusion]", stage="usage")
    return table


def _validate(table: dict[str, Any], place: ConfigFile) -> Config:
    from pydantic import TypeAdapter, ValidationError  # heavy: only here, where there are settings

    try:
        return TypeAdapter(Config).validate_python(table)
    except ValidationError as error:
        raise _explain(error.errors()[0], place) from None


def _explain(error: Any, place: ConfigFile) -> FusionError:
    """The first thing pydantic found wrong, as one sentence. The value itself is never shown: it may be a secret."""
    path = place.prefix + ".".join(str(part) for part in error["loc"])
    if error["type"] == "unexpected_keyword_argument":
        return FusionError(f"{place.path}: unknown key {path}", _nearest(error["loc"]), stage="usage")
    if error["type"] == "missing":
        return FusionError(f"{place.path}: {path} is missing", "add it", stage="usage")
    if error["type"] == "value_error":
        said = f"{path}{' ' if error['loc'] else ''}{error['ctx']['error']}"  # of no one key: it names its own
        return FusionError(f"{place.path}: {said}", "correct the entry", stage="usage")
    wanted = {
        "int_type": "must be a whole number",
        "int_parsing": "must be a whole number",
        "int_from_float": "must be a whole number",
        "tuple_type": "must be a list",
        "string_type": "must be a string",
        "dict_type": "must be a table",
        "dataclass_type": "must be a table",
        "literal_error": f"must be {error.get('ctx', {}).get('expected')}",
    }.get(error["type"], f"is wrong: {error['msg']}")
    return FusionError(f"{place.path}: {path} {wanted}", "correct the value", stage="usage")


def _nearest(loc: tuple[str | int, ...]) -> str:
    """Name the known key nearest to the last of `loc`, or all that are known there."""
    from dataclasses import fields
    from difflib import get_close_matches

    owner: Any = {"sources": Source, "volatile": Volatile}.get(str(loc[0]), Config) if len(loc) > 1 else Config
    known = [_hyphenated(item.name) for item in fields(owner)]
    near = get_close_matches(_hyphenated(str(loc[-1])), known, n=1, cutoff=0.6)
    return f"did you mean {near[0]}?" if near else f"known keys: {', '.join(sorted(known))}"
