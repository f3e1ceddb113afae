"""Targets of the fuzzer: locks, merges of them, and the journal of a run that was killed."""

# ruff: noqa: S101 - an assertion that fails is what the fuzzer looks for

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from fuzz_catalogs import read
from fuzz_inputs import mixed
from fuzz_shared import FOLDER, documents, visible

from fusion_contracts.errors import FusionError
from fusion_contracts.model import Lock


def locks() -> list[bytes]:
    """The locks of some catalogs."""
    from fusion_contracts.lockfile.codec import encode

    return [encode(Lock({one.name: one for one in read(each)})).encode() for each in documents("diff/o*/old.json")]


def lock(data: bytes) -> None:
    """A lock is read; what can be read can be judged, and written so that it says the same."""
    from fusion_contracts.lockfile.codec import decode, encode, open_lock
    from fusion_contracts.lockfile.fragments import fragments
    from fusion_contracts.lockfile.splice import split
    from fusion_contracts.lockfile.verify import damage

    text = data.decode(errors="ignore")
    opened = open_lock(text, origin="x")
    for problem in damage(opened):
        visible(str(problem))
    with suppress(FusionError):
        split(text, [*opened.lock.servers][:1])
    fragments(text.replace("\r\n", "\n"))
    again = decode(encode(opened.lock), origin="y")
    assert encode(again) == encode(opened.lock)
    assert again == opened.lock


def merge(data: bytes) -> None:
    """Three locks are merged; what has no conflict is an intact lock."""
    from fusion_contracts.lockfile.merge_text import merge_texts
    from fusion_contracts.lockfile.verify import verify

    done = merge_texts(*mixed(data, 3))
    assert done.conflicts or not done.text.strip() or not verify(done.text, origin="merged")


def merges() -> list[bytes]:
    """Three times the same lock."""
    return [b"\f".join([one] * 3) for one in locks()]


def journal(data: bytes) -> None:
    """The journal of a run that was killed, whose second line and all after it are the input."""
    from fusion_contracts.sources.installed import release
    from fusion_contracts.sources.journal import Journal

    folder = FOLDER / "fusion.lock.journal"
    folder.mkdir(exist_ok=True)
    head = json.dumps({"journal": 1, "release": release(), "lock": None, "since": "x"}).encode()
    (folder / "servers.jsonl").write_bytes(data[1:] if data[:1] == b"!" else head + b"\n" + data)
    found = Journal.opened(FOLDER / "fusion.lock", None, resume=True)
    visible(found.note + found.since)
    found.close()


def journals() -> list[bytes]:
    """Two answers."""
    from fusion_contracts.lockfile.codec import encode

    rest: dict[str, Any] = {"problems": [], "refused": {}, "unread": {}, "notes": [], "volatile": []}
    texts = [encode(Lock({one.name: one for one in read(each)})) for each in documents("diff/o*/old.json")[:2]]
    return [b"\n".join(json.dumps({"key": "k", "contracts": text, **rest}).encode() for text in texts) + b"\n"]
