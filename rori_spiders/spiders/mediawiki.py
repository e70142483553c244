"""The `mediawiki` spider: sources with `method: mediawiki`: wikis, by their API."""

from __future__ import annotations

from typing import ClassVar

from rori_spiders.spiders.sources import SourcesSpider


class MediaWikiSpider(SourcesSpider):
    """``scrapy crawl mediawiki -a sources=a,b``"""

    name = "mediawiki"
    methods: ClassVar[tuple[str, ...]] = ("mediawiki",)
