"""`fusion release`: keep the lock's contracts, as what agents in the field have learned."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import ConfigPath, Folder, Format, Lockfile, Servers

__all__ = ["release"]


def _number(value: str | None) -> str | None:
    """Check the number of `--keep`; typer prints the refusal."""
    if value is not None and not (value.isascii() and value.isdecimal() and int(value[:9]) > 0):
        raise typer.BadParameter(f"{value!r} is no number from 1 on.")
    return value


def release(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="What to call it. [default: the tag of HEAD, else the declared version]"),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="N", callback=_number, help="Remove all but the newest N. [default: keep all]"),
    ] = None,
    package: Annotated[
        str | None,
        typer.Option(
            "--package", metavar="DIR|IMPORT", help="Write what changed into this package, for its wheels and images."
        ),
    ] = None,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    format: Format = "text",  # noqa: A002 - the option's name
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Keep the locked contracts as a release, so that agents which learned it are told what changed later.

    Writes .fusion/releases/SERVER/NAME.lock. Nothing is written for a server whose contract is as in its last release.
    """
    from fusion_contracts.cli.project import open_project, refuse_command
    from fusion_contracts.cli.releasing import Job, keep_releases

    refuse_command(context.obj, "release")
    project = open_project(folder, lockfile, config)
    newest = None if keep is None else int(keep[:9])
    return keep_releases(Job(project, name, tuple(servers), newest, package), machine=format != "text")
