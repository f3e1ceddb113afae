"""Errors that heal, in the frameworks people use. Each framework is imported in its own file alone, when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, TypeVar

from fusion_contracts import on_first_use

if TYPE_CHECKING:
    from fusion_contracts.integrations.beside import warn
    from fusion_contracts.integrations.options import Ending, Guard, Options, ToolCall

__all__ = ["Ending", "Guard", "Options", "ToolCall", "attach", "warn"]

Server = TypeVar("Server")

_HOMES = {"Ending": "options", "Guard": "options", "Options": "options", "ToolCall": "options", "warn": "beside"}

_MARK = "_fusion_contracts_attached"

_INTEGRATIONS = {
    # The classes of servers, and the file that has an `install` for them.
    "fastmcp.server.server.FastMCP": "fastmcp",
    "mcp.server.fastmcp.server.FastMCP": "mcp_sdk",
    "mcp.server.lowlevel.server.Server": "mcp_sdk",
    "mcp.server.mcpserver.server.MCPServer": "mcp_sdk",
}


def attach(server: Server, options: Options | None = None, *, name: str = "") -> Server:
    """Make the errors of a server's tools heal, by the integration of its framework; the server is returned.

    Without options the releases are looked for beside the calling file (see `finding.find`), by the server's NAME
    there: `name`, or what the server calls itself. One line in the log says what was found, or where it was looked.

    Raises TypeError where no integration knows the server, ValueError where it is attached already, FusionError where
    the options are strict and there is no release.
    """
    import sys
    from pathlib import Path

    near = Path(sys._getframe(1).f_code.co_filename).parent  # noqa: SLF001 - the documented way to a caller
    for kind in type(server).__mro__:
        home = _INTEGRATIONS.get(f"{kind.__module__}.{kind.__qualname__}")
        if home is not None and _MARK in vars(server):
            raise ValueError("this server is attached already: its hooks would hear of every call twice")
        if home is not None:
            install = import_module(f"fusion_contracts.integrations.{home}").install
            attached: Server = install(server, options, name=name, near=near)
            vars(server)[_MARK] = True
            return attached
    known = ", ".join(_INTEGRATIONS)
    raise TypeError(f"{type(server).__module__}.{type(server).__qualname__} is none of {known}")


__getattr__, __dir__ = on_first_use(__name__, _HOMES, __all__)
