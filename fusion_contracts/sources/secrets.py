"""Values that must not be written down or shown: how a literal secret is recognised, refused and hidden."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from fusion_contracts.errors import FusionError

__all__ = [
    "ASSIGNED", "HIDDEN_TEXT", "SCHEME", "forms", "has_literal", "is_random", "is_secret_name", "is_secret_value",
    "redact", "refuse_literal", "refuse_literal_header", "refuse_literal_url", "secret_after", "secret_in", "shown_url",
]  # fmt: skip

HIDDEN_TEXT = "(hidden)"

_WORDS = (
    "token",
    "secret",
    "password",
    "passwd",
    "credential",
    "credentials",
    "authorization",
    "apikey",
    "api_key",
    "private_key",
    "access_key",
    "secret_key",
    "signing_key",
    "encryption_key",
    "passphrase",
    "cookie",
)
_RUN_TOGETHER = ("password", "passwd", "authtoken", "accesstoken")  # PGPASSWORD, _authToken in one word
# `pass` and `pwd` only behind another word: PWD is a folder.
_NAME = re.compile(rf"(?:(?:^|_)(?:{'|'.join(_WORDS)})|{'|'.join(_RUN_TOGETHER)}|_pass|_pwd)$")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

# Shapes that issuers chose so that they can be recognised. Each is long enough not to match a package or a path.
_SHAPES = re.compile(
    r"""
      \bsk-[A-Za-z0-9_-]{16,} | \b[rs]k_(?:live|test)_[A-Za-z0-9]{10,} | \bwhsec_[A-Za-z0-9]{16,}
    | \bgh[opusr]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,} | \bgl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_-]{16,}
    | \bxox[a-z]-[A-Za-z0-9-]{10,} | \bxapp-[A-Za-z0-9-]{10,}
    | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{35} | \bya29\.[A-Za-z0-9_-]{20,}
    | \bnpm_[A-Za-z0-9]{30,} | \bpypi-[A-Za-z0-9_-]{40,} | \bhf_[A-Za-z0-9]{20,} | \bdop_v1_[a-f0-9]{32,}
    | \blin_api_[A-Za-z0-9]{20,} | \b(?:secret|ntn)_[A-Za-z0-9]{30,} | \bsntry[su]_[A-Za-z0-9_=+/-]{20,}
    | \bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,} | \bfigd_[A-Za-z0-9_-]{20,} | \bpat[A-Za-z0-9]{14}\.[a-f0-9]{40,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*
    | (?i:\b(?:bearer|basic)\s+)(?!\$\{)[A-Za-z0-9._~+/=-]{8,}
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----(?:.*?-----END\ [A-Z ]*PRIVATE\ KEY-----)?
    | \bhooks\.slack\.com/services/[A-Za-z0-9/]+
    """,
    re.VERBOSE | re.DOTALL,
)
_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\}")
_BARE_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*(?::-)?\}")
ASSIGNED = re.compile(r"(?P<name>-{0,2}[A-Za-z][A-Za-z0-9_.-]*)(?P<sign>=|:[ ]?)(?P<value>[^\n]+)")
# A name and what it is set to: a text in quotes, or a word, behind `Bearer` or not. Starts where a name starts, and no
# scheme below is longer than any in use: else a long text without either would take time by its square.
_PARAMETER = re.compile(r"""(?<=[?&;#])(?P<name>[\w.-]{1,80})(?P<sign>=)(?P<quote>)(?P<value>[^\s&;#"'<>]+)""")
_SAID = re.compile(
    r"""(?<![A-Za-z0-9_.-])(?P<name>[A-Za-z0-9_.-]+)(?P<sign>\\?["']?\s*[=:]\s*)
    (?P<quote>\\?["'])?(?P<value>(?(quote)(?:(?!(?P=quote)).)+|(?:(?:bearer|basic|token)\s+)?[^\s"',;&]{3,}))""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
SCHEME = r"[A-Za-z][A-Za-z0-9+.-]{0,30}://"
_USER_PART = re.compile(rf"(?P<scheme>{SCHEME})[^/\s?#]+@")
_URL = re.compile(rf"{SCHEME}(?:(?!{SCHEME})\S)+")
_PASSWORD = re.compile(rf"{SCHEME}[^/\s?#:@]*:(?P<password>[^/\s?#]+)@")
_LONG_LINE = 16  # characters from which on one line of a secret of several says something by itself

_RANDOM_LENGTH, _RANDOM_ENTROPY = 20, 3.5  # bits a character; words and paths stay below, random keys above
_SHORTEST_HIDDEN = 4  # a shorter known value is no secret, and hiding it would make messages unreadable


def is_secret_name(name: str) -> bool:
    """Whether a name says that its value is secret: `api_key`, `accessToken`, `--client-secret`; not `issue_key`."""
    return _NAME.search(_snake(name)) is not None


def is_secret_value(text: str) -> bool:
    """Whether a text holds a value of a well-known secret shape, or a URL with a password."""
    bare = _BARE_VARIABLE.sub("", text)
    return _SHAPES.search(bare) is not None or _PASSWORD.search(bare) is not None


def refuse_literal(command: Sequence[str]) -> None:
    """Raise FusionError if an argument of a command is, or holds, a literal secret. The value is not repeated."""
    flag = ""
    for argument in command:
        if found := secret_in(argument, flag):
            raise _literal(*found)
        flag = argument if argument.startswith("-") and "=" not in argument else ""


def refuse_literal_url(url: str) -> None:
    """Raise FusionError if a URL holds a literal secret in its user part or query, or one of a known shape anywhere."""
    found = _secret_in_url(url)
    if found is None and is_secret_value(url):
        found = f"a part of the URL at {re.sub(SCHEME, '', shown_url(url)).partition('/')[0]}", "SECRET"
    if found:
        raise _literal(*found)


def refuse_literal_header(name: str, value: str) -> None:
    """Raise FusionError if the value of an HTTP header is a literal secret, or is missing where one belongs."""
    named = is_secret_name(name) or _snake(name).endswith("auth")
    variable = "TOKEN" if _snake(name).endswith("authorization") else _variable(name)
    if is_secret_value(value) or is_random(value) or (named and _literal_credentials(value)):
        raise _literal(f"the value of the header {name}", variable)
    if named and not _VARIABLE.search(value):
        step = f"write '${{{variable}}}' in single quotes: in double quotes the shell fills it in"
        raise FusionError(f"the header {name} holds no value", step, stage="usage")


def _literal(where: str, variable: str) -> FusionError:
    step = f"write '${{{variable}}}' for it (in single quotes) and set {variable} in the environment"
    return FusionError(f"{where} looks like a secret", step, stage="usage")


def _literal_credentials(value: str) -> bool:
    """Whether anything is left of credentials without references, their scheme and the names of their parts."""
    bare = _BARE_VARIABLE.sub("\0", value).strip()
    if "\0" not in bare:
        return bare.lower() not in {"", "bearer", "basic", "token", "digest", "apikey"}
    bare = re.sub(r"^[A-Za-z][A-Za-z0-9-]*\s+", "", bare)
    return bool(re.sub(r"[\w.-]+=(?=\0)|[\0;,:\s]", "", bare))


def shown_url(url: str) -> str:
    """A URL for people: without user part, query and fragment."""
    bare = re.split(r"[?#]", url, maxsplit=1)[0]
    return _USER_PART.sub(r"\g<scheme>", bare)


def redact(text: str, values: Iterable[str] = ()) -> str:
    """A text for people, with the given values, known secret shapes and what follows a secret's name hidden.

    Give it the whole text and cut the result: half a secret is not recognised.
    """
    for value in sorted({value for value in values if len(value) >= _SHORTEST_HIDDEN}, key=len, reverse=True):
        text = text.replace(value, HIDDEN_TEXT)
    text = _USER_PART.sub(rf"\g<scheme>{HIDDEN_TEXT}@", text)
    text = _PARAMETER.sub(_hidden_after_name, text)  # before the next: there, a URL's scheme is taken for the name
    text = _SHAPES.sub(HIDDEN_TEXT, text)
    return _SAID.sub(_hidden_after_name, text)


def _hidden_after_name(said: re.Match[str]) -> str:
    hide = is_secret_name(said["name"]) and not said["value"].startswith(("${", HIDDEN_TEXT))
    quote = said["quote"] or ""
    return f"{said['name']}{said['sign']}{quote}{HIDDEN_TEXT}" if hide else said.group()


def forms(value: str) -> set[str]:
    """A secret value and what else gives it away: long lines, a URL's password; percent-encoded and JSON-escaped."""
    from urllib.parse import quote, unquote

    parts = {value}
    lines = [line.strip() for line in value.splitlines()]
    parts.update(line for line in lines if len(lines) > 1 and len(line) >= _LONG_LINE)
    parts.update(found["password"] for found in _PASSWORD.finditer(value))
    parts |= {unquote(part) for part in parts}
    return parts | {quote(part, safe="") for part in parts} | {json.dumps(part)[1:-1] for part in parts}


_Found = tuple[str, str] | None
"""Where a secret stands, in words, and the variable to write instead."""


def secret_in(argument: str, flag: str) -> _Found:
    """What an argument holds of a secret. `flag` is the one before it."""
    urls = (_secret_in_url(url.group()) for url in _URL.finditer(argument))
    found = secret_after(flag, argument) or next(filter(None, urls), None)
    return found or _assigned(argument, flag) or _said(argument)


def secret_after(flag: str, argument: str) -> _Found:
    """What an argument is of a secret by the option before it."""
    if not flag or argument.startswith("-"):
        return None
    named = is_secret_name(flag) and has_literal(argument)
    random = _snake(flag).endswith("key") and is_random(argument)
    return (f"the argument after {flag}", _variable(flag)) if named or random else None


def _assigned(argument: str, flag: str) -> _Found:
    """`NAME=value`, `NAME: value`, the same behind an option (`--env=NAME=value`), or a value of a known shape."""
    assigned = ASSIGNED.fullmatch(argument)
    inner = ASSIGNED.fullmatch(assigned["value"]) if assigned else None
    for found in filter(None, (assigned, inner)):
        name, value = found["name"], found["value"]
        named = is_secret_name(name) or (_snake(name).endswith("key") and is_random(value))
        if named and has_literal(value) and "://" not in found["sign"] + value[:2]:
            return f"the value of {name}", _variable(name)
    if not is_secret_value(argument):
        return None
    if assigned:
        return f"the value of {assigned['name']}", _variable(assigned["name"])
    return (f"the argument after {flag}", _variable(flag)) if flag else ("an argument", "SECRET")


def _said(argument: str) -> _Found:
    """A name set to a value in JSON or in a connection string; anything else may be a line of code."""
    for said in _SAID.finditer(argument):
        written = said["quote"] or (said["sign"] == "=" and "(" not in argument)
        if written and is_secret_name(said["name"]) and has_literal(said["value"]):
            return f"the value of {said['name']}", _variable(said["name"])
    return None


def _secret_in_url(url: str) -> _Found:
    from urllib.parse import unquote, urlsplit  # most commands hold no URL

    try:
        parts = urlsplit(url)
    except ValueError:  # no URL: a bracket that opens an address and does not close
        return None
    user, _, host = parts.netloc.rpartition("@")
    name, _, password = user.partition(":")
    if has_literal(password) or is_secret_value(name) or is_random(name):
        return f"the user part of the URL at {host}", "URL_PASSWORD" if password else "URL_USER"
    for pair in re.split(r"[&;]", f"{parts.query}&{parts.fragment}"):
        key, _, value = pair.partition("=")
        value = unquote(value)
        random = _snake(key).endswith("key") and is_random(value)
        if has_literal(value) and (is_secret_name(key) or random or is_secret_value(value)):
            return f"{key} in the query of the URL at {host}", _variable(key)
    return None


def has_literal(text: str) -> bool:
    """Whether anything is left of a text without its `${VAR}` references (a `:-default` counts as a literal)."""
    left = _BARE_VARIABLE.sub("", text)
    left = re.sub(r"(?i)^\s*(?:bearer|basic|token|true|false|yes|no|none|null)\s*$", "", left.strip())
    return bool(left)


def is_random(text: str) -> bool:
    """Whether a text is a word that nobody would choose: long, of letters and digits, without an order."""
    text = _VARIABLE.sub("", text)
    if len(text) < _RANDOM_LENGTH or not re.fullmatch(r"[A-Za-z0-9_+/=.-]+", text):
        return False
    if not (re.search("[0-9]", text) and re.search("[A-Za-z]", text)):
        return False
    counts = Counter(text).values()
    entropy = -sum(count / len(text) * math.log2(count / len(text)) for count in counts)
    return entropy >= _RANDOM_ENTROPY


def _snake(name: str) -> str:
    return _CAMEL.sub("_", name.lstrip("-")).replace("-", "_").replace(".", "_").lower()


def _variable(name: str) -> str:
    """The environment variable that a name suggests: `--api-key` gives `API_KEY`."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", _snake(name)).strip("_").upper()
    return words if words and not words[0].isdigit() else f"SECRET_{words}".rstrip("_")
