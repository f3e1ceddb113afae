"""`fusion diff-driver`: what git runs to show how a lock changed."""

from __future__ import annotations

from typing import Annotated

import typer

from fusion_contracts.errors import FusionError

__all__ = ["diff_driver"]


def diff_driver(
    context: typer.Context,
    arguments: Annotated[
        list[str], typer.Argument(metavar="PATH OLD HEX MODE NEW HEX MODE", help="What git hands to a diff command.")
    ] = [],  # noqa: B006 - typer reads the default, nothing changes it
) -> int:
    """Print the findings of a changed lock, as git's diff command; `git diff --no-ext-diff` shows the text.

    `fusion merge-driver --install` sets it up. It always ends with 0: with anything else git stops.
    """
    from fusion_contracts.cli.lockdiff import show

    words = [*arguments, *context.obj]  # behind -- where git calls it: a path may begin with a hyphen
    if not words:
        raise FusionError(
            "fusion diff-driver is called by git", "set it up: fusion merge-driver --install", stage="usage"
        )
    return show(words)
