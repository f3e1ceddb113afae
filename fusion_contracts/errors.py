"""What went wrong, where, and what to do next: the one error type that people see, and its machine copy."""

from __future__ import annotations

import sys
from pathlib import PurePath

from fusion_contracts.record import record

__all__ = ["FusionError", "Problem", "fault"]


@record
class Problem:
    """Something that could not be checked. It is reported; it never hides another problem.

    `server` is the lock's NAME (None where no server is concerned), `stage` one of `usage`, `read`, `start`, `list`,
    `normalise`, `lock`, `compare`, `git`; `message` says what and where; `next` says what to do.
    """

    server: str | None
    stage: str
    message: str
    next: str

    def to_dict(self) -> dict[str, str | None]:
        """The entry of the JSON report's `errors`."""
        return {"server": self.server, "stage": self.stage, "message": self.message, "next": self.next}

    def __str__(self) -> str:
        where = f"{self.server}: " if self.server else ""
        return f"{where}{self.message}; {self.next}" if self.next else f"{where}{self.message}"


class FusionError(Exception):
    """Could not check: ends a command with exit code 2, its one sentence on standard error, no traceback."""

    def __init__(self, message: str, next: str = "", *, server: str | None = None, stage: str = "read") -> None:  # noqa: A002 - the report's own word
        self.problem = Problem(server, stage, message, next)
        super().__init__(str(self.problem))

    @staticmethod
    def of(problem: Problem) -> FusionError:
        """The error that a problem is, where nothing can go on without what it concerns."""
        return FusionError(problem.message, problem.next, server=problem.server, stage=problem.stage)


def fault(error: Exception) -> FusionError:
    """A mistake of ours as an error for people: what and where, never the text, which may hold what a server said.

    Whoever listens for it, as `fusion --debug` does, is told the whole.
    """
    sys.audit("fusion_contracts.fault", error)
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = PurePath(trace.tb_frame.f_code.co_filename).name if trace else ""
    where = f"{file} line {trace.tb_lineno}" if trace else "an unknown place"
    message = f"a fault in fusion-contracts: {type(error).__name__} in {where}"
    return FusionError(message, f"run it again with --debug, and report what it prints{_issues()}", stage="usage")


def _issues() -> str:
    """Where mistakes are reported, as the package's metadata say; "" where they do not."""
    from importlib.metadata import PackageNotFoundError, metadata  # takes longer than all that a command loads

    try:
        urls = metadata("fusion-contracts").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    return next((f" at {url.partition(', ')[2]}" for url in urls if url.startswith("Issues, ")), "")
