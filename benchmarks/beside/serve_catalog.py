"""An MCP server over stdio that offers what a saved catalog lists: argv is CATALOG.json. It needs Python alone.

It answers at once and loads little, so that what a tool takes beside it is the tool's own.
"""

from __future__ import annotations

import json
import sys
from typing import Any

NOT_FOUND = {"error": {"code": -32601, "message": "Method not found"}}
LISTED = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def answer(catalog: dict[str, Any], method: str, asked: dict[str, Any]) -> dict[str, Any]:
    """The result or error for one request."""
    if method == "initialize":
        offered: dict[str, Any] = {kind: {} for kind in ("tools", "prompts", "resources") if catalog.get(kind)}
        greeting = {
            "protocolVersion": asked["protocolVersion"],
            "capabilities": catalog.get("capabilities", offered),
            "serverInfo": catalog.get("serverInfo", {"name": "catalog", "version": "1"}),
        }
        return {"result": greeting | {key: catalog[key] for key in ("instructions",) if key in catalog}}
    listed = LISTED.get(method)
    if listed not in catalog:
        return NOT_FOUND
    return {"result": {listed: catalog[listed]}}


def main() -> None:
    """Answer until stdin ends."""
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes longer to load than all this
        catalog = json.load(file)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            reply = answer(catalog, message["method"], message.get("params", {}))
            print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
