"""The base of all walkers: a request for each URL, and the item that ends it; and the walker of `method: scrape`, a
single page.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from scrapy import Request

from rori_spiders.content.html.links import PAGER_ROUTE, REST_ROUTE
from rori_spiders.crawl.job.job import Job
from rori_spiders.crawl.page_request import PageRequest, exchange, request_meta
from rori_spiders.crawl.tiers.builders import build_tiers
from rori_spiders.crawl.tiers.mediawiki.titles import is_page_url
from rori_spiders.crawl.tiers.order import remembered_tier, tier_order_for_page, tier_order_for_sitemap
from rori_spiders.crawl.tiers.refusals import NotOurs
from rori_spiders.crawl.walkers import echoed_secrets, page_items, page_links, url_lists
from rori_spiders.items import RANK_MISSING, RANK_NEW, FrontierUrl, ListedUrls, PageItem
from rori_spiders.ledger.runs.frontier import NEXT
from rori_spiders.manifest.headers import headers_for
from rori_spiders.reasons import Reason, ReasonCode
from rori_spiders.urls.canonical import host_of, normalise_url, route_of
from rori_spiders.urls.list_marks import ListMarks
from rori_spiders.urls.sitemap_reader import MAX_SITEMAPS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from rori_spiders.crawl.runs.run import Run
    from rori_spiders.urls.sitemap_reader import Sitemap


_SOURCE_PRIORITIES = {"high": 20, "medium": 10, "low": 0}
#: Of one source's pages; below what sets its pages above those of another.
_FIRST_PRIORITY = 5
_MISSING_PRIORITY = -50
#: Redirects in a row that are followed: as REDIRECT_MAX_TIMES for single pages.
MAX_HOPS = 5


class Walker:
    """Walks one run. Subclasses say where to start and what a page leads to."""

    #: Whether pages that we hold and that nothing led to are asked for at the end of a run.
    revisits = True
    #: Whether only RORI_MAX_QUEUED_PAGES have requests, some kilobytes each, and the others wait in the ledger. A
    #: walker that makes one request for many pages has all of them at hand.
    stores_pages = False

    def __init__(self, crawler: Crawler, run: Run) -> None:
        self.job = Job.of(crawler)
        self.run = run
        if self.stores_pages and run.is_in_ledger:
            run.frontier.limit_requests(self.job.settings.getint("RORI_MAX_QUEUED_PAGES"))
        self.lastmods: dict[str, str] = {}  # of a map: what sitemaps say of pages, found by them or not
        self._tiers = build_tiers(crawler).order

    # --- what subclasses say ---------------------------------------------------------------------------------------

    def start(self) -> list[FrontierUrl]:
        """The first visits of a new run."""
        return [self.visit(self.run.source.url)]

    async def resume(self, pending: list[FrontierUrl]) -> list[FrontierUrl]:
        """The visits that a run which goes on needs beside those that an earlier job left *pending*."""
        return [] if pending else self.start()

    async def leads_to(self, item: PageItem) -> list[FrontierUrl]:
        """The visits that a URL leads to, at its end. May set ``item.links`` and ``item.excluded``."""
        return []

    def request_details(self, visit: FrontierUrl) -> dict[str, Any]:
        """What this method's `PageRequest` says beyond the rest."""
        return {}

    # --- what they share -------------------------------------------------------------------------------------------

    def visit(self, url: str, **facts: Any) -> FrontierUrl:
        """A visit of this run. Raises ValueError if it is not a URL."""
        return FrontierUrl(self.run.run_id, self.run.source_id, normalise_url(url), **facts)

    def exclude(self, item: PageItem, visit: FrontierUrl, reason: Reason) -> None:
        """Have *item* note that *visit* is excluded, unless the run knows its URL already."""
        if self.run.frontier.exclude(visit):
            item.excluded = (*item.excluded, (visit, reason))

    def exclude_routes(self, item: PageItem, routes: Iterable[str]) -> None:
        """Record what only scripts show, at addresses of its own: pages, without which a run is not complete, and the
        rest of lists.
        """
        for url in routes:
            page, route = self.visit(url, found_on=item.visit.url, found_by="link"), route_of(url)
            if route.startswith(PAGER_ROUTE) and self.run.source.scrape_config.interactions:
                continue  # its steps turn the pages of the list
            note = unquote(route.removeprefix(REST_ROUTE)) if route.startswith(REST_ROUTE) else ""
            left = Reason(ReasonCode.LIST_IN_PART, note=note) if note else Reason(ReasonCode.SCRIPT_ROUTE)
            reason = self.run.scope.excludes_route(page.url, route) or left
            self.exclude(item, replace(page, url=f"{page.url}{route}"), reason)

    def follow_redirect(self, item: PageItem, url: str, *, is_scoped: bool = True) -> list[FrontierUrl]:
        """The visit of the page that *item* redirects to; none, and why, where it leads too far or out of scope."""
        if item.visit.hops >= MAX_HOPS:
            item.state, item.reason = "failed", Reason(ReasonCode.MANY_REDIRECTS, limit=MAX_HOPS)
            return []
        reason = self.run.scope.excludes(url) if is_scoped else None
        if reason is not None:
            item.reason = Reason(ReasonCode.REDIRECTED_OUT_OF_SCOPE, target_url=url, rule=str(reason))
            return []
        return [replace(item.visit, url=normalise_url(url), hops=item.visit.hops + 1)]

    def request(self, visit: FrontierUrl) -> Request:
        """The request for *visit*, by the tier that last worked for its kind, else the first of its tier order.

        Sitemaps go before pages; of these, first those that may bring something new.
        """
        self.job.page_states.expect(visit)
        headers = headers_for(self.run.source, visit.url)
        order = self.tier_order(visit)
        remembered = remembered_tier(visit.url, self.run.tiers.remembered) if visit.kind == "page" else None
        is_remembered = remembered in order[1:]
        page = PageRequest(
            visit,
            tier=(remembered if is_remembered else next(iter(order), None)) or "",
            tier_order=order,
            own_headers=tuple(headers),
            is_remembered_tier=is_remembered,
            **self.request_details(visit),
        )
        return Request(
            visit.url,
            callback=self.parse,
            errback=self.fail,
            headers=headers,
            meta=request_meta(page),
            priority=self._priority(visit),
            dont_filter=True,  # the frontier knows each URL once
        )

    def _priority(self, visit: FrontierUrl) -> int:
        if visit.kind == "sitemap":
            return 100
        if visit.rank == RANK_MISSING:
            return _MISSING_PRIORITY
        own = _SOURCE_PRIORITIES[self.run.source.effective_priority]
        return own + (_FIRST_PRIORITY - visit.rank if visit.rank <= RANK_NEW else 0)

    def tier_order(self, visit: FrontierUrl) -> tuple[str, ...]:
        """The tiers for *visit*, cheapest first; none, when only tiers are allowed that are not here."""
        if visit.kind != "page":
            return tier_order_for_sitemap(visit.url, self.job.manifests.catalog)
        return tier_order_for_page(
            visit.url, self.run.source, self.job.manifests.catalog, self._tiers, has_api=self.has_api(visit)
        )

    def has_api(self, visit: FrontierUrl) -> bool:
        """Whether the page is a wiki's, whose api.php is known."""
        return self.job.manifests.catalog.api_url(host_of(visit.url)) is not None and is_page_url(visit.url)

    async def parse(self, response: Response) -> AsyncIterator[PageItem | Request]:
        """Callback of every request of the run."""
        request = response.request
        assert request is not None
        facts = page_items.build_fetched(response, exchange(request).fetched_at or self.job.now())
        item = page_items.item_from_response(facts, request)
        item.request = request
        if (expect := self.run.source.scrape_config.expect) is not None:
            page_items.explain_unmet_expectation(item, expect)
        repeats = await echoed_secrets.withhold_echo(self.job, item)
        if not repeats:
            exchange(request).item = item
        outputs = await self.finish(item)
        if repeats:
            echoed_secrets.discard_body(item)
        for output in outputs:
            yield output

    async def fail(self, failure: Failure) -> list[PageItem | Request]:
        """Errback of every request of the run."""
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy binds it
        if isinstance(failure.value, NotOurs):
            self.run.limits.stop(failure.value.reason.extended(ReasonCode.LEASE_LOST))
        item = page_items.item_from_error(failure.value or RuntimeError("no error"), request, self.job.now())
        return [] if item is None else await self.finish(item)

    async def finish(self, item: PageItem) -> list[PageItem | Request]:
        """The item, which knows what it discovered, and the requests for it; a map makes its own, of few of them."""
        found, secret = echoed_secrets.split_secret_urls(await self.leads_to(item), self.job.redactor)
        new = self.run.frontier.classify(found)
        item.links = echoed_secrets.without_secrets(item.links, self.job.redactor)
        secret_ones = [(visit, Reason(ReasonCode.SECRET_IN_URL)) for visit in secret]
        item.excluded = (*self._redacted([*item.excluded, *secret_ones]), *new.excluded)
        if not self.run.is_in_ledger:
            item.discovered = tuple(new.accepted)
            return [item]
        item.discovered = (*new.accepted, *new.deferred)
        self.run.frontier.note_found(len(item.discovered))
        return [item, *await self.requests(self.run.frontier.admit(new.accepted))]

    async def requests(self, visits: Sequence[FrontierUrl]) -> list[Request]:
        """The requests that bring *visits*: one for each, unless a method knows a cheaper way.

        What goes first comes first here too: the engine may ask for the first before the queue knows of the others.
        """
        return sorted((self.request(visit) for visit in visits), key=lambda one: -one.priority)

    def _redacted(self, excluded: Iterable[tuple[FrontierUrl, Reason]]) -> Iterator[tuple[FrontierUrl, Reason]]:
        """*excluded* as it may be recorded; one of several that now read the same."""
        redact = self.job.redactor.url
        for visit, reason in excluded:
            url = redact(visit.url)
            if url == visit.url:
                yield visit, reason.masked(redact)
            elif self.run.frontier.accept(shown := replace(visit, url=url)):
                self.run.frontier.settle(shown, "excluded", changed=False)
                yield shown, reason.masked(redact)


# `method: scrape`: one page, and the OpenAPI file that the source may name beside it; or the items of a feed.


class PageWalker(Walker):
    """The page keeps the URL of the manifest, wherever it redirects: that is where its history hangs.

    Where it is a feed or a sitemap, the pages in scope that it names are collected instead.
    """

    revisits = False
    stores_pages = True

    def __init__(self, crawler: Crawler, run: Run) -> None:
        super().__init__(crawler, run)
        run.frontier.limit_pages(self.job.settings.getint("RORI_MAX_PAGES"))

    def start(self) -> list[FrontierUrl]:
        swagger = self.run.source.swagger
        return [*super().start(), *([self.visit(swagger, depth=1, found_by="link")] if swagger else [])]

    async def leads_to(self, item: PageItem) -> list[FrontierUrl]:
        if not self.run.is_in_ledger:
            return []
        await url_lists.recall_list(self.job, item)
        if not url_lists.is_list_item(item):
            await self._note_rest(item)
            return []
        found = await url_lists.read_url_list(self.job, self.run, item)
        visits: list[FrontierUrl] = []
        marks = ListMarks()
        for kind, urls in (("sitemap", found.sitemaps), ("page", found.pages)):
            for url in urls:
                try:
                    visit = self.visit(url, kind=kind, found_on=item.visit.url, found_by="feed")
                except ValueError:
                    marks.keep(has_row=False)
                    continue
                if (reason := self.run.scope.excludes(visit.url)) is not None:
                    marks.exclude(kind, reason, is_new=self.run.frontier.exclude(visit))
                    continue
                visits.append(visit)
                marks.keep(has_row=self.job.redactor.url(visit.url) == visit.url)
        visits += self._further_pages(item, found)
        item.listed = ListedUrls(marks)  # its bytes are kept: of a page that repeats a secret nothing is read
        return visits

    async def _note_rest(self, item: PageItem) -> None:
        """Record the rest of a list of which the page shows a part. What else it leads to belongs to other sources."""
        routes: Iterable[str] = ()
        if item.state == "unchanged":
            held = await self.job.page_states.of(item.visit)
            routes = held.routes if held is not None else ()
        elif item.state == "captured" and item.fetched is not None:
            routes = (await page_links.find_page_links(self.job, self.run.scope, item)).routes
        item.links = tuple(one for one in routes if route_of(one).startswith(REST_ROUTE))
        self.exclude_routes(item, item.links)

    def _further_pages(self, item: PageItem, found: Sitemap) -> list[FrontierUrl]:
        """Where a feed that is split over pages goes on: unless it names nothing, as behind its last."""
        visits: list[FrontierUrl] = []
        for url in found.further if found.pages else ():
            with suppress(ValueError):
                visit = self.visit(
                    url, kind="sitemap", depth=item.visit.depth + 1, found_on=item.visit.url, found_by=NEXT
                )
                reason = self.run.scope.excludes(visit.url)
                if reason is None and visit.depth >= MAX_SITEMAPS:
                    reason = Reason(ReasonCode.SITEMAP_CAP, limit=MAX_SITEMAPS)
                if reason is None:
                    visits.append(visit)
                else:
                    self.exclude(item, visit, reason)
        return visits
