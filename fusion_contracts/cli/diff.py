"""`fusion diff`: what changed between two contracts, and the calls that fail."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import (
    Base,
    ConfigPath,
    FailOn,
    Folder,
    Formats,
    Headers,
    Inputs,
    Jobs,
    Learned,
    Lockfile,
    MayBeAway,
    NoColour,
    Output,
    PassEnv,
    Servers,
    Show,
    Timeout,
    Transport,
    World,
)

__all__ = ["diff"]


def diff(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    old: Annotated[str | None, typer.Argument(metavar="OLD", help="What agents learned. [default: the lock]")] = None,
    new: Annotated[
        str | None,
        typer.Argument(
            metavar="NEW | -- COMMAND", help="What they meet now. [default: the lock; without OLD its sources]"
        ),
    ] = None,
    base: Base = None,
    against: Learned = None,
    pass_env: PassEnv = [],  # noqa: B006
    headers: Headers = [],  # noqa: B006
    transport: Transport = None,
    timeout: Timeout = None,
    inputs: Inputs = [],  # noqa: B006
    jobs: Jobs = None,
    may_be_away: MayBeAway = [],  # noqa: B006
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    world: World = None,
    fail_on: FailOn = None,
    format: Formats = [],  # noqa: A002, B006 - the option's name
    output: Output = None,
    show: Show = [],  # noqa: B006
    no_colour: NoColour = False,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Say what changed between OLD and NEW, and show the calls that fail.

    Without arguments the lock is compared with its live sources; with --base the lock as it was there with the lock as
    it is, with --against release the newest kept releases. OLD and NEW are catalogs, locks, git:REV[:PATH],
    release:NAME or Python objects; NEW may be a server's command after --. A Python object alone is NEW.
    """
    from fusion_contracts.cli.comparing import Named, compare
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import Judging, open_project
    from fusion_contracts.cli.refresh import Effort
    from fusion_contracts.cli.wanted import Access

    reads = [old, new, lockfile, *context.obj]
    writer = Writer.of(format, output, folder, show, no_colour=no_colour, reads=reads, config=config)
    sources = tuple(one for one in (old, new) if one is not None)
    access = Access.of(pass_env, headers, transport, timeout, inputs)
    effort = Effort.of(jobs, may_be_away)

    def compared() -> int:
        project = open_project(folder, lockfile, config)
        named = Named(sources, context.obj, base, tuple(servers), access, against, effort)
        return compare(named, project, Judging.of(project, world, fail_on), writer)

    return writer.guarded(compared)
