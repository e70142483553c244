"""Feeds (``-o``, FEEDS) of what a job stages: an item for each envelope, none for a page without one."""

import logging
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.feedexport import FeedExporter, FeedSlot
from scrapy.settings import BaseSettings
from w3lib.url import file_uri_to_path

from rori_spiders.crawl.job.job import Job
from rori_spiders.exceptions import UsageError
from rori_spiders.items import PageItem
from rori_spiders.runtime.table_files import require_pyarrow
from rori_spiders.spiders.sources import SourcesSpider

logger = logging.getLogger(__name__)


class StagedFeedExporter(FeedExporter):
    """Scrapy's, for collections. A feed that fails is named in ``Job.failed_feeds`` and ends there; others go on.

    Raises UsageError before the first request for a feed that cannot work.
    """

    def __init__(self, crawler: Crawler) -> None:
        if crawler.spidercls is None or not issubclass(crawler.spidercls, SourcesSpider):
            raise NotConfigured
        if not crawler.settings["FEEDS"]:
            raise NotConfigured
        for uri, options in crawler.settings.getdict("FEEDS").items():
            _check_format(str(uri), options, crawler.settings)
        try:
            super().__init__(crawler)
        except NotConfigured as error:
            raise UsageError(f"a feed of FEEDS cannot be written: {str(error) or 'the log says why'}") from error
        self._job = Job.of(crawler)
        self._open: set[FeedSlot] = set()  # what is to be stored, and is not yet
        self._begun: set[FeedSlot] = set()  # what was to be stored, batches of a feed too
        crawler.signals.connect(self.feed_slot_closed, signal=signals.feed_slot_closed)

    def open_spider(self, spider: Spider) -> None:
        """Open the files of feeds, so that one that cannot be opened is reported before the first request."""
        super().open_spider(spider)
        for slot in [one for one in self.slots if one.store_empty]:
            try:
                slot.start_exporting()
            except Exception as error:
                self._give_up(slot, error)
            else:
                self._open.add(slot)
                self._begun.add(slot)

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Write the envelope of *item* to each feed, if it has one."""
        if not isinstance(item, PageItem) or item.envelope is None:
            return
        going_on = list[FeedSlot]()
        for slot in list(self.slots):  # one at a time, so that each fails for itself
            self.slots = [slot]
            try:
                super().item_scraped(item, spider)
            except Exception as error:
                self._give_up(slot, error)
            else:
                if slot.itemcount:
                    self._open.add(slot)
                    self._begun.add(slot)
            going_on += self.slots
        self.slots = going_on

    async def close_spider(self, spider: Spider) -> None:
        """Store what was written, and look for feeds that were not."""
        for slot in self._open:
            if not slot.itemcount:
                logger.info("Nothing was staged, so the feed %(feed)s has no item", {"feed": slot.uri})
        await super().close_spider(spider)
        for slot in self._open:
            self._fail(slot.uri, "it could not be ended")
        assert self.crawler.stats is not None
        for name, failed in self.crawler.stats.get_stats().items():
            if name.startswith("feedexport/failed_count/"):  # by the class of the storage
                begun = [one.uri for one in self._begun if type(one.storage).__name__ == name.rpartition("/")[2]]
                which = "it" if failed == len(begun) else "it or another one"
                for uri in begun or [name]:
                    self._fail(uri, f"{which} could not be stored; the log says why")

    def feed_slot_closed(self, slot: FeedSlot) -> None:
        """Scrapy has stored *slot*, or has counted that it could not."""
        self._open.discard(slot)

    def _give_up(self, slot: FeedSlot, error: Exception) -> None:
        """Leave *slot* as it is, and none of its files open."""
        self._fail(slot.uri, f"{type(error).__name__}: {error}")
        self._open.discard(slot)
        self._begun.discard(slot)
        self.slots = [one for one in self.slots if one is not slot]
        if slot.file is not None:
            with suppress(Exception):
                slot.file.close()

    def _fail(self, feed: str, reason: str) -> None:
        feed, reason = self._job.redactor.url(feed), self._job.redactor.text(reason)
        logger.error("The feed %(feed)s is incomplete: %(reason)s", {"feed": feed, "reason": reason})
        self._job.failed_feeds[feed] = reason


def _check_format(uri: str, options: Mapping[str, Any], settings: BaseSettings) -> None:
    form, formats = options.get("format"), settings.getwithbase("FEED_EXPORTERS")
    if form not in formats:
        raise UsageError(f"the feed {uri} has the unknown format {form!r}: use one of {', '.join(sorted(formats))}")
    if form != "parquet":
        return
    require_pyarrow()
    path = Path(file_uri_to_path(uri) if uri.startswith("file:") else uri)
    if not options.get("overwrite") and path.is_file() and path.stat().st_size:
        raise UsageError(f"{uri}: a Parquet file cannot be appended to; overwrite it with -O, or name another file")
