"""`fusion lock`: write the contracts of the sources down, or verify what is written."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import (
    ConfigPath,
    Folder,
    Headers,
    Inputs,
    Jobs,
    Lockfile,
    MayBeAway,
    Name,
    PassEnv,
    Scheduler,
    Servers,
    Timeout,
    Transport,
)

__all__ = ["lock"]


def lock(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(metavar="SOURCE | -- COMMAND", help="What to lock. [default: every configured source]"),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing: verify that the lock is intact and equal to its sources.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Change an existing lock even where CI is set.")] = False,
    prune: Annotated[bool, typer.Option("--prune", help="Drop servers that the settings do not name.")] = False,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    name: Name = None,
    pass_env: PassEnv = [],  # noqa: B006
    headers: Headers = [],  # noqa: B006
    transport: Transport = None,
    timeout: Timeout = None,
    inputs: Inputs = [],  # noqa: B006
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was cut short: list only what it did not.")
    ] = False,
    may_be_away: MayBeAway = [],  # noqa: B006
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Write down what servers offer, so that a change to it is seen.

    Without SOURCE every source of [tool.fusion.sources] is listed again. A new SOURCE is added there.
    """
    from fusion_contracts.cli.locking import Job, write_lock
    from fusion_contracts.cli.project import open_project
    from fusion_contracts.cli.refresh import Effort
    from fusion_contracts.cli.roster import expanded
    from fusion_contracts.cli.verifying import verify_lock
    from fusion_contracts.cli.wanted import Access

    names_source = source is not None or bool(context.obj)
    project = open_project(folder, lockfile, config, create=names_source and not check)
    access = Access.of(pass_env, headers, transport, timeout, inputs)
    chosen, effort = expanded(project, servers), Effort.of(jobs, may_be_away, scheduler, resume=resume)
    job = Job(project, source, context.obj, name, chosen, prune=prune, access=access, effort=effort)
    return verify_lock(job) if check else write_lock(job, write=write)
