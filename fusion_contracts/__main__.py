"""`fusion`, as a process of its own: the command and `python -m fusion_contracts` are the same."""

from __future__ import annotations

import gc
import sys

from fusion_contracts import cli

__all__ = ["main"]


def main() -> int:
    """Run the command that the process was started with; its exit code."""
    gc.set_threshold(100_000)  # a short run makes many objects and little rubbish: collecting less often saves 4 %
    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
