"""Which sources a command reads: the one on the command line, or those of the settings. Never one from a lock."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts import config
from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.cli.output import tell
from fusion_contracts.cli.project import Project
from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock, ServerContract, SourceRecord
from fusion_contracts.record import record

if TYPE_CHECKING:
    from fusion_contracts.sources.base import Options, Source

__all__ = [
    "Access", "Wanted", "as_config", "asked", "locked_as", "names_same", "refuse_headers", "rooted", "same_origin",
    "source_of",
]  # fmt: skip


@record
class Access:
    """What the command line adds to the source that it names.

    `pass_env` are variables for a command; `headers`, each `NAME: VALUE`, and `transport` go with a URL; `timeout` is
    in seconds, None for the source's own; `inputs` are values by the ids that a client's configuration asks by.
    """

    pass_env: tuple[str, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict, repr=False)
    headers: tuple[str, ...] = field(default=(), repr=False)
    transport: str | None = None
    timeout: float | None = None

    @classmethod
    def of(
        cls,
        pass_env: Iterable[str],
        headers: Iterable[str],
        transport: str | None,
        timeout: str | None,
        inputs: Iterable[str] = (),
    ) -> Access:
        """What the options of a command say."""
        values = {identifier: value for identifier, _, value in (one.partition("=") for one in inputs)}
        seconds = None if timeout is None else float(timeout)
        return cls(tuple(pass_env), values, tuple(headers), transport, seconds)

    @property
    def given(self) -> dict[str, bool]:
        """Which options need a source beside them, and whether they are given."""
        return {
            "--pass-env": bool(self.pass_env),
            "--header": bool(self.headers),
            "--transport": self.transport is not None,
        }

    @property
    def words(self) -> tuple[str, ...]:
        """The same on the command line of another command, as it may be shown: no literal value of a header or input.

        In place of a header's stands a variable that is called like it; an input's is left to whoever repeats it.
        """
        words = [word for name in self.pass_env for word in ("--pass-env", name)]
        headers = _shown(self.headers) if self.headers else ()  # which loads what most comparisons do without
        words += [word for header in headers for word in ("--header", header)]
        words += [] if self.transport is None else ["--transport", self.transport]
        words += [] if self.timeout is None else ["--timeout", str(self.timeout).removesuffix(".0")]
        return (*words, *(word for name in self.inputs for word in ("--input", f"{name}=...")))


@record
class Wanted:
    """A source to read. `name` is the server's NAME: given, or the settings' key; None: the source derives it.

    `record` is what a lock keeps of it, with its path relative to the project's folder; `timeout` is in seconds, None
    for the default of its kind. `config` says which client's configuration names it, where one does, and `variables`
    are set for it beside the environment.
    """

    source: Source
    name: str | None
    record: SourceRecord | None
    timeout: float | None = None
    config: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


_PLAIN = Access()


def _shown(headers: Sequence[str]) -> Iterator[str]:
    """Headers as `NAME: VALUE`, with references and no value that may be a secret."""
    from fusion_contracts.sources.http_headers import header_template, headers_of
    from fusion_contracts.sources.secrets import has_literal

    for name, value in headers_of(headers).items():
        plain = value == header_template(value) or not has_literal(value)
        yield f"{name}: {value if plain else _own(name)}"


def asked(
    project: Project,
    argument: str | None,
    command: Sequence[str] = (),
    *,
    name: str | None = None,
    access: Access = _PLAIN,
) -> Wanted:
    """The source that the command line names; where the settings name the same, theirs, with its environment and NAME.

    Raises FusionError where it names two, or none that can be read.
    """
    from fusion_contracts.sources.resolve import resolve

    for variable in access.pass_env:
        if variable not in os.environ:
            tell(f"note: {printable(variable)} is not set here, so the server is started without it")
    if name == "":
        raise FusionError("--name is empty", "give a name, or leave it out", stage="usage")
    try:
        source = resolve(argument, command, _naming(project, name, access))
    except FusionError as error:
        raise _meant(error, project, argument) from None
    one = Wanted(source, name, rooted(source.record, project.root), access.timeout)
    if source.kind != "http":
        refuse_headers(access)
    if one.record is None:
        return one
    if source.kind == "config":
        return _whole(project, one, access)
    same = {
        key: entry
        for key, entry in project.config.sources.items()
        if name in {None, key} and names_same(one.record, entry)
    }
    if not same or (len(same) > 1 and not one.record.command):  # one file may hold several servers
        return one
    key, entry = next(iter(same.items()))
    _require(project, key, entry, access)
    return Wanted(source_of(project, entry), key, one.record, access.timeout or entry.timeout)


def _whole(project: Project, one: Wanted, access: Access) -> Wanted:
    """A client's configuration, under the key by which the settings name the same file, if they do."""
    if one.name is not None:
        message = f"--name goes with one server, and {one.source.label} names its own"
        raise FusionError(message, "choose with -s, or name the server's command or URL", stage="usage")
    for key, entry in project.config.sources.items():
        if one.record is not None and names_same(one.record, entry):
            _require(project, key, entry, access)
            return replace(one, name=key, timeout=one.timeout or entry.timeout)
    return one


def _naming(project: Project, name: str | None, access: Access) -> Options:
    """How to find out what the command line names. Raises FusionError for what is no header."""
    options = replace(project.options(name=name, pass_env=access.pass_env), transport=access.transport)
    if not access.headers:
        return options
    from fusion_contracts.sources.http_headers import headers_of

    return replace(options, headers=headers_of(access.headers))


def refuse_headers(access: Access) -> None:
    """Raise FusionError where the command line has headers or a transport, and no URL for them."""
    given = [option for option in ("--header", "--transport") if access.given[option]]
    if given:
        step = "leave it out, or name a URL as SOURCE"
        raise FusionError(f"{given[0]} goes with a URL", step, stage="usage")


def _meant(error: FusionError, project: Project, argument: str | None) -> FusionError:
    """The error, with what a word that is no file may have meant: a server's NAME, or a git revision."""
    if not argument or ":" in argument or os.path.lexists(project.root / argument):
        return error
    if argument in project.config.sources or argument in _locked_names(project):
        step = f"did you mean -s {shell_word(argument)}?"
    elif _is_revision(argument, project.root):
        step = f"did you mean git:{printable(argument)}?"
    else:
        return error
    return FusionError(f"{printable(argument)} is no file", step, stage="usage")


def _locked_names(project: Project) -> Iterable[str]:
    from fusion_contracts.lockfile.disk import read_lock

    try:
        return read_lock(project.lock_path).servers
    except FusionError:
        return ()


def _is_revision(word: str, root: Path) -> bool:
    from fusion_contracts.sources.git import resolve_revision

    try:
        return bool(resolve_revision(word, root))
    except FusionError:
        return False


def _require(project: Project, name: str, entry: config.Source, access: Access) -> None:
    """Raise FusionError where the command line hands something through that the settings, which count, do not."""
    from fusion_contracts.sources.http_headers import headers_of

    named = f"{project.home.path.name} names this source as {printable(name)}"
    missing = [variable for variable in access.pass_env if variable not in entry.pass_env]
    if missing:
        raise FusionError(f"{named}, without {printable(missing[0])}", "add it to pass-env there", stage="usage")
    there = {header.lower(): value for header, value in entry.headers.items()}
    for header, value in headers_of(access.headers).items():
        if there.get(header.lower()) != value:
            how = "with another value of" if header.lower() in there else "without"
            step = "write it in headers there"
            raise FusionError(f"{named}, {how} the header {printable(header)}", step, stage="usage")
    if access.transport not in {None, entry.transport}:
        raise FusionError(f"{named}, with another transport", "write it in transport there", stage="usage")


def source_of(project: Project, entry: config.Source) -> Source:
    """The source that an entry of the settings names. Raises FusionError where there is none."""
    if entry.url is not None:
        from fusion_contracts.sources.http import HttpSource

        return HttpSource(entry.url, entry.headers, entry.transport)
    if entry.command:
        from fusion_contracts.sources.stdio import StdioSource

        return StdioSource(entry.command, entry.env, entry.pass_env)
    from fusion_contracts.sources.resolve import resolve

    if entry.object is not None:
        from fusion_contracts.sources.python_object import PythonSource

        return PythonSource.parse(entry.object)
    if entry.path is None:
        raise FusionError("the source names nothing", "give it a command, a path or an object", stage="usage")
    source = resolve(entry.path, (), project.options())
    if source.kind == "python":
        step = f'write it as object = "{printable(entry.path)}": importing it runs its code'
        raise FusionError(f"{printable(entry.path)} is Python code, and no catalog", step, stage="usage")
    if source.record is None:
        raise FusionError(f"{printable(entry.path)} is no catalog", "name a catalog or a command", stage="usage")
    return source


def rooted(record: SourceRecord | None, root: Path) -> SourceRecord | None:
    """The record with its path as a lock stores it: relative to the root, with forward slashes."""
    if record is not None and record.object is not None:
        from fusion_contracts.sources.python_object import rooted as relative

        return replace(record, object=relative(record.object, root))
    if record is None or record.path is None:
        return record
    try:
        return replace(record, path=Path(os.path.relpath(root / record.path, root)).as_posix())
    except ValueError:  # two drives on Windows
        return record


def same_origin(wanted: Wanted, contract: ServerContract) -> bool:
    """Whether a locked contract came from this source: the same command, URL or file, whatever else goes with it."""
    ours, theirs = wanted.record, contract.source
    return ours is not None and theirs is not None and _identity(ours) == _identity(theirs)


def _identity(record: SourceRecord) -> tuple[object, ...]:
    kind = "url" if record.url is not None else record.kind  # one URL may change its transport
    return kind, record.command, record.url, record.path, record.object


def names_same(record: SourceRecord, entry: config.Source) -> bool:
    """Whether an entry of the settings names what a record does, whatever goes with it."""
    ours = record.command, record.path, record.url, record.object
    return ours == (entry.command, entry.path, entry.url, entry.object)


def locked_as(wanted: Wanted, lock: Lock) -> ServerContract | None:
    """The contract in the lock that this source made: the one under its NAME, else the one that it was locked from."""
    if wanted.name is not None:
        return lock.servers.get(wanted.name)
    found = [contract for contract in lock.servers.values() if same_origin(wanted, contract)]
    several = len(found) > 1 and wanted.record is not None and not wanted.record.command
    return found[0] if found and not several else None  # of several in one file none is meant


def as_config(record: SourceRecord, source: Source | None = None) -> config.Source | None:
    """The entry of the settings for a source that a lock records; None for a kind that settings do not have yet.

    A variable whose value the lock does not hold is written as a reference to itself, and so is a header, unless the
    `source` that was read knows better.
    """
    env = {name: template or f"${{{name}}}" for name, template in record.env.items()}
    try:
        if record.url is not None:
            written = getattr(source, "headers", {})
            headers = {name: written.get(name) or text or _own(name) for name, text in record.headers.items()}
            return config.Source(url=record.url, headers=headers, transport="sse" if record.kind == "sse" else None)
        if record.kind == "stdio" and record.command:
            return config.Source(command=record.command, env=env, pass_env=record.pass_env)
        if record.kind == "python" and record.object is not None:
            return config.Source(object=record.object)
        return config.Source(path=record.path) if record.kind == "file" and record.path is not None else None
    except ValueError:  # a lock may hold what no settings take
        return None


def _own(header: str) -> str:
    """A reference to the variable that is called like a header."""
    return f"${{{re.sub('[^A-Za-z0-9]', '_', header).upper()}}}"
