"""`fusion`, as a process of its own: the command and `python -m fusion_contracts` are the same."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

from fusion_contracts import cli
from fusion_contracts.cli.streams import SIGNAL

__all__ = ["main"]


def main() -> int:
    """Run the command that the process was started with; its exit code."""
    gc.set_threshold(100_000)  # a short run makes many objects and little rubbish: collecting less often saves 4 %
    try:
        code = cli.main()
    except KeyboardInterrupt:  # another one, while it said how it ended
        code = SIGNAL + signal.SIGINT
    if code > SIGNAL:
        _leave(code)
    return code


def _leave(code: int) -> NoReturn:
    """End at once what a signal ended: a further signal would be a traceback of Python's own end, and another code."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none at all
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
