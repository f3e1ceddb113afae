"""One process that compares two catalogs and prints what it took, as JSON: argv is OLD NEW SMALL_OLD SMALL_NEW [parts].

Start-up (imports, and a first comparison of the small catalogs) comes before the clock, and is shown as `first`. With
`parts` the time is split into what it was spent on; the clocks of the parts cost time themselves, so the whole is
measured without them.
"""

from __future__ import annotations

import gc
import json
import re
import resource
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from fusion_contracts import load
from fusion_contracts.diff import diff_locks
from fusion_contracts.model import Lock, ServerContract

PARTS = (
    ("fusion_contracts.schema.explain", "walk", "walk"),
    ("fusion_contracts.schema.compare:Pair", "__init__", "proof"),
    ("fusion_contracts.schema.compare:Pair", "answer", "proof"),
    ("fusion_contracts.schema.compare:Pair", "edited", "proof"),
    ("fusion_contracts.schema.compare:Side", "__init__", "translation"),
    ("fusion_contracts.schema.compare:Pair", "breaks", "second judge"),
    ("fusion_contracts.diff.classify", "judge", "rules"),
    ("fusion_contracts.diff.classify", "_finding", "rules"),
    ("fusion_contracts.diff", "_cost", "token cost"),
)


def main() -> None:
    """Measure and print."""
    gc.set_threshold(100_000)  # as the command does
    old, new, small_old, small_new, *flags = sys.argv[1:]
    small = load(small_old), load(small_new)
    started = time.process_time()
    _compared(*small)
    before = time.process_time()
    for path in (old, new):
        json.loads(Path(path).read_bytes())
    parsed = time.process_time()
    sides = load(old), load(new)
    loaded = time.process_time()
    parts = _clocked() if flags else {}
    start = time.process_time()
    findings = _compared(*sides)
    taken = time.process_time() - start
    shown = {"first": before - started, "parse": parsed - before, "load": loaded - parsed, "diff": taken}
    print(json.dumps({**shown, "parts": parts, "findings": findings, "memory": _peak()}))


def _compared(old: ServerContract, new: ServerContract) -> int:
    return len(diff_locks(Lock({old.name: old}), Lock({new.name: new})).findings)


def _peak() -> int:
    """The most memory that this process had, in bytes. Linux hands the peak of the parent down to what rusage tells."""
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii")) if status.exists() else None
    if found:
        return int(found[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _clocked() -> dict[str, float]:
    """Clocks around the parts. A part inside another counts for itself alone."""
    spent: dict[str, float] = dict.fromkeys((part for _, _, part in PARTS), 0.0)
    inside: list[float] = []

    def clock(function: Callable[..., Any], part: str) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            inside.append(0.0)
            start = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                taken = time.process_time() - start
                spent[part] += taken - inside.pop()
                if inside:
                    inside[-1] += taken

        return timed

    for place, name, part in PARTS:
        module, _, owner = place.partition(":")
        holder = getattr(import_module(module), owner) if owner else import_module(module)
        setattr(holder, name, clock(getattr(holder, name), part))
    return spent


if __name__ == "__main__":
    main()
