"""A Python object read in a process of its own: what was imported once stays as it was, and a watch runs for long.

Started as a program with a file's path, this takes a task from its standard input, and leaves the answer in the file,
as JSON: the code that it imported is believed no more than a server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fusion_contracts.errors import FusionError
from fusion_contracts.sources import running
from fusion_contracts.sources.answer_json import from_json, to_json
from fusion_contracts.sources.installed import release
from fusion_contracts.sources.parcel import Parcel, packed, read_server
from fusion_contracts.sources.unit import Answer, Task

__all__ = ["read_apart"]

_RUN = "watch"


def read_apart(task: Task) -> Answer:
    """The answer of a task that another process works on. It is ended with all other readings (`running`)."""
    try:
        with TemporaryDirectory(prefix="fusion-", ignore_cleanup_errors=True) as folder, running.enlisted() as member:
            return _answer(task, Path(folder) / "answer", member)
    except FusionError as error:
        return Answer(problem=replace(error.problem, server=task.options.name))


def _answer(task: Task, place: Path, member: running.Member) -> Answer:
    null = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - this file, by the interpreter that runs it
        [sys.executable, "-m", __name__, str(place)], stdin=subprocess.PIPE, stdout=null, stderr=null,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, start_new_session=True,
    )  # fmt: skip
    member.ends_by(process.kill)
    process.communicate(packed(task, _RUN).sealed)
    try:
        return from_json(json.loads(place.read_bytes()), "the process that imported it")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        message = f"the process that imported it ended with status {process.returncode}, and no answer"
        raise FusionError(message, "look at what its code does when it is imported", stage="start") from None


def _answered() -> dict[str, Any]:
    """What the task from the standard input comes to, as JSON."""
    answer = read_server(Parcel(release(), _RUN, None, sys.stdin.buffer.read()))
    try:
        return to_json(answer)
    except FusionError as error:  # what no lock can hold
        return to_json(Answer(problem=error.problem))


if __name__ == "__main__":
    partly = Path(f"{sys.argv[1]}.new")
    partly.write_text(json.dumps(_answered()), encoding="utf-8")
    partly.replace(sys.argv[1])
