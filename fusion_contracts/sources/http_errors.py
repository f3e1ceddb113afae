"""What can go wrong between here and a server over HTTP, each in one sentence with a next step."""

from __future__ import annotations

import re
import ssl
from http import HTTPStatus

import httpcore2

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.sources.http_client import Answer
from fusion_contracts.sources.http_target import Target
from fusion_contracts.sources.http_url import Url

__all__ = ["UNAUTHORIZED", "explained", "refused", "status_words", "unauthorized"]

UNAUTHORIZED = (401, 403)

_SHOWN = 120  # characters of another's own words
_CHECK = "check the URL; the path of an MCP endpoint is often /mcp or /sse"
_METADATA = re.compile(r'resource_metadata\s*=\s*"?[a-z]+://(?P<host>[A-Za-z0-9.:\[\]-]+)', re.IGNORECASE)


def explained(error: Exception, url: Url) -> Exception | None:
    """An error of the HTTP client as one for people; None for what is silence, and any error of ours as it is."""
    cause = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    match error:
        case httpcore2.TimeoutException():
            return None
        case httpcore2.ConnectError() if isinstance(cause, ssl.SSLCertVerificationError):
            return _untrusted(cause, url)
        case httpcore2.ConnectError() if isinstance(cause, ssl.SSLError):
            message = f"cannot be reached: {url.authority} does not speak TLS as it should ({_words(cause)})"
            return FusionError(message, "write http:// for a server without TLS", stage="start")
        case httpcore2.ProxyError():
            message = f"cannot be reached: the proxy answers {_shown(str(error))}"
            return FusionError(message, "check HTTPS_PROXY, with its user and password, and NO_PROXY", stage="start")
        case httpcore2.RemoteProtocolError() if "without sending a response" in str(error):
            return FusionError("ends the connection without an answer", "look at the server's own log", stage="start")
        case httpcore2.RemoteProtocolError():
            message = f"does not speak HTTP as it should: {_shown(_protocol(str(error)))}"
            return FusionError(message, "check the URL, and whether it is https", stage="start")
        case httpcore2.NetworkError():
            message = f"breaks the connection ({_words(cause)})"
            return FusionError(message, "look at the server's own log", stage="start")
        case _:
            return error


def _protocol(said: str) -> str:
    return "its headers are larger than 100 KiB" if said == "Receive buffer too long" else said


def _untrusted(error: ssl.SSLCertVerificationError, url: Url) -> FusionError:
    said = error.verify_message
    message = f"its certificate is not trusted: {_shown(said)}"
    step = "for a private authority set SSL_CERT_FILE to the file of its certificate"
    if "match" in said or "not valid for" in said:  # a host name, or an address
        step = f"check that {url.host} is the server's name"
    elif "expired" in said or "not yet valid" in said:
        step = "renew it, and check the clock here"
    return FusionError(message, step, stage="start")


def _words(error: BaseException) -> str:
    reason = getattr(error, "reason", None)  # of a TLS error
    if isinstance(reason, str):
        return _shown(reason.lower().replace("_", " "))
    return _shown((getattr(error, "strerror", None) or str(error) or type(error).__name__).lower())


def _shown(text: str) -> str:
    return printable(text)[:_SHOWN]


def status_words(status: int) -> str:
    """A status as a message names it: `HTTP status 404 (Not Found)`."""
    try:
        return f"HTTP status {status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return f"HTTP status {status}"


def unauthorized(answer: Answer, target: Target) -> FusionError:
    """The error for a server that wants to know who asks."""
    found = _METADATA.search(answer.headers.get("www-authenticate", ""))
    named = f", and names {printable(found['host'])[:_SHOWN]} for it" if found else ""
    message = f"needs authorization; fusion does not log in ({status_words(answer.status)}{named})"
    if target.credentials is None:
        step = "pass what it wants: --header 'Authorization: Bearer ${TOKEN}', in single quotes, with TOKEN set"
    elif not answer.is_home:
        step = (
            f"{target.credentials} goes to {target.url.authority} alone: name {answer.url.shown} if that is the server"
        )
    else:
        step = f"{target.credentials} was sent: check its value, and what it may be used for"
    return FusionError(message, step, stage="start")


def refused(said: str, status: int | None) -> FusionError:
    """The error for a greeting that is answered by another HTTP status, or by what is no answer."""
    step = "look at the server's own log"
    if status in {400, 404, 405, 406, 410, 415, 501} or (status is None and "HTML" in said):
        step = _CHECK
    elif status in {429, 502, 503, 504}:
        step = "try again later"
    return FusionError(said, step, stage="start")
