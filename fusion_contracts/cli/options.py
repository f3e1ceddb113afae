"""The options that several commands share, each written once.

Every value is text, or a list of texts: see `app.as_written` for why. What is one of a few words is checked here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated

import typer

from fusion_contracts.report import FORMATS

__all__ = [
    "Against", "Base", "ConfigPath", "FailOn", "Folder", "Format", "Formats", "Headers", "Inputs", "Jobs", "Learned",
    "Lockfile", "MayBeAway", "Name",
    "NoColour", "Output", "PassEnv", "Scheduler", "Servers", "Show", "Timeout", "Transport", "World", "one_of",
]  # fmt: skip


def one_of(*words: str) -> Callable[[str | None], str | None]:
    """What checks that an option is one of these; typer prints the refusal."""

    def checked(value: str | None) -> str | None:
        if value is not None and value not in words:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(words)}.")
        return value

    return checked


def _some_of(*words: str) -> Callable[[list[str]], list[str]]:
    check = one_of(*words)

    def checked(values: list[str]) -> list[str]:
        for value in values:
            check(value)
        return list(values)

    return checked


def _seconds(value: str | None) -> str | None:
    """Check that an option's value is a time that passes; typer prints the refusal."""
    if value is not None and not (re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", value) and float(value) > 0):
        raise typer.BadParameter(f"{value!r} is no number of seconds above 0.")
    return value


def _jobs(value: str | None) -> str | None:
    """Check that an option's value is a number of things to do at a time; typer prints the refusal."""
    if value is not None and not re.fullmatch(r"[1-9][0-9]{0,2}", value):
        raise typer.BadParameter(f"{value!r} is no number from 1 to 999.")
    return value


def _inputs(values: list[str]) -> list[str]:
    """Check that each is `ID=VALUE`; typer prints the refusal, without the value, which may be a secret."""
    for value in values:
        if not value.partition("=")[0] or "=" not in value:
            raise typer.BadParameter("write ID=VALUE.")
    return list(values)


def _formats(values: list[str]) -> list[str]:
    """Check the format of each `FORMAT[=FILE]`; typer prints the refusal."""
    _some_of(*FORMATS)([value.partition("=")[0] for value in values])
    return list(values)


# --- where -----------------------------------------------------------------------------------------------------------

Folder = Annotated[
    str,
    typer.Option("-C", metavar="DIR", help="The project's folder: relative paths start there.", show_default=False),
]
Lockfile = Annotated[str | None, typer.Option("--lockfile", metavar="PATH", help="The lock. [default: fusion.lock]")]
ConfigPath = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="fusion's settings. [default: fusion.toml, or pyproject.toml]"),
]

# --- what ------------------------------------------------------------------------------------------------------------

Servers = Annotated[
    list[str], typer.Option("-s", "--server", metavar="GLOB", help="Only servers of this name; may be repeated.")
]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="The server's name in the lock.")]
PassEnv = Annotated[
    list[str],
    typer.Option("--pass-env", metavar="NAME", help="Hand this variable through to the server; may be repeated."),
]
Headers = Annotated[
    list[str],
    typer.Option(
        "--header",
        metavar="'NAME: VALUE'",
        help="Send this header to the URL; may be repeated. Write ${VAR} for a secret, in single quotes.",
    ),
]
Transport = Annotated[
    str | None,
    typer.Option(
        "--transport",
        metavar="http|sse",
        callback=one_of("http", "sse"),
        help="How the URL is spoken to. [default: http, else sse]",
    ),
]
Timeout = Annotated[
    str | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        callback=_seconds,
        help="How long a listing may take. [default: 60 for a command, 20 for a URL]",
    ),
]
Inputs = Annotated[
    list[str],
    typer.Option(
        "--input",
        metavar="ID=VALUE",
        callback=_inputs,
        help="What a client's configuration asks for by ${input:ID}; may be repeated. Also taken from the environment.",
    ),
]
Jobs = Annotated[
    str | None,
    typer.Option("--jobs", metavar="N", callback=_jobs, help="How many servers are read at a time. [default: 16]"),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        "--scheduler",
        metavar="URL",
        help="Let the workers of this Dask scheduler read the servers: tcp://HOST:PORT or tls://HOST:PORT.",
    ),
]
MayBeAway = Annotated[
    list[str],
    typer.Option(
        "--allow-unreachable",
        metavar="GLOB",
        help="A server of this name that cannot be read has no effect on the exit code; may be repeated.",
    ),
]
Base = Annotated[
    str | None, typer.Option("--base", metavar="REV", help="Compare with the lock where HEAD left this git revision.")
]
Against = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="base|release",
        callback=one_of("base", "release"),
        help="Compare with the lock at the base, or with the newest kept releases. [default: base]",
    ),
]
Learned = Annotated[
    str | None,
    typer.Option(
        "--against",
        metavar="release",
        callback=one_of("release"),
        help="Compare with the newest kept releases: they stand for OLD.",
    ),
]
World = Annotated[
    str | None,
    typer.Option(
        "--world",
        metavar="declared|open",
        callback=one_of("declared", "open"),
        help="A call holds arguments that the old contract names, or any. [default: declared]",
    ),
]

# --- how it ends, and how it is told ---------------------------------------------------------------------------------

FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="breaking|risky|any|never",
        callback=one_of("breaking", "risky", "any", "never"),
        help="Exit 1 from this level on. [default: breaking]",
    ),
]
Format = Annotated[
    str,
    typer.Option("--format", metavar="text|json", callback=one_of("text", "json"), help="How the result is written."),
]
Formats = Annotated[
    list[str],
    typer.Option(
        "--format",
        metavar="FORMAT[=FILE]",
        callback=_formats,
        help=f"How the report is written, and where to; may be repeated. One of {', '.join(FORMATS)}. [default: text]",
    ),
]
Output = Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report there.")]
Show = Annotated[
    list[str],
    typer.Option(
        "--show",
        metavar="safe|risky|prose|waived|all",
        callback=_some_of("safe", "risky", "prose", "waived", "all"),
        help="List these findings in full; may be repeated.",
    ),
]
NoColour = Annotated[bool, typer.Option("--no-color", help="No colour, as with NO_COLOR set.")]
