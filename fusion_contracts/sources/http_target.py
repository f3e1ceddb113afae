"""A URL and its headers with every `${VAR}` filled in: what is contacted, never shown and never stored."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from urllib.parse import unquote

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.http_headers import filled_in
from fusion_contracts.sources.http_url import Url, parse
from fusion_contracts.sources.interpolate import interpolate, references
from fusion_contracts.sources.known import Known
from fusion_contracts.sources.secrets import forms, is_secret_name, shown_url

__all__ = ["Target"]

_PARTS = re.compile(r"(?P<scheme>[^:/?#@]+://)(?:(?P<user>[^/?#]*)@)?(?P<rest>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, repr=False)
class Target:
    """Where to and with what. `known` are the values that must not be shown."""

    url: Url
    headers: Mapping[str, str]
    known: Known

    @property
    def credentials(self) -> str | None:
        """The header by which the server may know who asks; None for none."""
        return next((name for name in self.headers if is_secret_name(name)), None)

    @classmethod
    def prepare(
        cls, url: str, headers: Mapping[str, str], environ: Mapping[str, str], secret: Collection[str] = ()
    ) -> Target:
        """Fill a URL and its headers in; the values of the variables in `secret` are secret.

        Raises FusionError for an unset variable, and for what can be neither URL nor header.
        """
        shown = printable(shown_url(url))
        text, user = _without_user(url, environ, f"the URL {shown}")
        try:
            address = parse(text)
        except ValueError as error:
            raise FusionError(
                f"the URL {shown} {error}", "write http://HOST/PATH or https://HOST/PATH", stage="usage"
            ) from None
        filled = {name: filled_in(name, value, environ) for name, value in headers.items()}
        if user is not None and "authorization" not in {name.lower() for name in headers}:
            filled["Authorization"] = f"Basic {b64encode(user.encode()).decode()}"
        return cls(address, filled, _known(url, headers, filled, environ, secret))


def _without_user(url: str, environ: Mapping[str, str], where: str) -> tuple[str, str | None]:
    """The URL filled in, and its user part apart: a password may hold what would end the host's name."""
    parts = _PARTS.fullmatch(url)
    if parts is None:  # the scheme, too, comes from a variable
        parts = _PARTS.fullmatch(interpolate(url, environ, where=where))
        if parts is None:
            return "", None
        user = parts["user"] and unquote(parts["user"])
        return parts["scheme"] + parts["rest"], user
    user = parts["user"] and interpolate(unquote(parts["user"]), environ, where=where)
    return interpolate(parts["scheme"] + parts["rest"], environ, where=where), user


def _known(
    url: str,
    headers: Mapping[str, str],
    filled: Mapping[str, str],
    environ: Mapping[str, str],
    known_secret: Collection[str],
) -> Known:
    """The values that were filled in; those in a user part, or under a name that says so, are secret."""
    secret = {*known_secret}
    secret |= {one for name, value in headers.items() if is_secret_name(name) for one in references(value)}
    parts = _PARTS.fullmatch(url)
    secret.update(references(parts["user"] or "") if parts else ())
    for name, value in re.findall(r"[?&]([^=&#]+)=([^&#]*)", url):
        secret.update(references(value) if is_secret_name(name) else ())
    used = {name for text in (url, *headers.values()) for name in references(text)}
    known = Known.of({name: environ[name] for name in used if name in environ}, secret)
    whole = {form for name, value in filled.items() if is_secret_name(name) for form in forms(value)}
    return replace(known, hidden=(*known.hidden, *whole))
