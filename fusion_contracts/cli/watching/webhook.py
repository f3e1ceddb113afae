"""A URL that takes events: one POST each, with the care that servers at a URL are met with."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from ipaddress import ip_address

from fusion_contracts.cli.watching.events import line
from fusion_contracts.cli.watching.sinks import NotTakenError
from fusion_contracts.errors import FusionError
from fusion_contracts.model import JsonObject
from fusion_contracts.record import record
from fusion_contracts.sources.http_client import Answer, Client
from fusion_contracts.sources.http_errors import explained, status_words
from fusion_contracts.sources.http_headers import check_header, headers_of
from fusion_contracts.sources.http_network import Meter
from fusion_contracts.sources.http_target import Target
from fusion_contracts.sources.http_url import Url
from fusion_contracts.sources.interpolate import references
from fusion_contracts.sources.jsonrpc import FloodError, SilenceError
from fusion_contracts.sources.secrets import refuse_literal_header, refuse_literal_url

__all__ = ["Webhook"]

_SECONDS = 10.0  # for one POST with all its redirects
_TAKEN = range(200, 300)
_LATER = frozenset({401, 402, 403, 404, 405, 407, 408, 421, 425, 429})  # of the place, not of what was posted
_REFUSED = range(400, 500)
_LONGEST = 3600.0  # seconds that a receiver may ask for


@record
class Webhook:
    """Posts events to a URL. What stands in it and its headers by `${VAR}` is filled in, and neither shown nor kept."""

    url: str
    target: Target = field(repr=False)
    environ: Mapping[str, str] = field(repr=False)
    seconds: float = field(default_factory=lambda: _SECONDS)

    @classmethod
    def of(cls, url: str, headers: tuple[str, ...], environ: Mapping[str, str]) -> Webhook:
        """From the command line or the settings. Raises FusionError, where a secret is written out as well."""
        refuse_literal_url(url)
        named = headers_of(headers, "--webhook-header")
        for name, value in named.items():
            check_header(name, value)
            refuse_literal_header(name, value)
            if name.lower() == "idempotency-key":
                raise FusionError("the header Idempotency-Key is set for each event", "leave it out", stage="usage")
        target = Target.prepare(url, named, environ, frozenset(references(url)))
        if not is_private(target.url):
            message = f"the webhook at {target.known.conceal(target.url.authority)} is plain http to another machine"
            raise FusionError(message, "write an https URL", stage="usage")
        return cls(url, target, environ)

    @property
    def name(self) -> str:
        """What tells one URL from another, as it was written. Some hold a secret that nobody recognises."""
        return f"webhook:{sha256(self.url.encode()).hexdigest()[:32]}"

    @property
    def label(self) -> str:
        """For people: the host alone, since the path of a webhook is often what nobody else may know."""
        return f"the webhook at {self.target.known.conceal(self.target.url.authority)}"

    def put(self, one: JsonObject) -> None:
        """Post an event. Raises NotTakenError for any answer but a success."""
        meter = Meter(time.monotonic() + self.seconds)
        client = Client(self.target, meter, self.environ, judge=_require_private)
        headers = {"Content-Type": "application/json", "Idempotency-Key": str(one["id"])}
        try:
            with client.request("POST", self.target.url, headers, line(one).encode("ascii")) as answer:
                answer.start()
                _require_taken(answer)
        except NotTakenError:
            raise
        except FusionError as error:
            raise NotTakenError(self._conceal(error)) from None
        except SilenceError:
            raise NotTakenError(f"it does not answer in {self.seconds:g} s") from None
        except FloodError:
            raise NotTakenError("its answer does not end") from None
        except Exception as error:  # noqa: BLE001 - whatever the HTTP client raises
            raise NotTakenError(self._told(error)) from None
        finally:
            client.close()

    def _told(self, error: Exception) -> str:
        told = explained(error, self.target.url)
        if told is None:
            return f"it does not answer in {self.seconds:g} s"
        return self._conceal(told) if isinstance(told, FusionError) else f"the request failed ({type(told).__name__})"

    def _conceal(self, error: FusionError) -> str:
        return self.target.known.conceal(error.problem.message)


def is_private(url: Url) -> bool:
    """Whether nobody reads along: by TLS, or because it does not leave this machine."""
    address = url.address
    local = url.host == "localhost" or (address is not None and ip_address(address).is_loopback)
    return url.scheme == "https" or local


def _require_private(there: Url) -> None:
    """Raise FusionError for a redirect to where others read along."""
    if not is_private(there):
        message = f"redirects to {there.shown}, which is plain http to another machine"
        raise FusionError(message, "name an https URL", stage="usage")


def _require_taken(answer: Answer) -> None:
    status = answer.status
    if status in _TAKEN:
        return
    alone = status in _REFUSED and status not in _LATER
    raise NotTakenError(f"it answers {status_words(status)}", wait=_retry_after(answer), alone=alone)


def _retry_after(answer: Answer) -> float | None:
    """The seconds for which the receiver wants to be left alone (RFC 9110, section 10.2.3); None where it says none."""
    said = answer.headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return min(float(said[:9]), _LONGEST)
    try:
        then = parsedate_to_datetime(said)
    except (ValueError, TypeError):
        return None
    seconds = (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(0.0, seconds), _LONGEST)
