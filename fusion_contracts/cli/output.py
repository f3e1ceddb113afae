"""What commands print: reports and results on standard output, progress and refusals on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fusion_contracts import __version__
from fusion_contracts.canonical import printable
from fusion_contracts.cli.reserved import real_path, require_free, what_is_read
from fusion_contracts.cli.streams import give_up
from fusion_contracts.errors import FusionError, fault
from fusion_contracts.record import record
from fusion_contracts.report.escape import json_text, log_lines

if TYPE_CHECKING:
    from fusion_contracts.diff import Report
    from fusion_contracts.report.context import Context

__all__ = [
    "FOUND", "OK", "REFUSED", "Target", "Writer", "adrift", "fitted", "misuse", "refuse", "say", "tell", "unwritable",
]  # fmt: skip

OK, FOUND, REFUSED = 0, 1, 2
"""Exit codes: nothing found; findings, or a stale or edited lock; could not check."""

_WIDTH = 100  # where standard output is no terminal: CI logs are wide


def say(text: str) -> None:
    """Print a result."""
    print(fitted(log_lines(text), sys.stdout))


def tell(text: str) -> None:
    """Print progress: never part of a result, so that a report on standard output stays a report."""
    with suppress(OSError):
        sys.stdout.flush()  # the two streams often end in one log; keep their order
    try:
        print(f"{fitted(log_lines(text), sys.stderr)}\n", end="", file=sys.stderr)  # one piece: several threads tell
    except OSError:  # what people cannot be told is no reason to end otherwise
        give_up(sys.stderr)


def fitted(text: str, stream: TextIO) -> str:
    """The text for a terminal, which would break words and ids at its edge; anywhere else as it is."""
    try:
        if not stream.isatty():
            return text
        width = int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns)
    except (OSError, ValueError):
        return text
    from fusion_contracts.report.layout import MINIMUM, hung

    return "\n".join(line for one in text.split("\n") for line in hung(one, max(width, MINIMUM)))


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
        Writer((Target("json"),)).last_report(FusionError(formatted(), "see fusion --help", stage="usage"))
    show()
    tell(f"exit {REFUSED}: could not check")
    return REFUSED


def unwritable(error: OSError) -> FusionError:
    """Standard output takes nothing more."""
    reason = (error.strerror or "the system refused").lower()
    return FusionError(f"cannot write to standard output: {reason}", "write elsewhere", stage="usage")


def adrift() -> FusionError:
    """The current folder was removed: nothing relative to it can be found, nor told from anything else."""
    return FusionError("the folder that this runs in is not there any more", "change into one that is", stage="usage")


@record
class Target:
    """One report to write: its format, and the file; None for standard output."""

    form: str = "text"
    path: Path | None = None

    @classmethod
    def parse(cls, word: str, folder: Path) -> Target:
        """From `FORMAT` or `FORMAT=FILE`; a relative file starts at `folder`. Raises FusionError."""
        form, sign, file = word.partition("=")
        if sign and not file:
            raise FusionError(f"--format {printable(word)} names no file", f"write {form}=FILE", stage="usage")
        return cls(form, folder / file if sign else None)


@record
class Writer:
    """How one command writes its reports: in which formats, where to, and how a person's terminal looks."""

    targets: tuple[Target, ...] = (Target(),)
    show: frozenset[str] = frozenset()
    no_colour: bool = False

    @classmethod
    def of(  # noqa: PLR0913 - the options of a command
        cls,
        formats: Sequence[str],
        output: str | None,
        folder: str,
        show: Sequence[str] = (),
        *,
        no_colour: bool,
        reads: Sequence[str | None] = (),
        config: str | None = None,
    ) -> Writer:
        """From the options of a command: `formats` are words of `--format`, `output` the file of the one without.

        `reads` are words of the command line that name what it reads, `config` is the settings file where one is named:
        what their sources are read from counts as well. Raises FusionError where two formats would share standard
        output or a file, one would take the place of what is read, or `output` fits none.
        """
        targets = [Target.parse(word, Path(folder)) for word in formats or ["text"]]
        if output is not None:
            open_ends = [index for index, target in enumerate(targets) if target.path is None]
            if len(open_ends) != 1:
                message = f"-o goes with one format without a file, and {len(open_ends) or 'none'} is there"
                raise FusionError(message, "write --format FORMAT=FILE for each", stage="usage")
            targets[open_ends[0]] = replace(targets[open_ends[0]], path=Path(folder) / output)
        _require_apart([target.path for target in targets])
        writer = cls(tuple(targets), frozenset(show), no_colour)
        writer.spare(Path(folder), reads, config)
        return writer

    def spare(self, folder: Path, reads: Sequence[str | None] = (), config: str | None = None) -> None:
        """Raise FusionError where a report would take the place of what is read in a folder; the rest is as of `of`."""
        files = [target.path for target in self.targets if target.path is not None]
        if files:
            read = what_is_read(folder, [word for word in reads if word], config)
            for path in files:
                require_free(path, read)

    @property
    def machine(self) -> bool:
        """Whether some report is for programs."""
        return any(target.form != "text" for target in self.targets)

    @property
    def speaks(self) -> bool:
        """Whether standard output is for people: else it holds a report for programs and nothing else."""
        return Target() in self.targets

    def line(self, text: str) -> None:
        """Print a line for people beside the report: before it what is compared, after it what the exit code says."""
        if self.speaks:
            say(text)
        else:
            tell(text)

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
        """Write the reports for machines of a command that an error ended; nothing where they are for people."""
        machines = tuple(target for target in self.targets if target.form != "text")
        if machines:
            from fusion_contracts.diff import Report, Side
            from fusion_contracts.report.context import Context

            unknown = Side("unknown", "unknown")
            last = Context(code=REFUSED, ending=f"exit {REFUSED}: could not check")
            replace(self, targets=machines).report(Report(unknown, unknown, errors=(error.problem,)), last)

    def report(self, report: Report, context: Context) -> None:
        """Write the report in each format: the files together, then standard output."""
        from fusion_contracts.report import render

        shown = replace(context, width=self.width, show=self.show, version=__version__)
        look = replace(shown, wraps=self.wraps, colour=self.colour)
        plain = replace(shown, colour=False)
        texts = {one.path: render(one.form, report, plain if one.path else look) for one in self.targets}
        spoken = texts.pop(None, None)
        _write({path: text for path, text in texts.items() if path})
        if spoken is not None:
            print(spoken, end="")

    def text(self, text: str) -> None:
        """Write a finished text to standard output or into the file of the first format."""
        path = self.targets[0].path
        if path is None:
            print(json_text(text) if self.targets[0].form == "json" else log_lines(text), end="")
        else:
            _write({path: text})

    @property
    def width(self) -> int:
        """The terminal's columns."""
        from shutil import get_terminal_size

        return get_terminal_size((_WIDTH, 24)).columns

    @property
    def wraps(self) -> bool:
        """Whether long answers are wrapped: on a terminal. In a log they stay lines that can be searched for."""
        return self.speaks and sys.stdout.isatty()

    @property
    def colour(self) -> bool:
        """Whether to use colour: a terminal, NO_COLOR unset, and nobody said no."""
        wanted = self.speaks and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
        return wanted and not self.no_colour and not os.environ.get("NO_COLOR")


def _require_apart(places: Sequence[Path | None]) -> None:
    """Raise FusionError where two reports would go to one place, whatever it is called."""
    real = [None if place is None else real_path(place) for place in places]
    for place, same in zip(places, real, strict=True):
        if real.count(same) > 1:
            where = "standard output" if place is None else printable(str(place))
            message = f"{real.count(same)} formats would go to {where}"
            raise FusionError(message, "give each a file of its own: --format FORMAT=FILE", stage="usage")


def _write(texts: Mapping[Path, str]) -> None:
    if texts:
        from fusion_contracts.lockfile.file import write_together

        write_together(texts)
