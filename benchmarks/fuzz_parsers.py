"""Fuzz every parser, led by what code an input reaches: python benchmarks/fuzz_parsers.py SECONDS [TARGET...].

It needs Atheris (`pip install atheris`: Linux, Python up to 3.13), which the suite does not. Each target runs that
long, in a process of its own. A fault is an exception that people would not understand (neither FusionError nor a
documented one), a wrong answer, or more than `SLOW` seconds for one input; each is printed once with a file that holds
the input, and the exit status is 1.
"""

from __future__ import annotations

import faulthandler
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from fusion_contracts.errors import FusionError

SLOW, HUNG = 5, 60  # seconds: of processor time, and until the process is given up
KEPT = Path(tempfile.gettempdir()) / "fuzz-faults"
ARGUMENTS = 3  # of the process of one target


class SlowError(Exception):
    """One input took too long."""


def give_up(*_: object) -> None:
    """End an input that takes too long, where Python is what runs."""
    raise SlowError


class Judge:
    """Runs one target, and tells each fault once."""

    def __init__(self, name: str) -> None:
        from fuzz_targets import TARGETS

        self.name = name
        self.run = TARGETS[name].run
        self.seen: set[str] = set()
        self.number = 0
        self.now = KEPT / f"{name}.now"

    def __call__(self, data: bytes) -> None:
        """Run the target with one input."""
        self.number += 1
        self.now.write_bytes(data)
        faulthandler.dump_traceback_later(HUNG, exit=True)
        signal.setitimer(signal.ITIMER_PROF, SLOW)
        try:
            self.run(data)
        except FusionError:
            pass
        except (Exception, SlowError) as error:  # noqa: BLE001 - that is what is looked for
            signal.setitimer(signal.ITIMER_PROF, 0)
            self.tell(error, data)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            faulthandler.cancel_dump_traceback_later()

    def tell(self, error: BaseException, data: bytes) -> None:
        """Print a fault that was not seen before, and keep its input."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "fusion_contracts" in frame.filename]
        last = (ours or frames)[-1]
        key = f"{type(error).__name__} {Path(last.filename).name}:{last.lineno}"
        if isinstance(error, SlowError):  # where it was when the time was up says little
            key = f"slow {'/'.join(dict.fromkeys(Path(frame.filename).name for frame in ours[:8]))}"
        if key in self.seen:
            return
        self.seen.add(key)
        kept = KEPT / f"{self.name}-{sha256(data).hexdigest()[:12]}"
        kept.write_bytes(data)
        print(f"FAULT {self.name}: {key}: {str(error)[:200]!r}, input {kept}", flush=True)
        for frame in frames[-4:]:
            print(f"    {frame.filename}:{frame.lineno} {frame.name}: {frame.line}", flush=True)


def fuzz(name: str, seconds: float) -> None:
    """Fuzz one target in this process, which Atheris ends."""
    import atheris  # not in the environment of the suite

    with atheris.instrument_imports(include=["fusion_contracts", "tomli", "json5", "dotenv", "yaml"]):
        judge = Judge(name)
        from fuzz_targets import TARGETS

        seeds = TARGETS[name].seeds()
        for seed in seeds:
            with suppress(FusionError):
                TARGETS[name].run(seed)  # loads what is instrumented
    corpus = KEPT / f"{name}.corpus"
    corpus.mkdir(exist_ok=True)
    for seed in seeds:
        (corpus / sha256(seed).hexdigest()).write_bytes(seed)
    signal.signal(signal.SIGPROF, give_up)
    began = time.monotonic()

    def one(data: bytes) -> None:
        judge(data)
        if time.monotonic() - began > seconds:
            print(f"{name}: {judge.number} inputs, {len(judge.seen)} faults", flush=True)
            (KEPT / f"{name}.end").write_text(str(len(judge.seen)))
            raise KeyboardInterrupt

    atheris.Setup([sys.argv[0], str(corpus), "-max_len=20000", "-timeout=1000", "-rss_limit_mb=3000", "-verbosity=0",
                   f"-max_total_time={int(seconds)}"], one)  # fmt: skip
    atheris.Fuzz()


def main() -> None:
    """Fuzz the targets one after the other."""
    from fuzz_targets import TARGETS

    KEPT.mkdir(exist_ok=True)
    seconds, names = float(sys.argv[1]), sys.argv[2:] or [*TARGETS]
    faults = 0
    for name in names:
        end = KEPT / f"{name}.end"
        end.unlink(missing_ok=True)
        subprocess.run([sys.executable, __file__, "--one", name, str(seconds)], check=False)
        if not end.exists():
            print(f"FAULT {name}: the process ended, input {KEPT / name}.now", flush=True)
        faults += end.read_text() != "0" if end.exists() else 1
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        fuzz(sys.argv[2], float(sys.argv[3]))
    main()
