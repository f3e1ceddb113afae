"""`fusion check`: what CI runs."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import (
    Base,
    ConfigPath,
    FailOn,
    Folder,
    Format,
    Lockfile,
    NoColour,
    Output,
    Servers,
    Show,
    World,
)

__all__ = ["check"]


def check(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    offline: Annotated[bool, typer.Option("--offline", help="Start no server: leave freshness out.")] = False,
    base: Base = None,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    world: World = None,
    fail_on: FailOn = None,
    format: Format = "text",  # noqa: A002 - the option's name
    output: Output = None,
    show: Show = [],  # noqa: B006
    no_colour: NoColour = False,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Check that the lock is intact, equal to its sources, and compatible with its state at the base.

    All three are reported before it ends. The base is --base, else what the CI's variables name, else origin/HEAD.
    """
    from fusion_contracts.cli.checking import run
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import Judging, open_project, refuse_command

    writer = Writer.of(format, output, folder, show, no_colour=no_colour)

    def checked() -> int:
        refuse_command(context.obj, "check")
        project = open_project(folder, lockfile, config)
        return run(project, Judging.of(project, world, fail_on), base, tuple(servers), writer, offline=offline)

    return writer.guarded(checked)
