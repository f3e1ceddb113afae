"""A store for coroutines."""

from __future__ import annotations

from fusion_contracts.loop.stores.base import Store

__all__ = ["OffLoop"]


class OffLoop:
    """The same store, awaited: a blocking one in a thread, so that the event loop goes on.

    One protocol and one set of drivers serve both worlds, and the semantics are tested once. A thread costs some tens
    of microseconds beside a round trip; a store that never blocks is called directly.
    """

    def __init__(self, store: Store) -> None:
        """`store` stays whoever's it was: closing it is their business."""
        self.store = store

    async def get(self, key: str) -> bytes | None:
        """As `Store.get`."""
        if not self.store.blocking:
            return self.store.get(key)
        from asyncio import to_thread  # loaded by whoever runs a coroutine, and by nobody else

        return await to_thread(self.store.get, key)

    async def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        """As `Store.replace`. Cancelled while it waits, it may have been made or not."""
        if not self.store.blocking:
            return self.store.replace(key, old, new, ttl=ttl)
        from asyncio import to_thread

        return await to_thread(self.store.replace, key, old, new, ttl=ttl)
