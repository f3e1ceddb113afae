"""The project's own settings: `[tool.fusion]` in pyproject.toml, or the top level of fusion.toml.

Only the project's folder is looked at (the current one, or `-C DIR`), never its parents: what a command reads and
starts depends on the folder it is given and on nothing above it. Settings in both files at once are an error.

Keys are written with hyphens. An unknown key is an error that names the nearest one. pydantic decides what is right,
but it costs a third of a command's start-up; so settings that are plainly right are taken as they are (`quick`), and
pydantic is imported for all others.
"""

from __future__ import annotations

from fusion_contracts.config.model import Config, FailOn, Level, Limits, Server, Source, Volatile, Waiver, World
from fusion_contracts.config.place import FILES, ConfigFile, locate, table_in, text_of
from fusion_contracts.config.quick import common_form
from fusion_contracts.config.reading import Judge, keys_of, other_keys, read, unknown_key
from fusion_contracts.config.writing import source_line, source_lines, with_source

__all__ = [
    "FILES", "Config", "ConfigFile", "FailOn", "Judge", "Level", "Limits", "Server", "Source", "Volatile", "Waiver",
    "World",
    "common_form", "keys_of", "locate", "other_keys", "read", "source_line", "source_lines", "table_in", "text_of",
    "unknown_key", "with_source",
]  # fmt: skip
