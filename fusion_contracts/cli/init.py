"""`fusion init`: set a project up."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import ConfigPath, Folder, Lockfile, Name, PassEnv

__all__ = ["init"]


def init(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    source: Annotated[str | None, typer.Argument(metavar="SOURCE | -- COMMAND", help="What to lock first.")] = None,
    name: Name = None,
    pass_env: PassEnv = [],  # noqa: B006 - typer reads the default, nothing changes it
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Write the settings, the first lock, .gitattributes and a GitHub workflow. What is there stays as it is."""
    from fusion_contracts.cli.locking import Job
    from fusion_contracts.cli.project import open_project
    from fusion_contracts.cli.setup import set_up

    project = open_project(folder, lockfile, config, create=source is not None or bool(context.obj))
    return set_up(Job(project, source, context.obj, name, tuple(pass_env), ()))
