"""The command line. `main` runs it; one thin file per command, imported only when that command runs."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, 1, 2 (README, exit codes), 128 and the signal when one ended it."""
    try:
        from fusion_contracts.sources.interrupt import interruptible

        with interruptible():
            from fusion_contracts.cli.app import run  # here, so that an interrupt while it loads is no traceback either

            return run(argv)
    except (KeyboardInterrupt, SystemExit) as end:  # while it loads: nothing was written
        from fusion_contracts.cli.streams import SIGNAL, interrupted

        code = getattr(end, "code", None)
        return interrupted(code - SIGNAL if isinstance(code, int) and code > SIGNAL else 2)
