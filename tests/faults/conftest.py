"""Disks that take nothing more, and what a command says there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from fusion_contracts.cli import main


@dataclass(frozen=True)
class Result:
    """An exit code, and the lines of both streams."""

    code: int
    out: list[str]
    err: list[str]


@pytest.fixture
def fusion(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `fusion WORDS` in this process, in the current folder."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: str) -> Result:
        capsys.readouterr()
        code = main(words)
        captured = capsys.readouterr()
        return Result(code, captured.out.splitlines(), captured.err.splitlines())

    return run


@dataclass(frozen=True)
class Disk:
    """A file system of its own, which is the current folder."""

    folder: Path

    def fill(self) -> None:
        """Leave not a byte."""
        with (self.folder / "filler").open("wb", buffering=0) as file, suppress(OSError):
            for size in (65_536, 1):
                with suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def use_names(self) -> None:
        """Leave no file that could be made."""
        with suppress(OSError):
            for number in range(1_000):
                (self.folder / f"filler{number}").touch(exist_ok=False)

    def protect(self) -> None:
        """Let it be read alone."""
        subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)


@contextmanager
def _mounted(folder: Path) -> Iterator[Disk]:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("only root can make a file system to fill")
    command = ["mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=200", "fusion-test", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no file system can be made here: {done.stderr.strip()}")
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield Disk(folder)
    finally:
        os.chdir(before)
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A small file system, as the current folder; skipped where none can be made."""
    with _mounted(tmp_path) as made:
        yield made
