"""The `site` spider: sources with `method: crawl`: whole sites."""

from __future__ import annotations

from typing import ClassVar

from rori_spiders.spiders.sources import SourcesSpider


class SiteSpider(SourcesSpider):
    """``scrapy crawl site -a sources=a,b``"""

    name = "site"
    methods: ClassVar[tuple[str, ...]] = ("crawl",)
