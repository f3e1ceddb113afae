"""One escape function for each language that a report is written in: every name in a report was chosen by a server.

Each takes any text and returns text that reads as the same and means nothing in the language: no markup, no link, no
mention, no command, no line of its own. What a reader cannot see becomes visible first, as on a terminal. Markdown's
are in `inline`: only comments and changelogs need them, and every command needs these.
"""

from __future__ import annotations

import re

from fusion_contracts.canonical import printable

__all__ = ["github_data", "github_property", "json_text", "log_lines", "sarif_message", "xml"]

# --- logs of GitHub Actions -------------------------------------------------------------------------------------------

_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#\[)", re.MULTILINE)


def log_lines(text: str) -> str:
    """Lines for a log: none of them is a command to the runner that prints it.

    GitHub's runner takes a line for one that begins with `::`, however far indented, and the older `##[` anywhere.
    """
    return _COMMAND.sub(lambda found: rf"{found[1]}\u{{3a}}" if found[1] is not None else r"\u{23}", text)


def github_data(text: str) -> str:
    """The message of a workflow command; line breaks are kept, as the command's language writes them."""
    lines = (printable(line) for line in text.split("\n"))
    return "\n".join(lines).replace("%", "%25").replace("\n", "%0A")


def github_property(text: str) -> str:
    """The value of a property of a workflow command, such as `title`."""
    return github_data(printable(text)).replace(":", "%3A").replace(",", "%2C")


# --- JSON -------------------------------------------------------------------------------------------------------------


def json_text(document: str) -> str:
    """A JSON document in ASCII that is no command in a log, and the same document."""
    return document.replace("##[", "#\\u0023[")


# --- SARIF ------------------------------------------------------------------------------------------------------------

_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def sarif_message(text: str) -> str:
    """A message of SARIF: nothing in it is a link (section 3.11.6 of the standard) or a placeholder (3.11.5).

    Other brackets and braces stay as they are: a viewer shows them so, and calls are full of them.
    """
    return _PLACEHOLDER.sub(r"{{\1}}", printable(text).replace("](", "\\]("))


# --- XML --------------------------------------------------------------------------------------------------------------

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
_MARKUP = re.compile("[&<>\"'\ufffe\uffff]|#(?=#\\[)")


def xml(text: str) -> str:
    """Text of an element or of an attribute. What XML 1.0 cannot hold at all is among what becomes visible."""
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0]) or _reference(found[0]), printable(text))


def _reference(character: str) -> str:
    return "&#35;" if character == "#" else rf"\u{{{ord(character):x}}}"
