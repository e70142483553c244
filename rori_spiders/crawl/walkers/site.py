"""`method: crawl`: a site, by its sitemaps and by the links inside the source's patterns.

A sitemap adds pages; it never replaces links. The start page comes first, then the sitemaps (the source's own, those of
robots.txt, or at the usual places). Links wait until the sitemaps have been read, so that a page's depth and dates do
not depend on which answers first. With `follow_links: false` each link is excluded with that reason. A provider's map
(`provider_map`) adds pages, too. Where the start URL is itself a sitemap or a feed, it says what the source is: without
include_patterns nothing else of the site is asked for.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from rori_spiders.crawl.page_request import exchange, page_request, run_visit, update_request
from rori_spiders.crawl.tiers.order import HTTP
from rori_spiders.crawl.walkers import page_links, url_lists
from rori_spiders.crawl.walkers.base import Walker
from rori_spiders.crawl.walkers.page_links import canonical_to_fetch_first
from rori_spiders.crawl.walkers.url_lists import ClassifiedUrls, ProviderMap, SitemapDiscovery
from rori_spiders.items import Attempt, FrontierUrl, ListedUrls
from rori_spiders.ledger.pages import page_state
from rori_spiders.ledger.runs import frontier
from rori_spiders.ledger.runs.frontier import ALTERNATE, IN_LEDGER, LIST_CODES, NEXT
from rori_spiders.manifest.scope import path_depth
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls import crawler_traps, sitemap_reader
from rori_spiders.urls.canonical import normalise_url, url_hash
from rori_spiders.urls.list_marks import ListMarks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from sqlalchemy import Connection

    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.items import PageItem
    from rori_spiders.ledger.runs.frontier import ReadPage, UrlRow

_RESUME_BATCH_SIZE = 1000
#: Below what all sources' pages have (`base.py`).
_LAST = -1
#: The longest that is a date: ``Wed, 01 May 2024 10:00:00 +0000`` has 31.
_LASTMOD_CHARS = 40


class SiteWalker(Walker):
    """A page is known by the URL at which it answers: one that redirects is excluded, and leads to its target."""

    stores_pages = True

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        self._map = ProviderMap(crawler, self.job, run)
        self._sitemaps = SitemapDiscovery(self.job, run)
        self._targets: dict[str, str] = {}  # of URLs that redirect
        self._contents: set[str] = set()  # pages that others name as their table of contents
        self._follow: bool | None = None  # whether links are followed; None: they wait for the sitemaps to be read
        self._held: list[FrontierUrl] = []  # links that wait for that
        self._capped: list[tuple[FrontierUrl, Reason]] = []  # excluded, and not recorded yet
        self._starts_with_list = False  # a sitemap or feed, which says what there is
        run.frontier.limit_pages(self.job.settings.getint("RORI_MAX_PAGES"))

    async def resume(self, pending: list[FrontierUrl]) -> list[FrontierUrl]:
        """Sitemaps that were not read are pending like pages; the links of pages that were are found again."""
        await self._map.recall()
        starts = await self.job.storage.read(partial(self._found_urls, found_by=("start",)))
        for row in starts:
            self._start_at(row.url)
            self._starts_with_list = row.reason_code in LIST_CODES
            if self._starts_with_list or row.reason_code == ReasonCode.COLLECTED_BY:
                self._follow = self.run.source.scrape_config.follow_links
        if self._starts_with_list:
            named = await self.job.storage.read(partial(self._found_urls, found_by=("feed", "sitemap")))
            self.run.scope.limit_to(row.url for row in named)
        sitemaps = await self.job.storage.read(partial(frontier.count_sitemaps, run_id=self.run.run_id))
        links = await self._find_stored_links()
        self._sitemaps.restore(pending, sitemaps if links is not None else None)
        if links is None:
            return await super().resume(pending)  # nothing has been read: it goes on as if it were new
        if not sitemaps.known:
            return [*self._first_sitemaps(), *self._held_or_followed(links)]
        self._held += links
        return self._release_links() if self._sitemaps.are_read else []

    def _found_urls(self, conn: Connection, found_by: tuple[str, ...]) -> list[UrlRow]:
        return list(frontier.stream_found_urls(conn, self.run.run_id, found_by))

    async def _find_stored_links(self) -> list[FrontierUrl] | None:
        """The links of pages that were read which the run does not know yet, by the shortest way; None: none was read.

        Some pages at a time: all links of a large site are millions, and the ledger's thread also renews leases.
        """
        nearest: dict[str, FrontierUrl] = {}
        last: str | None = None
        while some := await self.job.storage.read(
            partial(frontier.load_read_pages, run_id=self.run.run_id, after=last or "", limit=page_state.BATCH_SIZE)
        ):
            for visit in await self.job.storage.read(partial(self._stored_links, settled=some)):
                if url_hash(visit.url) not in self.run.frontier.known:
                    nearest[visit.url] = min(visit, nearest.get(visit.url, visit), key=lambda one: one.depth)
            last = some[-1].url_hash
        return None if last is None else sorted(nearest.values(), key=lambda one: one.depth)

    def _stored_links(self, connection: Connection, settled: list[ReadPage]) -> list[FrontierUrl]:
        urls = [row.url for row in settled]
        links_of_url = page_state.load_links(connection, self.run.source_id, urls)
        next_urls = page_state.load_next_urls(connection, self.run.source_id, urls)
        return [
            self.visit(url, depth=row.depth + (url != next_urls.get(row.url)), found_on=row.url, found_by=IN_LEDGER)
            for row in settled
            for url in links_of_url.get(row.url, ())
        ]

    async def parse(self, response: Response) -> AsyncIterator[PageItem | Request]:
        request = response.request
        assert request is not None
        is_stored = exchange(request).known_bytes is not None
        if self.run.is_in_ledger and not page_request(request).is_put_back and not is_stored:
            visit = run_visit(request)
            if (url := await canonical_to_fetch_first(self.job, self.run, response, visit)) is not None:
                async for one in self._after(url, response, visit):
                    yield one
                return
        async for output in super().parse(response):
            yield output

    async def _after(self, url: str, response: Response, visit: FrontierUrl) -> AsyncIterator[Request]:
        """The page at *url*, unless it is out already, and *visit* again, when nothing else is left to ask."""
        link = replace(visit, url=url, found_on=visit.url, found_by="link")
        found = self.run.frontier.classify([link])
        self._capped += found.excluded
        for first in found.accepted or await self._load_stored(link):
            request = self.request(first)
            yield request.replace(priority=request.priority + 1)
        again, reason = self.request(visit), Reason(ReasonCode.PUT_BACK, target_url=url)
        assert response.request is not None
        ms, before = exchange(response.request).response_ms, page_request(response.request).attempts
        made = Attempt(HTTP, self.job.now(), response.status, "content", reason, ms)
        update_request(again, is_put_back=True, attempts=(*before, made))
        yield again.replace(priority=_LAST)

    async def _load_stored(self, link: FrontierUrl) -> list[FrontierUrl]:
        """The visit of the page that *link* leads to, if it waits in the ledger: requests are made for it now."""
        if not self.run.frontier.is_stored(url_hash(link.url)):
            return []
        find = partial(frontier.find_pending_url, run_id=self.run.run_id, url=link.url)
        found: FrontierUrl | None = await self.job.storage.read(find)
        return self.run.frontier.load([found or link])  # it may not be recorded yet

    async def leads_to(self, item: PageItem) -> list[FrontierUrl]:
        found = await self._urls_from(item)
        item.excluded, self._capped = (*item.excluded, *self._capped), []
        return found

    async def _urls_from(self, item: PageItem) -> list[FrontierUrl]:
        if item.visit.kind == "sitemap":
            return await self._of_sitemap(item)
        if self.run.is_in_ledger:
            await url_lists.recall_list(self.job, item)
        if url_lists.is_list_item(item):
            return await self._of_list(item)
        if frames := await page_links.find_frames(self.job, self.run.scope, item):
            return self._in_frames(item, frames)
        found = await self._leads(item)
        item.links, item.next_url = (*found.links, *found.routes), found.next_url
        # Most links of a site lead to pages that are known already; all of them are normalised.
        links = [self._linked(url, item) for url in found.links if url_hash(url) not in self.run.frontier.known]
        if item.alias_of is not None:
            return self._target(item, item.alias_of)
        if item.visit.found_by != "start":
            return self._held_or_followed(links)
        if item.reason.code == ReasonCode.COLLECTED_BY:
            # Its links are kept for the other source: none of them may wait for a job that goes on with the run.
            self._follow = self.run.source.scrape_config.follow_links
        if item.fetched is None and not self._sitemaps.of_robots():
            return []  # nobody answered, and nothing else is known of the site: the run fails with its start URL
        mapped = await self._of_map(item)
        feeds, excluded = self._sitemaps.sifted(
            await page_links.find_feeds(self.job, item), item.visit.url, 0, found_by=ALTERNATE
        )
        item.excluded = (*item.excluded, *excluded)
        return [*feeds, *self._first_sitemaps(item, feeds), *mapped, *self._held_or_followed(links)]

    def _linked(self, url: str, item: PageItem) -> FrontierUrl:
        """The visit of a page that *item* links. The next page of a list lies as deep as the one before it."""
        is_next = url == item.next_url
        found_by = NEXT if is_next else "contents" if url in self._contents else "link"
        depth = item.visit.depth + (not is_next)
        return FrontierUrl(
            self.run.run_id, self.run.source_id, url, depth=depth, found_on=item.visit.url, found_by=found_by
        )

    def _target(self, item: PageItem, url: str) -> list[FrontierUrl]:
        """The page that a URL redirects to, at its own place in the queue."""
        self._targets[item.visit.url] = normalise_url(url)
        if self._leads_back(item.visit.url):
            item.state, item.alias_of = "failed", None
            item.reason = Reason(ReasonCode.REDIRECT_LOOP, rule="the page redirects to itself")
            return []
        is_start = item.visit.found_by == "start"
        if is_start:
            self._start_at(url)
        return self.follow_redirect(item, url, is_scoped=not is_start)

    def _start_at(self, url: str) -> None:
        """Take in what lies around the page at *url*, to which the start URL leads."""
        self.run.scope.widen(url)
        self.run.frontier.start_at(normalise_url(url))
        self._sitemaps.start_at(normalise_url(url))

    def _leads_back(self, start: str) -> bool:
        passed, url = {start}, self._targets[start]
        while url in self._targets and url not in passed:
            passed.add(url)
            url = self._targets[url]
        return url == start

    # --- links ----------------------------------------------------------------------------------------------------

    async def _leads(self, item: PageItem) -> page_links.PageLinks:
        """Where a page leads, as it was read now or when it was last read."""
        if item.state == "unchanged":
            held = await self.job.page_states.of(item.visit)
            if held is None:
                return page_links.PageLinks()
            self.exclude_routes(item, held.routes)
            return page_links.PageLinks(held.links, routes=held.routes, next_url=held.page.next_url)
        if item.state != "captured" or item.fetched is None:
            return page_links.PageLinks()
        found = await page_links.find_page_links(self.job, self.run.scope, item)
        self._contents |= found.contents
        self._note_next_outside(item, found.next_outside)
        # Placeholders are settled like everything a page leads to, but are not links of it.
        unfilled = Reason(ReasonCode.CRAWLER_TRAP, rule=crawler_traps.UNFILLED_PLACEHOLDER)
        for url in found.unrendered:
            self.exclude(item, self.visit(url, found_on=item.visit.url, found_by="link"), unfilled)
        self.exclude_routes(item, found.routes)
        return found

    def _note_next_outside(self, item: PageItem, url: str | None) -> None:
        """Record where the source's own patterns end a list that is split over pages."""
        with suppress(ValueError):
            visit = self._linked(normalise_url(url), item) if url is not None else None
            reason = self.run.scope.excludes(visit.url) if visit is not None else None
            if visit is not None and reason is not None:
                self.exclude(item, visit, reason)

    def _in_frames(self, item: PageItem, frames: tuple[str, ...]) -> list[FrontierUrl]:
        """A page that is nothing but frames is read in them; the first stands for it where a run began with it."""
        item.state, item.reason = "excluded", Reason(ReasonCode.ONLY_FRAMES, target_url=frames[0])
        if item.visit.found_by == "start":
            self.run.scope.widen(frames[0])
        first, *others = (replace(item.visit, url=url, hops=item.visit.hops + 1) for url in frames)
        return [first, *(replace(other, found_on=item.visit.url, found_by="link") for other in others)]

    def _held_or_followed(self, links: list[FrontierUrl]) -> list[FrontierUrl]:
        """Those of *links* to ask now: none until the sitemaps have been read, none without `follow_links`."""
        if self._follow:
            return links
        if self._follow is None:
            self._held += links
        else:
            off = Reason(ReasonCode.LINKS_NOT_FOLLOWED)
            self._capped += [(link, off) for link in links if self.run.frontier.exclude(link)]
        return []

    # --- sitemaps -------------------------------------------------------------------------------------------------

    def _first_sitemaps(self, item: PageItem | None = None, feeds: Sequence[FrontierUrl] = ()) -> list[FrontierUrl]:
        """The sitemaps to read first, beside *feeds*; without any, links are followed at once.

        *item* notes those that are not read.
        """
        visits, excluded = self._sitemaps.first()
        if item is not None:
            item.excluded = (*item.excluded, *excluded)
        return visits or ([] if feeds else self._release_links())

    async def _of_sitemap(self, item: PageItem) -> list[FrontierUrl]:
        """The sitemaps and pages that a sitemap names; after the last one, what follows from all of them."""
        found = await self._sitemaps.read(item)
        if self._starts_with_list:
            self.run.scope.limit_to(found.pages)
        if not self.run.is_in_ledger:
            self.lastmods |= found.lastmods
        listed = self._listed(item) if found.sitemaps or found.pages else None
        visits, excluded = self._sifted(item, found.sitemaps, listed, found_by="sitemap")
        item.excluded = (*item.excluded, *excluded)
        found_by = "feed" if item.visit.found_by == NEXT else "sitemap"
        pages = await self._named(item, found.pages, found_by=found_by, lastmods=found.lastmods, listed=listed)
        if item.visit.found_by != ALTERNATE:  # a feed names the newest pages alone
            self._sitemaps.count_pages(len(pages))
        visits += self._further_pages(item, found)
        if not self._sitemaps.are_read:
            return [*visits, *pages]
        further, excluded = ([], []) if self._starts_with_list else self._sitemaps.further(item)
        item.excluded = (*item.excluded, *excluded)
        return [*visits, *pages, *(further or self._release_links())]

    async def _of_list(self, item: PageItem) -> list[FrontierUrl]:
        """The pages that a sitemap or feed at a page's place names; one at the start URL says what the source is."""
        found = await self._sitemaps.read(item)
        is_start = item.visit.found_by == "start"
        if is_start and item.state == "excluded":
            self._starts_with_list = True
            self.run.scope.limit_to((*found.pages, *found.sitemaps))
        listed = self._listed(item) if found.sitemaps or found.pages else None
        visits, excluded = self._sifted(item, found.sitemaps, listed, found_by="feed")
        item.excluded = (*item.excluded, *excluded)
        pages = await self._named(item, found.pages, found_by="feed", lastmods=found.lastmods, listed=listed)
        visits += self._further_pages(item, found)
        return [*visits, *pages, *(self._release_links() if is_start and not visits else ())]

    def _further_pages(self, item: PageItem, found: sitemap_reader.Sitemap) -> list[FrontierUrl]:
        """Where a feed that is split over pages goes on, as deep as it: unless it names nothing, as behind its last."""
        if not found.pages:
            return []
        found_by = ALTERNATE if item.visit.found_by == ALTERNATE else NEXT
        visits, excluded = self._sitemaps.sifted(found.further, item.visit.url, item.visit.depth, found_by=found_by)
        item.excluded = (*item.excluded, *excluded)
        return visits

    async def _of_map(self, item: PageItem) -> list[FrontierUrl]:
        """The pages that a provider's map of the site names, which is kept as a sitemap in plain text."""
        urls = [url for url in await self._map.urls(item) if url.startswith(("http://", "https://"))]
        body = "\n".join(urls).encode()
        listed = self._listed(item, body) if urls else None
        named = sitemap_reader.read_sitemap(body, item.visit.url).pages if urls else ()
        return await self._named(item, named, found_by="map", listed=listed)

    def _sifted(
        self, item: PageItem, urls: Iterable[str], listed: ListedUrls | None, *, found_by: str
    ) -> ClassifiedUrls:
        marks = listed.marks if listed is not None else None
        return self._sitemaps.sifted(urls, item.visit.url, item.visit.depth + 1, found_by=found_by, marks=marks)

    def _listed(self, item: PageItem, body: bytes | None = None) -> ListedUrls | None:
        """Where what the list in *item*, or in *body*, names outside the scope is counted.

        None where each such URL is noted by itself: of a map of the site, and of a list whose bytes are not kept.
        """
        if self.run.is_in_ledger and (body is not None or not item.is_withheld):
            item.listed = ListedUrls(ListMarks(), body)
        return item.listed

    async def _named(
        self,
        item: PageItem,
        urls: Iterable[str],
        *,
        found_by: str,
        lastmods: Mapping[str, str] | None = None,
        listed: ListedUrls | None = None,
    ) -> list[FrontierUrl]:
        """Of the pages that *item* or a map of its site names, those in scope; *listed* or *item* notes the others."""
        changed = lastmods or {}
        visits: list[FrontierUrl] = []
        excluded: list[tuple[FrontierUrl, Reason]] = []
        for number, url in enumerate(urls, 1):
            if number % _RESUME_BATCH_SIZE == 0:
                await asyncio.sleep(0)  # there may be 50,000, for which the network must not wait
            try:
                lastmod = changed.get(url, "")[:_LASTMOD_CHARS] or None
                depth = 0 if found_by == "feed" else path_depth(self.run.source.url, url)
                visit = self.visit(url, depth=depth, found_on=item.visit.url, found_by=found_by, lastmod=lastmod)
            except ValueError:
                visit = None
            reason = self.run.scope.excludes(visit.url) if visit is not None else None
            if visit is not None and reason is None:
                visits.append(visit)
            if listed is not None and (visit is None or reason is None):
                listed.marks.keep(has_row=visit is not None and self.job.redactor.url(visit.url) == visit.url)
            if visit is None or reason is None:
                continue
            is_new = self.run.frontier.exclude(visit)
            if listed is not None:
                listed.marks.exclude("page", reason, is_new=is_new)
            elif is_new:
                excluded.append((visit, reason))
        item.excluded = (*item.excluded, *excluded)
        return visits

    def _release_links(self) -> list[FrontierUrl]:
        """All sitemaps have been read: ask for the links that waited, unless the source follows none."""
        self._follow = self.run.source.scrape_config.follow_links
        held, self._held = self._held, []
        return self._held_or_followed(held)
