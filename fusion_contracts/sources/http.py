"""A live server at a URL: streamable HTTP, or the older transport over server-sent events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import ClassVar

from fusion_contracts.canonical import printable
from fusion_contracts.errors import FusionError
from fusion_contracts.model import SourceRecord
from fusion_contracts.record import record
from fusion_contracts.sources.base import Listing, Options, Reading
from fusion_contracts.sources.contract import contract_of
from fusion_contracts.sources.http_headers import check_header, header_template
from fusion_contracts.sources.naming import name_from_url
from fusion_contracts.sources.offered import Filter, offered
from fusion_contracts.sources.secrets import refuse_literal_header, refuse_literal_url, shown_url

__all__ = ["TRANSPORTS", "HttpSource"]

TRANSPORTS = ("http", "sse")


@record
class HttpSource:
    """A URL that speaks MCP. It may hold `${VAR}`, as the values of `headers` may.

    `transport` is `http` (streamable HTTP), `sse` (the older one), or None: the first, else the second, as the
    specification says for clients that know both. The values of the variables in `secret` are secret, whatever their
    names say; `tools` are those that a client offers.
    """

    kind: ClassVar[str] = "http"
    live: ClassVar[bool] = True

    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    transport: str | None = None
    secret: frozenset[str] = frozenset()
    tools: Filter = field(default_factory=Filter)

    def __post_init__(self) -> None:
        """Raise FusionError for a literal secret, and for what can be no header or no transport."""
        if self.transport not in {None, *TRANSPORTS}:
            raise FusionError(f"{printable(self.transport or '')} is no transport", "write http or sse", stage="usage")
        refuse_literal_url(self.url)
        for name, value in self.headers.items():
            check_header(name, value)
            refuse_literal_header(name, value)
        if len({name.lower() for name in self.headers}) < len(self.headers):
            raise FusionError("a header is given twice", "give it once", stage="usage")

    @property
    def label(self) -> str:
        """The URL, before interpolation, without user part and query."""
        return printable(shown_url(self.url))

    @property
    def record(self) -> SourceRecord:
        """What the lock keeps: nothing that was interpolated, and of the headers names and `${VAR}` alone."""
        headers = {name: header_template(value) for name, value in sorted(self.headers.items())}
        return SourceRecord(kind=self.transport or "http", url=self.url, headers=headers)

    def read(self, options: Options) -> Reading:
        """Contact the server and list it. Raises FusionError when there is no complete list."""
        from fusion_contracts.sources.http_listing import list_server  # brings the HTTP client
        from fusion_contracts.sources.http_target import Target

        name = options.name or name_from_url(self.url)
        try:
            target = Target.prepare(self.url, self.headers, options.environ, self.secret)
            if not options.announced:
                options.progress(f"{printable(name)}: connecting to {self.label}")

            def reading(listing: Listing, transport: str) -> Reading:
                kept, hidden = offered(listing, self.tools), target.known.stored
                source = replace(self.record, kind=transport)
                return contract_of(kept, name=name, source=source, volatile=options.volatile, hidden=hidden)

            return reading(*list_server(target, self.transport, options, reading))
        except FusionError as error:
            raise FusionError.of(replace(error.problem, server=name)) from None
