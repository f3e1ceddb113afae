"""A store's URL: what of it may be shown, and what a driver's own words may repeat of it."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from fusion_contracts.canonical import shortened
from fusion_contracts.loop.stores.base import StoreError

__all__ = ["no_answer", "shown"]

_HIDDEN = "***"


def shown(url: str) -> str:
    """The URL without password, query and fragment. The scheme alone where it cannot be taken apart."""
    try:
        parts = urlsplit(url)
        user, at, host = parts.netloc.rpartition("@")
    except ValueError:
        return shortened(url.partition(":")[0])
    if "@" in parts.path:  # a password that is not escaped, cut in two by its slash
        return shortened(parts.scheme)
    name = user.partition(":")[0]
    return shortened(f"{parts.scheme}://{name}{at}{host}{parts.path}")


def no_answer(url: str, error: Exception) -> StoreError:
    """The error for a store that was asked and failed: which one, and the first line that its driver said."""
    said = shortened(_without_secrets(next(iter(str(error).splitlines()), ""), url).strip().rstrip("."))
    why = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return StoreError(f"the store {shown(url)} does not answer ({why})", "check that it runs and can be reached")


def _without_secrets(text: str, url: str) -> str:
    """A driver's words without the password, however it was written; none where it cannot be found."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    password = parts.netloc.rpartition("@")[0].partition(":")[2]
    options = [pair.partition("=")[2] for pair in parts.query.split("&")]
    for secret in (password, parts.query, *options):
        for spelling in filter(None, (secret, unquote(secret))):
            text = text.replace(spelling, _HIDDEN)
    return text
