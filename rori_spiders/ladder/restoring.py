"""The page from what a tier received: for converting, comparing and accepting it anew. Nothing is asked."""

from __future__ import annotations

from rori_spiders.ladder.names import MEDIAWIKI, OFFICIAL
from rori_spiders.publishers import restored
from rori_spiders.wikis.answers import page_html


def restore(tier: str, received: bytes, content_type: str | None, url: str = "") -> tuple[bytes, str | None]:
    """Body and content type of the page at *url* from the bytes that *tier* received. Raises ValueError."""
    if tier == OFFICIAL:
        return restored(url, received, content_type)
    if tier == MEDIAWIKI:
        return page_html(received).encode(), "text/html; charset=utf-8"
    return received, content_type
