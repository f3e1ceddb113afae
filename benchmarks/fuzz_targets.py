"""What the fuzzer calls: each target takes bytes, and may raise FusionError, or its own refusal, and nothing else.

The seeds of a target are what an honest file holds. An AssertionError is a wrong answer: what was read and written
again is not the same, or a hidden character reaches a reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from fuzz_answers import ENVELOPES, argument, arguments, database, databases, deltas, envelope, log, stream
from fuzz_catalogs import catalog, catalogs, openapi, pattern, report, schemas, yamls
from fuzz_locks import journal, journals, lock, locks, merge, merges
from fuzz_settings import client, client_tree, clients, pages, settings, variables
from fuzz_shared import nothing

__all__ = ["TARGETS", "Target"]


class Target(NamedTuple):
    """A function of bytes, and the inputs that it begins with."""

    run: Callable[[bytes], None]
    seeds: Callable[[], Sequence[bytes]]


TARGETS: dict[str, Target] = {
    "lock": Target(lock, locks), "merge": Target(merge, merges), "journal": Target(journal, journals),
    "settings": Target(settings, pages), "client": Target(client, clients), "client-tree": Target(client_tree, nothing),
    "variables": Target(variables, lambda: [b"A=b\nexport C='d' # e\n"]), "catalog": Target(catalog, catalogs),
    "yaml": Target(partial(catalog, name="x.yaml"), yamls), "openapi": Target(openapi, nothing),
    "report": Target(report, nothing), "schemas": Target(schemas, nothing),
    "pattern": Target(pattern, lambda: [b"^(a|[^b-d])*?\\w{2,3}$\f^(?=x)\\p{L}+\\u0041\\b$"]),
    "envelope": Target(envelope, lambda: ENVELOPES), "arguments": Target(arguments, nothing),
    "deltas": Target(deltas, nothing), "stream": Target(stream, lambda: [b"event: message\ndata: {}\r\n\r\nid: 1\n\n"]),
    "log": Target(log, nothing), "database": Target(database, databases),
    "argument": Target(argument, lambda: [b"git:HEAD@{1}:a", b"https://a/b", b"release:s/1", b"a.py:b", b"a.b:c"]),
}  # fmt: skip
