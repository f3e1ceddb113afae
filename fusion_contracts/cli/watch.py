"""`fusion watch`: keep looking at servers, and post what changes."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import (
    ConfigPath,
    FailOn,
    Folder,
    Format,
    Headers,
    Inputs,
    Jobs,
    Lockfile,
    MayBeAway,
    Name,
    PassEnv,
    Servers,
    Timeout,
    Transport,
    World,
    one_of,
)
from fusion_contracts.cli.watching.options import check_duration, check_number

__all__ = ["watch"]


def watch(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    source: Annotated[
        str | None,
        typer.Argument(metavar="SOURCE | -- COMMAND", help="What to watch. [default: every configured source]"),
    ] = None,
    once: Annotated[
        bool, typer.Option("--once", help="Look once, post what is new, and end with 0, 1 or 2: for cron.")
    ] = False,
    every: Annotated[
        str,
        typer.Option(
            "--every", metavar="TIME", callback=check_duration, help="How often a server is read: 30s, 5m, 1h, 1d."
        ),
    ] = "5m",
    listen: Annotated[
        str,
        typer.Option(
            "--listen",
            metavar="N|0",
            callback=check_number,
            help="How many servers are kept open to hear at once that they changed; 0 for none.",
        ),
    ] = "50",
    level: Annotated[
        str,
        typer.Option(
            "--level",
            metavar="breaking|risky|safe",
            callback=one_of("breaking", "risky", "safe"),
            help="Post findings from this level on.",
        ),
    ] = "safe",
    format: Format = "text",  # noqa: A002 - the option's name
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Append to this file as well, as JSON lines.")
    ] = None,
    webhook: Annotated[
        str | None,
        typer.Option("--webhook", metavar="URL", help="Post to this URL as well. Write ${VAR} for a secret in it."),
    ] = None,
    webhook_headers: Annotated[
        list[str],
        typer.Option(
            "--webhook-header",
            metavar="'NAME: VALUE'",
            help="Send this header to the webhook; may be repeated. Write ${VAR} for a secret, in single quotes.",
        ),
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
    state: Annotated[
        str | None,
        typer.Option(
            "--state", metavar="FILE", help="Where what was posted is kept. [default: in .fusion/watch, by the lock]"
        ),
    ] = None,
    servers: Servers = [],  # noqa: B006
    name: Name = None,
    pass_env: PassEnv = [],  # noqa: B006
    headers: Headers = [],  # noqa: B006
    transport: Transport = None,
    timeout: Timeout = None,
    inputs: Inputs = [],  # noqa: B006
    jobs: Jobs = None,
    may_be_away: MayBeAway = [],  # noqa: B006
    world: World = None,
    fail_on: FailOn = None,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Read servers again and again, compare them with the lock, and post each finding once.

    A server that says that its tools changed is read at once. What was posted survives a restart. It runs until it is
    stopped (SIGINT, SIGTERM), and then ends with 0.
    """
    from fusion_contracts.cli.project import open_project
    from fusion_contracts.cli.refresh import Effort
    from fusion_contracts.cli.wanted import Access
    from fusion_contracts.cli.watching.command import Posting, Wish, run

    project = open_project(folder, lockfile, config)
    wish = Wish(
        source, context.obj, name, tuple(servers), Access.of(pass_env, headers, transport, timeout, inputs),
        Effort.of(jobs, may_be_away), world, fail_on, every, int(listen), level, once=once,
    )  # fmt: skip
    posting = Posting(format == "json", output, webhook, tuple(webhook_headers), state)
    return run(project, wish, posting, reads=[source, lockfile, *context.obj], config=config)
