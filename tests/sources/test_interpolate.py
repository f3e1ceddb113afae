"""`${VAR}` and `${VAR:-default}`."""

from __future__ import annotations

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.interpolate import interpolate, references, templates_only

ENVIRON = {"A": "1", "EMPTY": "", "DOLLAR": "${A}"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("${A}", "1"),
        ("x${A}y${A}", "x1y1"),
        ("${B:-two}", "two"),
        ("${B:-}", ""),
        ("${A:-two}", "1"),
        ("${EMPTY}", ""),
        ("${EMPTY:-two}", "two"),
        ("${DOLLAR}", "${A}"),
        ("$A ${} ${1} ${A", "$A ${} ${1} ${A"),
    ],
)
def test_references_are_replaced_once(text: str, value: str) -> None:
    assert interpolate(text, ENVIRON, where="it") == value


def test_an_unset_variable_is_named() -> None:
    with pytest.raises(FusionError) as caught:
        interpolate("${A} ${MISSING} ${OTHER}", ENVIRON, where="the URL")
    assert str(caught.value) == (
        "the URL needs the variable MISSING, which is not set; "
        "set MISSING in the environment, or write ${MISSING:-default}"
    )
    assert caught.value.problem.stage == "usage"


def test_references_and_templates() -> None:
    assert references("a ${B} ${A:-x} ${B}") == ("B", "A")
    assert templates_only("Bearer ${TOKEN:-literal}!") == "${TOKEN}"
    assert templates_only("literal") == ""
