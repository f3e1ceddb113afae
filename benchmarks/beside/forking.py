"""A process that runs commands of a tool, each in a child of its own: what the tool loads is loaded once.

One request a line on stdin, `[argv, folder, file for stdout, seconds]`; the exit code, or null, a line on stdout. The
command is what a shell would run, less the start of Python. It imports nothing of ours: it runs in any environment.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

COMMANDS: dict[str, Callable[[], Any]] = {}


def command(name: str) -> Callable[[], Any]:
    """The function behind a command's name, imported once."""
    if name not in COMMANDS:
        (found,) = entry_points(group="console_scripts", name=name)
        COMMANDS[name] = found.load()
    return COMMANDS[name]


def child(argv: list[str], folder: str, out: str) -> int:
    """Run the command here, as its script would; the exit code."""
    os.chdir(folder)
    for number, path, flags in ((0, os.devnull, os.O_RDONLY), (1, out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)):
        os.dup2(os.open(path, flags), number)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.argv = argv
    code: Any = 1
    try:
        code = command(argv[0])()
    except SystemExit as end:
        code = end.code
    except BaseException:  # noqa: BLE001 - as a script would
        traceback.print_exc()
    sys.stdout.flush()
    return code if isinstance(code, int) else int(code is not None)


def waited(pid: int, limit: float) -> int | None:
    """The exit code of the child; None where it takes longer, and is ended."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return None


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        argv, folder, out, limit = json.loads(line)
        command(argv[0])
        pid = os.fork()
        if not pid:
            os._exit(child(argv, folder, out))
        print(json.dumps(waited(pid, limit)), flush=True)


if __name__ == "__main__":
    main()
