"""Arguments that a model wrote as text."""

from __future__ import annotations

import pytest

from fusion_contracts.integrations.arguments import decoded


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ('{"page": 1}', {"page": 1}),
        ({"page": 1}, {"page": 1}),
        ("", {}),
        (None, {}),
        ("page 1", "page 1"),
        ("[" * 100_000, "[" * 100_000),  # deeper than Python reads: that must not end an agent's run
        ('{"page": ' + "9" * 5_000 + "}", '{"page": ' + "9" * 5_000 + "}"),
    ],
    ids=["text", "object", "empty", "nothing", "no JSON", "deep", "long number"],
)
def test_reading_fails_on_nothing(sent: object, read: object) -> None:
    assert decoded(sent) == read
