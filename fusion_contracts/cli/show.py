"""`fusion show`: what a lock or a source holds."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import (
    ConfigPath,
    Folder,
    Format,
    Headers,
    Inputs,
    Lockfile,
    Name,
    NoColour,
    Output,
    PassEnv,
    Servers,
    Timeout,
    Transport,
)

__all__ = ["show"]


def show(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(metavar="SOURCE | -- COMMAND", help="What to show. [default: the lock]")
    ] = None,
    lint: Annotated[
        bool, typer.Option("--lint", help="Say instead what of it OpenAI, Anthropic, Gemini or MCP clients refuse.")
    ] = False,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    name: Name = None,
    pass_env: PassEnv = [],  # noqa: B006
    headers: Headers = [],  # noqa: B006
    transport: Transport = None,
    timeout: Timeout = None,
    inputs: Inputs = [],  # noqa: B006
    format: Format = "text",  # noqa: A002 - the option's name
    output: Output = None,
    no_colour: NoColour = False,
    folder: Folder = ".",
    lockfile: Lockfile = None,
    config: ConfigPath = None,
) -> int:
    """Print the servers of a lock, a catalog or a running server, with every tool's arguments."""
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import open_project
    from fusion_contracts.cli.roster import spread
    from fusion_contracts.cli.showing import print_lock, print_source
    from fusion_contracts.cli.wanted import Access, asked, refuse_headers

    reads = [source, lockfile, *context.obj]
    writer = Writer.of([format], output, folder, no_colour=no_colour, reads=reads, config=config)

    def shown() -> int:
        project = open_project(folder, lockfile, config)
        access = Access.of(pass_env, headers, transport, timeout, inputs)
        if source is None and not context.obj:
            refuse_headers(access)
            return print_lock(project, writer, servers, lint=lint)
        one = asked(project, source, context.obj, name=name, access=access)
        return print_source(spread(project, one, servers, access), project, writer, servers, lint=lint)

    return writer.guarded(shown)
