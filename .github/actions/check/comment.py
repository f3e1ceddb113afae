"""One comment on a pull request that is kept up to date, through GitHub's REST API and the standard library."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any

__all__ = ["LONGEST", "Api", "ApiError", "marker", "stick"]

LONGEST = 65_300  # characters; GitHub takes 65,536, and a Markdown report of fusion's is shorter
_PAGE, _PAGES = 100, 50  # comments a page, and pages that are looked through
_TRIES, _PATIENCE, _TIMEOUT = 4, 60, 20  # requests, seconds to wait between two, seconds for one to go on
_TOTAL = 300  # seconds after which nothing more is asked: the job waits
_LARGEST = 32 * 1024 * 1024  # bytes of an answer: a page of the longest comments is a quarter of that
_REFUSALS = {401, 403, 404}  # GitHub hides with 404 what a token may not see


class ApiError(Exception):
    """The API said no (`refused`), or nothing. Never holds the token."""

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        self.refused = refused


class _Staying(urllib.request.HTTPRedirectHandler):
    """Follows nothing: the token must not travel to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Api:
    """GitHub's REST API for one repository, `owner/name`."""

    def __init__(self, url: str, repository: str, token: str) -> None:
        self._root = f"{url.rstrip('/')}/repos/{repository}"
        self._user = f"{url.rstrip('/')}/user"
        self._token = token
        self._opener = urllib.request.build_opener(_Staying)
        self._until = time.monotonic() + _TOTAL

    def comments(self, number: int) -> Iterator[dict[str, Any]]:
        """The comments of a pull request, the oldest first. Raises ApiError."""
        for page in range(1, _PAGES + 1):
            found = self._ask("GET", f"{self._root}/issues/{number}/comments?per_page={_PAGE}&page={page}")
            if not isinstance(found, list) or not all(isinstance(comment, dict) for comment in found):
                raise ApiError("GET comments: the answer is no list of comments")
            yield from found
            if len(found) < _PAGE:
                return

    def create(self, number: int, body: str) -> None:
        """Write a comment. Raises ApiError."""
        self._ask("POST", f"{self._root}/issues/{number}/comments", {"body": body})

    def update(self, comment: int, body: str) -> None:
        """Change a comment. Raises ApiError."""
        self._ask("PATCH", f"{self._root}/issues/comments/{comment}", {"body": body})

    def login(self) -> str | None:
        """Who the token is; None for one of an app, which has no user."""
        try:
            return str(self._ask("GET", self._user)["login"])
        except (ApiError, KeyError, TypeError):
            return None

    def _ask(self, method: str, url: str, body: Any = None) -> Any:
        reason, refused = "", False
        for again in range(_TRIES):
            try:
                return self._once(method, url, body)
            except urllib.error.HTTPError as error:
                wait = _wait(error, again, repeatable=method != "POST")
                reason, refused = f"{error.code} {error.reason}", _is_refusal(error)
                error.close()
            except (OSError, ValueError, RecursionError, HTTPException) as error:  # no connection; no HTTP; no JSON
                wait = None if method == "POST" else 2.0**again  # it may have been done, and nobody wants two
                reason = str(getattr(error, "reason", error))
            if wait is None or again == _TRIES - 1 or time.monotonic() + wait > self._until:
                break
            time.sleep(wait)
        raise ApiError(f"{method} {url.partition('?')[0]}: {reason}", refused=refused)

    def _once(self, method: str, url: str, body: Any) -> Any:
        headers = {
            "Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28",
            "User-Agent": "fusion-contracts", "Content-Type": "application/json",
        }  # fmt: skip
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 - GITHUB_API_URL
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        with self._opener.open(request, timeout=_TIMEOUT) as answer:
            return json.loads(self._read(answer) or b"null")

    def _read(self, answer: Any) -> bytes:
        """The body, however slowly it comes. Raises ValueError where it is too large, or takes too long."""
        parts, size = [], 0
        while part := answer.read1(65536):
            parts.append(part)
            size += len(part)
            if size > _LARGEST:
                raise ValueError("the answer is too large")
            if time.monotonic() > self._until:
                raise ValueError("the answer takes too long")
        return b"".join(parts)


def _is_limited(error: urllib.error.HTTPError) -> bool:
    """Whether it is not the request that was too much, but how many there were."""
    spent = error.headers.get("x-ratelimit-remaining") == "0"
    return error.code in {403, 429} and (error.headers.get("retry-after") is not None or spent)


def _is_refusal(error: urllib.error.HTTPError) -> bool:
    return error.code in _REFUSALS and not _is_limited(error)


def _wait(error: urllib.error.HTTPError, again: int, *, repeatable: bool) -> float | None:
    """Seconds until another try makes sense; None where none does."""
    after, limited = error.headers.get("retry-after"), _is_limited(error)
    if not limited and not (repeatable and error.code in {429, 500, 502, 503, 504}):
        return None
    try:
        if after is not None:
            wait = float(after)
        elif limited:
            wait = float(error.headers.get("x-ratelimit-reset") or 0) - time.time()
        else:
            wait = 2.0**again
    except ValueError:  # a date: too long a wait, as a rule
        return None
    return max(wait, 0) if wait <= _PATIENCE else None


def marker(key: str) -> str:
    """The first line of a comment of ours, which a browser does not show."""
    plain = "".join(letter if letter.isalnum() or letter in "_./ " else "_" for letter in key)
    return f"<!-- fusion check: {plain or '.'} -->"


def stick(api: Api, number: int, key: str, body: str, *, calm: bool) -> str:
    """Create or update the comment, and say which; `calm`: there is nothing to tell, so none is created.

    Raises ApiError.
    """
    head = marker(key)
    whole = f"{head}\n{body.strip()}\n"
    mine = _mine(api, number, head)
    if mine is None:
        if calm:
            return "no comment: there is nothing to tell"
        api.create(number, whole)
        return "wrote a comment"
    if str(mine.get("body", "")).replace("\r\n", "\n").strip() == whole.strip():
        return "the comment is up to date"
    api.update(mine["id"], whole)
    return "updated the comment"


def _mine(api: Api, number: int, head: str) -> dict[str, Any] | None:
    """The comment with that first line that an app wrote, or whoever the token is: anybody can write such a line."""
    login: list[str | None] = []
    for comment in api.comments(number):
        if str(comment.get("body", "")).split("\n", 1)[0].strip() != head:
            continue
        user = comment.get("user")
        if not isinstance(user, dict) or not isinstance(comment.get("id"), int):
            continue
        if user.get("type") == "Bot":
            return comment
        login = login or [api.login()]
        if login[0] is not None and user.get("login") == login[0]:
            return comment
    return None
