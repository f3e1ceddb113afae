"""What a catalog costs the model that reads it: an estimate in tokens.

The estimator: the compact JSON of each tool's name, description and input schema, at two tokens for nine bytes of
UTF-8. On four real catalogs that was within 4 % of what a tokenizer with 200,000 entries counts. It is the same on
every machine, needs no vocabulary file, and is meant for comparing before and after, not for billing.
"""

from __future__ import annotations

import json

from fusion_contracts.model import ServerContract, Tool

__all__ = ["catalog_tokens", "tool_tokens"]

_TOKENS, _BYTES = 2, 9


def tool_tokens(tool: Tool) -> int:
    """Tokens that one tool takes in a prompt, estimated."""
    shown = {"name": tool.name, "description": tool.description or "", "inputSchema": tool.input_schema}
    text = json.dumps(shown, separators=(",", ":"), ensure_ascii=False)
    size = len(text.encode("utf-8", "surrogatepass"))
    return -(-size * _TOKENS // _BYTES)


def catalog_tokens(contract: ServerContract) -> int:
    """Tokens that all tools of a server take, estimated."""
    return sum(map(tool_tokens, contract.tools.values()))
