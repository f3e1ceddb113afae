"""The command line. `main` is the entry point; one thin file per command, imported only when that command runs."""

from fusion_contracts.cli.app import main

__all__ = ["main"]
