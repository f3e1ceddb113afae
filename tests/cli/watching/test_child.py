"""A Python object is read in a process of its own: in its time, and nothing of it stays."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from waiting import in_its_time, left_running
from watching import plain

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


def test_an_import_that_does_not_end_is_cut_short_and_its_line_is_named(shop: Any) -> None:
    shop.write("shop.py", "import threading\nthreading.Event().wait()\n")

    def told(seconds: float) -> tuple[int, str]:
        anew = ("--state", f"after {seconds:g}", "--timeout", f"{seconds:g}")
        result = shop.run("watch", "--once", *anew, "--name", "shop", "shop.py:Close")
        return result.code, plain(result.out)

    waits = "(shop.py, line 2: threading.Event().wait())"
    in_its_time(
        told,
        lambda seconds: (
            2,
            f"TIME  UNCHECKED shop: shop.py is still being imported after {seconds:g} s {waits}; {GUARD}\n",
        ),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_one_that_turns_its_alarm_off_is_ended_with_all_that_it_started(shop: Any) -> None:
    shop.write("shop.py", STARTS + HANGS)
    settings = shop.read("fusion.toml")

    def told(seconds: float) -> tuple[int, str, bool]:
        shop.write("fusion.toml", f"{settings}timeout = {seconds:g}\n")
        result = shop.run("watch", "--once", "--state", f"after {seconds:g}")
        return result.code, plain(result.out), (shop.folder / "pids").exists()

    silent, look = "the process that imports it gave no answer", "look at what its code does when it is imported"
    in_its_time(
        told,
        lambda seconds: (2, f"TIME  UNCHECKED shop: {silent} in {2 * seconds:g} s; {look}\n", True),
        first=1,
    )
    assert left_running(map(int, shop.read("pids").split())) == []


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_what_an_object_leaves_running_holds_nothing_up_and_is_ended(shop: Any) -> None:
    shop.write("shop.py", f"{STARTS}threading.Thread(target=threading.Event().wait).start()\n{OBJECT}")
    result = shop.run("watch", "--once")
    assert (result.code, result.out) == (0, "")
    assert left_running(map(int, shop.read("pids").split())) == []


def test_what_its_code_prints_is_no_answer(shop: Any) -> None:
    noise = "import atexit, os\nos.write(1, b'noise\\n' * 2000)\natexit.register(print, 'more')\n"
    shop.write("shop.py", noise + OBJECT.replace("int", "bool"))
    result = shop.run("watch", "--once", "--format", "json")
    (event,) = map(json.loads, result.out.splitlines())
    assert (result.code, event["event"]) == (1, "finding")
