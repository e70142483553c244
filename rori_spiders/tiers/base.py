"""What a tier is: a rung of the ladder by which a URL is fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

MEDIAWIKI = "mediawiki"
HTTP = "http"


class Tier(Protocol):
    """One transport. It answers with a response for the page's own URL, and raises Scrapy's download errors."""

    name: str
    version: str  # what `scrape.engine_version` says

    async def fetch(self, request: Request) -> Response:
        """Fetch ``request.url``; sets ``meta["download_latency"]`` (seconds to the headers)."""
        ...

    async def close(self) -> None: ...
