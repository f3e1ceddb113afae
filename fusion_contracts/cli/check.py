"""`fusion check`: what CI runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from fusion_contracts.cli.options import (
    Against,
    Base,
    ConfigPath,
    FailOn,
    Folder,
    Formats,
    Inputs,
    Jobs,
    Lockfile,
    MayBeAway,
    NoColour,
    Output,
    Scheduler,
    Servers,
    Show,
    World,
)
from fusion_contracts.errors import FusionError

__all__ = ["check"]


def check(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    offline: Annotated[bool, typer.Option("--offline", help="Start no server: leave freshness out.")] = False,
    local: Annotated[
        bool, typer.Option("--local", help="Start only servers that are part of this repository: for pull requests.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--all", help="Every lock that git tracks in the folder, each with the settings beside it.")
    ] = False,
    base: Base = None,
    against: Against = None,
    expect_bump: Annotated[
        bool, typer.Option("--expect-bump", help="Fail where the declared version moved too little since the release.")
    ] = False,
    next_version: Annotated[
        str | None,
        typer.Option("--next-version", metavar="X.Y.Z", help="Expect of this version, and not of the declared one."),
    ] = None,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    world: World = None,
    fail_on: FailOn = None,
    inputs: Inputs = [],  # noqa: B006
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    may_be_away: MayBeAway = [],  # noqa: B006
    format: Formats = [],  # noqa: A002, B006 - the option's name
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
    from fusion_contracts.cli.checking import Asked, run
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import open_project, refuse_command

    writer = Writer.of(format, output, folder, show, no_colour=no_colour, reads=[lockfile], config=config)
    if every:
        from fusion_contracts.cli.everywhere import spare_all

        spare_all(folder, writer)

    def checked() -> int:
        refuse_command(context.obj, "check")
        asked = Asked(
            base, tuple(servers), world, fail_on, offline, local, against=against or "base",
            expect_bump=expect_bump or next_version is not None, next_version=next_version,
        )  # fmt: skip
        if not offline:
            from fusion_contracts.cli.refresh import Effort
            from fusion_contracts.cli.wanted import Access

            effort, access = Effort.of(jobs, may_be_away, scheduler), Access.of((), (), None, None, inputs)
            asked = replace(asked, effort=effort, access=access)
        if not every:
            return run(open_project(folder, lockfile, config), asked, writer)
        if lockfile is not None or config is not None:
            message = f"--all goes without {'--lockfile' if lockfile is not None else '--config'}"
            raise FusionError(message, "each lock has the settings of its own folder", stage="usage")
        from fusion_contracts.cli.everywhere import check_all

        return check_all(folder, asked, writer)

    return writer.guarded(checked)
