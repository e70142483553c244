"""The tiers by name, and the ladder of a URL: which are tried, cheapest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.job import Job
from rori_spiders.tiers.base import BROWSER, HTTP, MEDIAWIKI, OFFICIAL, Tier
from rori_spiders.tiers.browser.tier import BrowserTier
from rori_spiders.tiers.http import HttpTier
from rori_spiders.tiers.mediawiki import MediaWikiTier, page_html
from rori_spiders.tiers.official import OfficialTier, restored, serves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

__all__ = ["HTTP", "MEDIAWIKI", "OFFICIAL", "build_tiers", "ladder", "restore", "serves"]


def build_tiers(crawler: Crawler) -> dict[str, Tier]:
    """The tiers that RORI_TIERS names; `http` is always there, the others are built on it."""
    http = HttpTier(crawler)
    wiki = MediaWikiTier(http, Job.of(crawler))
    known: dict[str, Tier] = {OFFICIAL: OfficialTier(http, Job.of(crawler)), MEDIAWIKI: wiki, HTTP: http}
    known[BROWSER] = BrowserTier(crawler)
    named = [name for name in crawler.settings.getlist("RORI_TIERS") if name in known]
    return {name: known[name] for name in {*named, HTTP}}


def ladder(
    configured: Sequence[str],
    *,
    own: Sequence[str] | None,
    fence: Sequence[str] | None,
    has_api: bool,
    is_official: bool = False,
) -> tuple[str, ...]:
    """The tiers to try for a URL, in order.

    *configured*: RORI_TIERS. *own*: the source's `tiers`, which replace the ladder. *fence*: the domain's `tiers`,
    which bound it. *has_api*: the domain is in `mediawiki_sites`. *is_official*: its publisher's own API has it
    (`serves`). A tier that is not configured is simply absent.
    """
    order = own or configured
    applies = {MEDIAWIKI: has_api, OFFICIAL: is_official}
    return tuple(
        name for name in order if name in configured and (fence is None or name in fence) and applies.get(name, True)
    )


def restore(tier: str, received: bytes, content_type: str | None, url: str = "") -> tuple[bytes, str | None]:
    """Body and content type of the page at *url* from the bytes that *tier* received: for converting it anew."""
    if tier == OFFICIAL:
        return restored(url, received, content_type)
    if tier == MEDIAWIKI:
        return page_html(received).encode(), "text/html; charset=utf-8"
    return received, content_type
