"""A Python object read in a process of its own: what was imported once stays as it was, and a watch runs for long.

Started as a program with a file's path, this takes a parcel from its standard input, and leaves the answer in the file.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from fusion_contracts.errors import FusionError
from fusion_contracts.sources import running
from fusion_contracts.sources.parcel import packed, read_server
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
    process.communicate(pickle.dumps(packed(task, _RUN)))
    if not place.is_file():
        message = f"the process that imported it ended with status {process.returncode}, and no answer"
        raise FusionError(message, "look at what its code does when it is imported", stage="start")
    answer: Answer = pickle.loads(place.read_bytes())  # noqa: S301 - of our own code, in a folder of our own
    return answer


if __name__ == "__main__":
    answer = read_server(pickle.loads(sys.stdin.buffer.read()))  # noqa: S301 - what started this wrote it
    partly = Path(f"{sys.argv[1]}.new")
    partly.write_bytes(pickle.dumps(answer))
    partly.replace(sys.argv[1])
