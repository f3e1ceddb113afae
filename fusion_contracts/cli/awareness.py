"""`fusion awareness`: what a model is told that learned an older contract."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import ConfigPath, Folder, Format, Lockfile, Output, Servers

__all__ = ["awareness"]


def awareness(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    action: Annotated[
        str | None, typer.Argument(metavar="ACTION", help="A tool, or TOOL.VALUE. [default: all that changed]")
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="NAME", help="Only what changed since this release. [default: the last 10]"),
    ] = None,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    format: Format = "text",  # noqa: A002 - the option's name
    output: Output = None,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Print what failing calls tell the model: the lock against the kept releases. No server is started.

    Of a changed action this is the block that its errors carry, of a removed tool the whole error.
    """
    from fusion_contracts.cli.aware import Question, answer
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import open_project, refuse_command

    refuse_command(context.obj, "awareness")
    project = open_project(folder, lockfile, config)
    writer = Writer.of([format], output, folder, no_colour=True, reads=[lockfile], config=config)
    return answer(Question(project, action, since, tuple(servers)), writer)
