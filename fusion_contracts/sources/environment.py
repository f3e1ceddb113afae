"""Environments: one with variables set beside it, of which only those go to another process; and that of a server."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any

from fusion_contracts.record import record

__all__ = ["Beside", "minimal_environment"]

# What a program needs to start at all. Nothing here reaches into a listing but the locale, which is fixed below.
_PASSED = (
    "PATH", "HOME", "TMPDIR", "TEMP", "TMP",
    "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
    "PROGRAMFILES(X86)", "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT",
)  # fmt: skip
_FIXED = {"TZ": "UTC", "LC_ALL": "C.UTF-8"}


@record
class Beside(Mapping[str, str]):
    """`variables`, and below them an environment: that of the process which looks something up, unless one is given."""

    variables: Mapping[str, str] = field(repr=False)
    below: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)

    def __getitem__(self, name: str) -> str:
        return self.variables[name] if name in self.variables else self.below[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self.below, **self.variables})

    def __len__(self) -> int:
        return len({**self.below, **self.variables})

    def __getstate__(self) -> tuple[Any, ...]:
        """What travels: all but the environment of this process."""
        below = self.below if isinstance(self.below, Beside) else dict(self.below)
        return dict(self.variables), None if self.below is os.environ else below

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """Arrive, and find the environment that is here."""
        variables, below = state
        object.__setattr__(self, "variables", variables)
        object.__setattr__(self, "below", os.environ if below is None else below)


def minimal_environment(
    environ: Mapping[str, str], configured: Mapping[str, str], pass_env: Sequence[str] = ()
) -> dict[str, str]:
    """The environment of a server: what programs need to start, fixed locale and time zone, what was asked for."""
    upper = {name.upper(): name for name in environ} if sys.platform == "win32" else {name: name for name in environ}
    passed = {name: environ[upper[name]] for name in _PASSED if name in upper}
    handed = {name: environ[name] for name in pass_env if name in environ}
    return {**passed, **_FIXED, **handed, **configured}
