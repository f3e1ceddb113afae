"""The error log: what became of every call, under its run."""

from __future__ import annotations

from fusion_contracts.loop.log.entry import Entry
from fusion_contracts.loop.log.error_log import ErrorLog
from fusion_contracts.loop.log.place import DEFAULT

__all__ = ["DEFAULT", "Entry", "ErrorLog"]
