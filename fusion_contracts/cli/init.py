"""`fusion init`: set a project up."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import ConfigPath, Folder, Headers, Lockfile, Name, PassEnv, Timeout, Transport

__all__ = ["init"]


def init(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    source: Annotated[str | None, typer.Argument(metavar="SOURCE | -- COMMAND", help="What to lock first.")] = None,
    name: Name = None,
    pass_env: PassEnv = [],  # noqa: B006 - typer reads the default, nothing changes it
    headers: Headers = [],  # noqa: B006
    transport: Transport = None,
    timeout: Timeout = None,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Write the settings, the first lock, .gitattributes and a GitHub workflow. What is there stays as it is."""
    from fusion_contracts.cli.locking import Job
    from fusion_contracts.cli.project import open_project
    from fusion_contracts.cli.setup import set_up
    from fusion_contracts.cli.wanted import Access

    project = open_project(folder, lockfile, config, create=source is not None or bool(context.obj))
    access = Access.of(pass_env, headers, transport, timeout)
    return set_up(Job(project, source, context.obj, name, (), access=access))
