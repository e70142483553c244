"""The `page` spider: sources with `method: scrape`: single pages."""

from __future__ import annotations

from typing import ClassVar

from rori_spiders.spiders.sources import SourcesSpider


class PageSpider(SourcesSpider):
    """``scrapy crawl page -a sources=a,b``"""

    name = "page"
    methods: ClassVar[tuple[str, ...]] = ("scrape",)
