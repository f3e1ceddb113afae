"""From what a person wrote to the source that it names, in the order that the documentation gives."""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.base import Options, Source
from fusion_contracts.sources.catalog import CatalogSource
from fusion_contracts.sources.sniff import HEAD, Kind, kind_of

__all__ = ["is_url", "resolve"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def _ways() -> str:
    """How a source can be named."""
    from fusion_contracts.sources.schemes import forms

    return f"give a URL, a file, FILE.py:ATTR, {', '.join(forms())}, or a server's command after --"


def resolve(argument: str | None, command: Sequence[str], options: Options) -> Source:
    """The source that `SOURCE` or `-- COMMAND...` names.

    Tried in this order: a command, a URL, the words of `schemes` (`git:REV[:PATH]`, `release:[SERVER/]NAME`),
    `FILE.py[:ATTR]`, an existing file or folder, `package.module:ATTR`. Nothing is started or contacted here. Raises
    FusionError (stage `usage` or `read`) where nothing is named, two things are, or what is named cannot be read by
    this release.
    """
    if command:
        from fusion_contracts.sources.stdio import StdioSource

        if argument is not None:
            message = f"both {printable(argument)} and a command are given"
            raise FusionError(message, "give one source: a SOURCE, or a command after --", stage="usage")
        return StdioSource(tuple(command), pass_env=options.pass_env)
    if not argument:
        raise FusionError("no source is given", _ways(), stage="usage")
    return _named(argument, options)


def is_url(argument: str) -> bool:
    """Whether an argument is a URL, of whatever scheme."""
    return _URL.match(argument) is not None


def _named(argument: str, options: Options) -> Source:
    if is_url(argument):
        from fusion_contracts.sources.http import HttpSource

        return HttpSource(argument, options.headers, options.transport)
    from fusion_contracts.sources.schemes import named

    if (source := named(argument, options)) is not None:
        return source
    if argument.endswith(".py") or ".py:" in argument:
        return _python(argument)
    path = Path(argument)
    try:
        mode = (options.root / path).stat().st_mode
    except (OSError, ValueError):  # also where the system takes no such name
        return _kept_as_folder(path, options) or _no_file(argument)
    return _folder(path, options) if stat.S_ISDIR(mode) else _file(path, options, plain=stat.S_ISREG(mode))


def _file(path: Path, options: Options, *, plain: bool) -> Source:
    from fusion_contracts.sources.lock import LockSource

    label = printable(str(path))
    if not plain:  # opening a pipe may wait for ever, and it can be read once only
        raise FusionError(f"{label} is not a plain file", "save it to one first")
    try:
        with (options.root / path).open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise FusionError(f"{label} cannot be read: {error.strerror}", "check its permissions") from None
    if _names_servers(options.root / path, head):
        from fusion_contracts.sources.client_config import ClientConfigSource

        return ClientConfigSource(path)
    match kind_of(head, path.name):
        case Kind.LOCK:
            return LockSource(path)
        case Kind.JSON | Kind.YAML:
            return CatalogSource(path)
        case Kind.UNKNOWN if not head.strip():
            raise FusionError(f"{label} is empty", "check that it is the right file, and complete")
        case Kind.UNKNOWN:
            raise FusionError(f"{label} is neither a catalog of tools nor a lock", _ways())


def _names_servers(path: Path, head: bytes) -> bool:
    """Whether a file is a client's configuration. Raises FusionError where it is meant to be one and is broken."""
    from fusion_contracts.sources.client_document import MAX_BYTES, may_hold_servers, parse_document

    try:
        with path.open("rb") as file:
            data = head if len(head) < HEAD else file.read(MAX_BYTES + 1)
    except OSError:
        return False
    return may_hold_servers(data) and parse_document(data, printable(path.name)) is not None


def _folder(path: Path, options: Options) -> Source:
    from fusion_contracts.lockfile.file import FOLDER
    from fusion_contracts.sources.lock import LockSource

    lock = path / Path(options.lockfile).name
    if (options.root / lock).is_file():
        return LockSource(lock)
    itself = Path(str(path).removesuffix(FOLDER))  # fusion.lock.d, the folder of a lock
    found = _kept_as_folder(lock, options) or (_kept_as_folder(itself, options) if itself != path else None)
    if found is not None:
        return found
    raise FusionError(f"the folder {printable(str(path))} holds no {lock.name}", "name a file in it")


def _kept_as_folder(path: Path, options: Options) -> Source | None:
    """The lock of this path, where it is one file a server in the folder beside."""
    from fusion_contracts.lockfile.file import is_there
    from fusion_contracts.sources.lock import LockSource

    return LockSource(path) if is_there(options.root / path) else None


def _python(argument: str) -> Source:
    from fusion_contracts.sources.python_object import PythonSource

    return PythonSource.parse(argument)


def _no_file(argument: str) -> Source:
    from fusion_contracts.sources.objects.target import Target

    if Target.of_module(argument) is not None:
        return _python(argument)
    shown = printable(argument)
    if " " in argument or argument.startswith("@"):
        step = f"to start it as a server, write: fusion lock -- {shown}"
        raise FusionError(f"{shown} does not exist", step, stage="usage")
    raise FusionError(f"{shown} does not exist", "check the path; a server's command goes after --")
