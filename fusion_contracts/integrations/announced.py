"""What a server of the MCP SDK announces to its clients: that its tools are others now.

Whoever keeps a listing forgets it then. It is not told apart which of a program's servers announces: a listing that is
made anew for nothing costs one call a little time.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakSet

from fusion_contracts.integrations.listings import Listings

__all__ = ["forgets"]

_METHOD = "notifications/tools/list_changed"
_PLACES = (  # where an announcement leaves: by itself, or as one of all notifications
    ("mcp.server.session", "ServerSession", "send_notification"),
    ("mcp.server.connection", "Connection", "send_tool_list_changed"),  # the SDK's second major
)
_listings: WeakSet[Listings] = WeakSet()


def forgets(listings: Listings) -> None:
    """Have the listings forgotten whenever a server announces that its tools changed."""
    _listings.add(listings)
    for module, owner, method in _PLACES:
        found = getattr(sys.modules.get(module), owner, None)
        if found is not None and not hasattr(getattr(found, method), "heard_by_fusion"):
            setattr(found, method, _heard(getattr(found, method)))


def _heard(send: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(send)
    async def heard(self: Any, *args: Any, **kwargs: Any) -> Any:
        said = args[0] if args else kwargs.get("notification")
        if said is None or getattr(getattr(said, "root", said), "method", None) == _METHOD:
            for listings in list(_listings):
                listings.forget()
        return await send(self, *args, **kwargs)

    heard.heard_by_fusion = True  # type: ignore[attr-defined]  # a mark on the function itself
    return heard
