"""Reports: one file a format in `formats`, and what formats share beside it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fusion_contracts.diff import Report
    from fusion_contracts.report.context import Context

__all__ = ["FORMATS", "render"]

_FILES = {path.stem for path in (Path(__file__).parent / "formats").glob("*.py")} - {"__init__"}
FORMATS = ("text", *sorted(_FILES - {"text"}))
"""The words for `--format`: the default, then the others. No file is imported for that."""


def render(form: str, report: Report, context: Context) -> str:
    """Return the report in one of FORMATS, ending in a newline."""
    sys.audit("fusion_contracts.step", "renders", form)
    return str(import_module(f"fusion_contracts.report.formats.{form}").render(report, context))
