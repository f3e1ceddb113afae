"""`${VAR}` and `${VAR:-default}` in commands, URLs, environment and headers."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fusion_contracts.errors import FusionError

__all__ = ["interpolate", "references", "templates_only"]

_REFERENCE = re.compile(r"\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)(?P<default>:-(?P<text>[^}]*))?\}")


def interpolate(text: str, environ: Mapping[str, str], *, where: str) -> str:
    """The text with every reference replaced. `where` names the place in a message.

    As in a shell, `:-default` also stands in for an empty variable. Raises FusionError naming the first variable that
    is not set and has no default; any other `$` is left alone.
    """

    def value(found: re.Match[str]) -> str:
        name = found["name"]
        if found["default"] is not None:
            return environ.get(name) or found["text"]
        if name not in environ:
            raise FusionError(
                f"{where} needs the variable {name}, which is not set",
                f"set {name} in the environment, or write ${{{name}:-default}}",
                stage="usage",
            )
        return environ[name]

    return _REFERENCE.sub(value, text)


def references(text: str) -> tuple[str, ...]:
    """The names of the variables that a text refers to, in order, each once."""
    return tuple(dict.fromkeys(found["name"] for found in _REFERENCE.finditer(text)))


def templates_only(text: str) -> str:
    """The references of a text alone, as the lock may store them: literal parts and defaults are left out."""
    return "".join(f"${{{name}}}" for name in references(text))
