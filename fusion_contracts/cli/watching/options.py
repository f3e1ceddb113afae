"""What options of `fusion watch` take; typer prints the refusal."""

from __future__ import annotations

import re

import typer

from fusion_contracts.cli.watching.schedule import seconds_of

__all__ = ["check_duration", "check_number"]


def check_duration(value: str) -> str:
    """Check that an option's value is a time, such as `5m`."""
    if seconds_of(value) is None:
        raise typer.BadParameter(f"{value!r} is no time such as 30s, 5m, 1h or 1d.")
    return value


def check_number(value: str) -> str:
    """Check that an option's value is a number from 0 on."""
    if not re.fullmatch(r"[0-9]{1,4}", value):
        raise typer.BadParameter(f"{value!r} is no number from 0 to 9999.")
    return value
