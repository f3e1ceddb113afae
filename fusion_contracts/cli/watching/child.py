"""A Python object read in a process of its own: what was imported once stays as it was, and a watch runs for long.

Started as a program with a file's path, this takes a task from its standard input, and leaves the answer in the file,
as JSON: the code that it imported is believed no more than a server. It prints a line before it imports, and one when
the answer is there. However that went, it is ended then, with everything that the code started.
"""

from __future__ import annotations

import json
import os
import sys
import time
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fusion_contracts.errors import FusionError
from fusion_contracts.sources import running
from fusion_contracts.sources.answer_json import from_json, to_json
from fusion_contracts.sources.installed import release
from fusion_contracts.sources.jsonrpc import FloodError, SilenceError
from fusion_contracts.sources.parcel import Parcel, packed, read_server
from fusion_contracts.sources.process import EndedError, ServerProcess
from fusion_contracts.sources.python_object import seconds_of
from fusion_contracts.sources.unit import Answer, Task

__all__ = ["read_apart"]

_RUN = "watch"
_STARTING = 60.0  # seconds for Python itself, on a machine that does much else
_PARTS = 2  # the import and the list, each of which has the timeout; it is kept here where code keeps it from the child
_LOOK = "look at what its code does when it is imported"


def read_apart(task: Task) -> Answer:
    """The answer of a task that another process works on. It is ended with all other readings (`running`)."""
    try:
        with TemporaryDirectory(prefix="fusion-", ignore_cleanup_errors=True) as folder, running.enlisted() as member:
            return _answer(task, Path(folder) / "answer", member)
    except FusionError as error:
        problem = error.problem
    except OSError as error:
        reason = (error.strerror or "the system refused").lower()
        problem = FusionError(f"cannot start a process to import it: {reason}", "look at the system's limits").problem
    return Answer(problem=replace(problem, server=task.options.name))


def _answer(task: Task, place: Path, member: running.Member) -> Answer:
    command = [sys.executable, "-m", __name__, str(place)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with ServerProcess(command, env=environment, cwd=Path.cwd()) as process:
        member.ends_by(process.interrupt)
        process.send(b64encode(packed(task, _RUN).sealed))
        _wait(process, place, _PARTS * seconds_of(task.options))
        try:
            return from_json(json.loads(place.read_bytes()), "the process that imported it")
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise FusionError("the process that imported it gave no answer", _LOOK, stage="start") from None


def _wait(process: ServerProcess, place: Path, seconds: float) -> None:
    """Wait until the answer is there. Raises FusionError where it does not come."""
    limit = _STARTING
    try:
        process.receive(time.monotonic() + limit)
        limit = seconds
        late = time.monotonic() + limit
        while not place.exists():
            process.receive(late)  # whatever its code prints
    except SilenceError:
        message = f"the process that imports it gave no answer in {limit:g} s"
    except EndedError as end:
        how = "closed its output" if end.status is None else f"ended with status {end.status}"
        message = f"the process that imported it {how}, and no answer"
    except FloodError as flood:
        message = f"the process that imports it sends {flood} on standard output"
    else:
        return
    if not place.exists():  # it may come while its end is noticed
        raise FusionError(message, _LOOK, stage="start")


def _answered(sealed: bytes) -> dict[str, Any]:
    """What the task comes to, as JSON."""
    answer = read_server(Parcel(release(), _RUN, None, sealed))
    try:
        return to_json(answer)
    except FusionError as error:  # what no lock can hold
        return to_json(Answer(problem=error.problem))


def _told(word: str) -> None:
    """Print a line to whoever waits; whatever the imported code did to Python's own stream."""
    os.write(1, f"{word}\n".encode())


if __name__ == "__main__":
    task = b64decode(sys.stdin.buffer.readline())
    _told("begun")
    partly = Path(f"{sys.argv[1]}.new")
    partly.write_text(json.dumps(_answered(task)), encoding="utf-8")
    partly.replace(sys.argv[1])
    _told("answered")
