"""The runtime's envelope as a user would write it: type-checked, never run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, assert_type

from fusion_contracts import (
    FusionClientError,
    ToolFault,
    error,
    fault_boundary,
    parse_tool_error,
    to_fault,
    tool_error,
)
from fusion_contracts.runtime import Code, ConcurrencyLimit, FaultBuilder, KnownCode, RateLimit, Severity

# A canonical code completes and is checked where KnownCode is asked for; Code takes any text beside them.
known: KnownCode = "NOT_FOUND"
unknown: KnownCode = "NOT_A_CODE"  # type: ignore[assignment]
canonical: Code = "NOT_FOUND"
custom: Code = "InvoiceNotFound"
severe: Severity = "fatal"  # type: ignore[assignment]

fault = tool_error(
    "NOT_FOUND",
    "Invoice missing",
    suggestion="List invoices first",
    available_actions=["billing.list_invoices"],
    details={"requestedId": "inv_1", "tries": 3, "partial": False, "cursor": None},
    retry_after=30,
    severity="warning",
)
assert_type(fault, ToolFault)
assert_type(fault.severity, Literal["error", "critical", "warning"])
assert_type(fault.details, Mapping[str, str])
assert_type(fault.retry_after, float | None)
assert_type(fault.available_actions, tuple[str, ...])
assert_type(fault.to_xml(compact=True), str)

tool_error("X", "m", details={"nested": {}})  # type: ignore[dict-item]
tool_error("X", "m", severity="fatal")  # type: ignore[arg-type]
tool_error(404, "m")  # type: ignore[arg-type]

built = error("InvoiceNotFound", "m").suggest("s").actions("a", "b").severity("critical").details(id="i").retry_after(3)
assert_type(built, FaultBuilder)
assert_type(built.fault, ToolFault)
assert_type(built.fault.severity, Literal["error", "critical", "warning"])

limit = ConcurrencyLimit(4, queued=8)
rate = RateLimit(60, per=60)


@fault_boundary
@limit
@rate
async def get_invoice(invoice_id: str) -> str | ToolFault:
    async with limit.slot("get_invoice"):
        return error("NOT_FOUND", "Invoice missing").details(requestedId=invoice_id)


@fault_boundary(answer="text", passing=(KeyError,))
def list_invoices(page: int = 1) -> list[str]:
    with limit.slot():
        raise tool_error("FORBIDDEN", f"page {page}") from None


def to_result(fault: ToolFault) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": fault.to_xml()}], "isError": fault.is_error}


@fault_boundary(answer=to_result)
def call_tool(name: str) -> object:
    return name


assert_type(list_invoices(page=2), list[str])


async def use() -> None:
    assert_type(await get_invoice("inv_1"), str | ToolFault)
    try:
        assert_type(parse_tool_error("text", raise_on_error=True), ToolFault | None)
    except FusionClientError as failure:
        assert_type(failure.code, str)
        assert_type(failure.fault, ToolFault)
    try:
        call_tool("x")
    except Exception as failure:  # noqa: BLE001 - as a middleware does
        assert_type(to_fault(failure), ToolFault)
