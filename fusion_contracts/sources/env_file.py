"""The `envFile` of a client's entry: variables for one server, as dotenv files hold them."""

from __future__ import annotations

import stat
from io import StringIO
from pathlib import Path

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError

__all__ = ["read_env_file"]

_MAX_BYTES = 2**20


def read_env_file(path: Path, written: str) -> dict[str, str]:
    """The variables of a dotenv file: `KEY=VALUE` lines, quotes, `export`, comments. `written` names it in messages.

    A name without `=` sets nothing, and a `$` stays as it is: no client fills references in. Raises FusionError for a
    file that cannot be read, or holds a line that is neither; the line is named by its number and never shown.
    """
    from dotenv.parser import parse_stream  # what `dotenv_values` reads with, which only logs what it cannot read

    shown = f"its envFile {printable(written)}"
    try:
        found = path.stat()
        if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):  # a pipe or a device may never end
            raise FusionError(f"{shown} is not a plain file", "name a file of variables", stage="usage")
        if found.st_size > _MAX_BYTES:
            raise FusionError(
                f"{shown} is larger than {_MAX_BYTES >> 20} MiB", "name a file of variables", stage="usage"
            )
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise FusionError(f"{shown} does not exist", "write it, or correct the entry", stage="usage") from None
    except OSError as error:
        reason = error.strerror or "the system refused"
        raise FusionError(f"{shown} cannot be read: {reason}", "check the path", stage="usage") from None
    except UnicodeDecodeError:
        raise FusionError(f"{shown} is not UTF-8 text", "save it as UTF-8", stage="usage") from None
    except ValueError:  # a zero character, half a character
        raise FusionError(f"{shown} has no name for a file", "correct the entry", stage="usage") from None
    variables = {}
    for binding in parse_stream(StringIO(text)):
        if binding.error:
            message = f"{shown} has a line that sets no variable: line {binding.original.line}"
            raise FusionError(message, "write NAME=VALUE", stage="usage")
        if binding.key is not None and binding.value is not None:
            variables[binding.key] = binding.value
    return variables
