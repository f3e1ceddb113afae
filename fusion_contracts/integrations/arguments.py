"""The arguments that a model wrote as text, read without failing: what they are is for a validator to say."""

from __future__ import annotations

import json
from typing import Any

from fusion_contracts.model import JsonValue

__all__ = ["decoded"]


def decoded(arguments: Any) -> JsonValue:
    """What the model sent; {} for nothing. A text that is no JSON, or deeper than Python reads, stays a text."""
    if not isinstance(arguments, str):
        return {} if arguments is None else arguments
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
