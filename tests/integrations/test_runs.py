"""Which run a call belongs to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fusion_contracts.integrations.options import Options
from fusion_contracts.integrations.runs import RUN_KEY, run_of


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
