"""The base of Scrapy's components that work with the job of their crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rori_spiders.crawl.job.job import Job

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class JobComponent:
    """A middleware, an extension or a pipeline. Scrapy makes it with its crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the component for *crawler*."""
        return cls(crawler)
