"""Which URLs a source asks for: a walker makes requests from a source, and items and further requests from
responses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.crawl.tiers.official.ecfr import is_titles_url, parse_cfr_contents, parse_cfr_part
from rori_spiders.crawl.tiers.official.federal_register import parse_search
from rori_spiders.crawl.walkers.base import PageWalker, Walker
from rori_spiders.crawl.walkers.mediawiki import MediaWikiWalker
from rori_spiders.crawl.walkers.official_lists import CfrWalker, FederalRegisterWalker, TitlesWalker
from rori_spiders.crawl.walkers.site import SiteWalker

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.manifest.models import Source

#: By the manifest's `method`.
WALKERS: dict[str, type[Walker]] = {"scrape": PageWalker, "crawl": SiteWalker, "mediawiki": MediaWikiWalker}


def make_walker(crawler: Crawler, run: Run) -> Walker:
    """The walker of *run*: of the list of an official API that its URL is, else of its method."""
    return (_official_list_walker(run.source) or WALKERS[run.source.method])(crawler, run)


def _official_list_walker(source: Source) -> type[Walker] | None:
    url, is_crawl = source.url, source.method == "crawl"
    if is_titles_url(url):
        return TitlesWalker
    if parse_cfr_part(url) is not None or (is_crawl and parse_cfr_contents(url) is not None):
        return CfrWalker
    return FederalRegisterWalker if parse_search(url) is not None else None


__all__ = ["WALKERS", "Walker", "make_walker"]
