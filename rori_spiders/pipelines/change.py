"""Is the text another than the one we hold? Compared by hash of the markdown (S0 §5.4), never across converters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from rori_spiders import removal
from rori_spiders.content import CONVERTER_VERSION
from rori_spiders.content.changes import content_hash
from rori_spiders.envelope import clean
from rori_spiders.exceptions import ConversionError, JobStopped
from rori_spiders.items import Change
from rori_spiders.job import Job
from rori_spiders.ladder import restore
from rori_spiders.ledger import holds
from rori_spiders.pipelines.convert import converted
from rori_spiders.pipelines.former import FormerTier
from rori_spiders.refusals import NotOurs

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from rori_spiders.items import PageItem
    from rori_spiders.ledger.history import PageRow
    from rori_spiders.ledger.known import Text

#: A page with under half of its last good text is held before it is staged (DESIGN §4.3).
SUSPECT_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class _Before:
    """What the ledger holds of the page."""

    page: PageRow
    text: Text


class ChangePipeline:
    """new, modified or unchanged; held as suspect; or gone."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)
        self._former = FormerTier(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ChangePipeline:
        return cls(crawler)

    async def process_item(self, item: PageItem) -> PageItem:
        is_missing = item.state == "failed" and item.verdict is not None and item.verdict.kind == "not_found"
        if item.visit.kind == "page" and (is_missing or item.state in {"captured", "unchanged"}):
            before = await self._before(item)
            if not is_missing:
                await self._compare(item, before)
            elif before is not None and before.page.gone_at is None:
                self._missed(item, before)
            run = self._job.runs.get(item.visit.run_id)
            if run is not None and item.state in {"captured", "unchanged"}:
                run.good += 1
        return item

    def _missed(self, item: PageItem, before: _Before) -> None:
        """A page that we hold answers 404 or 410: a failure at first, gone on the second look."""
        run, now = self._job.runs.get(item.visit.run_id), item.at or self._job.now()
        if run is None or not removal.is_due(before.page.missing_since, now):
            return
        if run.removals_held:
            item.reason += f"; {holds.REMOVAL}"
            return
        if run.few is not None:
            item.reason += f"; not taken for gone: the run has found {run.few}"
            return
        item.state, item.reason = "gone", f"not there since {before.page.missing_since:%Y-%m-%d %H:%M} UTC"
        item.change = Change("deleted", content_hash(""), before.text.content_hash, before.page.title)
        self._crawler.stats.inc_value(f"rori/change/{item.change.change_type}")

    async def _before(self, item: PageItem) -> _Before | None:
        known = await self._job.known.of(item.visit)
        return None if known is None or known.text is None else _Before(known.page, known.text)

    async def _compare(self, item: PageItem, before: _Before | None) -> None:
        if item.state == "unchanged":  # the server says so, of what we hold
            if before is None:
                item.state, item.reason = "failed", "unknown: 304 for a page that is not held"
            else:
                item.change = Change("unchanged", before.text.content_hash, before.text.content_hash)
            return
        assert item.converted is not None
        markdown = clean(item.converted.markdown)
        digest_now = content_hash(markdown)
        if before is None:
            item.change = Change("new", digest_now)
        elif before.page.gone_at is not None:
            item.change = Change("modified", digest_now, before.text.content_hash)
        elif (why := await self._why_unchanged(item, before, digest_now)) is not None:
            item.change = Change("unchanged", before.text.content_hash, before.text.content_hash)
            item.state, item.reason = "unchanged", why
        elif len(markdown) < SUSPECT_SHARE * (before.page.body_chars or 0):
            share = 100 * len(markdown) // (before.page.body_chars or 1)
            item.state, item.reason = "failed", f"suspect: {share} % of its last text; held until a person accepts it"
        else:
            item.change = Change("modified", digest_now, before.text.content_hash)
        if item.change is not None:
            self._crawler.stats.inc_value(f"rori/change/{item.change.change_type}")

    async def _why_unchanged(self, item: PageItem, before: _Before, digest_now: str) -> str | None:
        """Why the page is the one that we hold, whatever differs in how it was fetched and converted."""
        held = before.text.content_hash
        try:
            hashes = {held, held if digest_now == held else await self._held_today(item, before)}
            if digest_now in hashes:
                return "the text is the one that we hold"
            if await self._former.shows(item, before.text, hashes):
                return f"by the tier {before.text.tier} the text is the one that we hold"
        except (JobStopped, NotOurs) as error:
            raise DropItem(str(error)) from error  # it stays pending
        return None

    async def _held_today(self, item: PageItem, before: _Before) -> str:
        """The hash of the bytes that we hold, converted as we convert today."""
        if before.text.converter_version == CONVERTER_VERSION:
            return before.text.content_hash
        raw = await self._job.in_thread(lambda: self._job.store.get_object(before.text.raw_object))
        url = item.fetched.final_url if item.fetched else item.visit.url
        body, content_type = restore(
            before.text.tier, raw, item.fetched.header("Content-Type") if item.fetched else None, url
        )
        source = self._job.catalog.source(item.visit.source_id)
        try:
            again = await converted(self._job, body, url=url, content_type=content_type, source=source)
        except ConversionError:
            return before.text.content_hash
        return content_hash(clean(again.markdown))
