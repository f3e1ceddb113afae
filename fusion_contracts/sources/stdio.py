"""A live server over stdio: started, listed, and ended with everything that it started."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, TypeAlias

from fusion_contracts.canonical import printable, shell_word
from fusion_contracts.errors import FusionError
from fusion_contracts.model import SourceRecord
from fusion_contracts.record import record
from fusion_contracts.sources import memory
from fusion_contracts.sources.base import Listing, Options, Reading
from fusion_contracts.sources.contract import contract_of
from fusion_contracts.sources.environment import minimal_environment
from fusion_contracts.sources.interpolate import interpolate, references, templates_only
from fusion_contracts.sources.interrupt import interruptible
from fusion_contracts.sources.jsonrpc import Connection, FloodError, RefusedError, SilenceError
from fusion_contracts.sources.known import Known
from fusion_contracts.sources.mcp_session import ListTimeoutError, Session
from fusion_contracts.sources.naming import name_from_command
from fusion_contracts.sources.offered import Filter, offered
from fusion_contracts.sources.process import EndedError, ServerProcess
from fusion_contracts.sources.running import enlisted
from fusion_contracts.sources.secrets import refuse_literal

__all__ = ["StdioSource"]

_SECONDS = 60.0  # from the start to the complete list: a launcher may have to install the server first
_STDERR_LINES, _STDERR_LENGTH = 3, 160  # lines shown, and characters of each
_Reader: TypeAlias = Callable[[Listing], Reading]
_RUN_IT = "run the command by itself to see why; --pass-env NAME hands a variable to it"
_SILENT = f"give it more time with --timeout, or {_RUN_IT}"
_IN_A_HOOK = (
    "pre-commit runs it with the hook's own Python: add what the server imports to the hook's additional_dependencies, "
    "or name the project's Python in the command, such as .venv/bin/python"
)


class _NotGreetedError(Exception):
    """The server was not greeted, which a second start may mend: a sentence, `tail` its evidence, `step` what to do."""

    def __init__(self, sentence: str, tail: str, step: str) -> None:
        super().__init__(sentence)
        self.tail = tail
        self.step = step


@record
class StdioSource:
    """A command that speaks MCP on its standard streams. `env` values may hold `${VAR}`, as the command may.

    `cwd` and `env_file` start at the project's folder; the file's values count as secret, as do those of the variables
    in `secret`. `tools` are those that the client offers.
    """

    kind: ClassVar[str] = "stdio"
    live: ClassVar[bool] = True

    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    pass_env: tuple[str, ...] = ()
    cwd: str | None = None
    env_file: str | None = None
    secret: frozenset[str] = frozenset()
    tools: Filter = field(default_factory=Filter)

    def __post_init__(self) -> None:
        """Raise FusionError for an empty command, and for one that holds a literal secret."""
        if not self.command or not self.command[0]:
            raise FusionError(
                "there is no command to start", "write it after --: fusion lock -- COMMAND", stage="usage"
            )
        refuse_literal(self.command)

    @property
    def label(self) -> str:
        """The command, before interpolation."""
        return " ".join(map(shell_word, self.command))

    @property
    def record(self) -> SourceRecord:
        """What the lock keeps: nothing that was interpolated, and of the environment names and `${VAR}` alone."""
        env = {name: templates_only(value) for name, value in sorted(self.env.items())}
        return SourceRecord(kind="stdio", command=self.command, env=env, pass_env=tuple(sorted(set(self.pass_env))))

    def read(self, options: Options) -> Reading:
        """Start the server, list it, end it. Raises FusionError when there is no complete list."""
        name = options.name or name_from_command(self.command)
        source = replace(self, pass_env=(*self.pass_env, *options.pass_env))
        try:
            launch = _Launch.prepare(source, options)
            if not options.announced:
                options.progress(f"{printable(name)}: starting {self.label}")

            def reading(listing: Listing) -> Reading:
                kept, hidden = offered(launch.known.concealed(listing), self.tools), launch.known.stored
                return contract_of(kept, name=name, source=source.record, volatile=options.volatile, hidden=hidden)

            return reading(_list(launch, name, options, reading))
        except FusionError as error:
            raise FusionError.of(replace(error.problem, server=name)) from None


@dataclass(frozen=True, slots=True, repr=False)
class _Launch:
    """A command with everything interpolated, and the values that were filled in: never shown, never stored."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path
    known: Known

    @classmethod
    def prepare(cls, source: StdioSource, options: Options) -> _Launch:
        """Interpolate, and look the command up. Raises FusionError for an unset variable or a missing command."""
        environ = options.environ
        argv = tuple(interpolate(part, environ, where=f"the argument {printable(part)}") for part in source.command)
        configured = {
            key: interpolate(value, environ, where=f"the server's variable {printable(key)}")
            for key, value in source.env.items()
        }
        filed = _filed(source, options)
        configured = filed | configured
        used = {name for text in (*source.command, *source.env.values()) for name in references(text)}
        given = {name: environ[name] for name in (*used, *source.pass_env) if name in environ} | configured
        env = minimal_environment(environ, configured, source.pass_env)
        folder = _folder(source, options)
        known = Known.of(given, {*filed, *source.secret})
        return cls(_found(argv, source.command[0], env, folder), env, folder, known)

    def conceal(self, text: str) -> str:
        """The server's own words, fit to show."""
        return self.known.conceal(text)


def _filed(source: StdioSource, options: Options) -> dict[str, str]:
    """What the source's file of variables holds. Raises FusionError where it cannot be read."""
    if source.env_file is None:
        return {}
    from fusion_contracts.sources.env_file import read_env_file

    path = interpolate(source.env_file, options.environ, where="its envFile")
    return read_env_file(options.root / path, source.env_file)


def _folder(source: StdioSource, options: Options) -> Path:
    """Where the command starts. Raises FusionError where there is no such folder."""
    if source.cwd is None:
        return options.root
    folder = options.root / interpolate(source.cwd, options.environ, where="its cwd")
    if not _holds(Path.is_dir, folder):
        message = f"its folder {printable(source.cwd)} does not exist"
        raise FusionError(message, "make it, or correct cwd", stage="usage")
    return folder


def _list(launch: _Launch, name: str, options: Options, reading: _Reader) -> Listing:
    """The complete list, with one more start where the first did not get as far as a greeting."""
    try:
        return _attempt(launch, options, reading, probe=True)
    except _NotGreetedError as error:
        options.progress(f"{printable(name)}: {error}; starting it once more")
    try:
        # A server of the old era may have died of the probe; with a locked version it is known which era to expect.
        return _attempt(launch, options, reading, probe=options.protocol_version is not None)
    except _NotGreetedError as error:
        raise FusionError(f"{error}, twice{error.tail}", error.step, stage="start") from None


def _attempt(launch: _Launch, options: Options, reading: _Reader, *, probe: bool) -> Listing:
    """One start and one conversation, inside the time that one start has."""
    seconds = options.timeout or _SECONDS
    deadline = time.monotonic() + seconds
    with interruptible(), enlisted() as member, _started(launch) as process, _bounded(process, options):
        member.ends_by(process.interrupt)
        connection = Connection(process, conceal=launch.conceal)
        hold = options.hold
        session = Session(connection, deadline, hold.until if hold else None)
        try:
            listing = session.list_everything(options.protocol_version, probe=probe)
            return listing if hold is None else hold.keep(session, listing, reading, seconds)
        except FusionError as error:
            message = launch.conceal(error.problem.message)
            raise FusionError.of(replace(error.problem, message=message)) from None
        except SilenceError:
            sentence, step = f"no answer to initialize in {seconds:g} s", _SILENT
        except EndedError as end:
            step = _IN_A_HOOK if options.environ.get("PRE_COMMIT") else _RUN_IT
            if session.greeted:
                message = f"stopped while it was listed ({_how(end)}){_evidence(process, connection, launch)}"
                raise FusionError(message, step, stage="list") from None
            sentence = f"stopped before it answered initialize ({_how(end)})"
        except RefusedError as refusal:
            sentence, step = launch.conceal(str(refusal)), _RUN_IT
            if not probe:
                tail = _evidence(process, connection, launch)
                raise FusionError(f"{sentence}{tail}", "look at the server's own log", stage="start") from None
        except ListTimeoutError as late:
            message = f"{late} is not complete {seconds:g} s after the start"
            tail = _evidence(process, connection, launch)
            step = "look at the server's own log, or give it more time: --timeout"
            raise FusionError(f"{message}{tail}", step, stage="list") from None
        except FloodError as flood:
            raise FusionError(
                f"sends {flood} on standard output", "make it print less, or send its lists in pages", stage="list"
            ) from None
        raise _NotGreetedError(sentence, _evidence(process, connection, launch), step)


def _started(launch: _Launch) -> ServerProcess:
    try:
        return ServerProcess(launch.argv, env=launch.env, cwd=launch.cwd)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        reason = "it or its environment holds half a character" if isinstance(error, UnicodeError) else reason
        message = f"cannot start {printable(launch.conceal(launch.argv[0]))}: {reason}"
        raise FusionError(message, "check that it is a program that may be run", stage="start") from None


def _bounded(process: ServerProcess, options: Options) -> AbstractContextManager[None]:
    """End the process once it uses more memory than it may."""
    limit = options.memory or memory.DEFAULT
    message = f"used more than {memory.shown_size(limit)} of memory and was ended"
    step = "correct the server, or let it use more: memory in the settings"
    return memory.watched(process.pid, limit, lambda: process.cut_short(FusionError(message, step, stage="list")))


def _found(argv: tuple[str, ...], written: str, env: Mapping[str, str], root: Path) -> tuple[str, ...]:
    """The argv as the system can start it. Raises FusionError, with the program as `written`, where there is none."""
    program = argv[0]
    if sys.platform == "win32":
        from shutil import which  # it knows about PATHEXT; elsewhere it costs more than it gives

        found = which(program, path=env.get("PATH"))
        if found is not None:
            return (found, *argv[1:])
    elif os.sep in program:
        if _holds(Path.exists, root / program):
            return argv
    else:
        folders = env.get("PATH", os.defpath).split(os.pathsep)
        if any(_holds(_runs, Path(folder or ".") / program) for folder in folders):
            return argv
    where = "does not exist" if os.sep in program else "is not on PATH"
    message = f"the command {printable(written)} {where}"
    raise FusionError(message, "install it, or correct the command", stage="start")


def _runs(path: Path) -> bool:
    return os.access(path, os.X_OK)


def _holds(check: Callable[[Path], bool], path: Path) -> bool:
    """What a check says of a path; False for one that no system takes: too long, or with a zero character."""
    try:
        return check(path)
    except (OSError, ValueError):
        return False


def _how(end: EndedError) -> str:
    if end.status is None:
        return "it closed its output"
    return f"signal {-end.status}" if end.status < 0 else f"exit status {end.status}"


def _evidence(process: ServerProcess, connection: Connection, launch: _Launch) -> str:
    """The server's last words, hidden where they hold a secret, for the end of a sentence."""
    tail = ""
    if connection.noise:
        one = connection.noise == 1
        lines = "1 line that is no message" if one else f"{connection.noise} lines that are no messages"
        first = printable(connection.first_noise)[:100]
        tail = f'. It printed {lines} on standard output, the first: "{first}"'
    words = _telling([launch.conceal(_plain(line)) for line in process.last_errors()])
    return f'{tail}. Last stderr: "{words}"' if words else tail


def _telling(lines: Sequence[str]) -> str:
    """The lines that speak of an error (the first two and the last), else the last ones."""
    said = [line.strip() for line in lines]
    errors = [line for line in said if "error" in line.lower()]
    chosen = [*errors[:2], *errors[2:][-1:]] if errors else said[-_STDERR_LINES:]
    return printable(" | ".join(line[:_STDERR_LENGTH] for line in chosen))


def _plain(line: str) -> str:
    """A line without the escape sequences that colour it."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)
