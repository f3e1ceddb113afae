"""`fusion explain`: what a rule says, or one finding in full."""

from __future__ import annotations

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

__all__ = ["explain"]


def explain(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    what: Annotated[
        str | None,
        typer.Argument(metavar="RULE | ID", help="A rule, or an id that a report shows. [default: list all rules]"),
    ] = None,
    old: Annotated[str | None, typer.Argument(metavar="OLD", help="With an ID: as for diff.")] = None,
    new: Annotated[str | None, typer.Argument(metavar="NEW | -- COMMAND", help="With an ID: as for diff.")] = None,
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
    """Print what a RULE says, with its example; or a finding in full, by the ID that a report shows.

    An ID is a finding's fingerprint or its group's, at least seven digits of it. No report is kept, so both sides are
    compared again: name what the check or the diff named that showed the ID. Without OLD and NEW it looks where `fusion
    check` does, at the lock since its base or, with --against release, since the releases there; and if it is not there
    and no --base is named, where `fusion diff` does, at the live sources or the releases in the folder.
    """
    from fusion_contracts.cli.comparing import Named
    from fusion_contracts.cli.explaining import explain_finding, explain_rule, is_id, list_rules
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import Judging, open_project
    from fusion_contracts.cli.wanted import Access

    writer = Writer.of([], None, folder, no_colour=no_colour)
    access = Access.of(pass_env, headers, transport, timeout, inputs)
    sources = tuple(one for one in (old, new) if one is not None)
    named = Named(sources, context.obj, base, tuple(servers), access, None if against == "base" else against)
    if what is None:
        return list_rules(named, writer)
    if not is_id(what):
        return explain_rule(what, named, writer)
    project = open_project(folder, lockfile, config)
    return explain_finding(what, named, project, Judging.of(project, world), writer)
