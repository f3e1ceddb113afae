"""The values that a server is given: hidden in messages, and kept out of the lock where they come back in a listing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Self

from fusion_contracts.sources.base import Listing
from fusion_contracts.sources.secrets import forms, is_secret_name, is_secret_value, redact

__all__ = ["Known"]

_STORED_SECRET, _STORED_MIXED = 8, 6  # characters; a shorter value would be found inside ordinary words


@dataclass(frozen=True, slots=True, repr=False)
class Known:
    """Values that were filled in: never shown, never stored.

    `hidden` are those that messages must not show; `stored` maps those that look secret, and so must not come back into
    the lock inside a listing, to the variables that hold them.
    """

    hidden: tuple[str, ...] = ()
    stored: Mapping[str, str] | None = None

    @classmethod
    def of(cls, given: Mapping[str, str], secret: Collection[str] = ()) -> Self:
        """The values of `given`, by the name of the variable that holds each; those named in `secret` are secret."""
        secrets = {
            name: value
            for name, value in given.items()
            if name in secret or is_secret_name(name) or is_secret_value(value)
        }
        long = {value for value in given.values() if len(value) >= _STORED_SECRET}
        return cls(
            hidden=tuple({form for value in (*secrets.values(), *long) for form in forms(value)}),
            stored={form: name for name, value in secrets.items() for form in forms(value) if _stands_out(form)},
        )

    def conceal(self, text: str) -> str:
        """The server's own words, fit to show."""
        return redact(text, self.hidden)

    def concealed(self, listing: Listing) -> Listing:
        """The listing with the server's own words about what it could not list made fit to show."""
        if not listing.unlisted:
            return listing
        return replace(listing, unlisted={key: self.conceal(said) for key, said in listing.unlisted.items()})


def _stands_out(value: str) -> bool:
    """Whether a value can be told from ordinary words, so that it may be replaced wherever it stands."""
    mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return len(value) >= (_STORED_MIXED if mixed else _STORED_SECRET)
