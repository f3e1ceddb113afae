"""`fusion merge-driver`: what git runs to merge a lock."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.cli.options import Folder
from fusion_contracts.errors import FusionError

__all__ = ["merge_driver"]


def merge_driver(  # noqa: PLR0913, PLR0917 - the options of a command
    context: typer.Context,
    base: Annotated[str | None, typer.Argument(metavar="%O", help="git's file of the common base.")] = None,
    ours: Annotated[str | None, typer.Argument(metavar="%A", help="Our file; takes the result.")] = None,
    theirs: Annotated[str | None, typer.Argument(metavar="%B", help="Their file.")] = None,
    path: Annotated[str | None, typer.Argument(metavar="%P", help="The lock's path, for people.")] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Set the merge and diff driver up in this clone's own configuration.")
    ] = False,
    everywhere: Annotated[bool, typer.Option("--global", help="With --install: in your own, for all clones.")] = False,
    folder: Folder = ".",
) -> int:
    """Merge two versions of a lock server by server and tool by tool, as git's merge driver.

    Exit 1, with the conflicting entries between markers, where both sides changed the same thing. Without files it
    prints the lines that set the drivers up; --install runs them.
    """
    from fusion_contracts.cli.drivers import set_up, show_lines
    from fusion_contracts.cli.merging import merge_files
    from fusion_contracts.cli.project import refuse_command

    refuse_command(context.obj, "merge-driver")
    if base is None:
        if everywhere and not install:
            raise FusionError("--global goes with --install", "give both, or none", stage="usage")
        return set_up(folder, everywhere=everywhere) if install else show_lines()
    if install or everywhere or ours is None or theirs is None or path is None:
        step = "git calls it: fusion merge-driver %O %A %B %P"
        raise FusionError("a merge needs four files, and nothing else", step, stage="usage")
    return merge_files(base, ours, theirs, path.removeprefix("./"))
