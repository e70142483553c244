"""Bytes to a page: markdown, metadata, links and hints, in the pool. What cannot be converted fails with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rori_spiders.content.convert import Options, digest
from rori_spiders.exceptions import ConversionError
from rori_spiders.job import Job

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.content.convert import Converted
    from rori_spiders.items import PageItem
    from rori_spiders.manifest.models import Source


class ConvertPipeline:
    """Only what a verdict called content is converted."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ConvertPipeline:
        return cls(crawler)

    async def process_item(self, item: PageItem) -> PageItem:
        if item.state != "captured" or item.visit.kind != "page" or item.fetched is None:
            return item
        source = self._job.catalog.source(item.visit.source_id)
        try:
            converted = await self._convert(item, source)
        except ConversionError as error:
            self._crawler.stats.inc_value(f"rori/conversion/{error.reason}")
            item.state, item.reason = "failed", f"{error.reason}: {error}"
            return item
        if not converted.markdown.strip():
            item.state, item.reason = "failed", "empty: no text was left after conversion"
        elif item.visit.found_by == "start" and (missed := _unmet(source, converted.markdown)) is not None:
            item.state, item.reason = "failed", f"expectation: {missed}"
        else:
            item.converted = converted
        return item

    async def _convert(self, item: PageItem, source: Source) -> Converted:
        assert item.fetched is not None
        config = source.scrape_config
        options = Options(
            content_selector=config.content_selector, remove_selectors=tuple(config.remove_selectors or ())
        )
        body = item.fetched.body
        return await self._job.pool.run(
            len(body),
            digest,
            body,
            url=item.fetched.final_url,
            content_type=item.fetched.header("Content-Type"),
            options=options,
        )


def _unmet(source: Source, markdown: str) -> str | None:
    """What the source expects of its start page, and this one does not have."""
    expect = source.scrape_config.expect
    if expect is None:
        return None
    if expect.min_chars is not None and len(markdown) < expect.min_chars:
        return f"{len(markdown)} characters where at least {expect.min_chars} are expected ({expect.why})"
    for text in expect.must_contain or ():
        if text not in markdown:
            return f"the text {text!r} is missing ({expect.why})"
    return None
