"""A signal is acted on while something is waited for, also where it does not end the wait by itself."""

from __future__ import annotations

import os
import subprocess
import sys
from queue import Empty, SimpleQueue
from time import monotonic

import pytest

from fusion_contracts.sources.interrupt import taken

# Python's own handler runs in whichever thread the system chooses. Here that is another one, so that the main thread's
# wait goes on: as it does where a signal comes just before a wait begins.
ELSEWHERE = """
import signal, threading, time
from concurrent.futures import Future
from queue import Queue, SimpleQueue
from fusion_contracts.sources import running, together
from fusion_contracts.sources.interrupt import taken

def end_what_hears_the_second_time():
    told, reading = [], Future()
    reading.set_running_or_notify_cancel()

    def end():
        told.append(True)
        if len(told) == 2:
            reading.set_exception(KeyboardInterrupt())

    with running.enlisted() as member:
        member.ends_by(end)
        together._end({reading: 0})
    reading.result()

waiting = threading.Event()

def interrupt():
    waiting.wait()
    time.sleep(0.6)
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)

threading.Thread(target=interrupt, daemon=True).start()
try:
    waiting.set()
    {wait}
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    "wait",
    [
        "taken(SimpleQueue(), time.monotonic() + 300)",
        "taken(Queue(), time.monotonic() + 300)",
        "list(together._as_completed([Future()]))",
        "end_what_hears_the_second_time()",
    ],
)
def test_a_signal_that_another_thread_took_is_acted_on(wait: str) -> None:
    command = [sys.executable, "-c", ELSEWHERE.replace("{wait}", wait)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_what_is_there_is_taken_and_nothing_is_waited_for_no_longer_than_said() -> None:
    queue: SimpleQueue[int] = SimpleQueue()
    queue.put(3)
    assert taken(queue, monotonic() - 1) == 3
    for seconds in (-1.0, 0.0, 0.4):
        with pytest.raises(Empty):
            taken(queue, monotonic() + seconds)
