"""Where the statements of a lock's text begin and end, without reading what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["statements"]

_TOKEN = re.compile(
    r'''"""(?:[^"\\]++|\\.|"(?!""))*+"{3,5}'''  # a quote or two may stand before the three that close
    r"""|'''.*?'{3,5}"""
    r'''|"(?:[^"\\]++|\\.)*+"'''
    r"""|'[^']*+'"""
    r"""|\#[^\n]*+"""
    r"""|[\[\]{}\n]""",
    re.DOTALL,
)


def statements(text: str) -> Iterator[str]:
    """The lines of valid TOML, a statement that spans several as one. Together they are the text."""
    start = depth = 0
    for token in _TOKEN.finditer(text):
        first = token.group()[0]
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1
        elif first == "\n" and not depth:
            yield text[start : token.end()]
            start = token.end()
    if start < len(text):
        yield text[start:]
