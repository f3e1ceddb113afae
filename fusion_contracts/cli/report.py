"""`fusion report`: what an error log says of the tools."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import Folder, NoColour, Output, Servers, one_of
from fusion_contracts.report.usability.model import FORMATS

__all__ = ["report"]


def report(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    log: Annotated[
        str | None,
        typer.Argument(
            metavar="LOG",
            help="SQLite, JSON lines (.jsonl), Parquet or DuckDB files, or a URL. [default: .fusion/log.sqlite]",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only calls since then: 7d, 24h, 2026-11-01. UTC."),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            "--compare",
            metavar="A B",
            help="Compare two releases (2.0.0 2.1.0) or two periods (2026-10-01..2026-11-01 2026-11-01..).",
        ),
    ] = None,
    servers: Servers = [],  # noqa: B006 - typer reads the default, nothing changes it
    format: Annotated[  # noqa: A002 - the option's name
        str,
        typer.Option(
            "--format", metavar="|".join(FORMATS), callback=one_of(*FORMATS), help="How the report is written."
        ),
    ] = "text",
    output: Output = None,
    folder: Folder = ".",
    no_colour: NoColour = False,
) -> int:
    """Say how usable the tools are: what fails, what heals in one turn, what loops, and what that costs.

    LOG is what `fusion_contracts.loop.log.ErrorLog` wrote. SQLite needs nothing more; other files and URLs (PostgreSQL,
    and every engine that Ibis speaks) need the extra: pip install 'fusion-contracts[report]'.
    """
    from fusion_contracts.cli.output import Writer
    from fusion_contracts.cli.project import refuse_command
    from fusion_contracts.cli.reporting import Asked, answer
    from fusion_contracts.loop.log.place import DEFAULT
    from fusion_contracts.loop.usage.engines import files_of

    refuse_command(context.obj, "report")
    log = log or DEFAULT
    writer = Writer.of([format], output, folder, no_colour=no_colour, reads=[DEFAULT, *files_of(log, folder)])
    return answer(Asked(log, since, compare, tuple(servers), format, folder), writer)
