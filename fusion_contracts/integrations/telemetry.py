"""What became of a call, on the span that is already there. No span is opened: the SDKs open one for each call.

Where opentelemetry-api is not loaded, nobody traces: then nothing is imported, and nothing is done.
"""

from __future__ import annotations

import sys

from fusion_contracts.integrations.options import Ending

__all__ = ["record"]


def record(ending: Ending) -> None:
    """Set the attributes of a failure or warning on the current span.

    `error.type` and `fusion.error.code` are the envelope's code (`error.type` of failures alone, as the semantic
    conventions of OpenTelemetry say), `fusion.severity` its severity, `fusion.contract.deltas` the number of changes
    that the model was told of.
    """
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None or ending.fault is None:
        return
    span = trace.get_current_span()
    if not span.is_recording():
        return
    fault = ending.fault
    attributes = {
        "fusion.error.code": fault.code,
        "fusion.severity": fault.severity,
        "fusion.contract.deltas": ending.deltas,
    }
    span.set_attributes(attributes | {"error.type": fault.code} if fault.is_error else attributes)
