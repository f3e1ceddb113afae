"""The `<tool_error>` envelope as text: its data, its cleaning, its two spellings.

All escaping of the runtime's XML is here. What a fault holds is cleaned when it is made, so that rendering cannot fail
and a reader gets back exactly what was put in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Envelope", "clean", "escape", "escape_attribute", "render", "spell_number"]

# What XML 1.0 cannot hold (section 2.2; lone surrogates among it), and Unicode tags: hidden text that models read.
_FORBIDDEN = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\U000e0000-\U000e007f]")
_LINE_ENDS = re.compile("\r\n?")

_ATTRIBUTE = str.maketrans(
    {
        "&": "&amp;",
        "<": "&lt;",
        ">": "&gt;",
        '"': "&quot;",
        "'": "&apos;",
        # A reader turns raw white space in an attribute into blanks.
        "\t": "&#9;",
        "\n": "&#10;",
        "\r": "&#13;",
    }
)


def clean(text: str) -> str:
    """The text with its line ends as LF, without what XML forbids and without Unicode tags. A plain `str`."""
    if "\r" in text:
        text = _LINE_ENDS.sub("\n", text)
    return str.__str__(_FORBIDDEN.sub("", text))


def escape(text: str) -> str:
    """Clean text as element content: only `&` and `<`, and the `>` of `]]>`. The rest stays readable for the model."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("]]>", "]]&gt;")


def escape_attribute(text: str) -> str:
    """Clean text as an attribute's value: all five, and white space other than blanks as character references."""
    return text.translate(_ATTRIBUTE)


def spell_number(value: float) -> str:
    """A number as JavaScript writes it, integers exact: `30`, `1.5`, `1e+21`, `NaN`."""
    if isinstance(value, int):
        return int.__repr__(value)
    if value != value:  # noqa: PLR0124 - the definition of NaN
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    from fusion_contracts.canonical import canonical_json  # the only one who needs it

    return canonical_json(value + 0.0).decode().removesuffix(".0")  # adding zero makes -0.0 a 0


@dataclass(frozen=True, slots=True)
class Envelope:
    """What an envelope says. Every text is clean; `recovery` None means that the section is absent."""

    code: str
    message: str
    severity: str = "error"
    recovery: str | None = None
    available_actions: tuple[str, ...] = ()
    details: tuple[tuple[str, str], ...] = ()
    retry_after: float | None = None


def render(envelope: Envelope, *, compact: bool = False) -> str:
    """The envelope as XML: sections only when set, in the specification's order, indented by two.

    `compact` leaves the top-level sections unindented: byte for byte what the TypeScript original prints.
    """
    top = "" if compact else "  "
    lines = [
        f'<tool_error code="{escape_attribute(envelope.code)}" severity="{escape_attribute(envelope.severity)}">',
        f"{top}<message>{escape(envelope.message)}</message>",
    ]
    if envelope.recovery is not None:
        lines.append(f"{top}<recovery>{escape(envelope.recovery)}</recovery>")
    if envelope.available_actions:
        lines.append(f"{top}<available_actions>")
        lines += [f"{top}  <action>{escape(action)}</action>" for action in envelope.available_actions]
        lines.append(f"{top}</available_actions>")
    if envelope.details:
        lines.append(f"{top}<details>")
        lines += [
            f'{top}  <detail key="{escape_attribute(key)}">{escape(value)}</detail>' for key, value in envelope.details
        ]
        lines.append(f"{top}</details>")
    if envelope.retry_after is not None:
        lines.append(f"{top}<retry_after>{spell_number(envelope.retry_after)} seconds</retry_after>")
    lines.append("</tool_error>")
    return "\n".join(lines)
