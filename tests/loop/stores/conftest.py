"""Every store, as a test's parameter."""

from __future__ import annotations

from store_fixtures import kind, postgres, store, url

__all__ = ["kind", "postgres", "store", "url"]
