"""A page that came by another tier than the text that we hold: the former tier is asked once, before it is a change.

A browser, an API and plain HTTP show the same page in other words: that is no change of the page (DESIGN §4.3).
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, cast

from scrapy.http.request import NO_CALLBACK

from rori_spiders.content.changes import content_hash
from rori_spiders.envelope import clean
from rori_spiders.exceptions import ConversionError, JobStopped
from rori_spiders.items import Attempt
from rori_spiders.job import Job
from rori_spiders.ledger import history
from rori_spiders.pipelines.convert import converted
from rori_spiders.refusals import NotOurs
from rori_spiders.tiers import rungs
from rori_spiders.urls import host_of
from rori_spiders.walkers import outcomes

if TYPE_CHECKING:
    from collections.abc import Container

    from scrapy import Request
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from rori_spiders.items import Fetched, PageItem
    from rori_spiders.ledger.known import Text

logger = logging.getLogger(__name__)


class FormerTier:
    """Of all pages of one crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._job = Job.of(crawler)

    async def shows(self, item: PageItem, text: Text, hashes: Container[str]) -> bool:
        """Whether the tier of *text* still shows it: a text of one of *hashes*. The try stands among the item's.

        False where that tier cannot say: it is not allowed or not here any more, it was tried for the page already, or
        it fails now. Raises JobStopped and NotOurs.
        """
        facts, request = item.fetched, cast("Request | None", item.request)
        if facts is None or request is None or facts.tier == text.tier:
            return False
        if text.tier in {attempt.tier for attempt in item.attempts} or text.tier not in request.meta.get("ladder", ()):
            return False
        if await self._job.read(lambda conn: _was_the_same(conn, text, facts)):
            return True
        answer = await self._ask(request, text.tier, item)
        if answer is None:
            return False
        return answer.status == 304 or await self._hash(answer, item) in hashes

    async def _ask(self, request: Request, tier: str, item: PageItem) -> Fetched | None:
        again = rungs.by(tier, request, ladder=(tier,), former=True).replace(callback=NO_CALLBACK, errback=None)
        group = self._job.group(host_of(again.url))
        await self._job.unless_stopped(asyncio.sleep(self._job.politeness.due_in(group)))
        facts, verdict, reason = None, None, ""
        try:
            response = await self._crawler.engine.download_async(again)
        except (NotOurs, JobStopped):
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        else:
            facts = outcomes.fetched(response, self._job.now())
            found = response.request.meta.get("verdict") if response.request is not None else None
            verdict = None if found is None else found.kind
        tried = Attempt(
            tier,
            self._job.now(),
            None if facts is None else facts.status,
            verdict,
            f"asked to tell a change of the page from one of the tier{reason and ': '}{reason}",
            0 if facts is None else facts.response_time_ms,
            0 if facts is None else facts.credits,
        )
        item.attempts = (*item.attempts[:-1], tried, *item.attempts[-1:])
        self._crawler.stats.inc_value("rori/change/former_tier_asked")
        is_page = facts is not None and (facts.status == 304 or verdict == "content")
        return facts if is_page else None

    async def _hash(self, facts: Fetched, item: PageItem) -> str | None:
        kind, source = facts.header("Content-Type"), self._job.catalog.source(item.visit.source_id)
        try:
            page = await converted(self._job, facts.body, url=facts.final_url, content_type=kind, source=source)
        except ConversionError:
            return None
        return content_hash(clean(page.markdown))


def _was_the_same(conn: Connection, text: Text, facts: Fetched) -> bool:
    """Whether these very bytes by this tier were found to be the same page before, since we hold its text."""
    known = history.validators(conn, text.page_id, facts.tier)
    return known is not None and known.raw_hash == facts.raw_hash and known.seen_at > text.captured_at
