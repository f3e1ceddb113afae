"""What commands print: reports and results on standard output, progress and refusals on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fusion_contracts.canonical import printable
from fusion_contracts.cli.streams import give_up
from fusion_contracts.errors import FusionError

if TYPE_CHECKING:
    from fusion_contracts.diff import Report

__all__ = ["FOUND", "OK", "REFUSED", "Writer", "fault", "misuse", "refuse", "say", "tell", "unwritable"]

OK, FOUND, REFUSED = 0, 1, 2
"""Exit codes: nothing found; findings, or a stale or edited lock; could not check."""

_WIDTH = 100  # where standard output is no terminal: CI logs are wide


def say(text: str) -> None:
    """Print a result."""
    print(text)


def tell(text: str) -> None:
    """Print progress: never part of a result, so that a report on standard output stays a report."""
    with suppress(OSError):
        sys.stdout.flush()  # the two streams often end in one log; keep their order
    try:
        print(text, file=sys.stderr)
    except OSError:  # what people cannot be told is no reason to end otherwise
        give_up(sys.stderr)


def refuse(error: FusionError) -> int:
    """Print the sentence of an error that ended a command, then the line that states the exit code; return the code."""
    sentence = printable(str(error))
    tell(f"fusion: {sentence}")
    tell(f"exit {REFUSED}: could not check")
    return REFUSED


def misuse(error: Exception, show: Callable[[], None], *, machine: bool) -> int:
    """Print a usage error of typer's, without a secret that it repeats, and for `machine` as a report as well."""
    from fusion_contracts.sources.secrets import redact

    message, formatted = getattr(error, "message", None), getattr(error, "format_message", None)
    if type(error).__name__ == "NoArgsIsHelpError" or not isinstance(message, str) or not callable(formatted):
        show()  # the help, which is no error to speak of
        return REFUSED
    vars(error)["message"] = printable(redact(message))
    if machine:
        Writer("json").last_report(FusionError(formatted(), "see fusion --help", stage="usage"))
    show()
    tell(f"exit {REFUSED}: could not check")
    return REFUSED


def unwritable(error: OSError) -> FusionError:
    """Standard output takes nothing more."""
    reason = (error.strerror or "the system refused").lower()
    return FusionError(f"cannot write to standard output: {reason}", "write elsewhere", stage="usage")


def fault(error: Exception) -> FusionError:
    """A mistake of ours as an error for people: what and where, never the text, which may hold what a server said."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f"{Path(trace.tb_frame.f_code.co_filename).name} line {trace.tb_lineno}" if trace else "an unknown place"
    message = f"a fault in fusion-contracts: {type(error).__name__} in {where}"
    return FusionError(message, "set FUSION_TRACEBACK=1 to see more, and report it", stage="usage")


@dataclass(frozen=True, slots=True)
class Writer:
    """How one command writes its report: the format, where to, and how a person's terminal looks."""

    form: str = "text"
    output: Path | None = None
    show: frozenset[str] = frozenset()
    no_colour: bool = False

    @classmethod
    def of(cls, form: str, output: str | None, folder: str, show: Sequence[str], *, no_colour: bool) -> Writer:
        """From the options of a command; a relative `output` starts at `folder`."""
        return cls(form, None if output is None else Path(folder) / output, frozenset(show), no_colour)

    @property
    def machine(self) -> bool:
        """Whether the report is for programs: then standard output holds the report and nothing else."""
        return self.form != "text"

    def line(self, text: str) -> None:
        """Print a line for people beside the report: before it what is compared, after it what the exit code says."""
        if self.machine or self.output is not None:
            tell(text)
        else:
            say(text)

    def guarded(self, command: Callable[[], int]) -> int:
        """Run a command; what ends it early is also an error in a report for machines, which is always written."""
        try:
            return command()
        except FusionError as error:
            self.last_report(error)
            raise
        except BrokenPipeError:
            raise
        except Exception as error:
            self.last_report(fault(error))
            raise

    def last_report(self, error: FusionError) -> None:
        """Write the report of a command that an error ended; nothing where the report is for people."""
        if self.machine:
            from fusion_contracts.diff import Report, Side

            unknown = Side("unknown", "unknown")
            self.report(Report(unknown, unknown, errors=(error.problem,)))

    def report(self, report: Report) -> None:
        """Write the report in its format, to standard output or into the file."""
        self.text(self._rendered(report))

    def text(self, text: str) -> None:
        """Write a finished text to standard output or into the file."""
        if self.output is None:
            print(text, end="")
            return
        from fusion_contracts.lockfile.file import write_atomic

        write_atomic(self.output, text)

    def _rendered(self, report: Report) -> str:
        if self.machine:
            from fusion_contracts.report import json

            return json.render(report)
        from fusion_contracts.report import text

        return text.render(report, width=self.width, colour=self.colour, show=self.show)

    @property
    def width(self) -> int:
        """The terminal's columns."""
        from shutil import get_terminal_size

        return get_terminal_size((_WIDTH, 24)).columns

    @property
    def colour(self) -> bool:
        """Whether to use colour: a terminal, NO_COLOR unset, and nobody said no."""
        wanted = self.output is None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        return wanted and not self.no_colour and not os.environ.get("NO_COLOR")
