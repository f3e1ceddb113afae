"""What the tests of sources share: the maker of a scripted one, and what one that cannot be read says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fusion_contracts.errors import FusionError, Problem
from fusion_contracts.sources.base import Options, Source
from fusion_contracts.sources.stdio import StdioSource

Scripted = Callable[..., StdioSource]


def failure(source: Source, options: Options) -> Problem:
    with pytest.raises(FusionError) as caught:
        source.read(options)
    return caught.value.problem
