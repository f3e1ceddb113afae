"""The usability report for machines; `docs/schema/usability.schema.json` describes it."""

from __future__ import annotations

import json
from typing import Any

from fusion_contracts.report.escape import json_text
from fusion_contracts.report.usability.model import ENDINGS, Action, Healing, Loops, Period, Report

__all__ = ["VERSION", "render"]

VERSION = 1


def render(report: Report) -> str:
    """Return the report in ASCII, ending in a newline."""
    document = {
        "usability_version": VERSION,
        "log": report.log,
        "periods": [_period(period) for period in report.periods],
        "notes": list(report.notes),
    }
    return json_text(json.dumps(document, indent=2)) + "\n"


def _period(period: Period) -> dict[str, Any]:
    return {
        "label": period.label,
        "since_us": period.since_us,
        "until_us": period.until_us,
        "first_us": period.first_us,
        "last_us": period.last_us,
        "runs": period.runs,
        "total": _action(period.total),
        "actions": [
            {"server": action.server, "action": action.action} | _action(action) for action in period.actions
        ],
        "step_us": period.step_us,
        "spans": [{"start_us": one.start_us, "calls": one.calls, "errors": one.errors} for one in period.spans],
    }  # fmt: skip


def _action(action: Action) -> dict[str, Any]:
    return {
        "calls": action.calls,
        "errors": action.errors,
        "partial": action.partial,
        "empty": action.empty,
        "refused": action.refused,
        "codes": [{"code": code} | _healing(healing) for code, healing in action.codes.items()],
        "fields": [{"field": name, "errors": errors} for name, errors in action.fields.items()],
        "told": _healing(action.told),
        "untold": _healing(action.untold),
        "loops": {ending: _loops(action.of(ending)) for ending in ENDINGS},
    }


def _healing(healing: Healing) -> dict[str, int]:
    return {"errors": healing.errors, "healed": healing.healed}


def _loops(loops: Loops) -> dict[str, int]:
    return {
        "number": loops.number,
        "model_calls": loops.model_calls,
        "counted": loops.counted,
        "tokens": loops.tokens,
    }
