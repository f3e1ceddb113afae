"""A unit of work on its way to a worker of a cluster, and what the worker does with it.

What travels is sealed: a scheduler, its dashboard and the logs of workers show that a server is read, and nothing of
it. References such as `${TOKEN}` travel as they are written, and the worker looks them up in its own environment;
values travel where only the one who asks has them: `--input`, and what a configuration holds in clear.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import time
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fusion_contracts.canonical import printable
from fusion_contracts.errors import Problem, fault
from fusion_contracts.sources import running
from fusion_contracts.sources.base import silent
from fusion_contracts.sources.environment import Beside
from fusion_contracts.sources.guard import guarded
from fusion_contracts.sources.installed import release
from fusion_contracts.sources.interpolate import templates_only
from fusion_contracts.sources.secrets import is_secret_name, is_secret_value
from fusion_contracts.sources.unit import Answer, Task, work

__all__ = ["Parcel", "end_run", "packed", "read_server", "secrets_in"]

_ENDING = 10.0  # seconds in which what a worker reads ends, once it is told to
_PAUSE = 0.02


@dataclass(frozen=True, slots=True, repr=False)
class Parcel:
    """A task, sealed. `run` is the command that sent it; `version` the release that can open it."""

    version: str
    run: str
    name: str | None
    sealed: bytes

    def __repr__(self) -> str:
        """Nothing of what is in it: logs and dashboards print arguments."""
        return "Parcel()"


def packed(task: Task, run: str) -> Parcel:
    """The task as it travels: its folder by its whole path, and without the environment that is here."""
    # Nobody reads the standard error of a worker.
    options = replace(task.options, root=task.options.root.absolute(), progress=silent)
    return Parcel(release(), run, options.name, pickle.dumps(replace(task, options=options)))


def read_server(parcel: Parcel) -> Answer:
    """Open a parcel on a worker, and do the work. Never raises for what goes wrong: a log would show it."""
    if parcel.version != release():
        message = f"was not read: a worker has fusion-contracts {release()}, and this is {printable(parcel.version)}"
        return Answer(problem=Problem(parcel.name, "usage", message, "install the same on every worker"))
    guarded()
    try:
        task: Task = pickle.loads(parcel.sealed)  # noqa: S301 - whoever sends work to a worker runs code there anyway
        with ExitStack() as stack, running.part_of(parcel.run):
            return work(replace(task, options=replace(task.options, root=_folder(task.options.root, stack))))
    except Exception as error:  # noqa: BLE001
        return Answer(problem=replace(fault(error).problem, server=parcel.name))


def _folder(root: Path, stack: ExitStack) -> Path:
    """The project's folder where this worker may enter it, else an empty one: never whatever the worker stands in."""
    if os.path.isdir(root) and os.access(root, os.X_OK):  # noqa: PTH112 - Path raises where another user's is above
        return root
    return Path(stack.enter_context(TemporaryDirectory(prefix="fusion-", ignore_cleanup_errors=True)))


async def end_run(run: str) -> int:
    """End what this worker reads for a run, let nothing more of it begin, and return how many have not ended."""
    deadline = time.monotonic() + _ENDING
    running.stop(run)
    while running.count(run) and time.monotonic() < deadline:  # noqa: ASYNC110 - those who end are threads
        await asyncio.sleep(_PAUSE)
    return running.count(run)


def secrets_in(task: Task) -> tuple[str, ...]:
    """The names of the variables whose secret values travel with a task, because no worker can look them up."""
    environ = task.options.environ
    given = set(environ.variables) if isinstance(environ, Beside) else set()
    clear = {
        name
        for name, value in getattr(task.source, "env", {}).items()
        if value != templates_only(value) and (is_secret_name(name) or is_secret_value(value))
    }
    return tuple(sorted(given | clear))
