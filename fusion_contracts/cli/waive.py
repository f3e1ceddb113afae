"""`fusion waive`: accept findings on purpose."""

from __future__ import annotations

from datetime import date
from typing import Annotated

import typer

from fusion_contracts.cli.options import (
    Against,
    Base,
    ConfigPath,
    Folder,
    Headers,
    Inputs,
    Lockfile,
    NoColour,
    PassEnv,
    Servers,
    Timeout,
    Transport,
    World,
)

__all__ = ["waive"]


def _day(value: str | None) -> str | None:
    """Check the day of `--until`; typer prints the refusal."""
    try:
        if value is not None:
            date.fromisoformat(value)
    except ValueError:
        raise typer.BadParameter(f"{value!r} is no day such as 2026-12-31.") from None
    return value


def waive(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    identifier: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="The id that a report shows. [default: list the waivers]"),
    ] = None,
    old: Annotated[str | None, typer.Argument(metavar="OLD", help="With an ID: as for diff.")] = None,
    new: Annotated[str | None, typer.Argument(metavar="NEW | -- COMMAND", help="With an ID: as for diff.")] = None,
    rule: Annotated[
        str | None, typer.Option("--rule", metavar="RULE", help="Instead of an ID: every finding of this rule.")
    ] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="GLOB", help="With --rule: of these tools.")] = None,
    pointer: Annotated[
        str | None, typer.Option("--pointer", metavar="GLOB", help="With --rule: at these places.")
    ] = None,
    reason: Annotated[
        str | None, typer.Option("--reason", metavar="TEXT", help="Why it is accepted. Required.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="YYYY-MM-DD",
            callback=_day,
            help="The last day (UTC) on which it holds. Required with --rule.",
        ),
    ] = None,
    prune: Annotated[
        bool, typer.Option("--prune", help="Drop waivers that have expired, or accept nothing any more.")
    ] = False,
    base: Base = None,
    against: Against = None,
    pass_env: PassEnv = [],  # noqa: B006
    headers: Headers = [],  # noqa: B006
    transport: Transport = None,
    timeout: Timeout = None,
    inputs: Inputs = [],  # noqa: B006
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    world: World = None,
    no_colour: NoColour = False,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Accept findings on purpose, in the settings: they stay in reports, count apart, and fail no run.

    An ID is a finding's fingerprint or its group's; of a group the findings that it has now are accepted. It is looked
    for where fusion explain looks: in what OLD, NEW, --base and --against name, else in the lock since its base, else
    in the live sources. Without ID and RULE the waivers are listed, with what they accept.
    """
    from fusion_contracts.cli.comparing import Named
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import Judging, open_project
    from fusion_contracts.cli.waiving import Asked, Job, run
    from fusion_contracts.cli.wanted import Access

    sources = tuple(one for one in (old, new) if one is not None)
    access = Access.of(pass_env, headers, transport, timeout, inputs)
    named = Named(sources, context.obj, base, tuple(servers), access, None if against == "base" else against)
    day = None if until is None else date.fromisoformat(until)
    asked = Asked(identifier, rule, tool, pointer, reason, day, prune=prune)
    project = open_project(folder, lockfile, config, create=identifier is not None or rule is not None)
    writer = Writer.of([], None, folder, no_colour=no_colour)
    return run(Job(asked, named, project, Judging.of(project, world), writer))
