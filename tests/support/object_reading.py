"""What the tests of Python objects share: a module's text, and what is read or said of an object in a file."""

from __future__ import annotations

import pytest

from fusion_contracts.errors import FusionError
from fusion_contracts.model import Tool
from fusion_contracts.sources.base import Options, Reading
from fusion_contracts.sources.python_object import PythonSource

MODELS = '''
from pydantic import BaseModel, Field

class Find(BaseModel):
    """Find a thing."""
    query: str = Field(alias="q", description="What")
    limit: int = 10

class Drop(BaseModel):
    id: int

TOOLS = [Find, Drop, {"name": "ping", "inputSchema": {"type": "object"}}]
'''


def read(text: str, options: Options) -> Reading:
    return PythonSource.parse(text).read(options)


def tools(text: str, options: Options) -> dict[str, Tool]:
    reading = read(text, options)
    assert (reading.problems, reading.notes) == ((), ())
    (contract,) = reading.contracts
    return dict(contract.tools)


def failure(text: str, options: Options) -> str:
    with pytest.raises(FusionError) as caught:
        read(text, options)
    return str(caught.value)
