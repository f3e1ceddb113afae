"""A process forked while another thread is within a log or a store: its own calls wait for nobody who is not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os, signal, sys, threading, time

from fusion_contracts.loop import MemoryStore
from fusion_contracts.loop.log import ErrorLog

parent, within, go_on = os.getpid(), threading.Event(), threading.Event()


def clock():
    if os.getpid() == parent and threading.current_thread() is not threading.main_thread():
        within.set()
        go_on.wait(60)
    return time.time()


def logged():
    log.record(run="r", action="close")


log = ErrorLog(sys.argv[2], clock=clock)
store = MemoryStore(clock=clock)
store.replace("key", None, b"value", ttl=60)
use = {"log": logged, "store": lambda: store.get("key")}[sys.argv[1]]
thread = threading.Thread(target=use)
thread.start()
within.wait(60)
if not os.fork():
    signal.alarm(20)  # a child that waits for ever is ended
    use()
    log.close()
    print("through", flush=True)
    os._exit(0)
os.wait()
go_on.set()
thread.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
@pytest.mark.parametrize("what", ["log", "store"])
def test_a_child_does_not_wait_for_a_thread_of_its_parent(what: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    words = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", SCRIPT, what, str(path)]
    done = subprocess.run(words, check=True, timeout=60, capture_output=True, encoding="utf-8")
    assert (done.stdout, done.stderr) == ("through\n", "")
    assert path.exists() is (what == "log")
