"""The spider of `scrapy map`: the walker of the source, for discovery only. No run, and nothing is staged."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from scrapy import Request
from scrapy.exceptions import DropItem
from scrapy.http import Response
from sqlalchemy import Connection
from twisted.python.failure import Failure

from rori_spiders.content.html import links as html_links
from rori_spiders.crawl.adhoc.base_spider import AdHocSpider, RequestLog
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import run_visit, update_request
from rori_spiders.crawl.preview.map_inventory import MapEntry, MapInventory
from rori_spiders.crawl.runs.run import Run
from rori_spiders.crawl.tiers.official.registry import is_single_page
from rori_spiders.crawl.walkers import Walker, make_walker
from rori_spiders.exceptions import ConversionError, JobStopped, RoriError
from rori_spiders.items import FrontierUrl, PageItem
from rori_spiders.ledger.pages import page_history
from rori_spiders.ledger.runs import tier_memory
from rori_spiders.ledger.runs.frontier import IN_LEDGER
from rori_spiders.manifest.models import Source
from rori_spiders.manifest.scope import Scope
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import normalise_url, origin_of

logger = logging.getLogger(__name__)


__all__ = ["MapEntry", "MapInventory", "MapRequest", "MapSpider"]


# The spider of ``scrapy map``: the source's own walker, asked for discovery alone. No run, and nothing is staged. It
# goes through the gates of a collection: addresses, leases, pace, robots.txt, scope, tiers, budgets. The walker says
# what a page leads to; here is decided which of that the map asks for itself. It writes to the ledger its leases,
# with what was learnt of the groups, what providers cost, and its requests (``log.py``).

#: Pages of contents that a start page may name: one is usual, handbooks in parts have two or three.
MAX_CONTENTS_PAGES = 5


@dataclass(frozen=True, slots=True)
class MapRequest:
    """The request for a map: pages up to *depth* links from the start; without *links*, only pages from sitemaps."""

    source: Source
    actor: str
    depth: int = 0
    links: bool = True

    @property
    def mapped_source(self) -> Source:
        """The source, without links where the map wants none."""
        if self.links:
            return self.source
        config = self.source.scrape_config.model_copy(update={"follow_links": False})
        return self.source.model_copy(update={"scrape_config": config})


class MapSpider(AdHocSpider):
    """Fills *inventory* with what *wanted* leads to; calls *report* with it and the number of requests after each."""

    name = "map"

    def __init__(
        self,
        *args: Any,
        wanted: MapRequest,
        inventory: MapInventory,
        report: Callable[[MapInventory, int], None],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.inventory = inventory
        self._wanted = wanted
        self._report = report
        self._contents: set[str] = set()
        self._walker: Walker
        self._log: RequestLog

    # --- the beginning --------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Request]:
        if not await self.opened():
            return
        try:
            begun = await self._begin(self._wanted.mapped_source)
        except RoriError as error:
            self.job.refused = error
            return
        if begun is None:
            return
        for request in self._taken(begun):
            yield request

    async def _begin(self, source: Source) -> list[FrontierUrl] | None:
        """The walker's first visits, once the leases are ours; None when they are another job's."""
        scope = Scope(source)
        # Of single pages nothing is asked: what is fetched stands in the manifest.
        hosts = () if is_single_page(source) else scope.hosts
        groups = sorted({self.job.manifests.group(host) for host in hosts})
        for group in groups:
            if (why_not := await self.job.leasing.hold(group)) is not None:
                self.job.locked_sources[source.id] = why_not
                return None
        version = self.job.manifests.catalog.loaded_of(source.id).manifest.version
        remembered, self.inventory.held = await self.job.storage.read(lambda conn: self._known(conn, source.id))
        now = self.job.now()
        run = Run(str(uuid4()), source, scope, version, now, is_in_ledger=False, remembered_tiers=remembered)
        self.inventory.run = self.job.runs[run.run_id] = run
        self._log = RequestLog(self.job, source.id, self._wanted.actor, action="map")
        self._walker = make_walker(self.crawler, run)
        found = run.frontier.classify(self._walker.start())
        self.inventory.excluded(found.excluded)
        return found.accepted

    def _known(self, conn: Connection, source_id: str) -> tuple[dict[str, str], dict[str, str]]:
        return tier_memory.remembered_tiers(conn, source_id, now=self.job.now()), page_history.held_urls(
            conn, source_id
        )

    def _taken(self, visits: list[FrontierUrl]) -> Iterator[Request]:
        """All of *visits* are known now; gives the requests for those that the map asks for itself."""
        own_requests = [visit for visit in visits if self._asks_for(visit)]
        self.inventory.discovered(visits)
        self.inventory.discovered(own_requests, is_requested=True)
        for visit in own_requests:
            made = self._walker.request(visit)
            update_request(made, is_unconditional=True)
            yield made.replace(callback=self.parse, errback=self.fail)

    def _asks_for(self, visit: FrontierUrl) -> bool:
        if visit.kind != "page":
            return True
        if self._wanted.source.method != "crawl":
            return False  # a wiki's lists are asked; the pages themselves are for a collection
        links = visit.depth + (visit.found_by == "next")  # which lies as deep as the page before it
        is_linked = visit.found_by in {"link", "next"} and links <= self._wanted.depth
        return visit.found_by == "start" or is_linked or visit.url in self._contents

    # --- answers --------------------------------------------------------------------------------------------------

    async def parse(self, response: Response) -> AsyncIterator[Request]:
        request = response.request
        assert request is not None
        try:
            outputs = [output async for output in self._walker.parse(response)]
        except JobStopped:
            return  # it stays unanswered
        except Exception as error:
            logger.exception("Failed to read %(url)s; the map continues without it", {"url": response.url})
            reason = Reason.of_error(error, ReasonCode.WALKER_ERROR)
            outputs = [PageItem(run_visit(request), "failed", reason, at=self.job.now())]
        for further in await self._note(outputs):
            yield further

    async def fail(self, failure: Failure) -> list[Request]:
        return await self._note(await self._walker.fail(failure))

    async def _note(self, outputs: list[PageItem | Request]) -> list[Request]:
        """Keep what an answer says; gives the requests of what the map asks for next."""
        run = self.inventory.run
        assert run is not None
        item = next((one for one in outputs if isinstance(one, PageItem)), None)
        if item is None:
            return []  # its group is not ours any more, or a stop cut it short
        run.frontier.settle(item.visit, item.state, changed=False)
        self.inventory.ended(item)
        with suppress(ConversionError, ValueError, OSError, JobStopped):
            await self._read(item)
        with suppress(DropItem), self.job.stopping_on_write_errors():
            await self._log.note(item)
        self.tell_url_ended(item)
        further = list(self._taken(list(item.discovered)))
        self._report(self.inventory, self._log.request_count)
        return further

    async def _read(self, item: PageItem) -> None:
        """What a page says of itself and of others, beside that they are there."""
        facts = item.fetched
        if facts is None or item.state != "captured" or not facts.body or item.visit.kind != "page":
            return
        content_type = facts.header("Content-Type")
        links = await self.job.workers.run(
            len(facts.body), html_links.read, facts.body, url=facts.final_url, content_type=content_type
        )
        self.inventory.says(item.visit.url, links)
        if item.visit.found_by == "start" and self._wanted.links:
            self._contents.update(normalise_url(url) for url in links.contents[:MAX_CONTENTS_PAGES])

    # --- the end --------------------------------------------------------------------------------------------------

    async def closing(self, reason: str) -> None:
        run = self.inventory.run
        if run is None:
            return
        if reason != "finished":
            run.limits.stop(Reason(ReasonCode.STOPPED, error="shutdown requested"))
        self.inventory.changed(self._walker.lastmods)
        finish_inventory(self.inventory, run, self.job)
        await self._log.note_robots()
        await self._log.write()


# What is known once all has been asked: pages that robots.txt forbids, pages held and not met.


def finish_inventory(inventory: MapInventory, run: Run, job: Job) -> None:
    """Bring *inventory* to its end: what robots.txt closes, pages that are held and that nothing led to."""
    inventory.excluded(run.frontier.exclude_deferred())
    if run.source.method == "crawl":
        inventory.discovered(_unlinked_pages(inventory, run))
    for entry in inventory.pages:
        file = job.robots.get(origin_of(entry.url))
        is_open = file is None or file.outcome == "unavailable" or file.allows(entry.url)
        if entry.state == "collect" and not is_open:
            entry.state, entry.reason = "excluded", Reason(ReasonCode.ROBOTS_DISALLOWED, target_url=entry.url)
    inventory.finish()


def _unlinked_pages(inventory: MapInventory, run: Run) -> Iterator[FrontierUrl]:
    """The pages that are held, and that nothing led to: a collection asks for them as well."""
    for key, url in inventory.held.items():
        if key not in run.frontier.known and run.scope.excludes(url) is None and url not in inventory.entries:
            yield FrontierUrl(run.run_id, run.source_id, url, found_by=IN_LEDGER)
