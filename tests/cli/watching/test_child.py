"""A Python object is read in a process of its own: in its time, and nothing of it stays."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from watching import PATIENCE, plain

OBJECT = "from pydantic import BaseModel\nclass Close(BaseModel):\n    when: int\n"
GUARD = (
    'put what runs the server under if __name__ == "__main__":, or start it as a server: fusion lock -- python shop.py'
)
STARTS = """
import os, signal, subprocess, sys, threading
sleeps = [sys.executable, "-c", "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"]
apart = subprocess.Popen(sleeps, start_new_session=True)
open("pids", "w").write(f"{os.getpid()} {subprocess.Popen(sleeps).pid} {apart.pid}")
"""
HANGS = """
signal.setitimer(signal.ITIMER_REAL, 0)
while True:
    threading.Event().wait()
"""


@pytest.fixture
def shop(project: Any) -> Any:
    """A project whose `shop` is a locked object in a file."""
    project.write("shop.py", OBJECT)
    assert project.run("lock", "--name", "shop", "shop.py:Close").code == 0
    return project


def running(pids: str) -> list[str]:
    """Those of the processes that run still, once they had time to end."""
    until = time.monotonic() + PATIENCE
    while (found := [pid for pid in pids.split() if _runs(pid)]) and time.monotonic() < until:
        time.sleep(0.02)
    return found


def _runs(pid: str) -> bool:
    """Whether a process runs; one that ended and waits for its parent does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_an_import_that_does_not_end_is_cut_short_and_its_line_is_named(shop: Any) -> None:
    shop.write("shop.py", "import threading\nthreading.Event().wait()\n")
    result = shop.run("watch", "--once", "--timeout", "0.5", "--name", "shop", "shop.py:Close")
    assert result.code == 2
    assert plain(result.out) == (
        "TIME  UNCHECKED shop: shop.py is still being imported after 0.5 s (shop.py, line 2: threading.Event().wait());"
        f" {GUARD}\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_one_that_turns_its_alarm_off_is_ended_with_all_that_it_started(shop: Any) -> None:
    shop.write("shop.py", STARTS + HANGS)
    shop.write("fusion.toml", shop.read("fusion.toml") + "timeout = 1\n")
    result = shop.run("watch", "--once")
    assert result.code == 2
    assert plain(result.out) == (
        "TIME  UNCHECKED shop: the process that imports it gave no answer in 2 s; look at what its code does when it is"
        " imported\n"
    )
    assert running(shop.read("pids")) == []


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_what_an_object_leaves_running_holds_nothing_up_and_is_ended(shop: Any) -> None:
    shop.write("shop.py", f"{STARTS}threading.Thread(target=threading.Event().wait).start()\n{OBJECT}")
    result = shop.run("watch", "--once")
    assert (result.code, result.out) == (0, "")
    assert running(shop.read("pids")) == []


def test_what_its_code_prints_is_no_answer(shop: Any) -> None:
    noise = "import atexit, os\nos.write(1, b'noise\\n' * 2000)\natexit.register(print, 'more')\n"
    shop.write("shop.py", noise + OBJECT.replace("int", "bool"))
    result = shop.run("watch", "--once", "--format", "json")
    (event,) = map(json.loads, result.out.splitlines())
    assert (result.code, event["event"]) == (1, "finding")
