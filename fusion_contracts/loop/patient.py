"""Statements that SQLite refuses at once while another process turns the same new file into write-ahead mode."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["run_patiently"]

_PAUSE = 0.005  # seconds between two tries


def run_patiently(connection: Connection, statement: str, seconds: float) -> None:
    """Run it, again and again for so many seconds while the file is busy.

    Where two might wait for each other SQLite does not wait for as long as the connection's timeout says.
    """
    import sqlite3

    end = time.monotonic() + seconds
    while True:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(_PAUSE)
        else:
            return
