"""Which run a call belongs to."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from typing import Any

import pytest

from fusion_contracts.integrations import runs
from fusion_contracts.integrations.options import Options
from fusion_contracts.integrations.runs import RUN_KEY, run_of, session_of


@pytest.mark.parametrize(
    ("context", "run"),
    [
        (None, "session"),
        (SimpleNamespace(meta=None), "session"),
        (SimpleNamespace(meta=None, protocol_version=None), "session"),
        (SimpleNamespace(meta={}, protocol_version="2025-11-25"), "session"),
        (SimpleNamespace(meta={}, protocol_version="2026-07-28"), ""),
        (SimpleNamespace(meta={RUN_KEY: "r1"}, protocol_version="2026-07-28"), "r1"),
        (SimpleNamespace(meta={RUN_KEY: "r1"}), "r1"),
        (SimpleNamespace(meta=SimpleNamespace(model_extra={RUN_KEY: "r1"})), "r1"),
        (SimpleNamespace(meta=SimpleNamespace(model_extra=None)), "session"),
        (SimpleNamespace(meta={RUN_KEY: ""}), "session"),
        (SimpleNamespace(meta={RUN_KEY: 7}), "session"),
    ],
)
def test_what_the_caller_says_else_the_session_while_there_is_one(context: Any, run: str) -> None:
    assert run_of(context, "session") == run


def test_nobody_is_told_unless_there_is_a_hook() -> None:
    def sink(*_: object) -> None:
        """Hear, and do nothing."""

    assert not Options().hears_calls
    for options in (Options(on_error=(sink,)), Options(on_success=(sink,)), Options(guard=object())):  # type: ignore[arg-type]
        assert options.hears_calls


class Session:
    """Of the SDK's first release: it lasts. Of its second, made for each request of a connection."""

    def __init__(self, connection: object | None = None) -> None:
        if connection is not None:
            self._connection = connection


def name(session: object) -> str:
    return session_of(SimpleNamespace(session=session))


def test_a_session_has_one_name_and_no_other_sessions() -> None:
    session, connection = Session(), Session()
    assert name(session) == name(session) != ""
    assert name(Session(connection)) == name(Session(connection)) != name(Session(Session()))
    assert session_of(None) == session_of(SimpleNamespace(session=None)) == ""


def test_the_name_of_a_session_that_has_ended_is_not_given_again() -> None:
    names = {name(Session()) for _ in range(100)}  # each at the place of the one before
    gc.collect()
    assert len(names) == 100
    assert not [session for session in runs._names if isinstance(session, Session)]
