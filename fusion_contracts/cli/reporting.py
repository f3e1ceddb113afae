"""What `fusion report` reads, counts and prints."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from fusion_contracts.cli.output import OK, Writer
from fusion_contracts.cli.project import matches
from fusion_contracts.loop.usage.counting import count
from fusion_contracts.loop.usage.counting import servers as servers_of
from fusion_contracts.loop.usage.engines import Engine, opened
from fusion_contracts.loop.usage.period import side
from fusion_contracts.loop.usage.period import since as since_of
from fusion_contracts.loop.usage.queries import Filter
from fusion_contracts.loop.usage.refusals import shown
from fusion_contracts.record import record
from fusion_contracts.report.usability import render
from fusion_contracts.report.usability.model import Period, Report

__all__ = ["Asked", "answer"]


@record
class Asked:
    """What the command line asks of a log."""

    log: str
    since: str | None = None
    compare: tuple[str, str] | None = None
    servers: tuple[str, ...] = ()
    format: str = "text"
    folder: str = "."


def answer(asked: Asked, writer: Writer) -> int:
    """Write the report, and return the exit code: 0, as a report finds nothing wrong. Raises FusionError."""
    place = asked.log if "://" in asked.log else str(Path(asked.folder) / asked.log)
    now = time.time()
    chosen = Filter(since=since_of(asked.since, now) if asked.since else None)
    sides = [side(word, chosen, now) for word in asked.compare or ()]  # before anything is read
    with opened(place) as engine:
        chosen = replace(chosen, servers=_selected(engine, asked.servers))
        periods = _periods(engine, asked, [replace(one, servers=chosen.servers) for one in sides] or [chosen])
        report = Report(shown(asked.log), periods, tuple(engine.notes))
    writer.text(render(asked.format, report, width=writer.width, colour=writer.colour))
    return OK


def _selected(engine: Engine, globs: tuple[str, ...]) -> tuple[str, ...] | None:
    """The names of the servers that count; None for all."""
    return tuple(name for name in servers_of(engine) if matches(name, globs)) if globs else None


def _periods(engine: Engine, asked: Asked, chosen: list[Filter]) -> tuple[Period, ...]:
    labels = asked.compare or (f"since {asked.since}" if asked.since else "",)
    return tuple(count(engine, one, label) for one, label in zip(chosen, labels, strict=True))
