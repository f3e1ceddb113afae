"""A store in Redis, for many machines: each change is one script, which the server runs whole."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any

from fusion_contracts.loop.stores.address import no_answer, shown
from fusion_contracts.loop.stores.base import StoreError, checked_ttl, key_bytes
from fusion_contracts.loop.stores.per_process import PerProcess

if TYPE_CHECKING:
    from redis import Redis
    from redis.commands.core import Script

__all__ = ["RedisStore"]

_PREFIX = b"fusion:"
_PATIENCE = 5.0  # seconds for a connection, and for an answer; the URL may say otherwise
# ARGV: whether `old` is a value, old, whether `new` is one, new, milliseconds to keep it ("" for ever). An absent key
# is `false` here, which equals no text.
_REPLACE = """
local current = redis.call('GET', KEYS[1])
if ARGV[1] == '1' then
  if current ~= ARGV[2] then return 0 end
elseif current then
  return 0
end
if ARGV[3] == '0' then
  redis.call('DEL', KEYS[1])
elseif ARGV[5] == '' then
  redis.call('SET', KEYS[1], ARGV[4])
else
  redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5])
end
return 1
"""


class RedisStore:
    """Values under `fusion:KEY`, kept as safely as that server keeps anything.

    A record that the server forgets is an effect that may happen twice: it must persist each write
    (`appendonly yes`, `appendfsync always`) and evict nothing (`maxmemory-policy noeviction`).
    """

    blocking = True

    def __init__(self, url: str) -> None:
        """`url` as redis-py reads it (`redis://`, `rediss://`, `unix://`); it is connected to at the first use.

        Raises StoreError where redis-py is not installed or cannot read the URL.
        """
        self._url = url
        self._line = PerProcess(_Line)
        _client(url).close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self._url)!r})"

    def get(self, key: str) -> bytes | None:
        """As `Store.get`."""
        with self._connected() as line:
            value: Any = line.client.get(_PREFIX + key_bytes(key))
        return None if value is None else bytes(value)

    def replace(self, key: str, old: bytes | None, new: bytes | None, *, ttl: float | None = None) -> bool:
        """As `Store.replace`. A `ttl` is rounded up to whole milliseconds."""
        seconds = checked_ttl(ttl)
        kept = "" if seconds is None else math.ceil(seconds * 1000)
        arguments = (int(old is not None), old or b"", int(new is not None), new or b"", kept)
        with self._connected() as line:
            return bool(line.script(keys=[_PREFIX + key_bytes(key)], args=arguments))

    def close(self) -> None:
        """As `Store.close`."""
        self._line.here().close()

    @contextmanager
    def _connected(self) -> Iterator[_Open]:
        """This process's client, which many threads may use. Raises StoreError where the server fails."""
        from redis import RedisError

        try:
            yield self._line.here().opened(self._url)
        except (RedisError, OSError) as error:
            raise no_answer(self._url, error) from error


class _Open:
    """A client, and the script as it knows it."""

    def __init__(self, client: Redis) -> None:
        self.client = client
        self.script: Script = client.register_script(_REPLACE)


class _Line:
    """One process's client."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: _Open | None = None

    def opened(self, url: str) -> _Open:
        with self._lock:
            if self._open is None:
                client = _client(url)
                _warn_of_eviction(client, url)
                self._open = _Open(client)
            return self._open

    def close(self) -> None:
        with self._lock:
            if self._open is not None:
                self._open.client.close()
                self._open = None


def _client(url: str) -> Redis:
    """A client that asks once: whether a change whose answer was lost has been made is not its to guess."""
    try:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError:
        raise StoreError("redis is not installed", "pip install 'fusion-contracts[redis]'") from None
    try:
        client = Redis.from_url(
            url, socket_timeout=_PATIENCE, socket_connect_timeout=_PATIENCE, retry=Retry(NoBackoff(), 0)
        )
        client.connection_pool.connection_kwargs["decode_responses"] = False  # values are bytes, whatever the URL says
    except (ValueError, TypeError):
        raise StoreError(f"{shown(url)} is no URL of Redis", "write redis://USER:PASSWORD@HOST:PORT/NUMBER") from None
    return client


def _warn_of_eviction(client: Redis, url: str) -> None:
    """Say it once where the server may throw records away when its memory is full."""
    from redis.exceptions import ResponseError

    try:
        memory = client.info("memory")
    except ResponseError:  # this user may not ask
        return
    policy = str(memory.get("maxmemory_policy", "noeviction"))
    if memory.get("maxmemory") and policy != "noeviction":
        logging.getLogger("fusion_contracts.loop").warning(
            "%s evicts keys when its memory is full (%s): an effect whose record is gone may happen twice; "
            "set maxmemory-policy to noeviction",
            shown(url),
            policy,
        )
