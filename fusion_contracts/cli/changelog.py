"""`fusion changelog`: what changed from release to release, from the lock's history in git."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import ConfigPath, Folder, Lockfile, Output, Servers, World, one_of

__all__ = ["changelog"]

ChangelogFormat = Annotated[
    str,
    typer.Option("--format", metavar="markdown|json", callback=one_of("markdown", "json"), help="How it is written."),
]


def changelog(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    span: Annotated[
        str | None,
        typer.Argument(metavar="A..B", help="After A, up to B. [default: from the last release to HEAD]"),
    ] = None,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    world: World = None,
    format: ChangelogFormat = "markdown",  # noqa: A002 - the option's name
    output: Output = None,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Write the contract's changelog: a section for each release tag, the newest first, from the lock in git.

    In a repository without such tags each commit that changed the lock has a section.
    """
    from fusion_contracts.cli.changelog_entries import Asked, write
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import open_project, refuse_command

    refuse_command(context.obj, "changelog")
    project = open_project(folder, lockfile, config)
    writer = Writer.of([format], output, folder, no_colour=True, reads=[lockfile], config=config)
    return write(project, Asked(span, tuple(servers), world, format), writer)
