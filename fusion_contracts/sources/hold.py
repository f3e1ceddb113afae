"""A server kept open after it was listed, and listed again whenever it says that a list of it changed."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from fusion_contracts.errors import FusionError
from fusion_contracts.sources.base import Listing, Reading
from fusion_contracts.sources.jsonrpc import SilenceError
from fusion_contracts.sources.mcp_session import Session

__all__ = ["Hold"]

_PAUSE = 1.0  # seconds in which news are gathered before the server is listed again; twice that the next time
_LONGEST = 60.0  # seconds that such a pause lasts at most
_WHILE = 5.0  # seconds after which a server that tells no more did tell before


@dataclass(slots=True)
class Hold:
    """How long a server is kept open, until `until` on the monotonic clock, and who takes what it lists.

    `take` is called in the thread that reads, for the first list and for each later one. `turn` is held while it is
    listed again. Every further list of one conversation waits twice as long as the one before, up to a minute: a server
    that says without end that it changed is not listed without end. `taken` says whether anything was; `cut`, that a
    server which told of changes does so no more, before the time was over.
    """

    take: Callable[[Reading], None]
    until: float
    turn: Callable[[], AbstractContextManager[object]] = nullcontext
    pause: float = _PAUSE
    taken: bool = False
    cut: bool = False

    def keep(self, session: Session, first: Listing, reading: Callable[[Listing], Reading], seconds: float) -> Listing:
        """Hand on the first list, and return it in the end; meanwhile listen, and list again.

        `seconds` is the time that one listing has.

        Raises FusionError for what goes wrong after the first list.
        """
        self._take(reading(first))
        if session.hears:
            self._listen(session, reading, seconds)
        return first

    def _listen(self, session: Session, reading: Callable[[Listing], Reading], seconds: float) -> None:
        began = time.monotonic()
        try:
            while session.connection.wait_change(self.until, session.stream):
                session.connection.pause(min(self.until, time.monotonic() + self.pause))
                self.pause = min(2 * self.pause, _LONGEST)
                with self.turn():
                    session.connection.changes = 0
                    session.deadline = time.monotonic() + seconds
                    self._take(reading(session.list_again()))
            self.cut = time.monotonic() - began > _WHILE
        except SilenceError:  # the time is over
            return
        except FusionError:
            self.cut = True
            raise
        except Exception as error:  # noqa: BLE001 - whatever a channel raises
            self.cut = True
            message = f"ended while it was listened to ({type(error).__name__})"
            raise FusionError(message, "it is started again", stage="list") from None

    def _take(self, reading: Reading) -> None:
        self.take(reading)
        self.taken = True
