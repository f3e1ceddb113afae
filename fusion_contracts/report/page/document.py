"""A page that needs nothing else: its head, and the policy that lets in its own style and script and nothing more."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from importlib.resources import files

from fusion_contracts.report.page.markup import Markup, tag

__all__ = ["document", "part"]


def document(title: str, body: Iterable[Markup], *, style: Markup, script: Markup | None = None) -> str:
    """Return the page, ASCII alone, ending in a newline. `style` and `script` are not escaped."""
    head = _head(title, style, script)
    scripts = [] if script is None else [tag("script", script)]
    page = f"<!doctype html>\n{tag('html', head, tag('body', *body, *scripts), lang='en')}\n"
    return page.encode("ascii", "xmlcharrefreplace").decode("ascii")


def part(name: str) -> Markup:
    """A file of this folder, as it stands."""
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _head(name: str, style: Markup, script: Markup | None) -> Markup:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="generator", content="fusion-contracts"),
        tag("link", rel="icon", href="data:,"),  # else a browser asks the server of the page for one
        tag("title", name),
        tag("style", style),
    )


def _policy(style: str, script: str | None) -> str:
    """Nothing but this style and this script, and no text may become markup after the page was read."""
    parts = {
        "default-src": "'none'",
        "style-src": _digest(style),
        "script-src": "'none'" if script is None else _digest(script),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in parts.items())


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
