"""A server that takes too much memory is ended, with all that it started."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources import memory
from fusion_contracts.sources.base import Options
from fusion_contracts.sources.stdio import StdioSource

Scripted = Callable[..., StdioSource]
pytestmark = pytest.mark.skipif(not memory.SUPPORTED, reason="only Linux tells what processes use")


@pytest.mark.parametrize("arguments", [[], ["--child"]])
def test_a_hungry_server_is_ended(scripted: Scripted, options: Options, arguments: list[str]) -> None:
    with pytest.raises(FusionError) as caught:
        scripted("hungry", *arguments).read(replace(options, memory=100 * 2**20))
    assert caught.value.problem == Problem(
        "hungry",
        "list",
        "used more than 100 MiB of memory and was ended",
        "correct the server, or let it use more: memory in the settings",
    )


def test_a_server_within_its_limit_is_listed(scripted: Scripted, options: Options) -> None:
    (contract,) = scripted("plain").read(replace(options, memory=500 * 2**20)).contracts
    assert contract.name == "plain"


def test_what_a_session_and_its_descendants_use() -> None:
    code = "import os, subprocess, sys, time; data = bytearray(b'1' * 50 * 2**20); print('up', flush=True); "
    start = f"subprocess.Popen([sys.executable, '-c', {code + 'time.sleep(60)'!r}], start_new_session=True); "
    command = [sys.executable, "-c", code + start + "time.sleep(60)"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()
        size, members = memory.used({process.pid: None})[process.pid]
        for member in members:
            os.kill(member, 9)
    assert process.pid in members
    assert len(members) == 2
    assert 100 * 2**20 < size < 300 * 2**20


def test_a_leader_that_is_gone_leaves_what_is_in_its_session() -> None:
    code = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.wait()
        _, members = memory.used({process.pid: None})[process.pid]
        os.kill(child, 9)
    assert members == {child}


def is_watching() -> bool:
    return any(thread.name == "fusion-memory" for thread in threading.enumerate())


def test_nothing_is_watched_afterwards() -> None:
    with memory.watched(os.getpid(), 2**60, lambda: None):
        assert is_watching()
    deadline = time.monotonic() + 20
    while is_watching() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_watching()


@pytest.mark.parametrize(
    ("text", "number"), [("1 KiB", 1024), ("512 MiB", 512 * 2**20), ("2 GiB", 2 * 2**30), ("1500 MiB", 1500 * 2**20)]
)
def test_sizes(text: str, number: int) -> None:
    assert memory.bytes_of(text) == number
    assert memory.shown_size(number) == text


def test_the_default() -> None:
    assert memory.shown_size(memory.DEFAULT) == "2 GiB"
