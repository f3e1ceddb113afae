"""A client's configuration as a source: every server that it starts or contacts, each under the client's own key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import ClassVar

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.model import SourceRecord
from fusion_contracts.record import record
from fusion_contracts.sources.base import Options, Reading, Source, joined
from fusion_contracts.sources.client_document import MAX_BYTES, parse_document
from fusion_contracts.sources.clients import Entry, entries_of, secret_inputs
from fusion_contracts.sources.environment import Beside

__all__ = ["ClientConfigSource", "Listed", "Served"]


@record
class Served:
    """One server of a configuration: its source, and the variables that `--input` sets for it alone."""

    source: Source
    variables: Mapping[str, str] = field(default_factory=dict, repr=False)


@record
class Listed:
    """What a configuration names, by NAME; `problems` are of servers that cannot even be tried, each with its NAME.

    `inputs` are the ids of all that the file asks for.
    """

    servers: Mapping[str, Served] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    disabled: tuple[str, ...] = ()
    inputs: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """Every NAME in the file, whatever becomes of it."""
        return frozenset({*self.servers, *self.disabled, *(one.server for one in self.problems if one.server)})


@record
class ClientConfigSource:
    """A file that names servers, whichever client's it is. `path` starts at the project's folder."""

    kind: ClassVar[str] = "config"
    live: ClassVar[bool] = True

    path: Path

    @property
    def label(self) -> str:
        """The path."""
        return printable(str(self.path))

    @property
    def record(self) -> SourceRecord:
        """What names the file; a lock keeps what each of its servers is."""
        return SourceRecord(kind="config", path=self.path.as_posix())

    def listed(self, options: Options) -> Listed:
        """The servers of the file. Nothing is started here, and a literal secret or an unset input costs one server.

        Raises FusionError where the file cannot be read.
        """
        document = parse_document(_bytes(options.root / self.path, self.label), self.label)
        if document is None:
            raise FusionError(f"{self.label} names no servers", "name a client's configuration", stage="usage")
        entries, problems = entries_of(document)
        secret = secret_inputs(document)
        servers: dict[str, Served] = {}
        for entry in entries:
            try:
                if not entry.disabled:
                    servers[entry.name] = _served(entry, secret, options)
            except FusionError as error:
                problems.append(replace(error.problem, server=entry.name))
        disabled = tuple(entry.name for entry in entries if entry.disabled)
        inputs = frozenset(identifier for entry in entries for identifier in entry.inputs.values())
        return Listed(servers, tuple(sorted(problems, key=lambda one: one.server or "")), disabled, inputs)

    def read(self, options: Options) -> Reading:
        """Every server, one after the other (commands read them side by side); what fails is one of its problems."""
        from fusion_contracts.sources.unit import Task, work

        listed = self.listed(options)
        readings = [Reading(problems=listed.problems)]
        for name, one in listed.servers.items():
            environ = Beside(one.variables, options.environ) if one.variables else options.environ
            answer = work(Task(one.source, replace(options, name=name, pass_env=(), environ=environ)))
            readings.append(answer.reading or Reading(problems=(answer.problem,) if answer.problem else ()))
        return joined(readings)


def _bytes(path: Path, label: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one more: then it is none
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise FusionError(f"{label} cannot be read: {reason}", "check the path", stage="read") from None


def _served(entry: Entry, secret: frozenset[str], options: Options) -> Served:
    given = {name: options.inputs[one] for name, one in entry.inputs.items() if one in options.inputs}
    for variable, identifier in entry.inputs.items():
        if variable not in given and variable not in options.environ:
            message = f"needs the input {printable(identifier)}, which is not set"
            step = f"give --input {printable(identifier)}=..., or set {variable} in the environment"
            raise FusionError(message, step, stage="usage")
    hidden = secret & entry.inputs.keys()
    if entry.url is not None:
        from fusion_contracts.sources.http import HttpSource

        source: Source = HttpSource(entry.url, entry.headers, entry.transport, hidden, entry.tools)
        return Served(source, given)
    from fusion_contracts.sources.stdio import StdioSource

    pass_env = (*entry.pass_env, *options.pass_env)
    command = StdioSource(
        entry.command, entry.env, pass_env, entry.cwd, entry.env_file, secret=hidden, tools=entry.tools
    )
    return Served(command, given)
