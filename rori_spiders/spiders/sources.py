"""The `sources` spider, which collects the sources that it is given, methods mixed (what `collect` and Scrapyd jobs
run); and a spider for each method: `page`, `site`, `mediawiki`.
"""

from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, ClassVar

from scrapy import Request, Spider
from scrapy.exceptions import DropItem

from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.runs.lifecycle import Lifecycle
from rori_spiders.crawl.walkers import make_walker
from rori_spiders.exceptions import UsageError
from rori_spiders.manifest.models import Source


class SourcesSpider(Spider):
    """``scrapy crawl sources -a sources=a,b``. Subclasses take only sources of their method."""

    name = "sources"
    #: The methods of the sources that it takes.
    methods: ClassVar[tuple[str, ...]] = ("scrape", "crawl", "mediawiki")
    #: The sources that it collects when no argument names any.
    source_ids: ClassVar[tuple[str, ...]] = ()

    def __init__(self, *args: Any, sources: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.wanted = tuple(one.strip() for one in sources.split(",") if one.strip()) or self.source_ids

    def chosen(self) -> list[Source]:
        """The sources to collect, in the order given. Raises UsageError that names what is wrong."""
        catalog = Job.of(self.crawler).manifests.catalog
        if not self.wanted:
            raise UsageError(f"name the sources: scrapy crawl {self.name} -a sources=ID,ID")
        known = {source.id: source for source in catalog.sources}
        missing = [one for one in self.wanted if one not in known]
        if missing:
            raise UsageError(
                f"the active manifest has no source with the ID {', '.join(missing)}; `scrapy list` shows its sources"
            )
        chosen = [known[one] for one in self.wanted]
        for source in chosen:
            if source.method not in self.methods:
                raise UsageError(f"{source.id} has method {source.method}: use `scrapy crawl {source.id}`")
            if source.status in {"paused", "retired"}:
                raise UsageError(f"{source.id} is not collected: its status in the manifest is {source.status}")
        return chosen

    async def start(self) -> AsyncIterator[Request]:
        with suppress(DropItem), Job.of(self.crawler).stopping_on_write_errors():
            async for request in self._first_requests():
                yield request

    async def _first_requests(self) -> AsyncIterator[Request]:
        lifecycle = Lifecycle.of(self.crawler)
        async for run in lifecycle.begin_each(self.chosen()):
            walker = make_walker(self.crawler, run)
            lifecycle.set_request_factory(run, walker.requests, revisits=walker.revisits)
            pending = await lifecycle.load_pending(run)
            first = await walker.resume(pending) if run.resumed else walker.start()
            for request in await walker.requests(await lifecycle.register_urls(run, pending, first)):
                yield request


# The `page` spider: sources with `method: scrape`: single pages.


class PageSpider(SourcesSpider):
    """``scrapy crawl page -a sources=a,b``"""

    name = "page"
    methods: ClassVar[tuple[str, ...]] = ("scrape",)


# The `site` spider: sources with `method: crawl`: whole sites.


class SiteSpider(SourcesSpider):
    """``scrapy crawl site -a sources=a,b``"""

    name = "site"
    methods: ClassVar[tuple[str, ...]] = ("crawl",)


# The `mediawiki` spider: sources with `method: mediawiki`: wikis, by their API.


class MediaWikiSpider(SourcesSpider):
    """``scrapy crawl mediawiki -a sources=a,b``"""

    name = "mediawiki"
    methods: ClassVar[tuple[str, ...]] = ("mediawiki",)
